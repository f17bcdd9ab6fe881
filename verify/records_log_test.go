package verify_test

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

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
				return // the length of the closing frame: what is longer than the file is a write that was torn
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
		{"a log that is gone", func(r fstest.MapFS) { delete(r, logs[0]) }, "data/referees", "results have no record in the referee's log"},
		{"all logs gone", func(r fstest.MapFS) {
			maps.DeleteFunc(r, func(name string, _ *fstest.MapFile) bool { return strings.HasSuffix(name, "/records.log") })
		}, "data/referees", "6 results have no record in the referee's log"},
		{"a log cut at a frame", func(r fstest.MapFS) {
			text := r[logs[0]].Data
			r[logs[0]] = &fstest.MapFile{Data: text[:frames(text)[1]]}
		}, "data/referees", "results have no record in the referee's log"},
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
