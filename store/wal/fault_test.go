package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func appendCRC(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(nil, crc32.Checksum(b, castagnoli))
}

var errDisk = errors.New("the disk has failed")

// A faultyDisk is a disk in memory. Each write, sync, truncation, opening or renaming is a step, which may fail.
type faultyDisk struct {
	mu     sync.Mutex
	files  map[string]*faultyFile
	named  map[string]*faultyFile // as the folder was synced
	steps  int
	fails  func(step int) bool // nil: none does
	syncs  atomic.Int64
	hold   chan struct{} // syncs wait for it; nil: they do not
	landed func() float64
}

// A faultyFile holds the written data, and the synced part of it.
type faultyFile struct {
	disk   *faultyDisk
	text   []byte
	synced []byte
}

func newFaultyDisk(fails func(step int) bool) *faultyDisk {
	return &faultyDisk{files: map[string]*faultyFile{}, named: map[string]*faultyFile{}, fails: fails}
}

// step is one thing that the disk is asked to do. The caller holds the lock.
func (d *faultyDisk) step() error {
	d.steps++
	if d.fails != nil && d.fails(d.steps) {
		return fmt.Errorf("step %d: %w", d.steps, errDisk)
	}
	return nil
}

func (d *faultyDisk) Open(path string, flag int, _ fs.FileMode) (File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return nil, err
	}
	f := d.files[path]
	if f == nil {
		if flag&os.O_CREATE == 0 {
			return nil, fs.ErrNotExist
		}
		f = &faultyFile{disk: d}
		d.files[path] = f
	}
	if flag&os.O_TRUNC != 0 {
		f.text = nil
	}
	return f, nil
}

func (d *faultyDisk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return err
	}
	d.files[to] = d.files[from]
	delete(d.files, from)
	return nil
}

func (d *faultyDisk) Remove(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.files, path)
	return nil
}

func (d *faultyDisk) SyncFolder(string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.step()
	if err == nil {
		d.named = maps.Clone(d.files)
	}
	return err
}

func (f *faultyFile) ReadAt(b []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return readerOf(f.text).ReadAt(b, at)
}

func (f *faultyFile) WriteAt(b []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	n := len(b)
	err := f.disk.step()
	if err != nil {
		n /= 2
	}
	f.text = append(f.text, make([]byte, max(0, int(at)+n-len(f.text)))...)
	copy(f.text[at:], b[:n])
	return n, err
}

func (f *faultyFile) Truncate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	err := f.disk.step()
	if err == nil {
		f.text = append(f.text, make([]byte, max(0, int(size)-len(f.text)))...)[:size]
	}
	return err
}

func (f *faultyFile) Sync() error {
	f.disk.mu.Lock()
	hold := f.disk.hold
	f.disk.syncs.Add(1)
	err := f.disk.step()
	text := slices.Clone(f.text)
	f.disk.mu.Unlock()
	if hold != nil {
		<-hold
	}
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err == nil {
		f.synced = text
	}
	return err
}

func (f *faultyFile) Stat() (fs.FileInfo, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return sizeOf(len(f.text)), nil
}

func (f *faultyFile) Close() error { return nil }

// A sizeOf is the size of a file in memory.
type sizeOf int

func (s sizeOf) Name() string     { return "" }
func (s sizeOf) Size() int64      { return int64(s) }
func (sizeOf) Mode() fs.FileMode  { return 0 }
func (sizeOf) ModTime() time.Time { return time.Time{} }
func (sizeOf) IsDir() bool        { return false }
func (sizeOf) Sys() any           { return nil }

// cut is the disk after a power cut that left that many thousandths of each file's unsynced bytes; with zeros, the
// others are zero bytes. Names are those of the synced folder, or the current ones.
func (d *faultyDisk) cut(c powerCut) *faultyDisk {
	after := newFaultyDisk(nil)
	files := d.files
	if c.names {
		files = d.named
	}
	kept, zeros := c.kept, c.zeros
	for name, f := range files {
		text := slices.Clone(f.text)
		if len(f.text) > len(f.synced) {
			from := len(f.synced) + (len(f.text)-len(f.synced))*kept/1000
			if clear(text[from:]); !zeros {
				text = text[:from]
			}
		} else {
			text = slices.Clone(f.synced) // a truncation that was not synced
		}
		after.files[name] = &faultyFile{disk: after, text: text, synced: slices.Clone(text)}
	}
	after.named = maps.Clone(after.files)
	return after
}

// A powerCut defines the effect of a power cut.
type powerCut struct {
	kept  int // of each file, in thousandths of the unsynced bytes
	zeros bool
	names bool // new names that were not synced are lost
}

// powerCuts are all kinds, and a kill of the process, which loses nothing.
func powerCuts() (all []powerCut) {
	for _, kept := range []int{0, 300, 700, 1000} {
		for _, zeros := range []bool{false, true} {
			all = append(all, powerCut{kept, zeros, false}, powerCut{kept, zeros, true})
		}
	}
	return all
}

