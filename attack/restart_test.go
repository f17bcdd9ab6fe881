package attack_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"agentleague/league"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// heirs wait until an agent is down and take its name or its port. The agent then restarts and keeps its identity.
func heirs() family {
	// while lets an attacker act while Alpha is down, and restarts Alpha on its own port.
	while := func(do func(a *arena, was string) answer) func(a *arena) answer {
		return func(a *arena) answer {
			was := a.agent(protocol.RolePlayer, "Alpha")
			a.cast["Alpha"].(*process).kill()
			got := do(a, was.Endpoint)
			a.player("Alpha", 0)
			now := a.agent(protocol.RolePlayer, "Alpha")
			if now.ID != was.ID || now.Key != was.Key || now.Displaced != "" {
				a.t.Errorf("Alpha was %s and is now %s", was.ID, now.ID)
			}
			if got.id() == was.ID {
				a.t.Errorf("the attacker is %s", got.id())
			}
			return got
		}
	}
	return family{name: "heirs", scene: familyRoom, each: true, after: heirsEnd, attacks: []attack{
		{name: "a dead native player's name", want: "E022", try: while(func(a *arena, _ string) answer {
			return a.register(registration{name: "Alpha", endpoint: newStranger(a.t, 0, "odd").url})
		})},
		{name: "a dead native player's name with a key", want: "E022", try: while(func(a *arena, _ string) answer {
			if _, err := a.applies("Alpha", "odd", player.Options{}, nil); err == nil ||
				!strings.Contains(err.Error(), `the name "Alpha" belongs to P01`) {
				a.t.Errorf("it was answered: %v", err)
			}
			return answer{Code: "E022"}
		})},
		{name: "a dead native player's port", want: "", try: while(func(a *arena, was string) answer {
			s := newStranger(a.t, portOf(a.t, was), "odd")
			return s.join(a, protocol.RolePlayer, "Mallory")
		})},
		{name: "a dead native player's name and port", want: "E022", try: while(func(a *arena, was string) answer {
			return a.register(registration{name: "Alpha", endpoint: newStranger(a.t, portOf(a.t, was), "odd").url})
		})},
		{name: "a dead native player's port, without a word", want: "", try: while(func(a *arena, was string) answer {
			newStranger(a.t, portOf(a.t, was), "odd")
			return answer{}
		})},
		{name: "a dead native player's port with a key", want: "", try: while(func(a *arena, was string) answer {
			n := player.New("Mallory", player.Random(nil), player.Options{Options: rpc.Options{Strict: a.strict}})
			e := &nativeAgent{}
			ctx := e.serveAt(a.t, portOf(a.t, was), n.Node)
			if err := n.Register(ctx, a.url, e.url); err != nil {
				a.t.Fatal(err)
			}
			return answer{Player: n.ID()}
		})},
		{name: "a dead foreign player's port, which is that player", want: "", try: func(a *arena) answer {
			was := a.cast["gamma"].(*stranger)
			was.server.Close()
			s := newStranger(a.t, portOf(a.t, was.url), "odd")
			got := s.join(a, protocol.RolePlayer, "Gamma")
			if got.id() != was.name {
				a.t.Errorf("got %s, want %s", got.id(), was.name)
			}
			return got
		}},
	}}
}

// familyRoom is a league of a native process, a native player and a foreign player under the organiser's referee. Only
// attackers take the port of the process or of the foreign player after it stopped.
func familyRoom(t *testing.T, strict bool) *arena {
	a := newArena(t, strict, settings{})
	a.referee("Referee Alpha", "--max-matches", "8")
	a.cast["Alpha"] = a.player("Alpha", rpctest.Port())
	a.seat("Beta", "odd", false)
	g := newStranger(t, rpctest.Port(), "even")
	g.join(a, protocol.RolePlayer, "Gamma")
	a.cast["gamma"] = g
	return a
}

// heirsEnd checks that the league was played to its end and that each result has the basis of its players.
func heirsEnd(a *arena) {
	a.t.Helper()
	if a.t.Failed() {
		return
	}
	a.start()
	rpctest.Eventually(a.t, "the end of the league", func() bool { return a.state().Completed() })
	honest(a.t, a.state())
}

