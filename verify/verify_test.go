package verify_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"agentleague/engine/journal"
	"agentleague/internal/cli"
	"agentleague/store"
	"agentleague/verify"
)

// theLeague is the id of the played league.
const theLeague = "league_2025_even_odd"

// played is the data of a league of six matches that was played to its end and stopped cleanly, in memory.
var played = sync.OnceValues(func() (fstest.MapFS, error) { return playInMemory() })

// playInMemory plays a league to its end, and returns its data as an earlier version would have it: a file for each
// record, with the referee and with the manager.
func playInMemory(args ...string) (fstest.MapFS, error) {
	root, err := playToTheEnd(args...)
	if err != nil {
		return nil, err
	}
	shown, out := store.ShowRecords(maps.Clone(root)), maps.Clone(root)
	referees, err := fs.Glob(root, "data/referees/*/*")
	for _, folder := range append(referees, "data/matches/"+theLeague) {
		list, failed := shown.ReadDir(folder)
		if err = errors.Join(err, failed); err != nil {
			return nil, err
		}
		for _, e := range list {
			if text, wrong := fs.ReadFile(shown, folder+"/"+e.Name()); wrong == nil && strings.HasSuffix(e.Name(), ".json") {
				text, wrong = store.Shown(text)
				out[folder+"/"+e.Name()] = &fstest.MapFile{Data: text}
				err = errors.Join(err, wrong)
			}
		}
	}
	maps.DeleteFunc(out, func(name string, _ *fstest.MapFile) bool { return strings.HasSuffix(name, "/records.log") })
	return out, err
}

// playToTheEnd plays a league, and returns its data.
func playToTheEnd(args ...string) (fstest.MapFS, error) {
	root, err := os.MkdirTemp("", "league")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	var errs bytes.Buffer
	args = append([]string{"run", "--port", "0", "--json", "--root", root}, args...)
	if cli.Main(args, io.Discard, &errs) != 0 {
		return nil, fmt.Errorf("run: %s", errs.String())
	}
	out := fstest.MapFS{}
	err = fs.WalkDir(os.DirFS(root), "data", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(name, "data/leagues/") &&
			!strings.HasSuffix(name, ".json") && !strings.HasSuffix(name, "/records.log") {
			return err
		}
		text, err := fs.ReadFile(os.DirFS(root), name)
		out[name] = &fstest.MapFile{Data: text}
		return err
	})
	return out, err
}

func playedLeague(t *testing.T) fstest.MapFS {
	t.Helper()
	root, err := played()
	if err != nil {
		t.Fatal(err)
	}
	if v := verify.League(root, theLeague, verify.Proofs{}); !v.OK || v.Verified != 6 || v.Proven != 6 || v.Records != 12 {
		t.Fatalf("before anything is changed: %+v", v)
	}
	return root
}

// changed is root with another text in one file.
func changed(root fstest.MapFS, name string, text []byte) fs.FS {
	return overlay{root, name, text}
}

// An overlay hands out files without copying them.
type overlay struct {
	fstest.MapFS
	name string
	text []byte
}

