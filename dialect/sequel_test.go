package dialect

import "testing"

// sequels are answers that are no moves, by whether another is to be expected after them.
var sequels = map[Sequel][]string{
	Unlikely: {
		"I choose blue", "My choice is blue.", `{"parity_choice":"blue"}`, `{"result":{"pick":"red"}}`, `{"choice":7}`,
		"I go with blue", "My answer: 42",
	},
	Promised: {
		"I will choose soon", "Thinking about my move", "My move is being computed", `{"status":"queued","choice":"pending"}`,
		"One moment please", "I'll answer by a callback", `{"note":"the answer follows"}`,
	},
	Possible: {
		"hello world", "blue", `{"status":"enlisted"}`, "You choose blue", "Should I choose blue?", `{"options":["red","blue"]}`,
		"Thank you very much for the invitation to this game, it is a great honour to play in it", `{"move":3}`,
	},
}

func TestAnswerThatIsNoMoveTellsWhetherAnotherFollows(t *testing.T) {
	t.Parallel()
	for want, answers := range sequels {
		for _, answer := range answers {
			if got := SequelOf(askedParity(), []byte(answer)); got != want {
				t.Errorf("%s: got %d, want %d", answer, got, want)
			}
		}
	}
}
