package llm_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/duel"
	"agentleague/game"
	"agentleague/player"
	"agentleague/player/minds/llm"
	"agentleague/player/minds/llm/chat"
	"agentleague/player/minds/llm/llmtest"
	"agentleague/protocol"
	"agentleague/referee"
)

var price = llm.Price{Input: 0.15, Cached: 0.075, Output: 0.60}

// always is a fallback whose move differs from the model's.
var always = player.StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) { return v.Options[0], nil })

// newMind asks a server in a shape.
func newMind(t testing.TB, kind chat.API, base string, o llm.Options) *llm.Mind {
	t.Helper()
	at, err := chat.Endpoint(kind, base)
	if err != nil {
		t.Fatal(err)
	}
	if o.Fallback == nil {
		o.Fallback = always
	}
	m, err := llm.New(&chat.Client{Endpoint: at, API: kind, Model: "tiny", Key: "secret-key"}, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A witness is a strategy, and its player's history.
type witness struct {
	*llm.Mind
	mu   sync.Mutex
	past []protocol.PlayerMatch
}

func (w *witness) Learn(m protocol.PlayerMatch) {
	w.Mind.Learn(m)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.past = append(w.past, m)
}

// A played is a match in which a mind sat in the first seat.
type played struct {
	record  protocol.MatchRecord
	doc     string
	history protocol.PlayerMatch
	usage   protocol.Usage // as the history has it
}

// play plays a match of a strategy against one that plays the last option, over real sockets.
func play(t testing.TB, m *llm.Mind, gameType string, moveTimeout time.Duration) played {
	t.Helper()
	w := &witness{Mind: m}
	last := player.StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) { return v.Options[len(v.Options)-1], nil })
	match := duel.New([2]*duel.Contestant{{ID: "P01", Name: "Model", Strategy: w}, {ID: "P02", Name: "Last", Strategy: last}}, duel.Options{
		Game: gameType, Policy: referee.Policy{MoveTimeout: moveTimeout},
		Logger: func(string) *slog.Logger { return slog.New(slog.DiscardHandler) },
	})
	doc, rec, err := match.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.past) != 1 || w.past[0].Usage == nil {
		t.Fatalf("the player remembers %+v, want one match and what it took", w.past)
	}
	if rec.Usage["P01"] != *w.past[0].Usage || len(rec.Usage) != 1 {
		t.Errorf("the record has %+v, the history %+v", rec.Usage, *w.past[0].Usage)
	}
	return played{rec, string(doc), w.past[0], *w.past[0].Usage}
}

