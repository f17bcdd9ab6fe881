package journal_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/engine"
	"agentleague/engine/journal"
)

// crashed returns the files of a process that appends batches and is killed before the head includes the last one.
func crashed(t *testing.T, batches ...string) (files map[string][]byte) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		last := len(batches) - 1
		fill(t, dir, "league", batches[:last]...)
		e := open(t, dir)
		defer e.Close()
		appendAll(t, e, "league", uint64(last), batches[last])
		files = snapshot(t, dir)
	})
	return files
}

var (
	journalName = filepath.Join("leagues", "league", "journal.jsonl")
	headName    = filepath.Join("leagues", "league", "journal.head")
)

func TestEveryTruncationOfTheLastLineIsCutAndTheLogGoesOn(t *testing.T) {
	files := crashed(t, "one", `["two"]`, `["three"]`)
	whole := files[journalName]
	sound := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	for size := sound; size < len(whole); size++ {
		files[journalName] = whole[:size]
		dir := restore(t, files)
		wantEntries(t, fmt.Sprintf("a file of %d bytes", size), journal.ReadFile(journal.Path(dir, "league")),
			"one", `["two"]`)
		if !bytes.Equal(read(t, journal.Path(dir, "league")), whole[:size]) {
			t.Fatal("ReadFile changed the file")
		}
		e := open(t, dir)
		wantEntries(t, fmt.Sprintf("%d bytes", size), e.Read(t.Context(), "league", 0), "one", `["two"]`)
		appendAll(t, e, "league", 2, "another three")
		e.Close()
		wantEntries(t, "gone on", journal.ReadFile(journal.Path(dir, "league")), "one", `["two"]`, "another three")
	}
}

func TestATornLineLeavesNothingBehindAShorterOne(t *testing.T) {
	files := crashed(t, "one", strings.Repeat("x", 5000))
	whole := files[journalName]
	sound := bytes.IndexByte(whole, '\n') + 1
	clear(whole[sound+10 : sound+40]) // its beginning did not reach the disk, its end did
	dir := restore(t, files)
	e := open(t, dir)
	appendAll(t, e, "league", 1, "two")
	e.Close()
	wantEntries(t, "gone on", journal.ReadFile(journal.Path(dir, "league")), "one", "two")
}

func TestEveryTruncationOfMoreIsRefusedByName(t *testing.T) {
	files := crashed(t, "one", `["two"]`, `["three"]`)
	whole := files[journalName]
	sound := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	for size := range sound {
		files[journalName] = whole[:size]
		dir := restore(t, files)
		wantDamage(t, dir, fmt.Sprintf("%d bytes", size), "journal.jsonl:")
		if !bytes.Equal(read(t, journal.Path(dir, "league")), whole[:size]) {
			t.Fatal("a file that is refused was changed")
		}
	}
	delete(files, journalName)
	wantDamage(t, restore(t, files), "no file", "journal.jsonl:1:")
}

func TestALineWithZerosInItIsTornOnlyAtTheEnd(t *testing.T) {
	files := crashed(t, "one", "two")
	whole := files[journalName]
	torn := bytes.Clone(whole)
	clear(torn[len(torn)-20 : len(torn)-1])
	files[journalName] = torn
	wantLog(t, restore(t, files), "league", "one")
	clear(torn[len(torn)-20:])
	wantLog(t, restore(t, files), "league", "one")
	files[journalName] = append(torn[:len(torn)-1], "\n{}\n"...)
	wantDamage(t, restore(t, files), "zeros and another line", "journal.jsonl:2:")
}

