package view

import (
	"fmt"
	"slices"

	"agentleague/format"
	"agentleague/league"
)

// A Bracket holds the stages of a knockout, with those to come.
type Bracket struct {
	Stages []BracketStage `json:"stages"`
}

// A BracketStage has the ties of one stage, in the order of the bracket: the winners of ties 2k and 2k+1 meet in tie k of the
// next one.
type BracketStage struct {
	Number int          `json:"stage"`
	Name   string       `json:"name"`
	Ties   []BracketTie `json:"ties"`
	Now    bool         `json:"now,omitempty"` // the newest one that has begun
}

// Known reports whether a player of the stage is decided.
func (g BracketStage) Known() bool {
	return slices.ContainsFunc(g.Ties, func(t BracketTie) bool { return t.Sides[0].ID+t.Sides[1].ID != "" })
}

// paired reports whether the stage has begun.
func (g BracketStage) paired() bool {
	return slices.ContainsFunc(g.Ties, func(t BracketTie) bool { return len(t.Matches) > 0 })
}

// A BracketTie is the meeting of two players of a bracket.
type BracketTie struct {
	Name    string   `json:"name"`
	Sides   [2]Side  `json:"players"`
	Matches []string `json:"matches"` // its legs so far
	Bye     bool     `json:"bye,omitempty"`
	Third   bool     `json:"third_place,omitempty"`
	Open    bool     `json:"open,omitempty"` // a match of the newest one that has begun
}

// Match returns the newest match of the tie, or "".
func (t BracketTie) Match() string {
	if len(t.Matches) == 0 {
		return ""
	}
	return t.Matches[len(t.Matches)-1]
}

// Words describes the tie in a sentence.
func (t BracketTie) Words() string {
	a, b := t.Sides[0], t.Sides[1]
	switch {
	case t.Bye:
		return fmt.Sprintf("%s: %s has a bye", t.Name, a.Name+b.Name)
	case a.ID == "" && b.ID == "":
		return t.Name + ": not decided yet"
	case a.ID == "" || b.ID == "":
		return fmt.Sprintf("%s: %s against nobody yet", t.Name, a.Name+b.Name)
	}
	words := fmt.Sprintf("%s: %s against %s", t.Name, a.Name, b.Name)
	for _, side := range t.Sides {
		if side.Won {
			return words + ", " + side.Name + " wins"
		}
	}
	if t.Open {
		words += ", in play"
	}
	return words
}

// A Side is a player of a tie. Its id is empty while it is not decided.
type Side struct {
	ID    string `json:"player_id,omitempty"`
	Name  string `json:"display_name,omitempty"`
	Seed  int    `json:"seed,omitempty"`
	Score string `json:"score,omitempty"` // its wins, with a half for each draw
	Won   bool   `json:"won,omitempty"`
	Lost  bool   `json:"lost,omitempty"`
}

// bracketOf returns the bracket of a knockout; nil in other formats.
func bracketOf(s *league.State) *Bracket {
	stages := league.Bracket(s)
	if len(stages) == 0 {
		return nil
	}
	b := &Bracket{}
	for i, ties := range stages {
		stage := BracketStage{Number: i + 1, Name: stageName(len(stages) - i)}
		for k, t := range ties {
			one := newTieView(s, t, i+1)
			one.Name = fmt.Sprintf("%s %d", stage.Name, k+1)
			switch {
			case t.Third:
				one.Name = "Third place"
			case i == len(stages)-1:
				one.Name = stage.Name
			}
			stage.Ties = append(stage.Ties, one)
		}
		b.Stages = append(b.Stages, stage)
	}
	for i := range b.Stages {
		b.Stages[i].Now = b.Stages[i].paired() && (i == len(b.Stages)-1 || !b.Stages[i+1].paired())
	}
	return b
}

// stageName names a stage by the number of stages from it to the end.
func stageName(left int) string {
	switch left {
	case 1:
		return "Final"
	case 2:
		return "Semi-final"
	case 3:
		return "Quarter-final"
	}
	return fmt.Sprintf("Round of %d", 1<<left)
}

// newTieView returns a tie with the matches of its stage.
func newTieView(s *league.State, t format.Tie, stage int) BracketTie {
	out := BracketTie{Matches: []string{}, Bye: t.Bye, Third: t.Third}
	halves := map[string]int{}
	for _, m := range s.MatchesOf(t.A) {
		round, _ := league.PairedRound(s, m.Round)
		if t.B == "" || m.Opponent(t.A) != t.B || round.Stage != stage {
			continue
		}
		out.Matches = append(out.Matches, m.ID)
		if m.Outcome == nil {
			out.Open = true
			continue
		}
		for _, id := range []string{t.A, t.B} {
			switch Letter(m.Outcome.Result.For(id)) {
			case "W":
				halves[id] += 2
			case "D":
				halves[id]++
			}
		}
	}
	for i, id := range []string{t.A, t.B} {
		if id == "" {
			continue
		}
		seed, _ := league.SeedOf(s, id)
		side := Side{ID: id, Name: nameOf(s, id).Name, Seed: seed, Won: t.Winner == id, Lost: t.Winner != "" && t.Winner != id}
		if len(out.Matches) > 0 && (t.Decided || halves[t.A]+halves[t.B] > 0) {
			side.Score = halfWords(halves[id])
		}
		out.Sides[i] = side
	}
	return out
}

// halfWords formats a number of halves: 3 is 1½.
func halfWords(halves int) string {
	switch {
	case halves == 1:
		return "½"
	case halves%2 == 1:
		return number(halves/2) + "½"
	}
	return number(halves / 2)
}
