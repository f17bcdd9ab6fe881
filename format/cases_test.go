package format_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentleague/format"
	"agentleague/league"
)

// A cup is a league of a test.
type cup struct {
	t *testing.T
	format.Format
	settings format.Settings
	field    format.Field
}

// newCup returns a league of n players before its first round.
func newCup(t *testing.T, n int, s format.Settings) *cup {
	t.Helper()
	f, ok := format.ByName(s.Format)
	if !ok {
		t.Fatalf("no format %q", s.Format)
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	c := &cup{t: t, Format: f, settings: s.Filled(false), field: format.Field{Round: 1}}
	for i := range n {
		c.field.Players = append(c.field.Players, format.Player{ID: fmt.Sprintf("P%02d", i+1), Seed: i + 1, Joined: 1})
	}
	return c
}

// next returns the next round as "P01-P02 P03-P04 bye P05", or "over".
func (c *cup) next() string {
	r, more := c.Next(c.settings, c.field)
	if !more {
		return "over"
	}
	var words []string
	for _, p := range r.Pairs {
		words = append(words, p.A+"-"+p.B)
	}
	for _, id := range r.Byes {
		words = append(words, "bye "+id)
	}
	return strings.Join(words, " ")
}

// play plays the next round, which must be want, with these winners; a pair without one is a draw.
func (c *cup) play(want string, winners ...string) {
	c.t.Helper()
	if got := c.next(); got != want {
		c.t.Fatalf("round %d: got %q, want %q", c.field.Round, got, want)
	}
	r, _ := c.Next(c.settings, c.field)
	for _, p := range r.Pairs {
		m := format.Played{Round: c.field.Round, A: p.A, B: p.B}
		for _, id := range []string{p.A, p.B} {
			if slices.Contains(winners, id) {
				m.Winner = id
				c.of(id).Points += 3
			} else if !slices.Contains(winners, p.A) && !slices.Contains(winners, p.B) {
				c.of(id).Points++
			}
		}
		c.field.Results = append(c.field.Results, m)
	}
	for _, id := range r.Byes {
		c.field.Results = append(c.field.Results, format.Played{Round: c.field.Round, A: id})
	}
	c.field.Round++
}

// of returns a player.
func (c *cup) of(id string) *format.Player {
	i := slices.IndexFunc(c.field.Players, func(p format.Player) bool { return p.ID == id })
	return &c.field.Players[i]
}

// leaves takes players out from the next round on.
func (c *cup) leaves(ids ...string) {
	for _, id := range ids {
		c.of(id).Left = c.field.Round
	}
}

// A ladder without a number of rounds waits for players instead.
func TestLeagueWithoutTwoPlayersIsOver(t *testing.T) {
	for _, name := range format.Names() {
		rules := format.Settings{Format: name}
		if name == "ladder/1" {
			rules.Rounds = 9
		}
		for n := range 2 {
			if got := newCup(t, n, rules).next(); got != "over" {
				t.Errorf("%s with %d players: %s", name, n, got)
			}
		}
		c := newCup(t, 4, rules)
		c.leaves("P01", "P02", "P03", "P04")
		if got := c.next(); got != "over" {
			t.Errorf("%s after all left: %s", name, got)
		}
	}
}

func TestKnockoutOfADrawnPairGoesOnWithLegsAndThenTheBetterSeed(t *testing.T) {
	c := newCup(t, 2, format.Settings{Format: "knockout", Knockout: format.Knockout{BestOf: 2, Extra: 2}})
	c.play("P01-P02", "P01")
	c.play("P02-P01", "P02")
	c.play("P01-P02")
	c.play("P02-P01")
	if got := c.next(); got != "over" || c.Rank(c.settings, c.field)[0].ID != "P01" {
		t.Errorf("got %s, ranks %v", got, c.Rank(c.settings, c.field))
	}
	c.settings.Knockout.Decide = "lot"
	c.field.Draw = func(what string) uint64 {
		if what != "knockout stage 1: P01 or P02" {
			t.Errorf("a draw of %q", what)
		}
		return 7
	}
	if got := c.Rank(c.settings, c.field)[0].ID; got != "P02" {
		t.Errorf("by lot %s wins, want P02", got)
	}
}

func TestKnockoutPairEndsWhenItsLeadIsSafe(t *testing.T) {
	c := newCup(t, 2, format.Settings{Format: "knockout", Knockout: format.Knockout{BestOf: 5}})
	c.play("P01-P02", "P02")
	c.play("P02-P01")
	c.play("P01-P02", "P02")
	c.play("P02-P01")
	if got := c.next(); got != "over" {
		t.Errorf("a lead of two wins with one leg left: %s", got)
	}
}

func TestKnockoutPairWithoutAPlayerIsABye(t *testing.T) {
	c := newCup(t, 8, format.Settings{Format: "knockout", Knockout: format.Knockout{ThirdPlace: true}})
	c.play("P01-P08 P05-P04 P07-P02 P03-P06", "P01", "P02", "P03")
	c.leaves("P04", "P05")
	c.play("P02-P03 bye P01", "P02")
	c.play("P02-P01 bye P03")
	c.leaves("P01", "P02")
	if got := c.next(); got != "over" {
		t.Errorf("got %s after both left", got)
	}
}

func TestKnockoutReplaysOnlyLevelPairs(t *testing.T) {
	c := newCup(t, 4, format.Settings{Format: "knockout", Knockout: format.Knockout{Extra: 1, ThirdPlace: true}})
	c.play("P01-P04 P03-P02", "P01")
	r, _ := c.Next(c.settings, c.field)
	if r.Stage != 1 || r.Leg != 2 || r.OfLegs != 2 || !slices.Equal(r.Resting, []string{"P01"}) {
		t.Errorf("got %+v", r)
	}
	c.play("P02-P03", "P03")
	c.play("P03-P01 P04-P02", "P03", "P04")
	got := fmt.Sprint(c.Rank(c.settings, c.field))
	if want := "[{P03 1} {P01 2} {P04 3} {P02 4}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSwissRepeatsTheOldestPairs(t *testing.T) {
	c := newCup(t, 4, format.Settings{Format: "swiss", Rounds: 6})
	for range 3 {
		c.play(c.next())
	}
	first, _ := c.Next(c.settings, c.field)
	for _, reason := range c.Explain(c.settings, c.field, first) {
		if reason.Rematch != 1 {
			t.Errorf("%+v, want a rematch of round 1", reason)
		}
	}
	c.play(c.next())
	second, _ := c.Next(c.settings, c.field)
	for _, reason := range c.Explain(c.settings, c.field, second) {
		if reason.Rematch != 2 {
			t.Errorf("%+v, want a rematch of round 2", reason)
		}
	}
}

func TestSwissForfeitCountsAsNotMet(t *testing.T) {
	c := newCup(t, 2, format.Settings{Format: "swiss", Rounds: 2})
	c.play("P01-P02", "P01")
	c.field.Results[0].Unplayed = true
	r, _ := c.Next(c.settings, c.field)
	if got := c.Explain(c.settings, c.field, r)[0]; got.Rematch != 0 || got.Why != format.Floated {
		t.Errorf("got %+v", got)
	}
}

func TestSwissByeGoesToTheLowestWithoutOne(t *testing.T) {
	c := newCup(t, 5, format.Settings{Format: "swiss", Rounds: 4})
	byes := map[string]bool{}
	for range 4 {
		r, _ := c.Next(c.settings, c.field)
		if byes[r.Byes[0]] {
			t.Errorf("round %d: a second bye of %v", c.field.Round, r.Byes)
		}
		byes[r.Byes[0]] = true
		c.play(c.next(), r.Pairs[0].A, r.Pairs[1].B)
	}
}

func TestSwissSecondLegHasTheSamePairs(t *testing.T) {
	c := newCup(t, 5, format.Settings{Format: "swiss", Legs: 2})
	c.play("P01-P03 P04-P02 bye P05", "P01")
	c.leaves("P02")
	c.field.Players = append(c.field.Players, format.Player{ID: "P06", Seed: 6, Joined: 2})
	r, _ := c.Next(c.settings, c.field)
	if got := c.next(); got != "P03-P01 bye P04 bye P05" || !slices.Equal(r.Resting, []string{"P06"}) {
		t.Errorf("got %s, resting %v", got, r.Resting)
	}
}

// The initial field of a round robin plays the ring of leagues that have no other format.
func TestRoundRobinIsTheRing(t *testing.T) {
	for n := 2; n <= 12; n++ {
		c := newCup(t, n, format.Settings{Format: "round_robin", Legs: 2})
		ring := league.Ring{Cycles: 2, SeatMatters: true}
		for _, p := range c.field.Players {
			ring.Players = append(ring.Players, p.ID)
		}
		for round := 1; round <= ring.Rounds(); round++ {
			r, _ := c.Next(c.settings, c.field)
			var want []format.Pairing
			for _, p := range ring.Round(round) {
				want = append(want, format.Pairing{A: p.A, B: p.B})
			}
			if !slices.Equal(r.Pairs, want) {
				t.Fatalf("%d players, round %d: got %v, want %v", n, round, r.Pairs, want)
			}
			c.play(c.next())
		}
		if got := c.next(); got != "over" {
			t.Errorf("%d players: %s after the ring", n, got)
		}
	}
}

func TestRoundRobinGivesAWalkoverIfMatchesCount(t *testing.T) {
	for rule, want := range map[string]string{"keep": "P04-P02", "discount": "bye P02"} {
		c := newCup(t, 4, format.Settings{Format: "round_robin", Withdrawal: format.Withdrawal{BeforeHalf: rule}})
		c.play("P01-P02 P03-P04")
		c.leaves("P04")
		if got := c.next(); !strings.Contains(got, strings.TrimPrefix(want, "P04-")) || strings.Contains(got, "P04") != (rule == "keep") {
			t.Errorf("%s: got %s, want %s in it", rule, got, want)
		}
	}
}

func TestPlayersMayJoinUntilHalf(t *testing.T) {
	for _, c := range []struct {
		s    format.Settings
		last int
	}{
		{format.Settings{Format: "swiss", Rounds: 7}, 4},
		{format.Settings{Format: "swiss", Rounds: 7, Legs: 2}, 8},
		{format.Settings{Format: "swiss", Rounds: 7, Late: format.Late{Until: 6}}, 6},
		{format.Settings{Format: "swiss", Late: format.Late{Until: 1}}, 1},
		{format.Settings{Format: "round_robin"}, 4},
		{format.Settings{Format: "gauntlet"}, 4},
		{format.Settings{Format: "knockout"}, 1},
		{format.Settings{Format: "ladder"}, 1000},
	} {
		league := newCup(t, 8, c.s)
		for round := 1; round <= 20; round++ {
			league.field.Round = round
			if err := league.Joinable(league.settings, league.field); (err == nil) != (round <= c.last) {
				t.Errorf("%+v: round %d: %v", c.s, round, err)
			}
		}
	}
}

func TestWrongSettingsAreNamed(t *testing.T) {
	for _, c := range []struct {
		s    format.Settings
		want string
	}{
		{format.Settings{Format: "chess"}, `schedule.format: unknown format "chess", want one of round_robin/1, swiss/1,`},
		{format.Settings{Format: "swiss", Bye: "gift"}, `schedule.bye: want one of win, draw, zero, got "gift"`},
		{format.Settings{Format: "swiss", Rounds: -1}, "schedule.rounds: want 0 to 100000, got -1"},
		{format.Settings{Format: "swiss", Knockout: format.Knockout{Extra: 1}}, "schedule.knockout has no effect in the format swiss: remove it"},
		{format.Settings{Knockout: format.Knockout{Extra: 1}}, "schedule.knockout has no effect in the format round_robin: remove it"},
		{format.Settings{Format: "knockout", Legs: 2}, "schedule.legs has no effect"},
	} {
		if err := c.s.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.s, err, c.want)
		}
	}
}

