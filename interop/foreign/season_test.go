package foreign_test

import (
	"strings"
	"testing"
	"time"

	"agentleague/interop/foreign"
	"agentleague/rpc/rpctest"
)

// TestForeignersPlayAmongThemselves lets a foreign manager start matches of a
// foreign referee between foreign players in every way that there is.
func TestForeignersPlayAmongThemselves(t *testing.T) {
	t.Parallel()
	for _, start := range foreign.Starts() {
		t.Run(string(start), func(t *testing.T) {
			t.Parallel()
			m, r, err := foreign.Abroad(t.Context(), start)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(m.Close)
			t.Cleanup(r.Close)
			for _, name := range []string{"Alpha", "Beta"} {
				persona := named(t, "A")
				persona.Name = name
				if err := newPlayer(t, persona).Register(t.Context(), m.Endpoint()); err != nil {
					t.Fatal(err)
				}
			}
			select {
			case <-m.Done():
			case <-time.After(rpctest.Patience):
				t.Error("it does not end")
			}
			for _, failure := range append(m.Failures(), r.Failures()...) {
				t.Error(failure)
			}
			if got := len(m.Reports()); got != 2 {
				t.Errorf("%d matches were reported, want 2", got)
			}
		})
	}
}

func TestManagersTakeOnlyTheirOwnWays(t *testing.T) {
	t.Parallel()
	const meta = `{"display_name":"N","contact_endpoint":"http://localhost:1/mcp"}`
	registrations := map[string][2]string{
		"A": {"/mcp", `{"jsonrpc":"2.0","method":"register_player","params":{"player_meta":` + meta + `},"id":1}`},
		"B": {"/mcp", `{"jsonrpc":"2.0","method":"LEAGUE_REGISTER_REQUEST","params":{"player_meta":` + meta + `},"id":1}`},
		"C": {
			"/mcp", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"register_player","arguments":{"player_meta":` +
				meta + `}},"id":1}`,
		},
		"REST": {"/register", `{"display_name":"N","version":"1.0.0","endpoint":"http://localhost:1/mcp"}`},
	}
	for _, kind := range foreign.ManagerKinds() {
		if _, ok := registrations[kind.Name]; !ok {
			continue
		}
		m, err := foreign.NewManager(kind)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Close)
		for name, request := range registrations {
			_, body := send(t, strings.TrimSuffix(m.Endpoint(), "/mcp")+request[0], request[1])
			if got, want := strings.Contains(body, "P01"), name == kind.Name; got != want {
				t.Errorf("%s is sent a registration by %s: admitted %v, want %v: %s", kind.Name, name, got, want, body)
			}
			if name == kind.Name && !strings.Contains(body, kind.Status) {
				t.Errorf("%s: got %s, want %s in it", name, body, kind.Status)
			}
		}
	}
}

func TestRefereesRefuseOtherWaysOfStarting(t *testing.T) {
	t.Parallel()
	for _, kind := range foreign.RefereeKinds() {
		r, err := foreign.NewReferee(kind)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.Close)
		for _, start := range foreign.Starts() {
			if start == kind.Start {
				continue
			}
			_, body := send(t, r.Endpoint(), `{"jsonrpc":"2.0","method":"`+string(start)+
				`","params":{"match_id":"R1M1"},"id":1}`)
			if strings.Contains(body, "ACCEPTED") || len(r.Starts()) > 0 {
				t.Errorf("%s takes %s: %s", kind.Start, start, body)
			}
		}
	}
}
