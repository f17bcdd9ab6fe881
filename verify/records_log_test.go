package verify_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"agentleague/store/wal"
	"agentleague/verify"
)

// logged is a league of six matches, as this version keeps it.
var logged6 = sync.OnceValues(func() (fstest.MapFS, error) { return playToTheEnd() })

func loggedLeague(t *testing.T) fstest.MapFS {
	t.Helper()
	root, err := logged6()
	if err != nil {
		t.Fatal(err)
	}
	if v := verify.League(root, theLeague, verify.Proofs{}); !v.OK || v.Verified != 6 || v.Proven != 6 || v.Records != 12 {
		t.Fatalf("before anything is changed: %+v", v)
	}
	return root
}

// refereeLogs are the logs of the referees, in order.
func refereeLogs(root fstest.MapFS) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(root)) {
		if strings.HasPrefix(name, "data/referees/") && strings.HasSuffix(name, "/records.log") {
			names = append(names, name)
		}
	}
	return names
}

// Of every log of records, and of every file for people, no byte can be changed unnoticed after a clean stop. In a file
// for people a byte between the members may be.
func TestFlippedBytesOfRecordsAreFoundByName(t *testing.T) {
	t.Parallel()
	root := loggedLeague(t)
	for _, name := range append(refereeLogs(root), "data/leagues/"+theLeague+"/records.log", "data/matches/"+theLeague+"/R1M1.json") {
		text := root[name].Data
		flips(text, func(at int) bool { return at%101 == 0 || at > len(text)-21 && strings.HasSuffix(name, ".log") }, func(at int, flipped []byte) {
			spoiled := maps.Clone(root)
			spoiled[name] = &fstest.MapFile{Data: slices.Clone(flipped)}
			if last := len(text) - 20; strings.HasSuffix(name, ".log") && at >= last+4 && at < last+8 {
				return // the length of the closing frame: a length beyond the end of the file is a torn write
			}
			if v := verify.League(spoiled, theLeague, verify.Proofs{}); !blamed(v, name) && !between(text, flipped, at) {
				t.Errorf("%s, byte %d of %d: got %v, want it named", name, at, len(text), v.Differences)
			}
		})
	}
}

