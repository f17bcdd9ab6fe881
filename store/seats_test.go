package store_test

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"agentleague/store"
)

func TestSeatsAreKeptForTheirOwnerAlone(t *testing.T) {
	root := open(t)
	seats := root.Seats(league)
	if all, err := seats.All(); err != nil || len(all) != 0 {
		t.Errorf("a new root has %v, %v; want no seats", all, err)
	}
	want := store.Seat{Key: "seat_A", DisplayName: "Dana", Fallback: "random", Room: "/s/x"}
	mustSucceed(t, seats.Save(want))
	want.PlayerID = "P05"
	mustSucceed(t, seats.Save(want))
	want.SchemaVersion = "1.0.0"
	if all, err := seats.All(); err != nil || !reflect.DeepEqual(all, []store.Seat{want}) {
		t.Errorf("got %+v, %v; want %+v", all, err, want)
	}
	names, _ := filepath.Glob(filepath.Join(root.Dir(), "data/seats", league, "*"))
	if len(names) != 1 || strings.Contains(names[0], "seat_A") {
		t.Fatalf("files = %v, want one whose name does not tell the key", names)
	}
	if info, err := os.Stat(names[0]); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v; want 0600", info.Mode(), err)
	}
	mustSucceed(t, seats.Remove("seat_A"))
	mustSucceed(t, seats.Remove("seat_A"))
	if all, err := seats.All(); err != nil || len(all) != 0 {
		t.Errorf("after its removal: %v, %v", all, err)
	}
}

func TestSpoiledSeatIsNamedAndTheOthersAreThere(t *testing.T) {
	root := open(t)
	seats := root.Seats(league)
	mustSucceed(t, seats.Save(store.Seat{Key: "seat_A", DisplayName: "Dana"}))
	folder := filepath.Join(root.Dir(), "data/seats", league)
	mustSucceed(t, os.WriteFile(filepath.Join(folder, "bad.json"), []byte(`{"key": 7}`), 0o600))
	mustSucceed(t, os.WriteFile(filepath.Join(folder, "empty.json"), []byte(`{}`), 0o600))
	all, err := seats.All()
	if len(all) != 1 || all[0].DisplayName != "Dana" {
		t.Errorf("seats = %+v, want Dana's", all)
	}
	if err == nil || !strings.Contains(err.Error(), "bad.json") ||
		!strings.Contains(err.Error(), "empty.json: want a key") {
		t.Errorf("error = %v, want both files by name", err)
	}
	if err := root.Seats("../evil").Save(store.Seat{Key: "k", DisplayName: "x"}); err == nil {
		t.Error("a league outside of the root was taken")
	}
}
