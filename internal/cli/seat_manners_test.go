package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/rpc/rpctest"
	"agentleague/seat"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A person that thinks too long is replaced by the fallback; a person that does not want to choose leaves the choice to
// the model.
func TestAPersonWhoDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			l := newSeatLeague(t, "5", 2, 1)
			watch := overHTTP(t, l.url, "", "", nil)
			var asked int
			host := &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				if asked++; asked == 1 {
					return &mcp.ElicitResult{Action: "decline"}, nil
				}
				// The form stays open longer than the turn. The test may be over first: a person who still looks at it then
				// must not hold the connection.
				match := regexp.MustCompile(`R\d+M\d+`).FindString(req.Params.Message)
				for try := map[string]any{"key": watch.key, "turn_id": match + "-turn1", "move": "none"}; ; {
					answer, err := watch.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "make_move", Arguments: try})
					if err != nil {
						return nil, err
					}
					complaint := answer.Content[0].(*mcp.TextContent).Text
					if strings.Contains(complaint, "its time was up") || strings.Contains(complaint, "stopped waiting") {
						break
					}
					time.Sleep(50 * time.Millisecond) // the manager limits the rate of calls
				}
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"move": "odd"}}, nil
			}}
			g := overHTTP(t, l.url, "", version, host)
			g.key = g.call("take_seat", map[string]any{"name": "Dana"}).Key
			watch.key = g.key
			r := g.call("wait_for_turn", map[string]any{"ask_person": true})
			for r.Turn == nil {
				r = g.call("wait_for_turn", map[string]any{"ask_person": true})
			}
			if !strings.Contains(r.Next, "The person did not choose.") {
				t.Errorf("after a refusal %+v, want the turn left to the model", r)
			}
			g.call("make_move", map[string]any{"move": "even"})
			var complaint string
			for complaint == "" && r.Status != seat.LeagueOver {
				r, complaint = g.try("wait_for_turn", map[string]any{"ask_person": true})
			}
			if !strings.Contains(complaint, "its time was up, and the strategy random played") {
				t.Errorf("after the time was up %+v, %q; want to be told so", r, complaint)
			}
			s := g.toTheEnd(map[string]any{}, func(*seat.Turn) { t.Error("asked again") })
			if s.last.Standing == nil || s.last.Standing.Played != 2 || s.last.Standing.TechnicalLosses != 0 {
				t.Errorf("at the end %+v, want two matches without a forfeit", s.last)
			}
		})
	}
}

// A host that cannot ask its user receives an error; a late client, or one with a wrong key, gets no seat.
func TestWhatASeatRefuses(t *testing.T) {
	t.Parallel()
	l := newSeatLeague(t, "30", 1, 1)
	g := overHTTP(t, l.url, "", "", nil)
	g.key = g.call("take_seat", map[string]any{"name": "Dana"}).Key
	for {
		r := g.call("wait_for_turn", map[string]any{"ask_person": true})
		if r.Turn != nil {
			if !strings.Contains(r.Next, "This host cannot ask its user.") {
				t.Errorf("next = %q, want that the host cannot ask", r.Next)
			}
			break
		}
	}
	other := overHTTP(t, l.url, "", "", nil)
	other.refused("take_seat", map[string]any{"name": "Late"}, "registration is closed")
	other.refused("take_seat", map[string]any{"name": strings.Repeat("x", 65)}, "at most 64 characters")
	other.refused("wait_for_turn", map[string]any{"key": "seat_GUESSED"}, "no seat here has that key")
	g.refused("make_move", map[string]any{"move": map[string]any{"parity": "even"}}, "cannot be played now", "even, odd")
}

// A waiting host that requests progress is informed of the reason.
func TestWaitingTellsProgress(t *testing.T) {
	t.Parallel()
	p := start(t, "manager", "--port", "0", "--root", t.TempDir(), "--start-after", "1h")
	told := make(chan string, 10)
	g := overHTTP(t, p.endpoint(), "", "", &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
		told <- fmt.Sprintf("%v %v", req.Params.Total, req.Params.Message)
	}})
	key := g.call("take_seat", map[string]any{"name": "Dana"}).Key
	began := time.Now()
	params := &mcp.CallToolParams{Name: "wait_for_turn", Arguments: map[string]any{"key": key, "wait_seconds": 5.5}}
	params.SetProgressToken("waiting")
	if res, err := g.session.CallTool(t.Context(), params); err != nil || res.IsError || time.Since(began) < 5*time.Second {
		t.Errorf("wait_for_turn = %+v, %v after %v; want it to wait its time", res, err, time.Since(began))
	}
	select {
	case got := <-told:
		if !strings.HasPrefix(got, "5.5 The league has not started") {
			t.Errorf("told %q, want what is waited for", got)
		}
	case <-time.After(rpctest.Patience):
		t.Error("no progress was told")
	}
}

