package league

import (
	"maps"
	"slices"

	"agentleague/protocol"
)

// LearnedOf returns an event for each foreign agent with a dialect that dialects extends; dialects is keyed by id.
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
