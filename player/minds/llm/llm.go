// Package llm is a strategy that asks a language model for its moves.
//
//	View, rules, past ─▶ prompt ─▶ chat.Client ─▶ answer ─▶ a legal move
//	                       ▲                        │
//	                       └── again, with why ◀────┘ not legal
//
// It always returns a legal move before the deadline: if the model, its server or the network fails, or a budget is
// used up, a fallback strategy chooses. The usage of a move is sent with it: see [player.Spend].
package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"agentleague/game"
	"agentleague/player"
	"agentleague/player/minds/llm/chat"
	"agentleague/protocol"
)

// Options are how a mind asks its model.
type Options struct {
	Fallback  player.Strategy // plays where the model does not; default random
	Tries     int             // how often the model is asked for one move, if its answers are not legal; default 3
	MaxTokens int             // of one answer, including reasoning; default 4096
	Price     *Price          // nil: unknown, and no cost is reported
	Budget    Budget
}

// A Mind asks a language model. It is safe for concurrent use.
type Mind struct {
	client *chat.Client
	o      Options
	spent  ledger
	past   past
}

// New returns a mind that uses a client's model. It fails if a budget is in dollars but the price is unknown.
func New(client *chat.Client, o Options) (*Mind, error) {
	if o.Price == nil && (o.Budget.MoveUSD > 0 || o.Budget.LeagueUSD > 0) {
		return nil, errors.New("a budget in dollars needs the model's prices: without them nobody knows when it is spent")
	}
	if o.Fallback == nil {
		o.Fallback = player.Random(nil)
	}
	if o.Tries == 0 {
		o.Tries = 3
	}
	if o.MaxTokens == 0 {
		o.MaxTokens = 4096
	}
	return &Mind{client: client, o: o}, nil
}

// Choose asks the model for a move, and the fallback if the model returns none in time. If only one move is legal, it
// is returned without a request.
func (m *Mind) Choose(ctx context.Context, v game.View) (game.Move, error) {
	if len(v.Options) == 0 {
		return m.o.Fallback.Choose(ctx, v)
	}
	t := m.newChoice(ctx, v)
	move, why := v.Options[0], error(nil)
	if len(v.Options) > 1 {
		move, why = t.think(ctx)
	}
	if why != nil {
		player.Logger(ctx).Warn("the fallback plays: "+why.Error(), slog.String("event_type", "LLM_FALLBACK"),
			slog.String("match_id", t.about.match), slog.String("model", protocol.Plain(m.client.Model)))
		t.usage.Fallbacks = 1
		var err error
		if move, err = m.o.Fallback.Choose(ctx, v); err != nil {
			return nil, err
		}
	}
	player.Spend(ctx, t.usage)
	return move, nil
}

// Learn stores the result of a match for later prompts. It adds the usage of matches from earlier runs to the budget of
// the league.
func (m *Mind) Learn(match protocol.PlayerMatch) {
	m.past.add(match)
	if match.Usage != nil {
		m.spent.recall(match.MatchID, *match.Usage)
	}
}

// A moveChoice is the state of choosing one move, over one or more requests to the language model.
type moveChoice struct {
	*Mind
	view    game.View
	about   about
	options options
	usage   protocol.Usage // the usage, by the server's count
	counted budgeted       // the same for budgets, with guesses where the server does not count
}

// newChoice returns the state of choosing a move in position v.
func (m *Mind) newChoice(ctx context.Context, v game.View) *moveChoice {
	t := &moveChoice{Mind: m, view: v, about: where(ctx), options: optionsOf(v.Options)}
	t.usage = protocol.Usage{Model: protocol.Clip(m.client.Model, 60), Moves: 1, Priced: m.o.Price != nil}
	return t
}

// think asks the model until its answer is a legal move. It returns an error when the tries, the time or a budget are
// used up.
func (t *moveChoice) think(ctx context.Context) (game.Move, error) {
	ctx, cancel := t.inTime(ctx)
	defer cancel()
	t.about.inquire(ctx)
	r := chat.Request{System: system, Turns: []chat.Turn{{Role: chat.User, Text: t.prompt()}}, Schema: t.options.schema()}
	var last error
	for range t.o.Tries {
		if err := t.afford(&r); err != nil {
			return nil, err
		}
		answer, err := t.ask(ctx, r)
		if err != nil {
			return nil, err
		}
		move, err := t.options.read(answer)
		if err == nil {
			return move, nil
		}
		last = err
		r.Turns = append(r.Turns, chat.Turn{Role: chat.Assistant, Text: protocol.Clip(answer.Text, longestEcho)},
			chat.Turn{Role: chat.User, Text: again(err, t.options)})
	}
	return nil, fmt.Errorf("the model gave no legal move in %d tries; the last: %w", t.o.Tries, last)
}

// ask asks once and records the usage.
func (t *moveChoice) ask(ctx context.Context, r chat.Request) (chat.Answer, error) {
	began := time.Now()
	answer, sent, err := t.client.Ask(ctx, r)
	t.usage.LatencyUS += int(time.Since(began).Microseconds())
	t.usage.Requests += sent
	t.note(r, answer, err)
	t.log(ctx, r, answer, err)
	return answer, err
}

// log logs the prompt and the answer at debug level. For a retry it logs only the last message of the prompt.
func (t *moveChoice) log(ctx context.Context, r chat.Request, a chat.Answer, err error) {
	facts := []any{
		slog.String("event_type", "LLM_EXCHANGE"), slog.String("match_id", t.about.match), slog.String("model", protocol.Plain(t.client.Model)),
		slog.String("prompt", r.Turns[len(r.Turns)-1].Text), slog.String("answer", a.Text),
	}
	if len(r.Turns) == 1 {
		facts = append(facts, slog.String("system", r.System))
	}
	if err != nil {
		facts = append(facts, slog.String("error", protocol.Plain(err.Error())))
	}
	player.Logger(ctx).Debug("the model was asked", facts...)
}

// inTime returns a context that ends before ctx does, so that time is left for the fallback.
func (t *moveChoice) inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	end := time.Now().Add(longestMove)
	if due, ok := ctx.Deadline(); ok {
		due = due.Add(-rounding)
		end = due.Add(-min(max(time.Until(due)/10, shortestReserve), longestReserve))
	}
	if limit := t.o.Budget.MoveTime; limit > 0 && time.Until(end) > limit {
		end = time.Now().Add(limit)
	}
	return context.WithDeadline(ctx, end)
}

const (
	longestMove     = 10 * time.Minute // without a deadline
	rounding        = time.Second      // a referee states whole seconds, and may wait that much shorter
	shortestReserve = 50 * time.Millisecond
	longestReserve  = 2 * time.Second
	longestEcho     = 500 // bytes of a wrong answer that the model is shown again
)
