package attack_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"agentleague/rpc/rpctest"
)

// An attack is one forbidden action.
type attack struct {
	name string
	try  func(a *arena) answer // performs the attack and returns the answer to it
	// the code that refuses it; "": it is answered, and nothing comes of it; either: one or the other
	want   string
	told   string // part of the warning on the organiser's terminal; "{code}" is the readmission code; "": no warning
	warned string // the warning at the manager's terminal, in `league status` and on the page; "": none
	proof  string // if each attack has a separate league: the basis of the first match's result
	verify int    // if each attack has a separate league: the exit status of `league verify`
	// refused for the same reason as the previous attack, in a separate league: only TestLong tries it
	variant bool
	listed  bool // status and page show the warning in another form: as an order, or as a refused agent
}

// either is wanted where an attack may be refused or not, and nothing comes of it.
const either = "refused or not"

// A family is the attacks of one kind of attacker.
type family struct {
	name    string
	scene   func(t *testing.T, strict bool) *arena // prepares the participants and the state of the league
	attacks []attack
	after   func(a *arena) // plays the league to its end and checks it
	each    bool           // each attack has a separate league
	lenient bool           // it makes no difference whether the program is strict: it is tried once
}

// everyAttack is the table of all attacks.
func everyAttack() []family {
	return []family{
		impostors(),
		latecomers(),
		thieves(),
		strangers(),
		guests(),
		foreigners(),
		losers(),
		judges(),
		heirs(),
		intruders(),
		usurpers(),
		squatters(),
		relays(),
		withholders(),
		burglars(),
		keyholders(),
		forgers(),
		strikers(),
		hoarders(),
		captors(),
		ventriloquists(),
		tarpits(),
		replayers(),
		restorers(),
		colluders(),
		perjurers(),
		cutters(),
		letterboxes(),
		pickpockets(),
	}
}

// knownHoles are the attacks that succeed, and why they do. They are skipped.
var knownHoles = map[string]string{}

func TestAttacks(t *testing.T)                    { attackAll(t, false, families()) }
func TestLongVariantsOfAttacks(t *testing.T)      { attackAll(t, false, variants()) }
func TestLongAttacksOnAStrictLeague(t *testing.T) { attackAll(t, true, everyAttack()) }

// variants are the families that have variants, with nothing else.
func variants() (out []family) {
	for _, f := range everyAttack() {
		f.attacks = slices.DeleteFunc(f.attacks, func(x attack) bool { return !x.variant })
		if len(f.attacks) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// families are all families, without variants.
func families() []family {
	all := everyAttack()
	for i, f := range all {
		all[i].attacks = slices.DeleteFunc(f.attacks, func(x attack) bool { return x.variant })
	}
	return all
}

// attackAll tries the attacks of some families, on a league that reads strictly or as usual.
func attackAll(t *testing.T, strict bool, all []family) {
	t.Parallel()
	for _, f := range all {
		if strict && f.lenient {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			f.run(t, strict)
		})
	}
}

func (f family) run(t *testing.T, strict bool) {
	if f.each {
		for _, x := range f.attacks {
			t.Run(x.name, func(t *testing.T) {
				skipHole(t, f, x)
				t.Parallel()
				a := f.scene(t, strict)
				x.on(t, a)
				f.after(a)
				if t.Failed() {
					return
				}
				a.verify(x.verify)
				if m := a.state().Matches["R1M1"]; x.proof != "" && m.Proof != x.proof {
					t.Errorf("the result is %s, want %s: %+v, against it %+v", m.Proof, x.proof, m.Outcome.Result, m.Against)
				}
			})
		}
		return
	}
	a := f.scene(t, strict)
	for _, x := range f.attacks {
		t.Run(x.name, func(t *testing.T) {
			skipHole(t, f, x)
			before := a.roster()
			x.on(t, a)
			if after := a.roster(); !slices.Equal(before, after) {
				t.Errorf("the league had\n\t%s\nand has now\n\t%s", strings.Join(before, "\n\t"), strings.Join(after, "\n\t"))
			}
		})
	}
	f.after(a)
}

func skipHole(t *testing.T, f family, x attack) {
	t.Helper()
	if why := knownHoles[f.name+"/"+x.name]; why != "" {
		t.Skip("known hole: " + why)
	}
}

// on performs the attack and checks the answer.
func (x attack) on(t *testing.T, a *arena) {
	t.Helper()
	if outer := a.t; outer != t { // the league is older than the attack
		a.t = t
		defer func() { a.t = outer }()
	}
	got := x.try(a)
	// on a busy machine the call may have ended, so that any answer is late
	late := x.want == "E012" && got.Code == "E008"
	if got.Code != x.want && x.want != either && !late {
		t.Errorf("got %q, want %q: %s", got.Code, x.want, got.text)
	}
	if x.want != "" && got.Token != "" {
		t.Errorf("who was refused was given a token: %s", got.text)
	}
	if x.want != "" && strings.Contains(got.text, "REGISTER_RESPONSE") && strings.Contains(got.text, "tok_manager_") {
		t.Errorf("who was refused was given an answer that an agent believes: %s", got.text)
	}
	if x.told != "" {
		want := strings.ReplaceAll(x.told, "{code}", got.Readmit)
		rpctest.Eventually(t, "the organiser is told "+want, func() bool { return strings.Contains(a.told(), want) })
		shown := cmp.Or(got.Readmit, want)
		if strings.Contains(a.manager.said(), want) && !strings.Contains(want, "=") && !x.listed && a.cast[shown] == nil {
			a.warns(shown) // once in a league; attributes, with "=", are of log lines alone
			a.cast[shown] = true
		}
	}
	t.Logf("answer: %s %s; organiser is told: %s", cmp.Or(got.Code, "no error"), got.Reason,
		cmp.Or(x.told+x.warned, "nothing"))
	if x.warned != "" {
		a.warns(strings.ReplaceAll(x.warned, "{code}", got.Readmit))
	}
	if strings.Contains(x.told+x.warned, "{code}") && got.Readmit == "" {
		t.Errorf("the answer has no code to be let in with: %s", got.text)
	}
}

// TestHolesAreInTheTable holds the list of holes against the table.
func TestHolesAreInTheTable(t *testing.T) {
	known := map[string]bool{}
	for _, f := range everyAttack() {
		for _, x := range f.attacks {
			if known[f.name+"/"+x.name] {
				t.Errorf("%s/%s stands there twice", f.name, x.name)
			}
			known[f.name+"/"+x.name] = true
		}
	}
	for hole := range knownHoles {
		if !known[hole] {
			t.Errorf("%s is no attack of the table", hole)
		}
	}
}