// between reports whether a flip has made one kind of space of another.
func between(text, flipped []byte, at int) bool {
	space := func(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
	return space(text[at]) && space(flipped[at])
}

// frames are where the frames of a log begin.
func frames(text []byte) (at []int) {
	for next := 16; next < len(text); next += 20 + int(binary.LittleEndian.Uint32(text[next+4:])) {
		at = append(at, next)
	}
	return at
}

// Files for people follow from the logs; a log does not follow from the files.
func TestALogThatIsCutOrGoneIsFound(t *testing.T) {
	t.Parallel()
	root := loggedLeague(t)
	logs := refereeLogs(root)
	const record, strange = "data/matches/" + theLeague + "/R1M1.json", "data/matches/" + theLeague + "/R9M9.json"
	for _, c := range []struct {
		name string
		edit func(r fstest.MapFS)
		want string // the file that is named; "": nothing differs
		what string
	}{
		{"a file for people that is missing", func(r fstest.MapFS) { delete(r, record) }, "", ""},
		{"no file for people", func(r fstest.MapFS) {
			maps.DeleteFunc(r, func(name string, _ *fstest.MapFile) bool { return strings.HasPrefix(name, "data/matches/") })
		}, "", ""},
		{"a file of no match", func(r fstest.MapFS) { r[strange] = r[record] }, strange, "the journal has no result of such a match"},
		{"another match's file", func(r fstest.MapFS) { r[record] = r[strings.Replace(record, "R1M1", "R1M2", 1)] }, record, "SHA-256"},
		{"an empty file", func(r fstest.MapFS) { r[record] = &fstest.MapFile{} }, record, ""},
		{"a log that is gone", func(r fstest.MapFS) { delete(r, logs[0]) }, "data/referees", "results without a record in the referee's log"},
		{"all logs gone", func(r fstest.MapFS) {
			maps.DeleteFunc(r, func(name string, _ *fstest.MapFile) bool { return strings.HasSuffix(name, "/records.log") })
		}, "data/referees", "results without a record in the referee's log: 6"},
		{"a log cut at a frame", func(r fstest.MapFS) {
			text := r[logs[0]].Data
			r[logs[0]] = &fstest.MapFile{Data: text[:frames(text)[1]]}
		}, "data/referees", "results without a record in the referee's log"},
		{"a log that is gone with the files for people", func(r fstest.MapFS) {
			delete(r, logs[0])
			maps.DeleteFunc(r, func(name string, _ *fstest.MapFile) bool { return strings.HasPrefix(name, "data/matches/") })
		}, "", "the record is missing"},
	} {
		spoiled := maps.Clone(root)
		c.edit(spoiled)
		v := verify.League(spoiled, theLeague, verify.Proofs{})
		found := slices.ContainsFunc(v.Differences, func(d verify.Difference) bool {
			return (c.want == "" || d.File == c.want) && strings.Contains(d.What, c.what)
		})
		if c.want+c.what == "" && (!v.OK || v.Verified != 6) || c.want+c.what != "" && !found {
			t.Errorf("%s: got %v, %d verified; want %s: %s", c.name, v.Differences, v.Verified, c.want, c.what)
		}
	}
}

// aRecord is the kind of a record in a records.log. Its key begins with its SHA-256.
const aRecord = 1

// compacted is a log with those entries that keep wants, in blocks.
func compacted(t *testing.T, text []byte, keep func(wal.Item) bool) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := wal.Rewrite(&out, bytes.NewReader(text), int64(len(text)), keep); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// An entryList is the places of the entries of a log.
type entryList []wal.Pos

func (l *entryList) Reset()            { *l = nil }
func (l *entryList) Apply(it wal.Item) { *l = append(*l, it.At) }

// rewritten is a log in which each entry is replaced by the result of edit, valid in every other way.
func rewritten(t *testing.T, root fstest.MapFS, name string, edit func(wal.Entry) wal.Entry) []byte {
	t.Helper()
	var list entryList
	r := wal.NewReader(root, name, &list)
	_, err := r.Refresh()
	check(t, err)
	path := filepath.Join(t.TempDir(), "log")
	l, err := wal.Open(wal.OS{}, path, 0o600, new(entryList))
	check(t, err)
	for _, at := range list {
		e, err := r.Read(at)
		check(t, err)
		check(t, l.Append(false, edit(e)))
	}
	check(t, l.Close())
	text, err := os.ReadFile(path)
	check(t, err)
	return text
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A league is verified from compacted logs, in which no byte can be changed unnoticed either. A sound log with another
// record, or without one, is found.
func TestCompactedAndRewrittenLogsAreVerified(t *testing.T) {
	t.Parallel()
	root := maps.Clone(loggedLeague(t))
	logs := refereeLogs(root)
	records := func(it wal.Item) bool { return it.Kind == aRecord }
	for _, name := range logs {
		root[name] = &fstest.MapFile{Data: compacted(t, root[name].Data, records)}
	}
	if v := verify.League(root, theLeague, verify.Proofs{}); !v.OK || v.Verified != 6 || v.Proven != 6 || v.Records != 12 {
		t.Fatalf("compacted: %+v", v)
	}
	text := root[logs[0]].Data
	flips(text[:len(text)-20], func(at int) bool { return at%97 == 0 }, func(at int, flipped []byte) {
		spoiled := maps.Clone(root)
		spoiled[logs[0]] = &fstest.MapFile{Data: append(slices.Clone(flipped), text[len(text)-20:]...)}
		if v := verify.League(spoiled, theLeague, verify.Proofs{}); !blamed(v, logs[0]) {
			t.Errorf("byte %d of %d: got %v, want it named", at, len(text), v.Differences)
		}
	})
	var kept string // the file of the record that is forged
	forged := rewritten(t, root, logs[0], func(e wal.Entry) wal.Entry {
		if kept == "" {
			kept = strings.TrimSuffix(logs[0], "records.log") + e.Key[sha256.Size:] + ".json"
			e.Body = bytes.Replace(e.Body, []byte(`"P0`), []byte(`"P1`), 1)
			sum := sha256.Sum256(e.Body)
			e.Key = string(sum[:]) + e.Key[sha256.Size:]
		}
		return e
	})
	spoiled := maps.Clone(root)
	spoiled[logs[0]] = &fstest.MapFile{Data: forged}
	if v := verify.League(spoiled, theLeague, verify.Proofs{}); !blamed(v, kept) {
		t.Errorf("another record: got %v, want %s named", v.Differences, kept)
	}
	n := 0
	spoiled[logs[0]] = &fstest.MapFile{Data: compacted(t, text, func(wal.Item) bool { n++; return n > 1 })}
	if v := verify.League(spoiled, theLeague, verify.Proofs{}); !blamed(v, "data/referees") {
		t.Errorf("without a record: got %v, want that it has none", v.Differences)
	}
}
