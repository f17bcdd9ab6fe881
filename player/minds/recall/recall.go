// Package recall is a strategy for the game Memory that remembers turned cards.
//
//	a known pair ─▶ turns it; otherwise an unknown card, then its mate if that is known
package recall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"agentleague/game"
	"agentleague/game/memory"
	"agentleague/player"
)

// New returns a strategy that remembers the given percentage of turned cards, such as "80"; "" means all. A forgotten
// card can be remembered when it is turned again. chance is the source of randomness; nil means a random seed.
func New(percent string, chance *rand.Rand) (player.Strategy, error) {
	m := &mind{keeps: 100, number: rand.IntN, matches: map[string]*table{}}
	if chance != nil {
		m.number = chance.IntN
	}
	if percent = strings.TrimSpace(percent); percent != "" {
		n, err := strconv.Atoi(percent)
		if err != nil || n < 0 || n > 100 {
			return nil, fmt.Errorf("use a percentage from 0 to 100, such as recall:80, got %.64q", percent)
		}
		m.keeps = n
	}
	return m, nil
}

// mostMatches is the number of matches whose cards are remembered.
const mostMatches = 16

// A mind remembers some of the turned cards of each match. It may play several matches concurrently.
type mind struct {
	keeps int // of a hundred

	mu      sync.Mutex
	number  func(n int) int
	matches map[string]*table
}

// A table has the known cards of a match.
type table struct {
	cards map[int]string             // by cell
	last  map[string][]memory.Turned // by side, the last turn that it has processed
	turn  int                        // the newest that it was asked in
}

// Choose remembers the cards that are shown, and returns the card to turn.
func (m *mind) Choose(ctx context.Context, v game.View) (game.Move, error) {
	var seen memory.Seen
	if err := json.Unmarshal(v.Context, &seen); err != nil {
		return nil, fmt.Errorf("recall plays memory, and cannot read this view: %w", err)
	}
	free, err := cells(v.Options)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.table(ctx, v.Turn)
	m.look(t, seen)
	return game.Move(strconv.Itoa(m.pick(t, free, seen.Turned))), nil
}

// table returns the remembered cards of the current match. If the match has restarted, they are discarded.
func (m *mind) table(ctx context.Context, turn int) *table {
	match, _ := player.MatchOf(ctx)
	key := fmt.Sprint(match.LeagueID, " ", match.ID, " ", match.Attempt)
	t := m.matches[key]
	if t == nil || turn < t.turn {
		if len(m.matches) >= mostMatches {
			clear(m.matches)
		}
		t = &table{cards: map[int]string{}, last: map[string][]memory.Turned{}}
		m.matches[key] = t
	}
	t.turn = turn
	return t
}

// look remembers the cards of each side's last turn, once per turn.
func (m *mind) look(t *table, seen memory.Seen) {
	for side, turned := range seen.Last {
		if slices.Equal(t.last[side], turned) {
			continue
		}
		t.last[side] = turned
		for _, c := range turned {
			if m.number(100) < m.keeps {
				t.cards[c.At] = c.Card
			}
		}
	}
}

// pick returns the cell to turn: the mate of the open card, a card of a known pair, or else an unknown card.
func (m *mind) pick(t *table, free []int, open []memory.Turned) int {
	var unknown []int
	where := map[string]int{}
	for _, cell := range free {
		card, known := t.cards[cell]
		_, twice := where[card]
		switch {
		case !known:
			unknown = append(unknown, cell)
		case len(open) == 1 && card == open[0].Card, len(open) == 0 && twice:
			return cell
		default:
			where[card] = cell
		}
	}
	if len(unknown) == 0 {
		unknown = free
	}
	return unknown[m.number(len(unknown))]
}

// cells are the cells that may be turned.
func cells(options []game.Move) (out []int, err error) {
	for _, o := range options {
		n, err := strconv.Atoi(string(o))
		if err != nil {
			return nil, fmt.Errorf("recall plays memory, where a move is the number of a cell, and not %.64s", o)
		}
		out = append(out, n)
	}
	if len(out) == 0 {
		return nil, errors.New("nothing may be played")
	}
	return out, nil
}
