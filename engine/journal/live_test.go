package journal_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"testing"
	"testing/fstest"

	"agentleague/engine/journal"
)

// live is a folder whose journal grows while it is read: each read returns the next of its states, and the last state
// stays.
type live struct {
	fstest.MapFS
	states [][]byte
}

func (l *live) Open(name string) (fs.File, error) {
	f, err := l.MapFS.Open(name)
	if err != nil || name != "journal.jsonl" {
		return f, err
	}
	return &liveFile{File: f, live: l}, nil
}

type liveFile struct {
	fs.File
	live *live
	at   int64
}

func (f *liveFile) Read(b []byte) (n int, err error) {
	n, err = f.ReadAt(b, f.at)
	f.at += int64(n)
	return n, err
}

func (f *liveFile) ReadAt(b []byte, at int64) (int, error) {
	now := f.live.states[0]
	if len(f.live.states) > 1 {
		f.live.states = f.live.states[1:]
	}
	if at >= int64(len(now)) {
		return 0, io.EOF
	}
	return copy(b, now[at:]), nil
}

// readLive reads a journal whose head is that of files.
func readLive(t *testing.T, name string, files map[string][]byte, states [][]byte, want ...string) {
	t.Helper()
	folder := &live{
		fstest.MapFS{"journal.jsonl": {Data: files[journalName]}, "journal.head": {Data: files[headName]}}, states,
	}
	wantEntries(t, name, journal.ReadFS(folder, "journal.jsonl"), want...)
}

func TestALineThatIsWrittenWhileItIsReadIsNoDamage(t *testing.T) {
	files := crashed(t, "one", `["two"]`, `["three"]`)
	whole := files[journalName]
	sound := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	for size := sound; size < len(whole); size++ {
		name := fmt.Sprintf("%d of %d bytes", size-sound, len(whole)-sound)
		readLive(t, name+", the rest at once", files, [][]byte{whole[:size], whole}, "one", `["two"]`, `["three"]`)
		readLive(t, name+", the rest after the end", files, [][]byte{whole[:size], whole[:size], whole}, "one", `["two"]`)
	}
}

func TestALineThatIsCutAndWrittenAnewWhileItIsReadIsNoDamage(t *testing.T) {
	files := crashed(t, "one", `["two"]`, `["three"]`)
	whole := files[journalName]
	sound := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	second := string(whole[bytes.IndexByte(whole, '\n')+1 : sound-1])
	anew := append(bytes.Clone(whole[:sound]), join([]string{line(3, sum(second), "three anew")})...)
	for size := sound + 1; size < len(whole); size++ {
		readLive(t, fmt.Sprintf("%d of %d bytes", size-sound, len(whole)-sound), files, [][]byte{whole[:size], anew}, "one",
			`["two"]`, `"three anew"`)
	}
}

// unborn is a folder in which a log appears at the moment of a failed lookup of its head.
type unborn struct {
	fs.FS
	made bool
}

func (u *unborn) Open(name string) (fs.File, error) {
	if u.made {
		return u.FS.Open(name)
	}
	u.made = name == "journal.head"
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func TestALogThatIsMadeWhileItIsReadHasNotLostItsHead(t *testing.T) {
	files := crashed(t, "one", "two")
	folder := &unborn{
		FS: fstest.MapFS{"journal.jsonl": {Data: files[journalName]}, "journal.head": {Data: files[headName]}},
	}
	wantEntries(t, "made meanwhile", journal.ReadFS(folder, "journal.jsonl"), "one", "two")
}