// Whichever step of a disk fails, once or from then on: entries of a call that succeeded are there afterwards, also
// after a power cut, and those of a call that failed are not in the state. When the disk works again the log goes on.
func TestAnyFaultAnywhere(t *testing.T) {
	for _, forever := range []bool{false, true} {
		for failing := 1; ; failing++ {
			working := false
			disk := newFaultyDisk(func(step int) bool { return !working && (step == failing || forever && step > failing) })
			s := &state{}
			l, err := Open(disk, "log", 0o600, s)
			var durable, lazy []string
			for n := range 12 {
				key := fmt.Sprint("k", n)
				if err = l.Append(n%3 != 1, entry(key)); err == nil && n%3 != 1 {
					durable = append(durable, key)
				} else if err == nil {
					lazy = append(lazy, key)
				}
				if n == 7 {
					_ = l.Compact(func(Item) bool { return true })
				}
				if n == 9 {
					_ = l.Close()
				}
			}
			over := disk.steps < failing
			for _, c := range powerCuts() {
				after, s2 := openLog(t, disk.cut(c), "log")
				must(t, after.Damage())
				found := s2.list()
				for _, key := range durable {
					if !slices.Contains(found, key) {
						t.Fatalf("step %d, forever %v, %+v: %s was acknowledged and is lost: %q", failing, forever, c, key, found)
					}
				}
				must(t, after.Append(true, entry("after")))
			}
			disk.mu.Lock()
			working = true
			disk.mu.Unlock()
			must(t, l.Append(true, entry("more")))
			for _, key := range append(durable, "more") {
				if at, ok := s.at[key]; !ok {
					t.Fatalf("step %d, forever %v: %s is not in the state", failing, forever, key)
				} else if e, err := l.Read(at); err != nil || string(e.Body) != string(body(key)) {
					t.Fatalf("step %d, forever %v: %s: got %v, %v", failing, forever, key, e, err)
				}
			}
			for key, at := range s.at {
				if _, err := l.Read(at); err != nil {
					t.Fatalf("step %d: %s is in the state and not in the log: %v", failing, key, err)
				}
			}
			_ = lazy
			if over {
				break
			}
		}
	}
}

// A compaction that ends at any step of the disk, by an error, a kill or a power cut, loses no entry that is kept, byte for
// byte. The next one, after a restart, succeeds.
func TestACompactionMayEndAnywhere(t *testing.T) {
	wanted := func(it Item) bool { return it.Key[0] == 'k' }
	for failing := 1; ; failing++ {
		disk := newFaultyDisk(nil)
		l, s := openLog(t, disk, "log")
		var keep []string
		for n := range 6 {
			keep = append(keep, fmt.Sprint("k", n))
			must(t, l.Append(true, entry(keep[n]), entry(fmt.Sprint("dead", n))))
		}
		first := disk.steps + failing
		disk.fails = func(step int) bool { return step == first }
		err := l.Compact(wanted)
		over := disk.steps < first
		if disk.fails = nil; over && err != nil {
			t.Fatal(err)
		}
		cuts := powerCuts()
		for _, c := range cuts {
			after, s2 := openLog(t, disk.cut(c), "log")
			must(t, after.Damage())
			must(t, after.Compact(wanted))
			holds(t, after, s2, keep...)
		}
		keep = append(keep, "k6")
		must(t, l.Append(true, entry("k6")))
		for _, key := range keep {
			if e, err := l.Read(s.at[key]); err != nil || string(e.Body) != string(body(key)) {
				t.Fatalf("step %d: %s: got %v, %v", failing, key, e, err)
			}
		}
		for _, c := range cuts {
			after, s2 := openLog(t, disk.cut(c), "log")
			must(t, after.Damage())
			must(t, after.Compact(wanted))
			holds(t, after, s2, keep...)
			if left := len(after.disk.(*faultyDisk).files); left != 1 {
				t.Errorf("step %d: got %d files, want the log alone", failing, left)
			}
		}
		if over {
			break
		}
	}
}

// Every caller with an entry in a group that cannot be written gets the error, and no caller of the previous group.
func TestAGroupThatFailsIsAnErrorForAll(t *testing.T) {
	disk := newFaultyDisk(nil)
	l, s := openLog(t, disk, "log")
	must(t, l.Append(true, entry("a")))
	hold := make(chan struct{})
	disk.mu.Lock()
	disk.hold = hold
	disk.mu.Unlock()
	before, first := disk.syncs.Load(), make(chan error, 1)
	go func() { first <- l.Append(true, entry("b")) }()
	for disk.syncs.Load() == before {
		runtime.Gosched()
	}
	const others = 5
	failed := make(chan error, others)
	for n := range others {
		go func() { failed <- l.Append(n%2 == 0, entry(fmt.Sprint("lost", n))) }()
	}
	joined := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.next == nil {
			return 0
		}
		n := 0
		must(t, items(l.next.text[frameSize:], 0, nil, func(Item) { n++ }))
		return n
	}
	for joined() < others {
		runtime.Gosched()
	}
	disk.mu.Lock()
	disk.fails, disk.hold = func(int) bool { return true }, nil // the sync under way was asked for before
	disk.mu.Unlock()
	close(hold)
	must(t, <-first)
	for range others {
		if err := <-failed; !errors.Is(err, errDisk) {
			t.Errorf("got %v, want the cause", err)
		}
	}
	disk.mu.Lock()
	disk.fails = nil
	disk.mu.Unlock()
	holds(t, l, s, "a", "b")
	must(t, l.Append(true, entry("c")))
	holds(t, l, s, "a", "b", "c")
}

// A full disk refuses entries until there is room for twice as much.
func TestAFullDiskIsProbedFirst(t *testing.T) {
	disk := newFaultyDisk(nil)
	l, s := openLog(t, disk, "log")
	must(t, l.Append(true, entry("a")))
	full, wrote := true, 0
	disk.fails = func(int) bool { wrote++; return full }
	if err := l.Append(true, entry("b")); !errors.Is(err, errDisk) || errors.Is(err, io.EOF) {
		t.Errorf("got %v, want the cause", err)
	}
	full = false
	must(t, l.Append(true, entry("c")))
	holds(t, l, s, "a", "c")
}
