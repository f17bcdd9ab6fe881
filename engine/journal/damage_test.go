package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"agentleague/engine"
	"agentleague/engine/journal"
)

var six = []string{`[{"type":"LeagueCreated"}]`, "two", `["three"]`, "four\n", `["five"]`, `["six"]`}

func TestEveryChangedByteIsRefusedByTheEngine(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, "league", six...)
	for _, path := range []string{journal.Path(dir, "league"), headOf(dir, "league")} {
		whole := read(t, path)
		for at, b := range whole {
			changed := bytes.Clone(whole)
			changed[at] = b + 1
			write(t, path, string(changed))
			wantDamage(t, dir, fmt.Sprintf("%s: byte %d", path, at), "journal.")
			if !bytes.Equal(read(t, path), changed) {
				t.Fatalf("byte %d: a file that is refused was changed", at)
			}
		}
		write(t, path, string(whole))
	}
	wantLog(t, dir, "league", six...)
}

func TestAChangedOrderIsRefusedByLine(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(lines []string) []string
		want   string
	}{
		{"two lines change places", func(l []string) []string {
			l[1], l[2] = l[2], l[1]
			return l
		}, "journal.jsonl:2: log is damaged: its seq is 3, want 2"},
		{"a line twice", func(l []string) []string {
			return slices.Insert(l, 3, l[2])
		}, "journal.jsonl:4: log is damaged: its seq is 3, want 4"},
		{"the first line is missing", func(l []string) []string {
			return l[1:]
		}, "journal.jsonl:1: log is damaged: its seq is 2, want 1"},
		{"a line is missing", func(l []string) []string {
			return slices.Delete(l, 3, 4)
		}, "journal.jsonl:4: log is damaged: its seq is 5, want 4"},
		{"the last line is missing", func(l []string) []string {
			return l[:5]
		}, "journal.jsonl:6: log is damaged: the journal ends before its head: line 6 was acknowledged"},
		{"everything is missing", func([]string) []string {
			return nil
		}, "journal.jsonl:1: log is damaged: the journal ends before its head: line 6 was acknowledged"},
		{"an empty line", func(l []string) []string {
			return slices.Insert(l, 2, "")
		}, "journal.jsonl:3: log is damaged: not a line of a journal"},
		{"Windows line ends", func(l []string) []string {
			l[0] += "\r"
			return l
		}, "journal.jsonl:1: log is damaged: not a line of a journal"},
		{"another journal's line", func(l []string) []string {
			l[2] = line(3, sum("else"), "x")
			return l
		}, "journal.jsonl:3: log is damaged: its prev is not the SHA-256 of line 2"},
		{"a line made anew", func(l []string) []string {
			l[5] = line(6, sum(l[4]), "x")
			return l
		}, "journal.jsonl:6: log is damaged: its SHA-256 is not the one in journal.head"},
		{"a payload changed", func(l []string) []string {
			l[4] = strings.Replace(l[4], "five", "FIVE", 1)
			return l
		}, "journal.jsonl:5: log is damaged: the line does not have the SHA-256"},
	} {
		dir := t.TempDir()
		fill(t, dir, "league", six...)
		path := journal.Path(dir, "league")
		write(t, path, join(c.change(readLines(t, path))))
		wantDamage(t, dir, c.name, c.want)
	}
}

// line writes a line without the help of the package.
func line(seq int, prev, payload string) string {
	return seal(fmt.Sprintf(`{"seq":%d,"prev":"%s","timestamp":"2026-01-01T00:00:00.000000Z","events":"%s"`, seq,
		prev, payload))
}

// seal ends a line with the hash of its content so far.
func seal(body string) string { return body + `,"sha256":"` + sum(body) + `"}` }

func TestAJournalWrittenByHandIsRead(t *testing.T) {
	first := line(1, strings.Repeat("0", 64), "one")
	second := line(2, sum(first), "two")
	dir := restore(t, map[string][]byte{
		journalName: []byte(join([]string{first, second})),
		headName:    fmt.Appendf(nil, "{\"seq\":1,\"line_sha256\":\"%s\"}\n", sum(first)),
	})
	wantLog(t, dir, "league", `"one"`, `"two"`)
}

