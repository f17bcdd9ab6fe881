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

// maxDialect is how long the text of a dialect may be.
const maxDialect = 4096

// dialectOf returns how an applicant is to be spoken to: as the league's own
// configuration says, as it says itself, as was learned at this endpoint
// before, or else as it has just spoken.
func (ap Application) dialectOf(s *State, id string) string {
	switch known := s.Agents[id]; {
	case ap.Configured != nil && ap.Configured(ap.Role, id) != "":
		return ap.Configured(ap.Role, id)
	case ap.Meta.Dialect != "":
		return ap.Meta.Dialect
	case ap.Meta.PublicKey != "":
		return protocol.Canonical
	case known != nil && known.Endpoint == ap.Meta.ContactEndpoint && protocol.DialectName(known.Dialect) == ap.Spoke:
		return known.Dialect
	}
	return ap.Spoke
}
