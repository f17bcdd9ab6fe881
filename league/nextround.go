package league

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"reflect"

	"agentleague/format"
	"agentleague/protocol"
)

// A decided caches the pairings of the next round, with the values on which they depend.
type decided struct {
	round, tables int
	next          RoundPaired
	more          bool
}

// nextRound decides the next round of a league of schema 3; more is false if the league is over. secret is the secret
// of all draws, in hex. It is not safe for concurrent use.
func nextRound(s *State, secret string) (next RoundPaired, more bool) {
	if d := s.decided; d.round == s.Round+1 && d.tables == s.tables {
		return d.next, d.more
	}
	f := fieldBefore(s, s.Round+1, LadderRatings(s))
	f.Draw = drawsOf(s.Created.LeagueID, secret)
	round, more := s.format().Next(*s.rules, f)
	next = pairedAs(f, round)
	if ratesPairings(s) {
		next.Ratings = ratingsIn(f)
	}
	s.decided = decided{f.Round, s.tables, next, more}
	return next, more
}

// pairedAs converts the round r, which package format decided for the players in f, to its event.
func pairedAs(f format.Field, r format.Round) RoundPaired {
	return RoundPaired{Round: f.Round, Pairs: r.Pairs, Byes: r.Byes, Resting: r.Resting,
		Stage: r.Stage, Leg: r.Leg, OfLegs: r.OfLegs}
}

// same reports whether e and other are equal apart from ratings.
func (e RoundPaired) same(other RoundPaired) bool {
	return reflect.DeepEqual(e.normal(), other.normal())
}

// normal returns the event without ratings and with nil for empty lists, so that equal pairings are equal values.
func (e RoundPaired) normal() RoundPaired {
	e.Ratings = nil
	e.Pairs, e.Byes = append([]Pairing(nil), e.Pairs...), append([]string(nil), e.Byes...)
	e.Resting = append([]string(nil), e.Resting...)
	return e
}

// drawsOf returns the source of the random numbers for pairings: a function that derives a number from the id and the
// secret of the league, and from a label that is different for each number.
func drawsOf(league, secret string) func(label string) uint64 {
	key, _ := hex.DecodeString(secret)
	return func(label string) uint64 {
		h := hmac.New(sha256.New, key)
		_, _ = h.Write([]byte("pairing\n" + league + "\n" + label)) // never fails
		return binary.BigEndian.Uint64(h.Sum(nil))
	}
}

// fieldBefore returns the input of package format for pairing a round, which is the next one or an opened one.
func fieldBefore(s *State, round int, ratings map[string][2]int) format.Field {
	f := bareField(s, round, ratings)
	rows, _ := rowsAfter(s, round-1)
	points := make(map[string]int, len(rows))
	for _, row := range rows {
		points[row.PlayerID] = row.Points
	}
	for i := range f.Players {
		f.Players[i].Points = points[f.Players[i].ID]
	}
	return f
}

// bareField is fieldBefore without the players' points, which are computed from the result.
func bareField(s *State, round int, ratings map[string][2]int) format.Field {
	first := 1
	if ratesPairings(s) {
		first = max(round-format.LadderMemory, 1)
	}
	f := format.Field{Round: round, Results: playedBefore(s, first, round)}
	if s.DrawSecret != "" {
		f.Draw = drawsOf(s.Created.LeagueID, s.DrawSecret)
	}
	var resting map[string]bool
	if opened, _ := s.Schedule.(pairedRounds); round <= len(opened) {
		resting = map[string]bool{}
		for _, id := range opened[round-1].Resting {
			resting[id] = true
		}
	}
	for i, id := range s.field {
		e, entered := s.entries[id]
		if !entered { // a ring
			e = entry{seed: i + 1, from: 1}
		}
		p := format.Player{ID: id, Seed: e.seed, Rating: e.rating, Joined: e.from, Left: e.left}
		if r, rated := ratings[id]; rated {
			p.Rating, p.Deviation = r[0], r[1]
		}
		switch {
		case e.from > round:
			continue
		case resting != nil:
			p.Resting = resting[id]
		default:
			p.Resting = restsIn(s, id, round)
		}
		if s.Agents[id].State == protocol.AgentShutdown && p.Left == 0 {
			p.Left = s.Round + 1
		}
		f.Players = append(f.Players, p)
	}
	return f
}

