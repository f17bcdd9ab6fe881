package check

import (
	"context"

	"agentleague/protocol"
)

// registrationSteps judge the agent's registration with the checker.
func registrationSteps(letter string, t protocol.Type) []Step {
	return []Step{
		{letter + "20", "registers with a complete request", clauseRegistration,
			"Send display_name, version, game_types and contact_endpoint (a referee also max_concurrent_matches) when you " +
				"register.",
			func(_ context.Context, s *session) finding {
				if !s.manager.registered() {
					return skip("%s", hinted("it is not registered with the checker", s.Hints.Listen))
				}
				applied, _, _ := s.manager.application()
				return complete(t, applied.Head().Source()).in(applied.exchange)
			}},
		{letter + "21", "listens before it registers", clauseRoles,
			"Open your port before you register: the manager may call you at once.",
			func(_ context.Context, s *session) finding {
				applied, meta, unreachable := s.manager.application()
				switch {
				case !s.manager.registered() || applied == nil:
					return skip("%s", hinted("it is not registered with the checker", s.Hints.Listen))
				case unreachable != nil:
					return differ("nothing answered at %s when it registered: %v", meta.ContactEndpoint,
						unreachable).in(applied.exchange)
				}
				return pass.in(applied.exchange)
			}},
	}
}
