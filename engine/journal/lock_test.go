package journal_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentleague/engine/journal"
)

func TestASecondOpenIsToldWhoHoldsTheRoot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "SHARED", "data") // made by Open
	e, err := journal.Open(dir, journal.Options{Holder: "http://localhost:8000/mcp"})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	_, err = journal.Open(dir, journal.Options{Holder: "http://localhost:9000/mcp"})
	var inUse *journal.InUseError
	if !errors.As(err, &inUse) {
		t.Fatalf("got error %v, want that the root is in use", err)
	}
	if inUse.PID != os.Getpid() || inUse.Holder != "http://localhost:8000/mcp" || time.Since(inUse.Since) > time.Minute {
		t.Errorf("got %+v, want process %d", inUse, os.Getpid())
	}
	for _, want := range []string{"journal.lock", "process ", "at http://localhost:8000/mcp", " since ", "stop it"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
}

func TestAHolderMayLearnItsAddressLater(t *testing.T) {
	dir := t.TempDir()
	e, err := journal.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var before, after *journal.InUseError
	if _, err := journal.Open(dir, journal.Options{}); !errors.As(err, &before) || before.Holder != "" ||
		strings.Contains(err.Error(), " at ") {
		t.Errorf("got %v, want no address yet", err)
	}
	if err := e.HeldAt("http://localhost:4711/mcp"); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Open(dir, journal.Options{}); !errors.As(err, &after) ||
		after.Holder != "http://localhost:4711/mcp" || after.Since != before.Since {
		t.Errorf("got %v, want the address, and held since %v", err, before.Since)
	}
}

func TestTheLockFileIsJSON(t *testing.T) {
	dir := t.TempDir()
	e, err := journal.Open(dir, journal.Options{Holder: "here"})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var got map[string]any
	if err := json.Unmarshal(read(t, filepath.Join(dir, "journal.lock")), &got); err != nil {
		t.Fatal(err)
	}
	if got["pid"] != float64(os.Getpid()) || got["holder"] != "here" || got["since"] == nil || len(got) != 3 {
		t.Errorf("got %v", got)
	}
}

func TestALockNobodyHoldsIsNoObstacle(t *testing.T) {
	for _, left := range []string{
		"", " ", ` {"pid":1,"holder":"a dead process","since":"2026-01-01T00:00:00Z"}` + "\n", strings.Repeat("x", 500),
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "journal.lock"), left)
		for range 2 {
			e, err := journal.Open(dir, journal.Options{Holder: "new"})
			if err != nil {
				t.Fatalf("%q: %v", left, err)
			}
			_, err = journal.Open(dir, journal.Options{})
			if err == nil || !strings.Contains(err.Error(), "at new") || strings.Contains(err.Error(), "dead") {
				t.Errorf("%q: got error %v, want that of the new holder", left, err)
			}
			e.Close()
		}
	}
}

func TestALockThatSaysNothingIsStillALock(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	defer e.Close()
	write(t, filepath.Join(dir, "journal.lock"), "")
	_, err := journal.Open(dir, journal.Options{})
	if err == nil || !strings.Contains(err.Error(), "in use by another process:") {
		t.Errorf("got error %v", err)
	}
}

func TestALockThatCannotBeTakenIsAnError(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "journal.lock"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Open(dir, journal.Options{}); err == nil || !strings.Contains(err.Error(), "journal.lock") {
		t.Errorf("got error %v, want one that names the lock", err)
	}
}
