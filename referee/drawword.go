package referee

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"agentleague/protocol"
)

// Foreign managers distinguish a draw from a loss in different ways: some by a null winner, some by a word in its
// place, and for those null is a loss for both. The manager's table shows which it is.

// drawn lists the values for the winner of a draw: the protocol's own first, then alternatives.
var drawn = []*string{nil, new("DRAW"), new("")}

// A drawWord detects a foreign manager's value for a draw. It lives as long as the referee.
type drawWord struct {
	mu    sync.Mutex
	at    int              // in drawn
	told  map[string]count // by player, as reported with the word that is used now
	pair  [2]string        // the players of the newest draw
	asked int              // queries for the table without an answer
	sure  bool             // a table has counted a draw as one

	learning chan struct{} // holds one from the report of a draw until the table was checked
}

// A count is how many matches of a player ended in a way.
type count struct{ played, draws, losses int }

// expectWord starts with a word instead of null, unless results were already reported.
func (w *drawWord) expectWord() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.told == nil {
		w.at = 1
	}
}

// first returns the word to try first.
func (w *drawWord) first() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

// alone serializes reports of draws until the word is sure: the next report uses the lesson of the last.
func (w *drawWord) alone(ctx context.Context) (done func()) {
	w.mu.Lock()
	free := w.sure || w.asked >= maxUnanswered
	w.mu.Unlock()
	if free {
		return func() {}
	}
	select {
	case w.learning <- struct{}{}:
		return func() { <-w.learning }
	case <-ctx.Done():
		return func() {}
	}
}

// took records that the manager has accepted a result, with the word used for a draw, and reports whether to check
// its table.
func (w *drawWord) took(r *protocol.MatchResultReport, word int, a, b string) (look bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.told == nil {
		w.told = map[string]count{}
	}
	draw := r.Result.Details.Status == protocol.Draw
	if draw {
		w.at, w.pair = word, [2]string{a, b}
	}
	for _, id := range []string{a, b} {
		c := w.told[id]
		c.played++
		switch {
		case draw:
			c.draws++
		case r.Result.Winner == nil || *r.Result.Winner != id:
			c.losses++
		}
		w.told[id] = c
	}
	return draw && !w.sure && w.asked < maxUnanswered
}

// maxUnanswered is how many queries for the table may fail before no more are made.
const maxUnanswered = 3

// holdAgainst checks whether a table counts the newest draw as a loss of both players, and selects the next word if
// so.
func (w *drawWord) holdAgainst(table []protocol.Standing) (wrong bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rows := map[string]protocol.Standing{}
	for _, row := range table {
		rows[row.PlayerID] = row
	}
	counted, lost := 0, 0
	for _, id := range w.pair {
		row, c := rows[id], w.told[id]
		switch {
		case row.PlayerID == "" || c.draws == 0:
		case row.Draws >= c.draws:
			counted++
		case row.Losses+row.TechnicalLosses > c.losses:
			lost++
		}
	}
	w.sure = w.sure || counted == len(w.pair)
	if lost < len(w.pair) {
		return false
	}
	w.sure = false
	w.at = (w.at + 1) % len(drawn)
	for id := range w.told { // later reports are compared from this table on
		w.told[id] = count{played: w.told[id].played, draws: rows[id].Draws, losses: rows[id].Losses + rows[id].TechnicalLosses}
	}
	return true
}

// counted reports whether a table has a match of two players without an acknowledged report: each has played at
// least as many matches as there were rounds, and more than were acknowledged.
func (w *drawWord) counted(table []protocol.Standing, round protocol.Round, players ...string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range players {
		i := slices.IndexFunc(table, func(row protocol.Standing) bool { return row.PlayerID == id })
		if i < 0 || table[i].Played < max(int(round), w.told[id].played+1) {
			return false
		}
	}
	return true
}

// answered notes whether a query for the table was answered.
func (w *drawWord) answered(yes bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asked++; yes {
		w.asked = 0
	}
}

// learn checks how a foreign manager has counted a draw: in its answer to the report, or in the table that ask
// fetches. It reports whether further draws use another word.
func (w *drawWord) learn(ack protocol.Message, ask func() []protocol.Standing) (wrong bool) {
	table := tableIn(ack)
	if table == nil {
		table = ask()
		w.answered(table != nil)
	}
	return w.holdAgainst(table)
}

// warning describes the result of the check.
func (w *drawWord) warning() string {
	next, _ := json.Marshal(drawn[w.first()])
	return "the manager counted a draw as a loss for both players; further draws are reported with winner " + string(next)
}

// tableIn returns the standings in an answer to a report; nil: it has none.
func tableIn(ack protocol.Message) []protocol.Standing {
	if ack == nil {
		return nil
	}
	type tables struct{ Standings []protocol.Standing }
	var top struct {
		tables
		Data tables
	}
	if json.Unmarshal(ack.Head().Source(), &top) != nil {
		return nil
	}
	if top.Standings == nil {
		return top.Data.Standings
	}
	return top.Standings
}
