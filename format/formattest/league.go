package formattest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"agentleague/format"
)

// maxRounds ends leagues in formats without an end.
const maxRounds = 40

// A league is a simulated league.
type league struct {
	format    format.Format
	settings  format.Settings
	rng       *rand.Rand
	initial   int  // players of the initial field
	disturbed bool // whether players forfeit, rest, join late and leave
	annulled  bool // whether a result was changed after its round
	players   []format.Player
	results   []format.Played
	resting   []int // of each player: the first round that it plays again
	before    []format.Field
	rounds    []format.Round
	bound     int // the horizon of the undisturbed league; 0: none
	exact     bool
}

func newLeague(f format.Format, seed int) *league {
	l := &league{format: f, rng: rand.New(rand.NewPCG(uint64(seed), 1)), disturbed: seed%2 == 1}
	switch kind := seed / 2 % 10; {
	case kind < 7:
		l.initial = 2 + l.rng.IntN(11)
	case kind < 9 || f.Name() == "round_robin/1" && seed%80 < 60: // large ones have thousands of matches
		l.initial = 13 + l.rng.IntN(50)
	default:
		l.initial = 63 + l.rng.IntN(138)
	}
	for range l.initial {
		l.join(1)
	}
	l.settings = l.randomSettings()
	l.bound, l.exact = f.Horizon(l.settings, l.field(1))
	return l
}

// randomSettings returns settings that have an effect in the format.
func (l *league) randomSettings() format.Settings {
	s := format.Settings{Format: l.format.Name(), Seeding: pick(l.rng, "", "roster", "rating", "lot")}
	try := func(change func(*format.Settings)) {
		changed := s
		change(&changed)
		if l.rng.IntN(2) == 0 && l.format.Check(changed) == nil {
			s = changed
		}
	}
	try(func(s *format.Settings) { s.Legs = 1 + l.rng.IntN(3) })
	try(func(s *format.Settings) { s.Bye = pick(l.rng, "win", "draw", "zero") })
	try(func(s *format.Settings) {
		s.Late = format.Late{Until: l.rng.IntN(8), Missed: pick(l.rng, "", "half", "win")}
	})
	try(func(s *format.Settings) { s.Withdrawal.BeforeHalf = pick(l.rng, "discount", "keep") })
	try(func(s *format.Settings) { s.Gauntlet.Challengers = l.rng.IntN(5) })
	try(func(s *format.Settings) {
		s.Knockout = format.Knockout{
			BestOf: l.rng.IntN(5), Extra: l.rng.IntN(3), Decide: pick(l.rng, "seed", "lot"), ThirdPlace: l.rng.IntN(2) == 0,
		}
	})
	if l.format.Waits() {
		try(func(s *format.Settings) { s.Rounds = 1 + l.rng.IntN(12) })
	}
	return s.Filled(l.rng.IntN(2) == 0)
}

func pick(rng *rand.Rand, of ...string) string { return of[rng.IntN(len(of))] }

// join adds a player from a round on.
func (l *league) join(round int) {
	n := len(l.players) + 1
	l.players = append(l.players, format.Player{
		ID: fmt.Sprintf("P%02d", n), Seed: n, Rating: 1000 + l.rng.IntN(1000), Deviation: 30 + l.rng.IntN(300), Joined: round,
	})
	l.resting = append(l.resting, 0)
}

// field returns the league before a round.
func (l *league) field(round int) format.Field {
	f := format.Field{Round: round, Players: slices.Clone(l.players), Results: slices.Clone(l.results), Draw: draw}
	points := map[string]int{}
	for _, r := range l.results {
		switch {
		case r.B == "" && l.settings.Bye == "win", r.Winner != "":
			points[cmp.Or(r.Winner, r.A)] += 3
		case r.B == "" && l.settings.Bye == "draw":
			points[r.A]++
		case r.B != "" && !r.Unplayed:
			points[r.A]++
			points[r.B]++
		}
	}
	for i := range f.Players {
		p := &f.Players[i]
		p.Points, p.Resting = points[p.ID], l.resting[i] > round
	}
	return f
}

// draw is a committed secret.
func draw(what string) uint64 {
	n := uint64(14695981039346656037)
	for _, b := range []byte(what) {
		n = (n ^ uint64(b)) * 1099511628211
	}
	return n
}

// play plays all rounds and checks the laws.
func (l *league) play() error {
	for round := 1; ; round++ {
		f := l.field(round)
		r, more := l.format.Next(l.settings, f)
		if err := l.checkNext(f, r, more); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		if !more || round > maxRounds && l.bound == 0 {
			break
		}
		l.before, l.rounds = append(l.before, f), append(l.rounds, r)
		l.record(round, r)
		if l.disturbed {
			l.disturb(round + 1)
		}
	}
	return l.checkEnd()
}

// record adds the results of a round.
func (l *league) record(round int, r format.Round) {
	for _, p := range r.Pairs {
		l.results = append(l.results, l.result(round, p))
	}
	for _, id := range r.Byes {
		l.results = append(l.results, format.Played{Round: round, A: id})
	}
}

// result returns a random result. A player that left loses.
func (l *league) result(round int, p format.Pairing) format.Played {
	r := format.Played{Round: round, A: p.A, B: p.B}
	switch x := l.rng.IntN(20); {
	case l.left(p.A, round):
		r.Winner, r.Unplayed = p.B, true
	case l.left(p.B, round):
		r.Winner, r.Unplayed = p.A, true
	case x == 0 && l.disturbed:
		r.Winner, r.Unplayed = pick(l.rng, p.A, p.B, ""), true
	case x < 10:
		r.Winner = p.A
	case x < 16:
		r.Winner = p.B
	}
	return r
}

func (l *league) left(id string, round int) bool {
	return slices.ContainsFunc(l.players, func(p format.Player) bool { return p.ID == id && p.Left > 0 && p.Left <= round })
}

// disturb changes the league before a round.
func (l *league) disturb(round int) {
	few := 2 + 2*len(l.players)
	for i := range l.players {
		switch p := &l.players[i]; {
		case p.Left > 0 && l.rng.IntN(few) < 4 && l.format.Joinable(l.settings, l.field(round)) == nil:
			p.Left = 0 // it registered again; a bracket takes no player back
		case p.Left > 0:
		case l.rng.IntN(few) == 0:
			p.Left = round
		case l.rng.IntN(few) == 0:
			l.resting[i] = round + 1 + l.rng.IntN(3)
		}
	}
	if l.rng.IntN(60) == 0 { // most players leave
		for i := range l.players[l.rng.IntN(2):] {
			l.players[len(l.players)-1-i].Left = cmp.Or(l.players[len(l.players)-1-i].Left, round)
		}
	}
	if l.rng.IntN(4) == 0 && l.format.Joinable(l.settings, l.field(round)) == nil {
		l.join(round)
	}
	if l.rng.IntN(6) == 0 {
		l.annul(round - 1)
	}
}

// annul plays a match of the newest round again.
func (l *league) annul(round int) {
	i := len(l.results) - 1 - l.rng.IntN(1+len(l.results)/4)
	if i < 0 || l.results[i].Round != round || l.results[i].B == "" {
		return
	}
	l.results[i] = l.result(round, format.Pairing{A: l.results[i].A, B: l.results[i].B})
	l.annulled = true
}
