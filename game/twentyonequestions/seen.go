package twentyonequestions

import (
	"strings"

	"agentleague/game"
)

// Seen is the context of a view: the public table, and the seat's own questions and answers.
type Seen struct {
	Step       int               `json:"step"` // being played, counted from 1
	Steps      int               `json:"steps"`
	Answers    map[string]bool   `json:"answers"`    // to the seat's own questions, by attribute
	Wrong      []string          `json:"wrong"`      // the things that it has guessed
	Attributes map[string]string `json:"attributes"` // for each attribute the names of all things of which it is true, with spaces between

	// Board has a row for each side and a column for each step so far. It shows the seat's own questions with their
	// answers; for the other side it shows only whether it asked or guessed.
	Board        [][]string `json:"board"`
	BoardRows    []string   `json:"board_rows"`
	BoardColumns []string   `json:"board_columns"`
}

// seen returns a seat's view.
func (s *state) seen(seat game.Seat) Seen {
	step := min(s.steps()+1, maxSteps)
	out := Seen{
		Step: step, Steps: maxSteps, Answers: map[string]bool{}, Wrong: []string{}, Attributes: public, BoardColumns: game.Numbers(step),
	}
	out.Board, out.BoardRows = game.Sheet(seat, func(side game.Seat) []string {
		if side == seat {
			return s.row(side, step, s.cell)
		}
		return s.row(side, step, kind)
	})
	if seat != 0 && seat != 1 {
		return out
	}
	for _, text := range s.said[seat] {
		if attribute, asked := strings.CutPrefix(text, asks); asked {
			out.Answers[attribute] = s.secret.has(attribute)
		} else if name := strings.TrimPrefix(text, guesses); name != s.secret.name {
			out.Wrong = append(out.Wrong, name)
		}
	}
	return out
}

// row returns a seat's moves in the first steps, formatted by write; "" for a step that is not played.
func (s *state) row(seat game.Seat, steps int, write func(text string) string) []string {
	row := make([]string, steps)
	for i, text := range s.said[seat] {
		row[i] = write(text)
	}
	return row
}

// cell formats a question with its answer, or a guess with whether it was right.
func (s *state) cell(text string) string {
	attribute, asked := strings.CutPrefix(text, asks)
	if asked {
		return attribute + ": " + yesNo(s.secret.has(attribute))
	}
	name := strings.TrimPrefix(text, guesses)
	return name + "? " + yesNo(name == s.secret.name)
}

// yesNo is an answer in a word.
func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// kind reveals only the kind of a move.
func kind(text string) string {
	if strings.HasPrefix(text, asks) {
		return "asked"
	}
	return "guessed"
}

// reveal returns the information that is public at the end: the secret, and all questions, guesses and answers.
func (s *state) reveal() map[string]any {
	var board [][]string
	for seat := range game.Seat(2) {
		board = append(board, s.row(seat, s.steps(), s.cell))
	}
	return map[string]any{
		"secret": s.secret.name, "board": board, "board_rows": []string{"first", "second"}, "board_columns": game.Numbers(s.steps()),
	}
}
