package referee

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"agentleague/protocol"
)

// Third-party managers encode a draw in different ways: in some a null winner means a draw, others expect a word as the
// winner and count null as a loss for both players. The manager's table shows how a draw was counted.

// drawn lists the values of the field winner that can mean a draw: first that of league.v2, then alternatives.
var drawn = []*string{nil, new("DRAW"), new("")}

// A drawWord detects which winner value a third-party manager accepts for a draw. Each referee has one.
type drawWord struct {
	mu    sync.Mutex
	at    int              // in drawn
	told  map[string]count // by player, as reported with the word that is used now
	pair  [2]string        // the players of the newest draw
	asked int              // queries for the table without an answer
	sure  bool             // a table has counted a draw as one

	learning chan struct{} // holds one from the report of a draw until the table was checked
}

// A count is a player's number of reported matches, draws and losses.
type count struct{ played, draws, losses int }

// expectWord makes "DRAW", instead of null, the first value to try, unless a result was already reported.
func (w *drawWord) expectWord() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.told == nil {
		w.at = 1
	}
}

// first returns the index in drawn of the value to try first.
func (w *drawWord) first() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

// alone serializes the reports of draws until the right value is known, so that each report uses what the previous one
// has shown. The caller must call done.
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

// took records that the manager has accepted report r, for a draw with the value drawn[word]. It reports whether the
// caller should check the manager's table.
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

// maxUnanswered is the number of consecutive failed table queries after which the table is not queried again.
const maxUnanswered = 3

// holdAgainst reports whether the manager's table counts the newest draw as a loss for both players. If so, it selects
// the next draw value.
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

// counted reports whether a table already includes the match of players in round, of which the report was not
// acknowledged: both have played at least as many matches as the round's number, and more than were acknowledged.
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

// answered records whether a table query was answered.
func (w *drawWord) answered(yes bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asked++; yes {
		w.asked = 0
	}
}

// learn checks how a third-party manager has counted a draw: in the table in its acknowledgement, or else in the table
// that ask fetches. It reports whether the value for draws was wrong; the next value is then used from now on.
func (w *drawWord) learn(ack protocol.Message, ask func() []protocol.Standing) (wrong bool) {
	table := tableIn(ack)
	if table == nil {
		table = ask()
		w.answered(table != nil)
	}
	return w.holdAgainst(table)
}

// warning describes, for the log, how the manager counts draws.
func (w *drawWord) warning() string {
	next, _ := json.Marshal(drawn[w.first()])
	return "the manager counted a draw as a loss for both players; further draws are reported with winner " + string(next)
}

// tableIn returns the standings in the acknowledgement of a report, or nil.
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