func TestACutIsLogged(t *testing.T) {
	files := crashed(t, "one", "two")
	files[journalName] = files[journalName][:len(files[journalName])-7]
	dir := restore(t, files)
	var out bytes.Buffer
	e, err := journal.Open(dir, journal.Options{Logger: slog.New(slog.NewJSONHandler(&out, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	wantEntries(t, "cut", e.Read(t.Context(), "league", 0), "one")
	for _, want := range []string{`"level":"WARN"`, journal.Path(dir, "league"), `"line":2`, `"bytes":`} {
		if strings.Count(out.String(), want) != 1 {
			t.Errorf("got %s, want one line with %s", out.String(), want)
		}
	}
}

func TestALineThatWasWrittenWholeCountsEvenIfNobodyWasTold(t *testing.T) {
	dir := restore(t, crashed(t, "one", "two"))
	wantLog(t, dir, "league", "one", "two")
	if got := string(read(t, headOf(dir, "league"))); !strings.HasPrefix(got, `{"seq":2,`) {
		t.Errorf("got head %s, want that of line 2", got)
	}
}

func TestAHeadThatWasNotPutInPlaceIsSwept(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, "league", "one")
	left := filepath.Join(filepath.Dir(journal.Path(dir, "league")), ".journal.head123")
	write(t, left, "half a he")
	wantLog(t, dir, "league", "one")
	if _, err := os.Stat(left); err == nil {
		t.Errorf("%s is still there", left)
	}
}

// appender is set in the process that appends until it is killed.
const appender = "JOURNAL_APPEND_TO"

func TestKilledProcessLosesNothingAcknowledged(t *testing.T) {
	if dir := os.Getenv(appender); dir != "" {
		appendForEver(t, dir)
	}
	dir := t.TempDir()
	for range 5 {
		acknowledged := appendUntilKilled(t, dir)
		e := open(t, dir) // the dead process's lock is no obstacle
		got, err := collect(e.Read(t.Context(), "league", 0))
		if err != nil || len(got) < acknowledged {
			t.Fatalf("got %d entries and error %v, want at least %d", len(got), err, acknowledged)
		}
		appendAll(t, e, "league", uint64(len(got)), "after the crash")
		e.Close()
	}
}

// appendUntilKilled runs and kills another process and returns the number of entries that it has acknowledged.
func appendUntilKilled(t *testing.T, dir string) (acknowledged int) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), appender+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	told := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatalf("the appender says %q", lines.Text())
		}
		acknowledged = n
		if told++; told == 50 {
			cmd.Process.Kill()
		}
	}
	cmd.Wait()
	if told < 50 {
		t.Fatalf("the appender ended by itself at %d", acknowledged)
	}
	return acknowledged
}

func appendForEver(t *testing.T, dir string) {
	e := open(t, dir)
	entries, err := collect(e.Read(t.Context(), "league", 0))
	for at := (engine.Mark{Seq: uint64(len(entries))}); err == nil; {
		at, err = e.Append(context.Background(), "league", at.Seq, []byte(strings.Repeat("x", 5000)))
		fmt.Println(at.Seq)
	}
	fmt.Println(err)
	os.Exit(1)
}

func TestHeadFollowsWithin100ms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		e := open(t, dir)
		defer e.Close()
		for seq := range uint64(20) {
			appendAll(t, e, "league", seq, "x")
			if got := headSeq(t, dir); got > seq+1 {
				t.Fatalf("the head is at %d of %d", got, seq+1)
			}
			time.Sleep(30 * time.Millisecond)
			synctest.Wait()
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if got := headSeq(t, dir); got != 20 {
			t.Errorf("100 ms after entry 20 the head is at %d", got)
		}
	})
}

func TestAHeadThatACrashLeftBehindFollowsOnceTheLogIsUsed(t *testing.T) {
	files := crashed(t, "one", "two")
	synctest.Test(t, func(t *testing.T) {
		dir := restore(t, files)
		e := open(t, dir)
		defer e.Close()
		wantEntries(t, "after the crash", e.Read(t.Context(), "league", 0), "one", "two")
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if got := headSeq(t, dir); got != 2 {
			t.Errorf("the head is at %d, want 2", got)
		}
	})
}

func headSeq(t *testing.T, dir string) (seq uint64) {
	t.Helper()
	if _, err := fmt.Sscanf(string(read(t, headOf(dir, "league"))), `{"seq":%d,`, &seq); err != nil {
		t.Fatal(err)
	}
	return seq
}

