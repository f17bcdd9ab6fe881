package league

import (
	"maps"
	"slices"

	"agentleague/protocol"
)

// LearnedOf returns what is new in what somebody has learned of agents.
func LearnedOf(s *State, dialects map[string]string) (events []Event) {
	for _, id := range slices.Sorted(maps.Keys(dialects)) {
		a := s.Agents[id]
		if a == nil || a.Native() || len(dialects[id]) > maxDialect {
			continue
		}
		if merged := protocol.MergeDialects(a.Dialect, dialects[id]); merged != a.Dialect {
			events = append(events, DialectLearned{id, merged})
		}
	}
	return events
}
