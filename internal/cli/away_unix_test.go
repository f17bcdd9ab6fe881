//go:build !windows

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agentleague/engine/journal"
	"agentleague/rpc/rpctest"
)

// A journal that is moved while its league is played pauses the league; moved back it goes on, and nothing is lost or
// written elsewhere.
func TestLongAJournalMovedWhileItsLeagueIsPlayedIsWaitedFor(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := journal.Path(filepath.Join(root, "data"), theLeague)
	p := start(t, "run", "--root", root, "--port", "0", "--players", "24", "--pace", "50ms")
	rpctest.Eventually(t, "some results", func() bool {
		text, err := os.ReadFile(path)
		return err == nil && strings.Count(string(text), `"ResultRecorded"`) > 20
	})
	if err := os.Rename(path, path+".moved"); err != nil {
		t.Fatal(err)
	}
	p.says(path + " was moved or deleted: put it back as it was, and the league continues by itself")
	before, err := os.ReadFile(path + ".moved")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil { // an empty file is no journal to go on with
		t.Fatal(err)
	}
	p.says(path + " was cut short: put it back as it was, and the league continues by itself")
	if text, err := os.ReadFile(path); len(text) > 0 || err != nil {
		t.Errorf("the file in its place holds %d bytes (%v)", len(text), err)
	}
	if text, err := os.ReadFile(path + ".moved"); string(text) != string(before) || err != nil {
		t.Errorf("the journal that was moved had %d bytes and has %d (%v)", len(before), len(text), err)
	}
	if err := os.Rename(path+".moved", path); err != nil {
		t.Fatal(err)
	}
	p.says("the log is back: the league continues")
	if status := p.status(); status != 0 {
		t.Errorf("status %d, want 0", status)
	}
	checkWhole(t, root, 24*23/2)
	mustVerify(t, root, theLeague)
}

// An idle manager detects the deletion too, shows it, and still reacts to an interrupt.
func TestAJournalDeletedUnderAManagerIsShownAndTheManagerEnds(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := journal.Path(filepath.Join(root, "data"), theLeague)
	p := start(t, "manager", "--root", root, "--port", "0", "--start-after", "1h")
	at := p.endpoint()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	sentence := path + " was moved or deleted: put it back as it was, and the league continues by itself"
	p.says(sentence)
	var s shownStatus
	rpctest.Eventually(t, "PAUSED", func() bool {
		once(t, &s, "status", "--root", root, "--manager", at)
		return s.State == "PAUSED"
	})
	if s.Reason != sentence {
		t.Errorf("status says %q, want %q", s.Reason, sentence)
	}
	p.signal(syscall.SIGTERM)
	p.status()
	if told := p.errs.String(); strings.Contains(told, "Nothing is lost") || !strings.Contains(told, "Not everything is in its place: "+sentence+".") {
		t.Errorf("in the end it says:\n%s", told)
	}
	if _, err := os.Stat(path); err == nil {
		t.Errorf("%s was made anew", path)
	}
}
