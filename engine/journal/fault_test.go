package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/engine"
)

// faulty is a real disk on which operations fail that fail names. A write that fails has half been done, a
// sync that fails may be.
type faulty struct {
	osDisk
	mu   sync.Mutex
	fail func(op, path string) error // nil fails nothing
}

func (d *faulty) check(op, path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail == nil {
		return nil
	}
	if err := d.fail(op, path); err != nil {
		return &fs.PathError{Op: op, Path: path, Err: err}
	}
	return nil
}

func (d *faulty) failing(fail func(op, path string) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = fail
}

func (d *faulty) open(path string, flag int) (file, error) {
	if err := d.check("open", path); err != nil {
		return nil, err
	}
	f, err := d.osDisk.open(path, flag)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file: f, disk: d, path: path}, nil
}

func (d *faulty) stat(path string) (fs.FileInfo, error) {
	if err := d.check("stat", path); err != nil {
		return nil, err
	}
	return d.osDisk.stat(path)
}

func (d *faulty) replace(path string, content []byte) error {
	if err := d.check("replace", path); err != nil {
		return err
	}
	return d.osDisk.replace(path, content)
}

type faultyFile struct {
	file
	disk *faulty
	path string
}

func (f *faultyFile) ReadAt(b []byte, at int64) (int, error) {
	if err := f.disk.check("read", f.path); err != nil {
		return 0, err
	}
	return f.file.ReadAt(b, at)
}

func (f *faultyFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.disk.check("write", f.path); err != nil {
		n, _ := f.file.WriteAt(b[:len(b)/2], at)
		return n, err
	}
	return f.file.WriteAt(b, at)
}

func (f *faultyFile) Truncate(size int64) error {
	if err := f.disk.check("truncate", f.path); err != nil {
		return err
	}
	return f.file.Truncate(size)
}

func (f *faultyFile) Sync() error {
	if err := f.disk.check("sync", f.path); err != nil {
		return err
	}
	return f.file.Sync()
}

func (f *faultyFile) Stat() (fs.FileInfo, error) {
	if err := f.disk.check("stat", f.path); err != nil {
		return nil, err
	}
	return f.file.Stat()
}

func (f *faultyFile) Close() error {
	if err := f.disk.check("close", f.path); err != nil {
		f.file.Close()
		return err
	}
	return f.file.Close()
}

// on fails the operations of that name.
func on(err error, ops ...string) func(op, path string) error {
	return func(op, _ string) error {
		if slices.Contains(ops, op) {
			return err
		}
		return nil
	}
}

func openFaulty(t *testing.T, dir string, o Options) (*Engine, *faulty) {
	t.Helper()
	d := &faulty{}
	e, err := open(dir, o, d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e, d
}

func texts(t *testing.T, e *Engine) (out []string, err error) {
	t.Helper()
	for entry, err := range e.Read(t.Context(), "league", 0) {
		if err != nil {
			return nil, err
		}
		out = append(out, string(entry.Data))
	}
	return out, nil
}

func wantTexts(t *testing.T, e *Engine, want ...string) {
	t.Helper()
	if got, err := texts(t, e); err != nil || !slices.Equal(got, want) {
		t.Fatalf("got %q and error %v, want %q", got, err, want)
	}
}

func mustAppend(t *testing.T, e *Engine, prev uint64, batch string) {
	t.Helper()
	if _, err := e.Append(t.Context(), "league", prev, []byte(batch)); err != nil {
		t.Fatal(err)
	}
}

func TestAFullDiskIsToldLosesNothingAndTheLogGoesOn(t *testing.T) {
	dir := t.TempDir()
	e, d := openFaulty(t, dir, Options{})
	mustAppend(t, e, 0, "one")
	d.failing(on(syscall.ENOSPC, "write", "replace"))
	for range 3 {
		_, err := e.Append(t.Context(), "league", 1, []byte("no room"))
		if !errors.Is(err, syscall.ENOSPC) || errors.Is(err, engine.ErrFenced) ||
			!strings.Contains(err.Error(), Path(dir, "league")) {
			t.Fatalf("got error %v, want %v that names %s", err, syscall.ENOSPC, Path(dir, "league"))
		}
	}
	wantTexts(t, e, "one")
	d.failing(nil)
	mustAppend(t, e, 1, "two")
	wantTexts(t, e, "one", "two")
}

func TestAFullDiskAtTheFirstAppend(t *testing.T) {
	for _, op := range []string{"open", "write", "replace"} {
		e, d := openFaulty(t, t.TempDir(), Options{})
		d.failing(on(syscall.ENOSPC, op))
		if _, err := e.Append(t.Context(), "league", 0, []byte("no room")); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: got error %v, want %v", op, err, syscall.ENOSPC)
		}
		d.failing(nil)
		wantTexts(t, e)
		mustAppend(t, e, 0, "one")
		wantTexts(t, e, "one")
	}
}

