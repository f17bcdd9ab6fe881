package view

import (
	"agentleague/league"
	"agentleague/protocol"
)

// A Round is a round with its matches, and the reason of each pairing.
type Round struct {
	LeagueID string       `json:"league_id"`
	Round    int          `json:"round_id"`
	Rounds   int          `json:"rounds"` // that are known
	Stage    int          `json:"stage,omitempty"`
	Leg      int          `json:"leg,omitempty"`
	OfLegs   int          `json:"of_legs,omitempty"`
	State    string       `json:"state"` // planned, open or over; preview: as it would be paired now
	Matches  []RoundMatch `json:"matches"`
	Byes     []Named      `json:"byes"`
	Resting  []Named      `json:"resting"`
}

// A RoundMatch is a match of a round with the reason of its pairing; a fixed plan has none.
type RoundMatch struct {
	MatchRow
	Why string `json:"why,omitempty"`
}

// RoundOf returns a round that was paired or, between two rounds, the next one as it would be paired now. ok is false
// for an unknown round.
func RoundOf(s *league.State, n int) (r Round, ok bool) {
	r = Round{LeagueID: s.Created.LeagueID, Round: n, Rounds: s.Schedule.Rounds(), Matches: []RoundMatch{}, Byes: []Named{}, Resting: []Named{}}
	paired, opened := league.PairedRound(s, n)
	pairs, byes := s.Schedule.Round(n), s.Schedule.Byes(n)
	switch {
	case len(pairs) == 0 && !opened:
		if paired, ok = league.Preview(s); !ok || paired.Round != n {
			return r, false
		}
		r.State, pairs, byes = "preview", paired.Pairs, paired.Byes
	case n > s.Round:
		r.State = "planned"
	case n == s.Round && s.RoundOpen:
		r.State = "open"
	default:
		r.State = "over"
	}
	r.Stage, r.Leg, r.OfLegs = paired.Stage, paired.Leg, paired.OfLegs
	for k, p := range pairs {
		m, known := MatchOf(s, protocol.MatchID(n, k+1))
		if !known {
			m = &league.Match{ID: protocol.MatchID(n, k+1), Round: n, A: p.A, B: p.B}
		}
		r.Matches = append(r.Matches, RoundMatch{MatchRow: newMatchRow(s, m)})
	}
	for k, reason := range league.Reasons(s, paired) {
		if k < len(r.Matches) {
			r.Matches[k].Why = reason.Words()
		}
	}
	r.Byes, r.Resting = playersOf(s, byes), playersOf(s, paired.Resting)
	return r, true
}

// WhyOf returns the reason of the pairing of a match of a round that was paired, or "".
func WhyOf(s *league.State, match string) string {
	n, k, ok := protocol.ParseMatchID(match)
	paired, opened := league.PairedRound(s, n)
	if all := league.Reasons(s, paired); ok && opened && k >= 1 && k <= len(all) {
		return all[k-1].Words()
	}
	return ""
}

func playersOf(s *league.State, ids []string) []Named {
	out := []Named{}
	for _, id := range ids {
		out = append(out, nameOf(s, id))
	}
	return out
}