// Every answer that a server can give ends in a legal move on time.
func TestEveryAnswerEndsInALegalMoveOnTime(t *testing.T) {
	t.Parallel()
	garbage, illegal := llmtest.Says("I like both."), llmtest.Says(`{"move": "green"}`)
	for name, tt := range map[string]struct {
		script    []llmtest.Reply
		fallbacks int
		requests  int // 0: as many as the time allows
		uncounted int
	}{
		"good":                   {[]llmtest.Reply{llmtest.Good(1)}, 0, 1, 0},
		"streaming":              {[]llmtest.Reply{{Pick: true, Move: 1, Streams: true}}, 0, 1, 0},
		"good with words":        {[]llmtest.Reply{llmtest.Says("Let me see.\n```json\n{\"move\": \"odd\"}\n```\nGood luck!")}, 0, 1, 0},
		"illegal, then good":     {[]llmtest.Reply{illegal, llmtest.Good(1)}, 0, 2, 0},
		"garbage, then good":     {[]llmtest.Reply{garbage, llmtest.Good(1)}, 0, 2, 0},
		"nothing, then good":     {[]llmtest.Reply{{Body: `{}`}, llmtest.Good(1)}, 0, 2, 0},
		"cut off, then good":     {[]llmtest.Reply{{Text: `{"mo`, Cut: true}, llmtest.Good(1)}, 0, 2, 0},
		"limited, then good":     {[]llmtest.Reply{llmtest.Limited("0.1"), llmtest.Good(1)}, 0, 2, 0},
		"without a count":        {[]llmtest.Reply{{Pick: true, Move: 1, NoCount: true}}, 0, 1, 1},
		"garbage":                {[]llmtest.Reply{garbage}, 1, 3, 0},
		"illegal":                {[]llmtest.Reply{illegal}, 1, 3, 0},
		"refusing":               {[]llmtest.Reply{{Refuses: true, Text: "I will not play."}}, 1, 1, 0},
		"rate-limited for long":  {[]llmtest.Reply{llmtest.Limited("30")}, 1, 1, 0},
		"a wrong key":            {[]llmtest.Reply{{Status: 401, Body: `{"error":{"message":"no"}}`}}, 1, 1, 0},
		"slow":                   {[]llmtest.Reply{{Delay: time.Hour}}, 1, 1, 1},
		"dead":                   {[]llmtest.Reply{{Dead: true}}, 1, 0, 0},
		"broken":                 {[]llmtest.Reply{{Status: 500, Body: "oops"}}, 1, 0, 0},
		"streaming that breaks":  {[]llmtest.Reply{{Pick: true, Streams: true, Breaks: true}}, 1, 0, 0},
		"slow after one garbage": {[]llmtest.Reply{garbage, {Delay: time.Hour}}, 1, 2, 1},
	} {
		for _, kind := range []chat.API{chat.OpenAI, chat.Anthropic} {
			t.Run(name+"/"+string(kind), func(t *testing.T) {
				t.Parallel()
				s := llmtest.New(t, tt.script...)
				p := play(t, newMind(t, kind, s.URL, llm.Options{Price: &price}), "even_odd", 3*time.Second)
				want := map[int]string{0: `"odd"`, 1: `"even"`}[tt.fallbacks]
				if got := string(p.history.MyChoice); got != want || len(p.record.Result.Forfeits) > 0 {
					t.Errorf("it played %s, forfeits %v; want %s", got, p.record.Result.Forfeits, want)
				}
				if n := len(p.record.Tries); n != 4 {
					t.Errorf("%d tries in %+v, want two invitations and two calls", n, p.record.Tries)
				}
				if p.usage.Fallbacks != tt.fallbacks || tt.requests != 0 && p.usage.Requests != tt.requests {
					t.Errorf("usage %+v, want %d fallbacks and %d requests", p.usage, tt.fallbacks, tt.requests)
				}
				agrees(t, s, p.usage)
				if strings.Contains(p.doc, "secret-key") {
					t.Error("the key is in the record")
				}
				if p.usage.Uncounted < tt.uncounted {
					t.Errorf("%d requests are uncounted, want %d", p.usage.Uncounted, tt.uncounted)
				}
			})
		}
	}
}

// agrees compares a player's usage with the server's counts.
func agrees(t testing.TB, s *llmtest.Server, u protocol.Usage) {
	t.Helper()
	count := s.Count()
	if u.Uncounted > 0 {
		return
	}
	cost := 1e3 * (price.Input*float64(count.Input-count.Cached) + price.Cached*float64(count.Cached) + price.Output*float64(count.Output))
	if u.Requests != count.Requests || u.InputTokens != count.Input || u.CachedTokens != count.Cached || u.OutputTokens != count.Output ||
		!u.Priced || float64(u.CostNanoUSD) < cost-1*float64(count.Requests) || float64(u.CostNanoUSD) > cost+1*float64(count.Requests) {
		t.Errorf("the player tells %+v, the server counted %+v, which costs %.1f billionths", u, count, cost)
	}
	if waited := time.Duration(u.LatencyUS) * time.Microsecond; waited < count.Took.Truncate(time.Microsecond) || waited > count.Took+4*time.Second {
		t.Errorf("it waited %v, the server took %v", waited, count.Took)
	}
}

func TestAWholeMatchAddsUpToTheServersCount(t *testing.T) {
	t.Parallel()
	for _, kind := range []chat.API{chat.OpenAI, chat.Anthropic} {
		s := llmtest.New(t, llmtest.Says(`{"move": 99}`), llmtest.Good(0), llmtest.Reply{Pick: true, Streams: true}, llmtest.Good(0))
		p := play(t, newMind(t, kind, s.URL, llm.Options{Price: &price}), "tic_tac_toe", 30*time.Second)
		agrees(t, s, p.usage)
		var mine []json.RawMessage
		if err := json.Unmarshal(p.history.MyChoice, &mine); err != nil || p.usage.Moves != len(mine) || len(mine) < 3 {
			t.Errorf("%s: %d moves are accounted for, it made %s", kind, p.usage.Moves, p.history.MyChoice)
		}
		if count := s.Count(); count.Requests != len(mine)+1 {
			t.Errorf("%s: %d requests for %d moves, want one more: the first was illegal", kind, count.Requests, len(mine))
		}
	}
}