// restsIn reports whether a player takes no part in a round: on request, because one of its matches is played again, or
// in a ladder after too many forfeits until it answers a ping.
func restsIn(s *State, id string, round int) bool {
	if s.entries[id].rests >= round {
		return true
	}
	for _, m := range s.again {
		if m.A == id || m.B == id {
			return true
		}
	}
	a := s.Agents[id]
	return ratesPairings(s) && a.State == protocol.AgentSuspended && a.Forfeits >= s.rules.Ladder.RestAfter
}

// playedBefore lists the matches and byes from the first round on that are before another round.
func playedBefore(s *State, first, round int) (out []format.Played) {
	for k := first; k < min(round, len(s.byRound)+1); k++ {
		for _, m := range s.byRound[k-1] {
			if m.Outcome != nil {
				out = append(out, format.Played{Round: k, A: m.A, B: m.B, Winner: m.Outcome.Result.Winner,
					Unplayed: m.Outcome.Result.Status == protocol.TechnicalLoss})
			}
		}
		for _, id := range s.Schedule.Byes(k) {
			out = append(out, format.Played{Round: k, A: id})
		}
	}
	return out
}

// Reasons explains each pairing and bye of e, an opened round or the next one. For a fixed round robin it returns nil.
func Reasons(s *State, e RoundPaired) []format.Reason {
	if s.rules == nil || e.Round < 1 || e.Round > s.Round+1 {
		return nil
	}
	f := fieldBefore(s, e.Round, e.Ratings)
	return s.format().Explain(*s.rules, f, format.Round{Pairs: e.Pairs, Byes: e.Byes, Resting: e.Resting,
		Stage: e.Stage, Leg: e.Leg, OfLegs: e.OfLegs})
}

// Bracket returns the stages of a knockout, with those to come; nil in other formats.
func Bracket(s *State) [][]format.Tie {
	if s.rules == nil || !s.Started() {
		return nil
	}
	return format.Stages(*s.rules, bareField(s, s.Round+1, nil))
}

// SeedOf returns the seed of a player from 1, and the first round that it may play; 0 in a fixed ring.
func SeedOf(s *State, id string) (seed, from int) { return s.entries[id].seed, s.entries[id].from }

// Preview returns the next round as it would be paired now, between two rounds. ok is false if the league has a fixed
// round robin, or the pairings depend on draws, which stay secret until the end.
func Preview(s *State) (next RoundPaired, ok bool) {
	if s.rules == nil || !s.Started() || s.Completed() || s.RoundOpen {
		return RoundPaired{}, false
	}
	drawn, f := false, fieldBefore(s, s.Round+1, LadderRatings(s))
	f.Draw = func(string) uint64 { drawn = true; return 0 }
	round, more := s.format().Next(*s.rules, f)
	next = pairedAs(f, round)
	next.Ratings = ratingsIn(f)
	return next, more && !drawn
}

// PairedRound returns the pairings of an opened round; ok is false if the league has a fixed round robin or the round
// is not open yet.
func PairedRound(s *State, round int) (e RoundPaired, ok bool) {
	opened, _ := s.Schedule.(pairedRounds)
	if round < 1 || round > len(opened) {
		return RoundPaired{}, false
	}
	return opened[round-1], true
}

// FormatOf returns the format of a league that pairs round by round, such as swiss/1, or "" for a fixed round robin.
func FormatOf(s *State) string {
	if s.rules == nil {
		return ""
	}
	return s.rules.Format
}
