package verify_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"agentleague/engine"
	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/verify"
)

// A forgery is one way to change a finished league after the fact, with all hashes made right again.
type forgery struct {
	name  string
	of    func(t *testing.T) fstest.MapFS // the league that is forged; nil: the played one
	do    forging
	want  string // the expected finding
	in    string // and of which file; "": of a line of the journal
	needs string // or the external evidence that reveals it; the root alone does not

	alone bool // it is about R2M1, and the other five stay proven
}

// The kinds of forgeries, as docs/guide/reliability.md lists them.
var forgeries = []struct {
	kind string
	all  []forgery
}{
	{"a result", slices.Concat(forgedOutcomes, forgedResults)},
	{"a record", forgedRecords},
	{"a table", forgedTables},
	{"the rules", forgedRules},
	{"an agent", forgedAgents},
	{"the order of things", forgedOrder},
	{"a forfeit", forgedForfeits},
	{"a struck result", forgedAnnulments},
	{"a signature", forgedSignatures},
	{"a position", forgedPositions},
	{"the past", forgedPasts},
	{"the final signatures", forgedFinalSignatures},
	{"the end", forgedEnds},
	{"the whole", forgedWholes},
	{"beside the log", forgedBeside},
}

func TestThereAreAHundredForgeries(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, k := range forgeries {
		for _, c := range k.all {
			if names[c.name] {
				t.Errorf("%q is there twice", c.name)
			}
			names[c.name] = true
		}
	}
	if len(names) < 100 {
		t.Errorf("there are %d forgeries, want 100", len(names))
	}
}

// The page lists the kinds of forgeries, their numbers, and how many of them need external evidence.
func TestThePageListsTheForgeries(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/guide/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(string(text), "\n## Forgeries\n")
	page, _, _ = strings.Cut(page, "\n## ")
	total := 0
	for _, k := range forgeries {
		needy := 0
		for _, c := range k.all {
			if c.needs != "" {
				needy++
			}
		}
		total += len(k.all)
		if row := fmt.Sprintf("\n| %s | %d | %d | ", k.kind, len(k.all), needy); !strings.Contains(page, row) {
			t.Errorf("the page has no row %q", row)
		}
	}
	if rows := regexp.MustCompile(`(?m)^\| [a-z ]+ \| \d`).FindAllString(page, -1); len(rows) != len(forgeries) {
		t.Errorf("the page has %d kinds, want %d", len(rows), len(forgeries))
	}
	if said := fmt.Sprintf("%d forgeries", total); !strings.Contains(page, said) {
		t.Errorf("the page does not say that there are %s", said)
	}
}

// A truth is a league before a forgery, with its external evidence.
type truth struct {
	root   fstest.MapFS
	kept   map[string]verify.Evidence
	proofs verify.Proofs // of the records that it has
}

// truths are made once, by the function that makes them.
var truths = struct {
	sync.Mutex
	of map[string]truth
}{of: map[string]truth{}}

// theTruth is the league that is forged.
func (c forgery) theTruth(t *testing.T) truth {
	t.Helper()
	if c.of == nil {
		c.of = playedLeague
	}
	truths.Lock()
	defer truths.Unlock()
	of := fmt.Sprintf("%p", c.of)
	if _, known := truths.of[of]; !known {
		root, known := c.of(t), verify.Proofs{}
		s := verify.League(root, theLeague, known).Folded()
		truths.of[of] = truth{root, keptOf(t, root, s), known}
	}
	return truths.of[of]
}

// keptOf returns the external evidence of a league: its seal, its last head, and P01's witness, if it has a key.
func keptOf(t *testing.T, root fstest.MapFS, s *league.State) map[string]verify.Evidence {
	t.Helper()
	kept := map[string]verify.Evidence{"seal": {Seal: s.Seal[:32]}, "head": {Head: s.Head().Hash[:32]}}
	if s.Agents["P01"].Native() {
		kept["witness"] = verify.Evidence{Said: witnessOf(t, root, "P01")}
	}
	for what, e := range kept {
		if v, fields := heldAgainst(root, e); !v.OK {
			t.Fatalf("the truth is contradicted by its %s: %s", what, fields)
		}
	}
	return kept
}

// areFound does all forgeries of some kinds.
func areFound(t *testing.T, tables ...[]forgery) {
	t.Helper()
	t.Parallel()
	for _, c := range slices.Concat(tables...) {
		t.Run(c.name, func(t *testing.T) {
			c.isFound(t, c.theTruth(t))
			tally.Lock()
			defer tally.Unlock()
			tally.found[c.name] = !t.Failed()
		})
	}
}

func (c forgery) isFound(t *testing.T, was truth) {
	f := newForger(t, was.root)
	c.do(f)
	f.done()
	if maps.EqualFunc(was.root, f.root, func(a, b *fstest.MapFile) bool { return string(a.Data) == string(b.Data) }) {
		t.Fatal("nothing was forged")
	}
	for _, err := range journal.ReadFS(f.root, logFile) {
		if errors.Is(err, engine.ErrDamaged) {
			t.Fatalf("the forger has left a wrong hash: %v", err)
		}
	}
	v := verify.League(f.root, theLeague, c.known(f, was.proofs))
	if c.alone && (v.Verified != 5 || v.Proven != 5) {
		t.Errorf("%d matches verified, %d draws proven, want the other 5", v.Verified, v.Proven)
	}
	if c.needs != "" {
		c.isFoundWith(t, v, was.kept)
		return
	}
	file := cmp.Or(c.in, logFile+":")
	said := func(d verify.Difference) bool {
		return strings.HasPrefix(d.String(), file) && strings.Contains(d.String(), c.want)
	}
	if v.OK || !slices.ContainsFunc(v.Differences, said) {
		t.Errorf("want %s… %s; found %s", file, c.want, listed(v.Differences))
	}
}

// known returns the proofs that stay valid: those of unchanged records of results, in a log whose lines are unchanged.
func (c forgery) known(f *forger, before verify.Proofs) verify.Proofs {
	if f.touched && !c.alone {
		return verify.Proofs{}
	}
	out := maps.Clone(before)
	maps.DeleteFunc(out, func(of verify.ProofOf, _ error) bool { return f.touched && of.Of() == "R2M1" })
	return out
}

// isFoundWith wants a forgery to be found with those things that were kept of the true league, and with no others.
func (c forgery) isFoundWith(t *testing.T, v *verify.Result, kept map[string]verify.Evidence) {
	if !v.OK {
		t.Fatalf("the root itself shows %s; want nothing", listed(v.Differences))
	}
	for what, e := range kept {
		again := *v
		again.Differences, again.Notes = nil, nil
		e.Files = []string{"witness.json"}
		again.Hold(e)
		if want := strings.Contains(c.needs, what); again.OK == want {
			t.Errorf("with the %s: found %s; want it found: %v", what, listed(again.Differences), want)
		}
	}
}

// listed is a line for each difference.
func listed(all []verify.Difference) (out string) {
	for _, d := range all {
		out += "\n\t" + d.String()
	}
	return cmp.Or(out, "nothing")
}
