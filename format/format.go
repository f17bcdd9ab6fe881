// Package format decides the pairings of the next round of a league: round robin, Swiss, gauntlet, knockout, ladder.
// It is pure and computes with integers only, so each machine gets the same pairings from the same field.
//
//	Settings ─┐
//	Field ────┴▶ Next ─▶ Round ─▶ (the caller records it, plays it and adds it to the field) ─┐
//	  ▲                   └─▶ Explain ─▶ the reason of each pairing                          │
//	  └──────────────────────────────────────────────────────────────────────────────────────┘
//
// The caller must provide in a [Field]:
//   - all players that ever belonged to the league, with those that left: a bracket and a ring keep their places;
//   - the seeds, which never change: once [Seeds] at the start, latecomers behind them in the order of joining;
//   - each match of each earlier round with its result, and each bye as a match without B. If a format's [Format.Waits]
//     is true, a round is paired only after annulled matches were played again; otherwise these are unplayed until then;
//   - the points of its table. They include the worth of byes and, once per player, of missed rounds;
//   - for a player with an open match of an earlier round, Resting: at most one match per player per round.
//
// The caller applies [Discounted] to its table, and the places of [Format.Rank]. It records a match with a player that
// left as a walkover: a round robin and a gauntlet pair such a player as long as its matches count. It may get a round
// without pairs, while players rest. A knockout knows no rest.
//
// Formats ignore the order of Players and Results, and all facts of later rounds, so that a recorded round follows again
// from a longer log, if points, ratings and Resting are those of before the round, and Left for players that came back.
// A knockout takes no player back: its Left must stay.
package format

// A Field is the state of a league before a round.
type Field struct {
	Round   int // the round to pair, counted from 1
	Players []Player
	Results []Played
	Draw    func(what string) uint64 // a number that follows from the league's committed secret and what; nil: always 0
}

// A Player is a player of the league, also after it left.
type Player struct {
	ID        string
	Seed      int // from 1; equal seeds are ordered by Joined and ID
	Points    int // of the table
	Rating    int // in whole rating points
	Deviation int // of the rating, in rating points
	Joined    int // the first round that the player may play; up to 1 for the initial field
	Left      int // the first round that the player cannot play any more; 0 if it is in the league
	Resting   bool
}

// A Played is a match of an earlier round, or with an empty B a bye of A.
type Played struct {
	Round    int
	A, B     string
	Winner   string // empty for a draw, and if both forfeited
	Unplayed bool   // a forfeit or a walkover
}

// A Pairing names the players of a match in the order of their seats.
type Pairing struct {
	A string `json:"a"`
	B string `json:"b"`
}

// A Round has the matches of a round. The order of Pairs is that of match numbers.
type Round struct {
	Pairs   []Pairing `json:"pairs"`
	Byes    []string  `json:"byes,omitempty"`    // available, but without an opponent
	Resting []string  `json:"resting,omitempty"` // not paired in this round, and without the worth of a bye
	Stage   int       `json:"stage,omitempty"`   // the pairing or the bracket's stage, from 1; 0 where rounds have no legs
	Leg     int       `json:"leg,omitempty"`     // of the stage, from 1
	OfLegs  int       `json:"of_legs,omitempty"` // the legs of the stage, or more if extra legs are played
}

// A Place is a rank that a format gives. Players may share a place; the table orders them.
type Place struct {
	ID    string
	Place int // from 1
}

// A Format decides pairings. All methods are pure and safe for concurrent use; no input makes them panic.
type Format interface {
	// Name returns the name with its version, such as "swiss/1". A changed algorithm gets a new version.
	Name() string
	// Check returns an error that names a setting without meaning in the format, or with a wrong value.
	Check(Settings) error
	// Next returns the round Field.Round, or false if the league is over. A round may be without pairs while players
	// rest.
	Next(Settings, Field) (round Round, more bool)
	// Horizon returns the number of rounds of the whole league if no player joins, leaves or rests. If known is false,
	// rounds is an upper bound, or 0 if there is none.
	Horizon(Settings, Field) (rounds int, known bool)
	// Rank returns the place of each player of the field, the best first, or nil if the table gives the ranks.
	Rank(Settings, Field) []Place
	// Joinable returns an error unless a new player may play from round Field.Round on.
	Joinable(Settings, Field) error
	// Waits reports whether a round may be paired only after all matches of earlier rounds have a result.
	Waits() bool
	// Explain returns the reasons of a round's pairs, in their order, and then of its byes.
	Explain(Settings, Field, Round) []Reason
}

// The reasons of a pairing.
const (
	Planned    = "planned"     // the fixed schedule of the initial field
	CatchUp    = "catch_up"    // the players have a match left against each other
	ScoreGroup = "score_group" // both have the same number of points
	Floated    = "floated"     // one was paired outside of its score group
	Bracket    = "bracket"     // the place in the bracket
	ThirdPlace = "third_place" // the losers of the semi-finals
	NextLeg    = "next_leg"    // the pair of the leg before, with swapped seats
	ExtraLeg   = "extra_leg"   // the pair was level after its legs
	NearRating = "near_rating" // the match has much information about both ratings
	NewPlayer  = "new_player"  // one has few matches
	Unpaired   = "unpaired"    // a bye: no opponent is left
)

// A Reason explains a pairing for a page.
type Reason struct {
	Pairing         // B is empty for a bye
	Why      string `json:"why"`
	Points   [2]int `json:"points"`             // of A and B before the round
	Distance int    `json:"distance,omitempty"` // of the ratings, in a ladder
	Slot     int    `json:"slot,omitempty"`     // of the bracket's stage, from 1; in other formats 0
	Rematch  int    `json:"rematch,omitempty"`  // the round of an earlier meeting that could not be avoided; 0: none
}
