package league

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/format"
	"agentleague/protocol"
)

// playRounds plays a number of rounds, or to the end of the league.
func (s *season) playRounds(rng *rand.Rand, rounds int) {
	for range rounds {
		if s.state.Completed() {
			return
		}
		s.write(OpenNext(s.state, s.secret, s.now.Add(time.Second))...)
		for s.state.RoundOpen {
			s.playOne(rng)
		}
	}
}

func TestALadderEndsWithItsSeason(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ladder format.Ladder
		later  time.Duration
		over   bool
	}{
		"after its matches":   {format.Ladder{Matches: 8}, 0, true},
		"before its matches":  {format.Ladder{Matches: 13}, 0, false},
		"after the month":     {format.Ladder{}, 31 * 24 * time.Hour, true},
		"without an end":      {format.Ladder{Season: "none"}, 31 * 24 * time.Hour, false},
		"in the middle of it": {format.Ladder{}, 0, false},
	} {
		s := inFormat(t, 4, format.Settings{Format: "ladder", Ladder: c.ladder})
		rng := rand.New(rand.NewPCG(1, 2))
		s.playRounds(rng, 4)
		s.now = s.now.Add(c.later)
		s.playRounds(rng, 1)
		if s.state.Completed() != c.over && s.now.Day() > 1 { // the test may run at midnight of a first day
			t.Errorf("%s: over is %v", name, s.state.Completed())
		}
		if found := s.clean(); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}

func TestTheAuditRefusesARoundAfterTheSeason(t *testing.T) {
	t.Parallel()
	s := inFormat(t, 4, format.Settings{Format: "ladder", Ladder: format.Ladder{Matches: 4}})
	s.playRounds(rand.New(rand.NewPCG(1, 2)), 2)
	next, _ := nextRound(s.state, s.secret)
	s.write(next, RoundOpened{3})
	if found := s.clean(); len(found) != 1 || !strings.Contains(found[0], "the end of the season") {
		t.Errorf("got %v", found)
	}
}

// A season begins with the ratings with which the one before ended, also for a player that joins late.
func TestALadderContinuesWithItsRatings(t *testing.T) {
	t.Parallel()
	first := inFormat(t, 6, format.Settings{Format: "ladder", Ladder: format.Ladder{Matches: 60}})
	first.playRounds(rand.New(rand.NewPCG(1, 2)), 40)
	final := FinalRatings(first.state)
	if len(final) != 6 {
		t.Fatalf("got %v, want six ratings", final)
	}
	carried := func(r Registered) (int, int) {
		f := final[Identity(r.Key, r.Name)]
		return f[0], f[1]
	}
	s := newSeason(t, Scheduled(Created{}, format.Settings{Format: "ladder"}))
	s.limits.Late = &Scheduling{Settings: format.Settings{Format: "ladder"}, RatingOf: carried}
	s.join(1, 5)
	s.write(Seeded(s.state, StartWith(s.state, everybodyReached), s.secret, carried)...)
	s.register(protocol.RolePlayer, "player 6")
	for id, r := range LadderRatings(s.state) {
		a := s.state.Agents[id]
		if want := final[Identity(a.Key, a.Name)]; r != want {
			t.Errorf("%s begins with %v, want %v", a.Name, r, want)
		}
	}
	if len(LadderRatings(s.state)) != 6 {
		t.Errorf("got %v, want six players", LadderRatings(s.state))
	}
	s.playRounds(rand.New(rand.NewPCG(1, 2)), 4)
	if found := s.clean(); len(found) > 0 {
		t.Error(found)
	}
}

// The last players leave an open ladder and others come: it goes on.
func TestAnOpenLadderWaitsForPlayers(t *testing.T) {
	t.Parallel()
	s, rng := inFormat(t, 3, format.Settings{Format: "ladder"}), rand.New(rand.NewPCG(1, 2))
	s.playRounds(rng, 3)
	for _, id := range s.state.Players()[:2] {
		s.write(Withdrawn{ID: id})
	}
	if events := OpenNext(s.state, s.secret, s.now); events != nil || s.state.Completed() {
		t.Fatalf("one player is left: got %v, over %v", events, s.state.Completed())
	}
	s.register(protocol.RolePlayer, "newcomer")
	before := s.state.Round
	s.playRounds(rng, 2)
	if s.state.Round != before+2 {
		t.Errorf("round %d after round %d, want two more", s.state.Round, before)
	}
	if found := s.clean(); len(found) > 0 {
		t.Error(found)
	}
}

// An anchor is a built-in player: its rating stays, and the others are rated against it.
func TestAnchorsKeepTheirRatings(t *testing.T) {
	t.Parallel()
	s := inFormat(t, 4, format.Settings{Format: "ladder", Ladder: format.Ladder{Anchors: true}})
	s.state.initial = s.state.initial.With("P01", 1200, 0, true) // no player of this test is hosted
	s.state.rateAnew()
	s.playRounds(rand.New(rand.NewPCG(1, 2)), 20)
	r := LadderRatings(s.state)
	if r["P01"] != [2]int{1200, 30} || r["P02"] == [2]int{1500, 350} {
		t.Errorf("got %v, want an anchor at 1200 and others that moved", r)
	}
	if top := ratingsOf(s.state)["P02"]; *top.Low != top.Rating-2*r["P02"][1] || top.Matches == 0 {
		t.Errorf("got %+v, want the bounds of two deviations", top)
	}
}

// The audit computes all ratings again. It accepts the rounding of another processor and nothing else.
func TestForgedRatingsAreFound(t *testing.T) {
	t.Parallel()
	for forged, want := range map[int]bool{-2: true, -1: false, 0: false, 1: false, 2: true} {
		s := inFormat(t, 6, format.Settings{Format: "ladder"})
		rng := rand.New(rand.NewPCG(4, 2))
		s.playRounds(rng, 5)
		next, _ := nextRound(s.state, s.secret)
		next.Ratings["P03"] = [2]int{next.Ratings["P03"][0] + forged, next.Ratings["P03"][1]}
		s.write(next, RoundOpened{6})
		found := slices.ContainsFunc(s.clean(), func(f string) bool { return strings.Contains(f, "P03.rating") })
		if found != want {
			t.Errorf("a rating that is forged by %d: found %v, want %v", forged, found, want)
		}
	}
}
