package check

import (
	"context"

	"agentleague/protocol"
)

// registrationSteps look at how an agent registered with the checker.
func registrationSteps(letter string, t protocol.Type) []Step {
	return []Step{
		{letter + "20", "registers with a complete request", clauseRegistration,
			"Send display_name, version, game_types and contact_endpoint (a referee also max_concurrent_matches) when you " +
				"register.",
			func(_ context.Context, s *session) finding {
				if !s.manager.registered() {
					return skip("%s", hinted("it is not registered with the checker", s.Hints.Listen))
				}
				return complete(t, s.manager.applied.Head().Source()).in(s.manager.applied.exchange)
			}},
		{letter + "21", "listens before it registers", clauseRoles,
			"Open your port before you register: the manager may call you at once.",
			func(_ context.Context, s *session) finding {
				switch {
				case !s.manager.registered() || s.manager.applied == nil:
					return skip("%s", hinted("it is not registered with the checker", s.Hints.Listen))
				case s.manager.unreachable != nil:
					return differ("nothing answered at %s when it registered: %v", s.manager.meta.ContactEndpoint,
						s.manager.unreachable).in(s.manager.applied.exchange)
				}
				return pass.in(s.manager.applied.exchange)
			}},
	}
}