func TestALineThatWasNotSyncedIsCutBeforeAnybodySeesIt(t *testing.T) {
	e, d := openFaulty(t, t.TempDir(), Options{})
	mustAppend(t, e, 0, "one")
	d.failing(on(syscall.EIO, "sync"))
	if _, err := e.Append(t.Context(), "league", 1, []byte("lost")); !errors.Is(err, syscall.EIO) {
		t.Fatalf("got error %v, want %v", err, syscall.EIO)
	}
	if _, err := texts(t, e); !errors.Is(err, syscall.EIO) {
		t.Errorf("read while nothing can be synced: got error %v, want %v", err, syscall.EIO)
	}
	d.failing(nil)
	wantTexts(t, e, "one")
	mustAppend(t, e, 1, "two")
	wantTexts(t, e, "one", "two")
}

// TestAnyFaultAnywhere lets each operation of the disk fail in turn, and then the next of some kind. If the log is read
// after a failed append, as the contract requires, later reads never contradict the result.
func TestAnyFaultAnywhere(t *testing.T) {
	for _, then := range []string{"none", "open", "read", "write", "truncate", "sync", "stat", "replace", "close"} {
		first, reached := 0, true
		for ; reached; first++ {
			synctest.Test(t, func(t *testing.T) { reached = surviveFaults(t, first, then) })
		}
		if first < 20 {
			t.Errorf("only %d operations could fail, want more", first)
		}
	}
}

// surviveFaults fails one operation and then the next two of another kind. It reports whether all of these happened.
func surviveFaults(t *testing.T, first int, then string) (reached bool) {
	t.Helper()
	dir, count, more := t.TempDir(), 0, 2
	e, d := openFaulty(t, dir, Options{})
	d.failing(func(op, _ string) error {
		if count++; count <= first {
			return nil
		}
		if count == first+1 {
			return syscall.EIO
		}
		if op == then && more > 0 {
			more--
			return syscall.EIO
		}
		return nil
	})
	var want []string
	for i := range 6 {
		batch := fmt.Sprintf("batch %d", i)
		if _, err := e.Append(t.Context(), "league", uint64(len(want)), []byte(batch)); err == nil {
			want = append(want, batch)
		} else if errors.Is(err, engine.ErrFenced) || errors.Is(err, engine.ErrDamaged) {
			t.Fatalf("fault %d: append: %v", first, err)
		} else {
			want = readAgain(t, e, want)
		}
		time.Sleep(headLag) // let some heads be written
	}
	e.Close()
	again, _ := openFaulty(t, dir, Options{})
	wantTexts(t, again, want...)
	return count > first
}

// readAgain returns the content of the log after an append with an unknown outcome. It must include all acknowledged
// entries.
func readAgain(t *testing.T, e *Engine, acknowledged []string) []string {
	t.Helper()
	got, err := texts(t, e)
	for tries := 0; err != nil && tries < 10; tries++ {
		if errors.Is(err, engine.ErrDamaged) {
			t.Fatalf("a fault of the disk is taken for damage: %v", err)
		}
		got, err = texts(t, e)
	}
	if err != nil || len(got) < len(acknowledged) || !slices.Equal(got[:len(acknowledged)], acknowledged) {
		t.Fatalf("after a failed append: got %q and error %v, want at least %q", got, err, acknowledged)
	}
	return got
}

