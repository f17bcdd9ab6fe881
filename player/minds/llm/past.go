package llm

import (
	"fmt"
	"strings"
	"sync"

	"agentleague/protocol"
)

// past stores the results of matches by opponent.
type past struct {
	mu      sync.Mutex
	matches map[string][]protocol.PlayerMatch // by opponent
}

// mostTold is the maximum number of past matches against the opponent in the prompt.
const mostTold = 10

// add stores a match. A match that is already stored is replaced, since its result may have changed.
func (p *past) add(m protocol.PlayerMatch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.matches == nil {
		p.matches = map[string][]protocol.PlayerMatch{}
	}
	known := p.matches[m.OpponentID]
	for i := range known {
		if known[i].MatchID == m.MatchID {
			known[i] = m
			return
		}
	}
	known = append(known, m)
	p.matches[m.OpponentID] = known[max(0, len(known)-mostTold):]
}

// against describes the newest matches against an opponent, for the prompt.
func (p *past) against(opponent string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var lines []string
	for _, m := range p.matches[opponent] {
		lines = append(lines, fmt.Sprintf("%s: you played %s, it played %s: %s", m.MatchID,
			brief(m.MyChoice), brief(m.OpponentChoice), ending(m.Result)))
	}
	return data(strings.Join(lines, "\n"))
}

// brief is a choice in few bytes.
func brief(raw []byte) string {
	if len(raw) == 0 {
		return "nothing"
	}
	return protocol.Clip(string(safe(raw)), 120)
}