func (o overlay) ReadFile(name string) ([]byte, error) {
	if name == o.name {
		return o.text, nil
	}
	if f := o.MapFS[name]; f != nil {
		return f.Data, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (o overlay) Open(name string) (fs.File, error) {
	if name == o.name {
		return fstest.MapFS{"it": {Data: o.text}}.Open("it")
	}
	return o.MapFS.Open(name)
}

// fewBytes are one in 32, all that a newcomer waits for.
func fewBytes(at int) bool { return at%128 == 0 }

// manyBytes are one in six of the others, and with LEAGUE_LONG=1 all of them.
func manyBytes(at int) bool {
	return !fewBytes(at) && (at%6 == 1 || os.Getenv("LEAGUE_LONG") != "")
}

// flips calls f for the wanted bytes of a file, from as many goroutines as there are processors, with the text after a
// bit flip: the lowest bit, and in every eighth byte the highest too.
func flips(text []byte, wanted func(at int) bool, f func(at int, flipped []byte)) {
	var all sync.WaitGroup
	n := runtime.GOMAXPROCS(0)
	for worker := range n {
		all.Go(func() {
			mine := bytes.Clone(text)
			for at := worker; at < len(mine); at += n {
				if !wanted(at) {
					continue
				}
				for _, bit := range []byte{1, 0x80} {
					if bit == 1 || at%8 == 0 {
						mine[at] ^= bit
						f(at, mine)
						mine[at] ^= bit
					}
				}
			}
		})
	}
	all.Wait()
}

// blamed reports whether a difference names the file.
func blamed(v *verify.Result, name string) bool {
	return !v.OK && slices.ContainsFunc(v.Differences, func(d verify.Difference) bool { return d.File == name })
}

// After a clean stop, any changed byte of the journal, its head, or a match record of the manager or its referee is
// detected. Whether the journal or the head was changed cannot be determined: one of the two is named.
func TestFlippedBytesAreFoundByName(t *testing.T)        { flipRecords(t, fewBytes) }
func TestLongEveryFlippedByteIsFoundByName(t *testing.T) { flipRecords(t, manyBytes) }

func flipRecords(t *testing.T, wanted func(at int) bool) {
	t.Parallel()
	root := playedLeague(t)
	base := verify.League(root, theLeague, verify.Proofs{})
	flipped := 0
	for _, name := range slices.Sorted(maps.Keys(root)) {
		switch {
		case strings.Contains(name, "/journal."):
			flips(root[name].Data, wanted, func(at int, text []byte) {
				v := lookAgain(base, changed(root, name, text), name, at)
				if v.OK || !strings.Contains(v.Differences[0].File, "/journal.") {
					t.Errorf("%s, byte %d: got %v, want it found", name, at, v.Differences)
				}
			})
		case strings.HasPrefix(name, "data/matches/"), strings.HasPrefix(name, "data/referees/"):
			flips(root[name].Data, wanted, func(at int, text []byte) {
				if v := lookAgain(base, changed(root, name, text), name, at); !blamed(v, name) {
					t.Errorf("%s, byte %d: got %v, want it named", name, at, v.Differences)
				}
			})
		default:
			continue
		}
		flipped += len(root[name].Data)
	}
	if flipped < 100_000 {
		t.Errorf("flipped %d bytes, want those of six matches, twice, and of their journal", flipped)
	}
}

// lookAgain verifies a league of which one file has changed: mostly only the data of that file.
func lookAgain(base *verify.Result, root fs.FS, name string, at int) *verify.Result {
	if at%8192 == 0 {
		return verify.League(root, theLeague, verify.Proofs{})
	}
	v := verify.Again(base, root)
	match, _, _ := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".")
	switch {
	case match != "journal":
		v.LookAt(match)
	case at%16 == 0:
		v.ReadLog()
	default: // the manager's first step when it starts
		for _, err := range journal.ReadFS(root, "data/leagues/"+theLeague+"/journal.jsonl") {
			if damage := (*journal.DamageError)(nil); errors.As(err, &damage) {
				v.Differ(verify.Difference{File: damage.Path})
			}
		}
	}
	v.OK = len(v.Differences) == 0
	return v
}

// In the files that are written for readers every value is held against the journal, but for the time at which they
// were written and the version of the program that did.
func TestFlippedBytesOfATableAreFoundByName(t *testing.T)        { flipTables(t, fewBytes) }
func TestLongEveryFlippedByteOfATableIsFoundByName(t *testing.T) { flipTables(t, manyBytes) }

func flipTables(t *testing.T, wanted func(at int) bool) {
	t.Parallel()
	root := playedLeague(t)
	base := verify.League(root, theLeague, verify.Proofs{})
	for _, document := range []string{"standings.json", "rounds.json", "agents.json"} {
		name := "data/leagues/" + theLeague + "/" + document
		whole := root[name].Data
		flips(whole, wanted, func(at int, text []byte) {
			v := verify.Again(base, changed(root, name, text))
			v.LookAtTables()
			v.OK = len(v.Differences) == 0
			if !blamed(v, name) && !unknowable(whole, at) {
				t.Errorf("%s, byte %d: got %v, want it named", name, at, v.Differences)
			}
		})
	}
}

// unknowable reports whether a byte is in a value that the journal does not have.
func unknowable(text []byte, at int) bool {
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	line := string(text[start : start+bytes.IndexByte(text[start:], '\n')])
	inManager := at < bytes.Index(text, []byte(`"referees"`))
	return strings.Contains(line, `"last_updated": "`) && at-start > strings.Index(line, ": ") ||
		strings.Contains(line, `"version": "`) && inManager && at-start > strings.Index(line, ": ")
}

// Nothing can be left out, repeated, moved or put in.
func TestWhatIsMissingRepeatedOrStrangeIsFoundByName(t *testing.T) {
	t.Parallel()
	root := playedLeague(t)
	log := "data/leagues/" + theLeague + "/journal.jsonl"
	lines := strings.SplitAfter(strings.TrimSuffix(string(root[log].Data), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	record := "data/matches/" + theLeague + "/R1M1.json"
	kept := record
	for name := range root {
		if strings.HasPrefix(name, "data/referees/") && strings.HasSuffix(name, "/R1M1.1.json") {
			kept = name
		}
	}
	joined := func(lines ...string) []byte { return []byte(strings.Join(lines, "")) }
	for at := range lines {
		for what, text := range map[string][]byte{
			"missing":  joined(slices.Delete(slices.Clone(lines), at, at+1)...),
			"repeated": joined(slices.Insert(slices.Clone(lines), at, lines[at])...),
			"cut off":  joined(lines[:at]...),
			"moved":    joined(slices.Insert(slices.Delete(slices.Clone(lines), at, at+1), (at+1)%len(lines), lines[at])...),
		} {
			if v := verify.League(changed(root, log, text), theLeague, verify.Proofs{}); !blamed(v, log) {
				t.Errorf("line %d %s: got %v, want it named", at+1, what, v.Differences)
			}
		}
	}
	for cut := 1; cut < len(root[log].Data); cut += 101 {
		if v := verify.League(changed(root, log, root[log].Data[:cut]), theLeague, verify.Proofs{}); !blamed(v, log) {
			t.Errorf("cut off after %d bytes: got %v, want it named", cut, v.Differences)
		}
	}
	for _, c := range []struct {
		name string
		edit func(root fstest.MapFS)
		want string // the file that is named
	}{
		{"no record", func(r fstest.MapFS) { delete(r, record) }, record},
		{"a record of a match that was not played", func(r fstest.MapFS) {
			r["data/matches/"+theLeague+"/R9M9.json"] = r[record]
		}, "data/matches/" + theLeague + "/R9M9.json"},
		{"another match's record", func(r fstest.MapFS) {
			r[record] = r[strings.Replace(record, "R1M1", "R1M2", 1)]
		}, record},
		{"an attempt that nobody was asked for", func(r fstest.MapFS) {
			r[strings.Replace(kept, ".1.", ".2.", 1)] = r[kept]
		}, strings.Replace(kept, ".1.", ".2.", 1)},
		{"an empty record", func(r fstest.MapFS) { r[record] = &fstest.MapFile{} }, record},
		{"no head", func(r fstest.MapFS) {
			delete(r, strings.Replace(log, "jsonl", "head", 1))
		}, strings.Replace(log, "jsonl", "head", 1)},
		{"no journal", func(r fstest.MapFS) { delete(r, log) }, log},
		{"no table", func(r fstest.MapFS) {
			delete(r, strings.Replace(log, "journal.jsonl", "standings.json", 1))
		}, strings.Replace(log, "journal.jsonl", "standings.json", 1)},
		{"a table that is no JSON", func(r fstest.MapFS) {
			r[strings.Replace(log, "journal.jsonl", "rounds.json", 1)] = &fstest.MapFile{Data: []byte("{")}
		}, strings.Replace(log, "journal.jsonl", "rounds.json", 1)},
	} {
		spoiled := maps.Clone(root)
		c.edit(spoiled)
		if v := verify.League(spoiled, theLeague, verify.Proofs{}); !blamed(v, c.want) {
			t.Errorf("%s: got %v, want %s named", c.name, v.Differences, c.want)
		}
	}
	without := maps.Clone(root)
	maps.DeleteFunc(without, func(name string, _ *fstest.MapFile) bool {
		return strings.HasPrefix(name, "data/referees/")
	})
	if v := verify.League(without, theLeague, verify.Proofs{}); !v.OK || v.Records != 6 {
		t.Errorf("referees that are elsewhere: got %v, want nothing", v.Differences)
	}
}