// intruders sit at the port of a native player that has died, in a league that goes on. They answer, and cannot sign.
func intruders() family {
	return family{name: "intruders", scene: familyRoom, each: true, lenient: true, attacks: []attack{
		{name: "answers in a dead native player's place", want: "", try: func(a *arena) answer {
			was := a.agent(protocol.RolePlayer, "Alpha")
			a.cast["Alpha"].(*process).kill()
			s := newStranger(a.t, portOf(a.t, was.Endpoint), "odd")
			s.is(was.ID)
			a.start()
			return answer{}
		}},
	}, after: func(a *arena) {
		rpctest.Eventually(a.t, "the end of the league", func() bool { return a.state().Completed() })
		s, alpha := a.state(), a.idOf("Alpha")
		for id, m := range s.Matches {
			if r := m.Outcome.Result; (m.A == alpha || m.B == alpha) &&
				(r.For(alpha) != protocol.TechnicalLoss || r.Choices[alpha] != nil) {
				a.t.Errorf("%s: somebody played for Alpha: %+v", id, r)
			}
		}
	}}
}

// usurpers take the port of an organiser's referee that was killed during a match. They answer every request, so that
// the referee does not appear dead, but play nothing.
func usurpers() family {
	return family{name: "usurpers", each: true, lenient: true, attacks: []attack{
		{name: "answers in a dead referee's place", want: "", proof: league.Proven, try: func(a *arena) answer {
			dead := a.referee("Referee Alpha", "--port", fmt.Sprint(rpctest.Port()))
			was := a.agent(protocol.RoleReferee, "Referee Alpha")
			a.start()
			a.cast["alpha"].(*seated).await(a.t, protocol.TypeChooseParityCall)
			dead.kill()
			newStranger(a.t, portOf(a.t, was.Endpoint), "")
			a.referee("Referee Beta")
			close(a.cast["alpha"].(*seated).gate)
			return answer{}
		}},
	}, scene: func(t *testing.T, strict bool) *arena {
		a := newArena(t, strict, settings{})
		a.cast["alpha"], a.cast["beta"] = a.seat("Alpha", "even", true), a.seat("Beta", "odd", false)
		return a
	}, after: losersEnd}
}

// portOf is the port of an endpoint.
func portOf(t testing.TB, endpoint string) int {
	t.Helper()
	u, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// squatters register before a class arrives, under its names and at its addresses, where no agent listens yet.
func squatters() family {
	squat := func(n int, register func(a *arena, i int) registration) func(a *arena) answer {
		return func(a *arena) answer {
			var got answer
			for i := range n {
				if got = a.register(register(a, i)); got.Code != "" {
					a.t.Fatalf("a squatter was refused: %s", got.text)
				}
			}
			return got
		}
	}
	ports := func(a *arena) []int { return a.cast["ports"].([]int) }
	at := func(port int) string { return fmt.Sprintf("http://localhost:%d/mcp", port) }
	class := []string{"Alpha", "Beta"}
	return family{name: "squatters", each: true, lenient: true, scene: func(t *testing.T, strict bool) *arena {
		a := newArena(t, strict, settings{})
		a.cast["ports"] = []int{rpctest.Port(), rpctest.Port(), rpctest.Port()}
		return a
	}, attacks: []attack{
		{name: "names and addresses of the players", want: "", try: squat(2, func(a *arena, i int) registration {
			return registration{name: class[i], endpoint: at(ports(a)[i])}
		})},
		{name: "addresses of the players under other names", want: "", try: squat(2, func(a *arena, i int) registration {
			return registration{name: fmt.Sprint("Squatter ", i), endpoint: at(ports(a)[i])}
		})},
		{name: "the referee's name and address", want: "", try: squat(1, func(a *arena, _ int) registration {
			return registration{role: protocol.RoleReferee, name: "Referee Alpha", endpoint: at(ports(a)[2]), capacity: 10_000}
		})},
		{name: "the players' ids", want: "", try: squat(2, func(a *arena, i int) registration {
			return registration{
				name: fmt.Sprint("Squatter ", i), id: protocol.AgentID(protocol.RolePlayer, i+1), endpoint: at(ports(a)[i]),
			}
		})},
		{name: "very many addresses", want: "", try: squat(100, func(a *arena, i int) registration {
			return registration{name: fmt.Sprint("Squatter ", i), endpoint: fmt.Sprintf("http://localhost:%d/x%d", 1+i, i)}
		})},
	}, after: func(a *arena) {
		a.referee("Referee Alpha", "--port", fmt.Sprint(ports(a)[2]))
		for i, name := range class {
			a.player(name, ports(a)[i])
		}
		a.start()
		rpctest.Eventually(a.t, "the end of the league", func() bool { return a.state().Completed() })
		s := a.state()
		if len(s.Players()) != len(class) {
			a.t.Errorf("%d players are in the league, want %d", len(s.Players()), len(class))
		}
		for _, id := range s.Players() {
			if p := s.Agents[id]; !p.Native() || p.Name != class[0] && p.Name != class[1] {
				a.t.Errorf("%s %q plays, want the class", id, p.Name)
			}
		}
		honest(a.t, s)
	}}
}
