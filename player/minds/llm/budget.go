package llm

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"agentleague/player/minds/llm/chat"
	"agentleague/protocol"
)

// A Budget limits the use of a model; 0 means no limit. The maximum length of each answer is set to fit the remaining
// budget. The budget can be exceeded only if the server counts tokens differently than this estimate.
type Budget struct {
	MoveTime     time.Duration // for one move; the deadline counts too
	MoveTokens   int           // input and output of one move
	MoveUSD      float64
	LeagueTokens int // of all moves in a league
	LeagueUSD    float64
}

// A Price is the price of a million tokens, in US dollars.
type Price struct {
	Input  float64
	Cached float64 // of input that came from a cache
	Output float64
}

// of returns the price of tokens, in billionths of a dollar.
func (p *Price) of(t chat.Tokens) int {
	return int(math.Round(1e3 * (float64(t.Input-t.Cached)*p.Input + float64(t.Cached)*p.Cached + float64(t.Output)*p.Output)))
}

// budgeted is the usage that is compared with a budget.
type budgeted struct{ tokens, nanoUSD int }

func (b budgeted) plus(c budgeted) budgeted {
	return budgeted{b.tokens + c.tokens, b.nanoUSD + c.nanoUSD}
}

// shortestAnswer is the minimum number of tokens that an answer needs.
const shortestAnswer = 16

// afford sets the maximum length of the next answer, or returns an error if a budget is used up.
func (t *moveChoice) afford(r *chat.Request) error {
	r.MaxTokens = t.o.MaxTokens
	input := guess(*r)
	league := t.spent.inLeague(t.about.league)
	for _, limit := range []struct {
		name         string
		tokens, used int
		usd          float64
		paid         int
	}{
		{"this move", t.o.Budget.MoveTokens, t.counted.tokens, t.o.Budget.MoveUSD, t.counted.nanoUSD},
		{"this league", t.o.Budget.LeagueTokens, league.tokens, t.o.Budget.LeagueUSD, league.nanoUSD},
	} {
		if limit.tokens > 0 {
			r.MaxTokens = min(r.MaxTokens, limit.tokens-limit.used-input)
		}
		if limit.usd > 0 {
			r.MaxTokens = min(r.MaxTokens, t.o.Price.affords(limit.usd-float64(limit.paid)/1e9, input))
		}
		if r.MaxTokens < shortestAnswer {
			return fmt.Errorf("the budget for %s is spent: %d tokens and %s so far", limit.name, limit.used,
				dollars(limit.paid, t.o.Price != nil))
		}
	}
	return nil
}

// affords returns how many output tokens usd dollars buy after the price of the input tokens is deducted.
func (p *Price) affords(usd float64, input int) int {
	left := usd - float64(input)*p.Input/1e6
	switch {
	case left < 0:
		return 0
	case p.Output == 0:
		return math.MaxInt32
	}
	return int(min(left/p.Output*1e6, math.MaxInt32))
}

// note adds the usage of a request, as the server counted it. Without a server's count, an estimate is added to the
// budgets only, not to the reported usage.
func (t *moveChoice) note(r chat.Request, a chat.Answer, err error) {
	tokens := a.Tokens
	t.usage.InputTokens += tokens.Input
	t.usage.CachedTokens += tokens.Cached
	t.usage.OutputTokens += tokens.Output
	if t.o.Price != nil {
		t.usage.CostNanoUSD += t.o.Price.of(tokens)
	}
	if !a.Counted && reached(err) {
		t.usage.Uncounted++
		tokens = tokens.Plus(chat.Tokens{Input: guess(r), Output: len(a.Text) / bytesPerToken})
	}
	now := budgeted{tokens: tokens.Input + tokens.Output}
	if t.o.Price != nil {
		now.nanoUSD = t.o.Price.of(tokens)
	}
	t.counted = t.counted.plus(now)
	t.spent.add(t.about, now)
}

// reached reports whether the server may have processed a request. A request that was refused or not delivered costs
// nothing.
func reached(err error) bool {
	fault := (*chat.Error)(nil)
	return !errors.As(err, &fault) || fault.Status == 200 || fault.Unwrap() != nil
}

// bytesPerToken is a typical value for English.
const bytesPerToken = 4

// guess is about how many tokens a request has.
func guess(r chat.Request) int {
	n := len(r.System) + len(r.Schema)
	for _, turn := range r.Turns {
		n += len(turn.Text)
	}
	return n / bytesPerToken
}

// dollars formats a cost in billionths of a dollar.
func dollars(nano int, known bool) string {
	if !known {
		return "an unknown cost"
	}
	return fmt.Sprintf("$%.4f", float64(nano)/1e9)
}

// A ledger is the usage in a league.
type ledger struct {
	mu     sync.Mutex
	league string
	total  budgeted
	own    map[string]bool // the matches that were added up here
}

// add adds the usage of a request in a match.
func (l *ledger) add(where about, b budgeted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.enter(where.league)
	if l.own == nil {
		l.own = map[string]bool{}
	}
	l.own[where.match] = true
	l.total = l.total.plus(b)
}

// recall adds the usage of an earlier match.
func (l *ledger) recall(match string, u protocol.Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.own[match] {
		return
	}
	l.total = l.total.plus(budgeted{u.InputTokens + u.OutputTokens, u.CostNanoUSD})
}

// inLeague returns the usage in a league so far. A new league starts at zero.
func (l *ledger) inLeague(id string) budgeted {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.enter(id)
	return l.total
}

// enter resets the usage if the league has changed. The caller holds the lock.
func (l *ledger) enter(id string) {
	if l.league != "" && id != l.league {
		l.total, l.own = budgeted{}, nil
	}
	l.league = id
}
