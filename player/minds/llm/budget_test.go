package llm_test

import (
	"strings"
	"testing"
	"time"

	"agentleague/player/minds/llm"
	"agentleague/player/minds/llm/chat"
	"agentleague/player/minds/llm/llmtest"
	"agentleague/protocol"
)

func TestABudgetOfAMoveIsKept(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		budget   llm.Budget
		requests int
	}{
		"too few tokens to ask":          {llm.Budget{MoveTokens: 50}, 0},
		"tokens for one question":        {llm.Budget{MoveTokens: 600}, 1},
		"tokens enough":                  {llm.Budget{MoveTokens: 1_000_000}, 3},
		"too little money to ask":        {llm.Budget{MoveUSD: 0.00001}, 0},
		"money for one question":         {llm.Budget{MoveUSD: 0.0001}, 1},
		"money enough":                   {llm.Budget{MoveUSD: 10}, 3},
		"no time for a second question":  {llm.Budget{MoveTime: time.Nanosecond}, 1},
		"neither the one nor the other":  {llm.Budget{MoveTokens: 50, MoveUSD: 10, MoveTime: time.Hour}, 0},
		"nothing is said, and all goes ": {llm.Budget{}, 3},
	} {
		s := llmtest.New(t, llmtest.Says(`{"move":"green"}`))
		m := newMind(t, chat.OpenAI, s.URL, llm.Options{Budget: tt.budget, Price: &price})
		got, err := m.Choose(inMatch(t, ""), view(`{}`, `"even"`, `"odd"`))
		if n := len(s.Requests()); err != nil || string(got) != `"even"` || n != tt.requests && tt.budget.MoveTime == 0 || n > tt.requests {
			t.Errorf("%s: got %s, %v after %d requests; want the fallback after %d", name, got, err, n, tt.requests)
		}
	}
}

func TestABudgetBoundsTheLengthOfAnAnswer(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Good(0))
	if _, err := newMind(t, chat.OpenAI, s.URL, llm.Options{Budget: llm.Budget{MoveTokens: 900}}).Choose(inMatch(t, ""), view(`{}`, `"even"`, `"odd"`)); err != nil {
		t.Fatal(err)
	}
	if most := s.Requests()[0].MaxTokens; most < 16 || most >= 900 {
		t.Errorf("an answer may have %d tokens, want fewer than the budget", most)
	}
}

func TestABudgetOfALeagueIsKeptOverItsMatches(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Good(1))
	m := newMind(t, chat.OpenAI, s.URL, llm.Options{Budget: llm.Budget{LeagueTokens: 3000}})
	made := map[string]int{}
	for range 12 {
		got, err := m.Choose(inMatch(t, ""), view(`{}`, `"even"`, `"odd"`))
		if err != nil {
			t.Fatal(err)
		}
		made[string(got)]++
	}
	count := s.Count()
	if used := count.Input + count.Output; used > 3000 || used < 1500 || made[`"even"`] == 0 || made[`"odd"`] == 0 {
		t.Errorf("%d tokens were used of 3000, with %v: want most of them, and then the fallback", used, made)
	}
}

func TestWhatWasSpentBeforeCountsAfterARestart(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before int
		want   string
	}{"little": {10, `"odd"`}, "all of it": {5000, `"even"`}} {
		s := llmtest.New(t, llmtest.Good(1))
		m := newMind(t, chat.OpenAI, s.URL, llm.Options{Budget: llm.Budget{LeagueTokens: 5000}})
		m.Learn(protocol.PlayerMatch{MatchID: "R1M1", Usage: &protocol.Usage{Moves: 1, InputTokens: tt.before}})
		if got, err := m.Choose(inMatch(t, ""), view(`{}`, `"even"`, `"odd"`)); err != nil || string(got) != tt.want {
			t.Errorf("%s was spent before: got %s, %v; want %s", name, got, err, tt.want)
		}
	}
}

func TestABudgetInDollarsNeedsAPrice(t *testing.T) {
	if _, err := llm.New(&chat.Client{}, llm.Options{Budget: llm.Budget{LeagueUSD: 1}}); err == nil || !strings.Contains(err.Error(), "prices") {
		t.Errorf("got %v, want an error about the prices", err)
	}
}

// Usage at a server without token counts is estimated, so that a budget still applies.
func TestABudgetIsSpentAtAServerThatDoesNotCount(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Reply{Pick: true, Move: 1, NoCount: true})
	m := newMind(t, chat.OpenAI, s.URL, llm.Options{Budget: llm.Budget{LeagueTokens: 3000}})
	for range 20 {
		if _, err := m.Choose(inMatch(t, ""), view(`{}`, `"even"`, `"odd"`)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.Requests()); n < 2 || n > 14 {
		t.Errorf("it was asked %d times, want a few", n)
	}
}
