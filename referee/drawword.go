package referee

import (
	"context"
	"encoding/json"
	"sync"

	"agentleague/protocol"
	"agentleague/rpc"
)

// Managers of other makes tell a draw from a loss in ways of their own: some by a winner that is null, some by a word in
// its place, and to those null is a loss for both. Which it is, the table shows that such a manager keeps.

// drawn are what stands for the winner of a draw: first the protocol's own, then what others want.
var drawn = []*string{nil, new("DRAW"), new("")}

// A drawWord finds out how a manager of another make wants to be told of a draw. It lasts as long as the referee.
type drawWord struct {
	mu    sync.Mutex
	at    int              // in drawn
	told  map[string]count // by player, as reported with the word that is used now
	pair  [2]string        // the players of the newest draw
	asked int              // queries for the table without an answer
	sure  bool             // a table has counted a draw as one

	learning chan struct{} // holds one from the report of a draw until the table was looked at
}

// A count is how many matches of a player ended in a way.
type count struct{ draws, losses int }

// first is the word to begin with.
func (w *drawWord) first() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

// alone lets one draw at a time be reported as long as the word is not sure: the next is told in what was learned from it.
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

// took notes that the manager has taken a result, with the word for a draw that was used, and reports whether its table
// is worth a look.
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

// holdAgainst looks whether a table counts the newest draw as a loss of both players, and takes the next word if so.
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
	for id := range w.told { // from here on the table is held against what follows
		w.told[id] = count{draws: rows[id].Draws, losses: rows[id].Losses + rows[id].TechnicalLosses}
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

// learnDraw looks how a foreign manager has counted a draw: in its answer to the report, or by asking for its table.
func (r *Referee) learnDraw(ctx context.Context, ack protocol.Message, m *protocol.MatchResultReport, f Finished, word int) {
	if !r.draws.took(m, word, f.Start.PlayerA.ID, f.Start.PlayerB.ID) {
		return
	}
	table := tableIn(ack)
	if table == nil {
		table = r.askTable(ctx)
		r.draws.answered(table != nil)
	}
	r.heldAgainst(table)
}

// heldAgainst takes another word for a draw if a table shows that the one used was not understood.
func (r *Referee) heldAgainst(table []protocol.Standing) {
	if !r.draws.holdAgainst(table) {
		return
	}
	next, _ := json.Marshal(drawn[r.draws.first()])
	r.Node.Logger.Warn("the manager counted a draw as a loss for both players; further draws are reported with winner " +
		string(next))
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

// askTable asks a foreign manager for its standings; nil: it does not tell them.
func (r *Referee) askTable(ctx context.Context) []protocol.Standing {
	answer := r.query(ctx, protocol.QueryStandings)
	if answer == nil {
		return nil
	}
	return answer.Standings
}

// heardTable hears the table that some managers tell referees too.
func (r *Referee) heardTable(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	if err := r.fromManager(m.Head()); err != nil {
		return nil, err
	}
	if !r.Granted().Native {
		r.heldAgainst(m.(*protocol.StandingsUpdate).Standings)
	}
	return &protocol.Ack{
		Envelope: protocol.Envelope{MessageType: protocol.TypeStandingsUpdateAck, LeagueID: m.Head().LeagueID,
			RoundID: m.Head().RoundID},
		Status: protocol.Acknowledged, RefereeID: r.Granted().ID,
	}, nil
}
