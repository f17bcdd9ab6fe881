package foreign

import "math/rand/v2"

// An Oddity is an unusual trait of a referee's reports.
type Oddity string

// The oddities that were seen.
const (
	OddZero      Oddity = "0"          // the number is always 0
	OddHundred   Oddity = "1 to 100"   // it draws from 1 to 100
	OddChoices   Oddity = "no choices" // without choices
	OddBothRight Oddity = "both right" // if both are right the first wins
	OddByPlayer  Oddity = "by player"  // a result for each player, and no winner
)

// oddities lists them all.
func oddities() []Oddity { return []Oddity{OddZero, OddHundred, OddChoices, OddBothRight, OddByPlayer} }

// draw is the number of a match.
func (o Oddity) draw() int {
	if o == OddHundred {
		return 1 + rand.IntN(100)
	}
	return 1 + rand.IntN(10)
}

// change returns the report of a match with its result added, in the form of the oddity. Without one it is regular.
func (o Oddity) change(message object, m order, e ending) object {
	details := object{"drawn_number": e.number, "choices": e.choices}
	result := object{"winner": e.winner, "score": e.score, "details": details}
	switch o {
	case OddZero:
		details["drawn_number"] = 0
	case OddChoices:
		delete(details, "drawn_number")
		delete(details, "choices")
	case OddBothRight:
		if e.winner == nil && e.choices[m.a.id] == e.parity {
			result["winner"], result["score"] = m.a.id, map[string]int{m.a.id: 3, m.b.id: 0}
		}
	case OddByPlayer:
		message = message.with(object{"players": byPlayer(m, e)})
		delete(message, "result")
		return message
	}
	return message.with(object{"result": map[string]any(result)})
}

// byPlayer reports the result of each player.
func byPlayer(m order, e ending) map[string]any {
	out := map[string]any{}
	for _, id := range []string{m.a.id, m.b.id} {
		got := "loss"
		switch e.winner {
		case nil:
			got = "draw"
		case id:
			got = "win"
		}
		out[id] = map[string]any{"result": got, "points": e.score[id]}
	}
	return out
}
