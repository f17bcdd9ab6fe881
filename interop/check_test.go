package interop_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"agentleague/check"
	"agentleague/interop/foreign"
	"agentleague/interop/foreign/mcpserver"
	"agentleague/protocol"
)

// TestCheckFindsOutWhatAPlayerIs detects the dialect of a player of every kind from its address alone: most do not
// identify themselves. The check leaves no match open.
func TestCheckFindsOutWhatAPlayerIs(t *testing.T) {
	t.Parallel()
	kinds := slices.DeleteFunc(append(foreign.Kinds(), foreign.MCPKind()), func(kind foreign.Persona) bool {
		return showsByRegistration(kind) && kind.Framing != foreign.FramingP
	})
	together(t, kinds, 4, personaName, func(t *testing.T, kind foreign.Persona) {
		p := servePersona(t, kind)
		if role, err := roleOf(t, p.Endpoint()); role != protocol.RolePlayer {
			t.Errorf("got %q, %v", role, err)
		}
		if n := p.Count(foreign.Invitation); n != 0 && kind.Model != foreign.ModelTerse { // which only the registration shows
			t.Errorf("it was invited %d times", n)
		}
	})
}

// TestCheckOfAnAddressAlone checks players of which nothing is known but where they are.
func TestCheckOfAnAddressAlone(t *testing.T) {
	t.Parallel()
	together(t, named("callback", "MCP server"), 4, personaName, checkedAlone)
}

// TestLongCheckOfAnAddressAlone checks further players with unusual dialects.
func TestLongCheckOfAnAddressAlone(t *testing.T) {
	t.Parallel()
	together(t, named("nods", "terse", "capitals"), 4, personaName, checkedAlone)
}

// checkedAlone checks a player of a kind by its address.
func checkedAlone(t *testing.T, kind foreign.Persona) {
	p := servePersona(t, kind)
	r, err := check.Run(t.Context(), p.Endpoint(), check.Options{Patience: patience})
	if err != nil {
		t.Fatal(err)
	}
	playable(t, p, r)
}

// named are the kinds of these names.
func named(names ...string) []foreign.Persona {
	return slices.DeleteFunc(append(foreign.Kinds(), foreign.MCPKind()), func(kind foreign.Persona) bool {
		return !slices.Contains(names, kind.Name)
	})
}

// TestCheckSpeaksAsTheAgentRegistered checks players that register with the checker. Each is called in the form of its
// registration, and first receives the address of its referee.
func TestCheckSpeaksAsTheAgentRegistered(t *testing.T) {
	t.Parallel()
	together(t, named("B", "D", "mixture"), 4, personaName, checkedAsRegistered)
}

// TestLongCheckSpeaksAsTheAgentRegistered does so with a player of every framing.
func TestLongCheckSpeaksAsTheAgentRegistered(t *testing.T) {
	t.Parallel()
	kinds := slices.DeleteFunc(foreign.Kinds(), func(kind foreign.Persona) bool {
		return slices.Contains([]string{"A'", "one name for news", "a slash away", "long names", "types of its own"}, kind.Name)
	})
	together(t, kinds, 4, personaName, checkedAsRegistered)
}

// checkedAsRegistered checks a player of a kind that registers with the checker.
func checkedAsRegistered(t *testing.T, kind foreign.Persona) {
	p, registered := servePersona(t, kind), make(chan error, 1)
	r, err := check.Run(t.Context(), "", check.Options{Ready: func(manager string) {
		go func() { registered <- p.Register(t.Context(), manager) }()
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-registered; err != nil {
		t.Error(err)
	}
	playable(t, p, r)
	first := p.Heard()
	for len(first) > 0 && first[0].Kind == foreign.Unknown { // a ping
		first = first[1:]
	}
	typed := kind.Framing == foreign.FramingB || kind.Framing == foreign.FramingD || kind.Framing == foreign.FramingF
	if typed && len(kind.Serves) == 0 && (len(first) == 0 || first[0].Kind != foreign.Round || first[0].Refused) {
		t.Errorf("the first message is %+v; want an announcement that it understands", first[:min(1, len(first))])
	}
}

// playable fails for each fault that would prevent a player from playing.
func playable(t *testing.T, p *foreign.Player, r protocol.Report) {
	t.Helper()
	if r.Role != protocol.RolePlayer {
		t.Errorf("it is a %s", r.Role)
	}
	for _, s := range r.Steps {
		if s.Status == protocol.Fail || s.ID == "P31" && strings.Contains(s.Detail, "does not accept") {
			t.Errorf("%s %s %s: %s\n  sent %s\n  got  %s", s.Status, s.ID, s.Name, s.Detail, s.Sent, s.Received)
		}
	}
	if p.Completed() < 2 {
		t.Errorf("it heard the end of %d matches, want 2 at least", p.Completed())
	}
}

// TestCheckFindsOutWhatOthersAre detects referees and managers by the messages that they understand, without a
// registration or a match.
func TestCheckFindsOutWhatOthersAre(t *testing.T) {
	t.Parallel()
	for _, kind := range foreign.RefereeKinds() {
		if kind.Start == foreign.StartPolled {
			continue // it understands no message
		}
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			r, err := foreign.NewReferee(kind)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(r.Close)
			role, err := roleOf(t, r.Endpoint())
			if role != protocol.RoleReferee {
				t.Errorf("got %q, %v", role, err)
			}
			if n := len(r.Starts()); n != 0 {
				t.Errorf("it started %d matches", n)
			}
		})
	}
	for _, kind := range foreign.ManagerKinds() {
		if kind.REST {
			continue // nor does it but for reports
		}
		t.Run("manager "+kind.Name, func(t *testing.T) {
			t.Parallel()
			m, err := foreign.NewManager(kind)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(m.Close)
			role, err := roleOf(t, m.Endpoint())
			if role != protocol.RoleManager {
				t.Errorf("got %q, %v", role, err)
			}
		})
	}
}

// roleOf is the role that a check finds out. It takes no step.
func roleOf(t *testing.T, endpoint string) (protocol.Role, error) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r, err := check.Run(ctx, endpoint, check.Options{Begin: func(check.Step) { stop() }})
	return r.Role, err
}

func personaName(p foreign.Persona) string { return p.Name }

// servePersona serves a foreign player until the test ends.
func servePersona(t *testing.T, kind foreign.Persona) *foreign.Player {
	t.Helper()
	serve := foreign.NewPlayer
	if kind.Framing == foreign.FramingMCP {
		serve = mcpserver.NewPlayer
	}
	p, err := serve(kind)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}
