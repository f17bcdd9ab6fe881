package check_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/check"
	"agentleague/engine/sim"
	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
)

// flawless fails for every step that is not a pass. Skipped steps are those
// that cannot be looked at in that situation.
func flawless(t *testing.T, r protocol.Report, skipped ...string) {
	t.Helper()
	may := map[string]bool{}
	for _, id := range skipped {
		may[id] = true
	}
	for _, s := range r.Steps {
		switch {
		case s.Status == protocol.Pass:
		case s.Status == protocol.Skip && may[s.ID]:
		default:
			t.Errorf("%s %s %s: %s\n  sent %s\n  got  %s", s.Status, s.ID, s.Name, s.Detail, s.Sent, s.Received)
		}
	}
}

var first = player.StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) { return v.Options[0], nil })

func TestOurPlayerConformsWithoutAManager(t *testing.T) {
	t.Parallel()
	a := player.New("Agent Alpha", first, player.Options{})
	url := serve(t, a.Node)
	for _, strict := range []bool{true, false} {
		r, err := check.Run(t.Context(), url, check.Options{Strict: strict})
		if err != nil {
			t.Fatal(err)
		}
		flawless(t, r, "P20", "P21", "P43", "P90")
	}
}

func TestOurPlayerConformsUnderTheChecker(t *testing.T) {
	t.Parallel()
	a := player.New("Agent Alpha", player.Random(nil), player.Options{})
	url := serve(t, a.Node)
	r, err := check.Run(t.Context(), "", check.Options{Strict: true, Ready: func(manager string) {
		go func() { _ = a.Register(t.Context(), manager, url) }()
	}})
	if err != nil {
		t.Fatal(err)
	}
	flawless(t, r)
}

// An agent that answers before it has read the answer to its registration is asked for its id again.
func TestAnAgentHasTimeToLearnItsID(t *testing.T) {
	t.Parallel()
	a := player.New("Agent Alpha", first, player.Options{})
	var asked atomic.Int32
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/health" && asked.Add(1) <= 3 {
			_, _ = io.WriteString(w, `{"status":"healthy","agent":"player:agent-alpha"}`)
			return
		}
		a.Node.ServeHTTP(w, r)
	}))
	r, err := check.Run(t.Context(), "", check.Options{Ready: func(manager string) {
		go func() { _ = a.Register(t.Context(), manager, url) }()
	}})
	if err != nil || r.Agent != "player:P01" {
		t.Errorf("got %q, %v; want player:P01", r.Agent, err)
	}
}

// A message from a manager of another league, which takes the checker for an agent that had its port before, does not
// count against the checked agent.
func TestWhatStraysInIsNotTheAgents(t *testing.T) {
	t.Parallel()
	ref := newReferee(t, referee.Options{Policy: quick})
	url := serve(t, ref.Node)
	r, err := check.Run(t.Context(), "", check.Options{Strict: true, Ready: func(manager string) {
		ping := `{"jsonrpc":"2.0","method":"ping","params":{"protocol":"league.v2","message_type":"PING","sender":"league_manager","timestamp":"2026-01-01T00:00:00Z","conversation_id":"conv-ping-P11"},"id":1}`
		answer, err := http.Post(manager, "application/json", strings.NewReader(ping))
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%v, %v", answer, err)
		}
		go func() { _ = ref.Register(t.Context(), manager, url) }()
	}})
	if err != nil {
		t.Fatal(err)
	}
	flawless(t, r, "R46")
}

// serve serves an agent on a free port.
func serve(t *testing.T, n http.Handler) string {
	t.Helper()
	server, err := rpc.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, n) }()
	t.Cleanup(func() { stop(); <-ended })
	return server.URL()
}

func newReferee(t *testing.T, o referee.Options) *referee.Referee {
	ctx, stop := context.WithCancel(context.Background())
	r := referee.New(ctx, "Referee Alpha", catalog.Lookup, o)
	t.Cleanup(func() { stop(); r.Wait() })
	return r
}

func TestOurRefereeConformsWhenToldToRegister(t *testing.T) {
	t.Parallel()
	ref := newReferee(t, referee.Options{Policy: quick})
	url := serve(t, ref.Node)
	given, up := context.WithCancel(t.Context())
	up()
	_ = ref.Register(given, "", url) // it has an address and no manager
	r, err := check.Run(t.Context(), url, check.Options{Strict: true, Long: true})
	if err != nil {
		t.Fatal(err)
	}
	flawless(t, r, "R20", "R21")
}

func TestOurRefereeConformsUnderTheChecker(t *testing.T) {
	t.Parallel()
	ref := newReferee(t, referee.Options{Policy: quick})
	url := serve(t, ref.Node)
	r, err := check.Run(t.Context(), "", check.Options{Strict: true, Ready: func(manager string) {
		go func() { _ = ref.Register(t.Context(), manager, url) }()
	}})
	if err != nil {
		t.Fatal(err)
	}
	flawless(t, r, "R46")
}

// quick is the policy of a referee in tests.
var quick = referee.Policy{JoinTimeout: 2 * time.Second, Delay: 20 * time.Millisecond}

func newManager(t *testing.T, o manager.Options) *manager.Manager {
	t.Helper()
	o.AdminToken, o.Window, o.Endpoint = "tok_admin", -1, "http://localhost:1/mcp"
	o.Games = map[string]protocol.GameInfo{"even_odd": {DisplayName: "Even/Odd", MinPlayers: 2, MaxPlayers: 2}}
	ctx, stop := context.WithCancel(context.Background())
	m, err := manager.Open(ctx, sim.New(1).Open(sim.Options{}), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); m.Wait() })
	return m
}

func TestOurManagerConforms(t *testing.T) {
	t.Parallel()
	url := serve(t, newManager(t, manager.Options{}).Node)
	for _, strict := range []bool{true, false} {
		r, err := check.Run(t.Context(), url, check.Options{Strict: strict})
		if err != nil {
			t.Fatal(err)
		}
		flawless(t, r)
	}
}