func TestLinesThatAreNotWrittenLikeThatAreRefused(t *testing.T) {
	sound := line(1, strings.Repeat("0", 64), "one")
	body, _, _ := strings.Cut(sound, `,"sha256"`)
	data := seal(strings.Replace(body, `"events":"one"`, `"data":"Im9uZSI="`, 1))
	for _, c := range []struct{ line, old, new string }{
		{sound, `"seq":1`, `"seq":01`}, {sound, `"seq":1`, `"seq":`}, {sound, `"seq":1`, `"seq":+1`},
		{sound, `"seq":1`, `"seq": 1`}, {sound, `"seq":1`, `"seq":18446744073709551617`},
		{sound, `2026-01-01`, `2026-O1-01`}, {sound, `00.000000Z`, `00,000000Z`}, {sound, `00.000000Z`, `00.000000+`},
		{sound, `"events"`, `"event"`}, {sound, `"events"`, `"data"`}, {sound, `}`, ``}, {sound, `}`, `} `},
		{data, `Im9uZSI=`, `Im9uZSI`}, {data, `Im9uZSI=`, `Im9uZSJ=`}, {data, `Im9uZSI=`, "Im9u\rZSI="},
		{data, `Im9uZSI=`, `Im9uZSI= `},
		{sound, sum(body), strings.ToUpper(sum(body))}, {sound, sum(body), sum(body)[1:]},
	} {
		dir := restore(t, map[string][]byte{
			journalName: []byte(strings.Replace(c.line, c.old, c.new, 1) + "\n"),
			headName:    []byte(`{"seq":0,"line_sha256":"` + strings.Repeat("0", 64) + `"}` + "\n"),
		})
		wantDamage(t, dir, c.new, "journal.jsonl:1: log is damaged: not a line of a journal")
		write(t, journal.Path(dir, "league"), c.line+"\n")
		wantLog(t, dir, "league", `"one"`)
	}
}

func TestAHeadThatIsMissingOrUnreadableIsRefusedByName(t *testing.T) {
	zeros := strings.Repeat("0", 64)
	for _, c := range []struct{ head, want string }{
		{"", "journal.head:1: log is damaged: the head cannot be read"},
		{"{}\n", "journal.head:1: log is damaged: the head cannot be read"},
		{`{"seq":6,"line_sha256":"` + zeros + `"}`, "journal.head:1: log is damaged: the head cannot be read"},
		{`{"seq":0,"line_sha256":"` + sum("x") + "\"}\n", "journal.head:1: log is damaged: the head cannot be read"},
		{`{"seq":5,"line_sha256":"` + zeros + "\"}\n",
			"journal.jsonl:5: log is damaged: its SHA-256 is not the one in journal.head"},
		{`{"seq":7,"line_sha256":"` + zeros + "\"}\n", "journal.jsonl:7: log is damaged: the journal ends before its head"},
		{"missing", "journal.head:1: log is damaged: the head is missing"},
	} {
		dir := t.TempDir()
		fill(t, dir, "league", six...)
		write(t, headOf(dir, "league"), c.head)
		if c.head == "missing" {
			os.Remove(headOf(dir, "league"))
		}
		wantDamage(t, dir, c.head, c.want)
	}
}

func TestDamageUnderARunningEngineIsSeenByReadAndThenByAppend(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	defer e.Close()
	appendAll(t, e, "league", 0, six...)
	path := journal.Path(dir, "league")
	whole := read(t, path)
	for what, content := range map[string]string{
		"changed": strings.Replace(string(whole), `"five"`, `"FIVE"`, 1),
		"shorter": string(whole[:len(whole)-10]),
		"longer":  string(whole[:100]) + "more" + string(whole[100:]),
		"empty":   "",
	} {
		write(t, path, content)
		if _, err := collect(e.Read(t.Context(), "league", 0)); !errors.Is(err, engine.ErrDamaged) {
			t.Errorf("%s: read: got error %v, want %v", what, err, engine.ErrDamaged)
		}
		if _, err := e.Append(t.Context(), "league", 6, []byte("seven")); !errors.Is(err, engine.ErrDamaged) {
			t.Errorf("%s: append: got error %v, want %v", what, err, engine.ErrDamaged)
		}
		if string(read(t, path)) != content {
			t.Errorf("%s: a file that is refused was changed", what)
		}
		write(t, path, string(whole))
	}
	wantEntries(t, "put back", e.Read(t.Context(), "league", 0), six...)
	appendAll(t, e, "league", 6, "seven")
}
