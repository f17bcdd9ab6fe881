package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/store"
)

// anEnv opens a new root.
func anEnv(t *testing.T) *host.Env {
	t.Helper()
	h, err := (&app{root: t.TempDir(), level: "error", err: io.Discard}).open("")
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func secretOf(h *host.Env) ([]byte, error) { return journal.SharedSecret(h.DataDir(), host.SecretName) }

func TestRefereeSecretIsTheRootsOrACopyOfIt(t *testing.T) {
	t.Parallel()
	here, elsewhere := anEnv(t), anEnv(t)
	own, err := secretOf(here)
	if err != nil || len(own) != 32 {
		t.Fatalf("got %x, %v", own, err)
	}
	if again, err := secretOf(here); err != nil || !bytes.Equal(again, own) {
		t.Errorf("again: got %x, %v, want the same", again, err)
	}
	if other, err := secretOf(elsewhere); err != nil || bytes.Equal(other, own) {
		t.Errorf("another root: got %x, %v, want another", other, err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	text, err := os.ReadFile(filepath.Join(here.DataDir(), "secrets", "referee"))
	if err != nil || os.WriteFile(copied, text, 0o600) != nil {
		t.Fatal(err)
	}
	if got, err := (agentFlags{secretFile: copied}).refereeSecret(); err != nil || !bytes.Equal(got, own) {
		t.Errorf("a copy: got %x, %v, want %x", got, err, own)
	}
	if _, err := (agentFlags{secretFile: copied + "x"}).refereeSecret(); err == nil || !strings.Contains(err.Error(), "--referee-secret") || !strings.Contains(err.Error(), "data/secrets/referee") {
		t.Errorf("no such file: got %v, want what to do", err)
	}
}

func TestUndecidedMatchesSurviveTheReferee(t *testing.T) {
	t.Parallel()
	h := anEnv(t)
	shelf := func() referee.Shelf { return store.Recorder{Records: h.RecordsOf(func() string { return "REF01" })} }
	f := referee.Finished{
		Record: protocol.MatchRecord{LeagueID: "L", MatchID: "R1M1", Attempt: 2, Moves: []protocol.PlayedMove{{PlayerID: "P01", Move: []byte(`"even"`)}}},
		Start:  protocol.StartMatch{Attempt: 2, DrawCommitment: "c", PlayerA: protocol.Contender{ID: "P01", Token: "tok"}},
	}
	all := func() (list []referee.Finished) {
		for f, err := range shelf().All(context.Background()) {
			if err != nil {
				t.Error(err)
			}
			list = append(list, f)
		}
		return list
	}
	if err := shelf().Put(t.Context(), &f); err != nil {
		t.Fatal(err)
	}
	if got := all(); len(got) != 1 || !reflect.DeepEqual(got[0].Record, f.Record) || !reflect.DeepEqual(got[0].Start, f.Start) {
		t.Errorf("got %+v, want %+v", got, f)
	}
	if err := shelf().Remove(t.Context(), f.Record.Ref()); err != nil || all() != nil {
		t.Errorf("removed: got %v, %v", all(), err)
	}
	records := h.RecordsOf(func() string { return "REF01" })
	if err := records.SaveUndecided(f.Record.Ref(), []byte("{")); err != nil {
		t.Fatal(err)
	}
	for _, err := range shelf().All(t.Context()) {
		if err == nil || !strings.Contains(err.Error(), "R1M1") {
			t.Errorf("a torn file: got %v, want an error that names the match", err)
		}
	}
}
