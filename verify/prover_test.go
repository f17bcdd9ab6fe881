package verify_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"agentleague/internal/cli"
	"agentleague/protocol"
	"agentleague/verify"
)

// A slowDisk takes a second to read a journal, and counts how often that is done.
type slowDisk struct {
	files    fstest.MapFS
	journals atomic.Int64
	records  atomic.Int64
	pause    time.Duration // of reading a record
}

func (d *slowDisk) Open(name string) (fs.File, error) {
	switch {
	case strings.HasSuffix(name, "/journal.jsonl"):
		d.journals.Add(1)
		time.Sleep(time.Second)
	case strings.HasPrefix(name, "data/matches/"):
		d.records.Add(1)
		time.Sleep(d.pause)
	}
	return d.files.Open(name)
}

// Stat costs nothing.
func (d *slowDisk) Stat(name string) (fs.FileInfo, error) { return fs.Stat(d.files, name) }

// inMemory is the root of a league that was played to its end, in memory.
func inMemory(t *testing.T, players int) fstest.MapFS {
	t.Helper()
	root := filepath.Join(t.TempDir(), "root")
	if status := cli.Main([]string{
		"run", "--root", root, "--port", "0", "--players", fmt.Sprint(players), "--league-id", "proof",
	}, io.Discard, t.Output()); status != 0 {
		t.Fatal("status", status)
	}
	out := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		out[name] = &fstest.MapFile{Data: text, ModTime: time.Unix(1, 0)}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestNobodyKeepsTheProverBusy(t *testing.T) {
	t.Parallel()
	files := inMemory(t, 4)
	synctest.Test(t, func(t *testing.T) {
		disk := &slowDisk{files: files}
		p := verify.NewProver(disk)
		mustProve := func(match string) {
			t.Helper()
			if proof, err := p.Match(t.Context(), "proof", match); err != nil || !proof.OK() {
				t.Errorf("%s: got %+v, %v", match, proof, err)
			}
		}
		for range 100 {
			for _, match := range []string{"R1M1", "R1M2", "R2M1"} {
				mustProve(match)
			}
		}
		if n := disk.journals.Load(); n != 1 {
			t.Errorf("the journal was read %d times for 300 proofs, want once", n)
		}
		if n := disk.records.Load(); n > 9 || n < 3 {
			t.Errorf("records were read %d times for 300 proofs of three matches", n)
		}

		// The journal grows. Its known part is proven from memory; it is read again for at most 1/20 of the time.
		journal := *files["data/leagues/proof/journal.jsonl"]
		start := time.Now()
		for n := range 600 {
			journal.ModTime = time.Unix(int64(n+2), 0)
			files["data/leagues/proof/journal.jsonl"] = &journal
			mustProve("R1M1")
			time.Sleep(100 * time.Millisecond)
		}
		if n, most := disk.journals.Load(), int64(time.Since(start)/(20*time.Second))+2; n > most || n < 3 {
			t.Errorf("a journal that grows was read %d times in %v, want at most %d", n, time.Since(start), most)
		}

		// A match that was recorded since has to wait, and the answer states for how long.
		p.RestUntil(time.Now().Add(15 * time.Second))
		journal.ModTime = time.Unix(5000, 0)
		_, err := p.Match(t.Context(), "proof", "R9M9")
		if !protocol.Is(err, protocol.RateLimited) || !strings.Contains(err.Error(), "Try again in 15 s.") {
			t.Errorf("got %v", err)
		}
		time.Sleep(2 * verify.KeepRead)
		synctest.Wait()
		if p.Readings() != 0 {
			t.Error("a journal that nobody asks for is held in memory")
		}
	})
}

func TestLongMatchesAreProvenForAPartOfTheTime(t *testing.T) {
	t.Parallel()
	files := inMemory(t, 4)
	synctest.Test(t, func(t *testing.T) {
		disk := &slowDisk{files: files, pause: 50 * time.Millisecond}
		p := verify.NewProver(disk)
		var told error
		start := time.Now()
		for n := 0; time.Since(start) < 5*time.Minute; n++ {
			files["data/matches/proof/R1M1.json"].ModTime = time.Unix(int64(n), 0) // as if each were another match
			if _, err := p.Match(t.Context(), "proof", "R1M1"); err != nil {
				told = err
				time.Sleep(10 * time.Millisecond)
			}
		}
		if spent := time.Duration(disk.records.Load()) * disk.pause; spent > 5*time.Minute/verify.ProofShare+
			2*verify.ProofSpare {
			t.Errorf("%v of five minutes were spent on proofs", spent)
		}
		if !protocol.Is(told, protocol.RateLimited) || !strings.Contains(told.Error(), "Many matches were verified just now. Try again in ") {
			t.Errorf("who asks too much is told %v", told)
		}
	})
}

func TestAProofIsMadeAnewWhenItsRecordOrItsJournalIsAnother(t *testing.T) {
	t.Parallel()
	files := inMemory(t, 3)
	p := verify.NewProver(files)
	proof, err := p.Match(t.Context(), "proof", "R1M1")
	if err != nil || !proof.OK() {
		t.Fatalf("got %+v, %v", proof, err)
	}
	record := *files["data/matches/proof/R1M1.json"]
	record.Data, record.ModTime = bytes.Replace(record.Data, []byte("FINISHED"), []byte("FINISHEE"), 1), time.Unix(2, 0)
	files["data/matches/proof/R1M1.json"] = &record
	if proof, err = p.Match(t.Context(), "proof", "R1M1"); err != nil || proof.OK() {
		t.Errorf("a record that was changed: %+v, %v", proof, err)
	}
	journal := *files["data/leagues/proof/journal.jsonl"]
	journal.Data, journal.ModTime = bytes.Replace(journal.Data, []byte(`"kind"`), []byte(`"kinD"`), 1), time.Unix(2, 0)
	files["data/leagues/proof/journal.jsonl"] = &journal
	p.RestUntil(time.Time{})
	if proof, err = p.Match(t.Context(), "proof", "R2M1"); err != nil || proof.OK() ||
		proof.Steps[0].Status != protocol.Fail {
		t.Errorf("a journal that was changed: %+v, %v", proof, err)
	}
}