func TestFilledSettingsAreComplete(t *testing.T) {
	for _, c := range []struct {
		s       format.Settings
		matters bool
		want    format.Settings
	}{
		{format.Settings{}, true, format.Settings{Format: "round_robin/1", Legs: 1, Bye: "zero"}},
		{format.Settings{Format: "swiss"}, false, format.Settings{Format: "swiss/1", Legs: 1, Bye: "win"}},
		{format.Settings{Format: "swiss"}, true, format.Settings{Format: "swiss/1", Legs: 2, Bye: "win"}},
		{format.Settings{Format: "knockout"}, true, format.Settings{
			Format: "knockout/1", Legs: 1, Bye: "zero", Knockout: format.Knockout{BestOf: 2, Decide: "seed"},
		}},
	} {
		c.want.Seeding, c.want.Late.Missed, c.want.Withdrawal.BeforeHalf = "roster", "zero", "discount"
		if got := c.s.Filled(c.matters); got != c.want {
			t.Errorf("got %+v, want %+v", got, c.want)
		}
		if err := c.s.Filled(c.matters).Check(); err != nil {
			t.Error(err)
		}
	}
}

func TestSeedsFollowTheSetting(t *testing.T) {
	c := newCup(t, 3, format.Settings{Format: "swiss"})
	for i, rating := range []int{1400, 1600, 1500} {
		c.field.Players[i].Rating = rating
	}
	c.field.Draw = func(what string) uint64 { return map[string]uint64{"seed P01": 2, "seed P02": 9, "seed P03": 1}[what] }
	for seeding, want := range map[string]string{"": "[P01 P02 P03]", "rating": "[P02 P03 P01]", "lot": "[P03 P01 P02]"} {
		if got := fmt.Sprint(format.Seeds(format.Settings{Seeding: seeding}, c.field)); got != want {
			t.Errorf("%q: got %s, want %s", seeding, got, want)
		}
	}
}

func TestMatchesOfPlayersThatLeftEarlyDoNotCount(t *testing.T) {
	c := newCup(t, 8, format.Settings{Format: "swiss", Rounds: 6})
	c.field.Round = 7
	c.of("P01").Left, c.of("P02").Left = 3, 4 // after two and three rounds
	if got := fmt.Sprint(format.Discounted(c.settings, c.field)); got != "[P01]" {
		t.Errorf("got %s", got)
	}
	c.settings.Withdrawal.BeforeHalf = "keep"
	if got := format.Discounted(c.settings, c.field); got != nil {
		t.Errorf("got %v, want none", got)
	}
}