// An address has a limited number of seats in a league; leaving one, or the withdrawal of its player by the admin,
// frees it. The ways that the refusal names work.
func TestSeatsAreBounded(t *testing.T) {
	t.Parallel()
	const seatsPerAddress = 40
	root := t.TempDir()
	p := start(t, "manager", "--port", "0", "--root", root, "--start-after", "1h")
	url := p.endpoint()
	var keys sync.Map
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			g := overHTTP(t, url, "", "", nil)
			for k := range seatsPerAddress / 4 {
				r, complaint := g.try("take_seat", map[string]any{"name": fmt.Sprintf("Guest %d.%d", i, k)})
				if complaint != "" {
					t.Error(complaint)
					return
				}
				keys.Store(r.Key, r.PlayerID)
			}
		})
	}
	all.Wait()
	n := 0
	keys.Range(func(any, any) bool { n++; return true })
	if n != seatsPerAddress {
		t.Errorf("%d seats, want %d", n, seatsPerAddress)
	}
	g := overHTTP(t, url, "", "", nil)
	g.refused("take_seat", map[string]any{"name": "One more"}, "your address has 40 seats in this league already; leave one of them, "+
		"join with an agent of your own, such as `league seat` or `league player`, or ask the organiser for a larger security.seats_per_address")
	start(t, "player", "--name", "Own player", "--port", "0", "--root", root, "--manager", url).says("Own player is P")
	own := overStdio(t, "", nil, "seat", "--stdio", "--name", "Own seat", "--port", "0", "--root", root, "--manager", url)
	rpctest.Eventually(t, "the own seat in the league", func() bool {
		r, _ := own.try("wait_for_turn", map[string]any{"wait_seconds": 1})
		return r.PlayerID != ""
	})
	var key, freed string
	keys.Range(func(k, id any) bool {
		if key == "" {
			key = k.(string)
			return true
		}
		freed = id.(string)
		return false
	})
	g.call("leave_seat", map[string]any{"key": key})
	g.call("take_seat", map[string]any{"name": "One more"})
	g.refused("take_seat", map[string]any{"name": "Another"}, "your address has 40 seats")
	token, err := os.ReadFile(filepath.Join(root, "data", "admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	admin := overHTTP(t, url, strings.TrimSpace(string(token)), "", nil)
	if res, err := admin.session.CallTool(t.Context(), &mcp.CallToolParams{
		Name: "withdraw_player", Arguments: map[string]any{"player_id": freed},
	}); err != nil || res.IsError {
		t.Fatalf("withdraw_player %s: %v %+v", freed, err, res)
	}
	g.call("take_seat", map[string]any{"name": "Another"})
}

// The configurations in docs/guide/seat.md can be pasted.
func TestSeatConfigurationsAreRight(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/guide/seat.md")
	if err != nil {
		t.Fatal(err)
	}
	type server struct {
		Type, Command, URL string
		Args               []string
		Headers            map[string]string
	}
	blocks := regexp.MustCompile("(?ms)^```json\n(.*?)^```").FindAllSubmatch(text, -1)
	if len(blocks) < 3 {
		t.Fatalf("%d configurations, want those of the common hosts", len(blocks))
	}
	for _, b := range blocks {
		var config struct{ MCPServers, Servers map[string]server }
		strict := json.NewDecoder(bytes.NewReader(b[1]))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&config); err != nil || len(config.MCPServers)+len(config.Servers) != 1 {
			t.Errorf("%v: want one server in\n%s", err, b[1])
		}
		for _, s := range []server{config.MCPServers["league"], config.Servers["league"]} {
			if s.Command != "" {
				typed(t, append([]string{s.Command}, s.Args...))
			}
		}
	}
	for _, line := range regexp.MustCompile(`(?m)^(?:claude mcp add league -- )?(league .*)$`).FindAllSubmatch(text, -1) {
		typed(t, strings.Fields(string(line[1])))
	}
	for _, list := range regexp.MustCompile(`(?m)^args = (.*)$`).FindAllSubmatch(text, -1) {
		var args []string
		if err := json.Unmarshal(list[1], &args); err != nil {
			t.Error(err)
		}
		typed(t, append([]string{"league"}, args...))
	}
}

// typed checks that a command line is one of ours.
func typed(t *testing.T, line []string) {
	t.Helper()
	cmd, rest, err := (&app{}).command().Find(line[1:])
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err != nil || line[0] != "league" || len(cmd.Flags().Args()) > 0 {
		t.Errorf("%q: %v", line, err)
	}
}
