package format

// A Tie is the meeting of two players of a bracket, of one or more legs.
type Tie struct {
	A, B    string // in the order of the bracket; "": not decided yet, or in a bye nobody
	Winner  string // "" if it is not decided, or if no player is left
	Decided bool
	Bye     bool // of the first stage: a place is empty
	Third   bool // for the third place
}

// Stages returns the ties of all stages of a knockout in the order of the bracket: the winners of ties 2k and 2k+1 meet in
// tie k of the next stage. A match for the third place follows the final. It returns nil in other formats. Without
// Field.Draw a player that was chosen by lot is known once it has played on.
func Stages(s Settings, f Field) (stages [][]Tie) {
	if of, _ := ByName(s.Format); of != (knockout{}) {
		return nil
	}
	b := newBracket(newHistory(s, f))
	all := b.past
	if !b.over {
		all = append(all, b.ties)
	}
	for _, ties := range all {
		stage := []Tie{}
		for _, t := range ties {
			stage = append(stage, b.tie(t))
		}
		stages = append(stages, stage)
	}
	for len(stages) > 0 && len(stages) < b.stages {
		stages = append(stages, following(stages[len(stages)-1]))
	}
	if last := len(stages) - 1; last > 0 && b.h.Knockout.ThirdPlace && len(stages[last]) == 1 && len(stages[last-1]) == 2 && !b.over {
		stages[last] = append(stages[last], Tie{Third: true})
	}
	return stages
}

// tie returns a tie with the players' ids.
func (b *bracket) tie(t tie) Tie {
	i, j := t.players[0], t.players[1]
	if t.first != i {
		i, j = j, i
	}
	return Tie{A: b.id(i), B: b.id(j), Winner: b.id(t.winner), Decided: t.decided, Third: t.third,
		Bye: i == nobody || j == nobody}
}

// id returns the id of a player, "" for nobody.
func (b *bracket) id(i int) string {
	if i == nobody {
		return ""
	}
	return b.h.players[i].ID
}

// following returns the ties of the stage after an open one, with the players that are known.
func following(stage []Tie) []Tie {
	next := make([]Tie, len(stage)/2)
	for k := range next {
		next[k] = Tie{A: stage[2*k].Winner, B: stage[2*k+1].Winner}
	}
	return next
}