// wantDamage checks that reads and appends refuse the log with an error that contains the words.
func wantDamage(t *testing.T, dir, what string, words ...string) {
	t.Helper()
	e := open(t, dir)
	defer e.Close()
	_, readErr := collect(e.Read(t.Context(), "league", 0))
	_, appendErr := e.Append(t.Context(), "league", 6, []byte("more"))
	_, fileErr := collect(journal.ReadFile(journal.Path(dir, "league")))
	errs := []error{readErr, appendErr}
	if _, err := os.Stat(journal.Path(dir, "league")); err == nil {
		errs = append(errs, fileErr)
	}
	for _, err := range errs {
		if !errors.Is(err, engine.ErrDamaged) {
			t.Fatalf("%s: got error %v, want %v", what, err, engine.ErrDamaged)
		}
		for _, w := range append(words, "from a backup") {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: got error %v, want one with %q", what, err, w)
			}
		}
	}
}

// A restarted process reads a log for the first time, and may append to it before it has read to the end.
func TestALogCanBeAppendedToWhileItIsReadTheFirstTime(t *testing.T) {
	files := crashed(t, "one", `["two"]`, `["three"]`)
	for _, torn := range []string{"", `{"seq":4,"prev":"`} {
		files := map[string][]byte{headName: files[headName], journalName: append(bytes.Clone(files[journalName]), torn...)}
		e := open(t, restore(t, files))
		var got []string
		for entry, err := range e.Read(t.Context(), "league", 0) {
			if err != nil {
				t.Fatal(err)
			}
			if len(got) == 1 {
				appendAll(t, e, "league", 3, `["four"]`)
			}
			got = append(got, string(entry.Data))
		}
		if want := `one ["two"] ["three"] ["four"]`; strings.Join(got, " ") != want {
			t.Errorf("after %q: got %s, want %s", torn, got, want)
		}
		e.Close()
	}
}

// Damage after the part that was read first is reported in the same way.
func TestDamageInALogThatIsReadTheFirstTimeIsNamed(t *testing.T) {
	files := crashed(t, "one", `["two"]`, `["three"]`)
	files[journalName] = bytes.Replace(files[journalName], []byte(`["two"]`), []byte(`["too"]`), 1)
	e := open(t, restore(t, files))
	defer e.Close()
	var got int
	var damage *journal.DamageError
	for _, err := range e.Read(t.Context(), "league", 0) {
		if got++; err != nil && (!errors.As(err, &damage) || damage.Line != 2 || got != 2) {
			t.Errorf("entry %d: got %v, want damage in line 2", got, err)
		}
	}
	if _, err := e.Append(t.Context(), "league", 3, []byte("four")); damage == nil || !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("got %v from Append, want what Read has said: %v", err, damage)
	}
}

// A journal that was read and is then cut, or replaced, is not written to.
func TestWhatWasReadTheFirstTimeIsNotTrustedInAnotherFile(t *testing.T) {
	for what, change := range map[string]func(t *testing.T, path string){
		"shorter": func(t *testing.T, path string) {
			text := read(t, path)
			cutTo(t, path, int64(bytes.LastIndexByte(text[:len(text)-1], '\n')+1))
		},
		"another": func(t *testing.T, path string) {
			text := bytes.Replace(read(t, path), []byte(`["two"]`), []byte(`["too"]`), 1)
			remove(t, path)
			write(t, path, string(text))
		},
	} {
		dir := t.TempDir()
		fill(t, dir, "league", "one", `["two"]`, `["three"]`)
		path := journal.Path(dir, "league")
		e := open(t, dir)
		ctx, giveUp := context.WithCancel(t.Context())
		defer giveUp()
		for entry := range e.Read(ctx, "league", 0) {
			if entry.Seq == 3 {
				giveUp() // at the end, before anything else is looked at
			}
		}
		change(t, path)
		was := read(t, path)
		var away *engine.AwayError
		if _, err := e.Append(t.Context(), "league", 3, []byte("four")); !errors.As(err, &away) {
			t.Errorf("%s: got %v, want that it is not as it was left", what, err)
		}
		if !bytes.Equal(read(t, path), was) {
			t.Errorf("%s: something was written to a journal that is not as it was left", what)
		}
		e.Close()
	}
}