func TestAHeadThatCannotBeWrittenIsToldOnceAndTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		dir := t.TempDir()
		e, d := openFaulty(t, dir, Options{Logger: slog.New(slog.NewTextHandler(&out, nil))})
		mustAppend(t, e, 0, "one")
		d.failing(on(syscall.ENOSPC, "replace"))
		mustAppend(t, e, 1, "two")
		time.Sleep(time.Second)
		synctest.Wait()
		if got := strings.Count(out.String(), "no space left"); got != 1 {
			t.Errorf("told %d times, want once:\n%s", got, out.String())
		}
		d.failing(nil)
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if head, err := readHead(os.DirFS(dir), "leagues/league/"+journalFile, Path(dir, "league")); head.seq != 2 ||
			err != nil {
			t.Errorf("got head %d and error %v, want 2", head.seq, err)
		}
		d.failing(on(syscall.ENOSPC, "replace"))
		mustAppend(t, e, 2, "three")
		time.Sleep(time.Second)
		synctest.Wait()
		if got := strings.Count(out.String(), "no space left"); got != 2 {
			t.Errorf("told %d times of two full disks:\n%s", got, out.String())
		}
	})
}

// TestCloseTellsOfAHeadThatStaysBehind closes a journal whose head cannot be written. A full disk causes a log line and
// no error: all acknowledged entries are in the journal, and the next opening updates the head. For any other failure,
// Close returns an error.
func TestCloseTellsOfAHeadThatStaysBehind(t *testing.T) {
	for _, c := range []struct {
		fault syscall.Errno
		want  error
	}{{syscall.ENOSPC, nil}, {syscall.EDQUOT, nil}, {syscall.EIO, syscall.EIO}, {syscall.EROFS, syscall.EROFS}} {
		t.Run(c.fault.Error(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				dir := t.TempDir()
				headOf := func() uint64 {
					t.Helper()
					head, err := readHead(os.DirFS(dir), "leagues/league/"+journalFile, Path(dir, "league"))
					if err != nil {
						t.Error(err)
					}
					return head.seq
				}
				e, d := openFaulty(t, dir, Options{Logger: slog.New(slog.NewTextHandler(&out, nil))})
				mustAppend(t, e, 0, "one")
				time.Sleep(time.Second)
				synctest.Wait()
				d.failing(on(c.fault, "replace"))
				mustAppend(t, e, 1, "two")
				if err := e.Close(); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
					t.Errorf("close: got error %v, want %v", err, c.want)
				}
				if told := strings.Contains(out.String(), "level=WARN") &&
					strings.Contains(out.String(), "head=1 end=2"); told != (c.want == nil) {
					t.Errorf("told %v that the head stays behind, want %v: %s", told, c.want == nil, out.String())
				}
				if got := headOf(); got != 1 {
					t.Errorf("the head is at %d, want 1", got)
				}
				e, _ = openFaulty(t, dir, Options{})
				wantTexts(t, e, "one", "two")
				time.Sleep(100 * time.Millisecond)
				synctest.Wait()
				if got := headOf(); got != 2 {
					t.Errorf("opened again: the head is at %d, want 2", got)
				}
			})
		})
	}
}

func TestCloseWaitsForAppendsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		e, _ := openFaulty(t, dir, Options{})
		l, err := e.enterLog(t.Context(), "league")
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := e.Append(t.Context(), "league", 0, []byte("one")); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		if _, err := e.Append(t.Context(), "league", 1, []byte("late")); !errors.Is(err, engine.ErrClosed) {
			t.Errorf("got error %v, want %v", err, engine.ErrClosed)
		}
		l.leave()
		wg.Wait()
		again, _ := openFaulty(t, dir, Options{})
		wantTexts(t, again, "one")
	})
}

func TestAFolderCanBeReplacedByNoFile(t *testing.T) {
	folder := t.TempDir()
	if err := (osDisk{}).replace(folder, nil); err == nil {
		t.Error("a folder was replaced")
	}
	if err := syncFolder(folder + "/missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got error %v, want %v", err, fs.ErrNotExist)
	}
}

func TestALogWaitsForItsTurnOnlyAsLongAsItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := openFaulty(t, t.TempDir(), Options{})
		mustAppend(t, e, 0, "one")
		l, err := e.enterLog(t.Context(), "league")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := e.Append(ctx, "league", 1, []byte("two")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got error %v, want %v", err, context.DeadlineExceeded)
		}
		l.leave()
		mustAppend(t, e, 1, "two")
	})
}
