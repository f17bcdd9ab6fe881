package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/game/catalog"
	"agentleague/host"
	"agentleague/player"
	"agentleague/rpc/rpctest"
	"agentleague/seat"
)

// A seatLeague is a manager and a referee as processes, and built-in players, with a place left.
type seatLeague struct {
	t       *testing.T
	root    string
	manager *process
	url     string
}

// newSeatLeague starts a league for that number of built-in players and of external ones.
func newSeatLeague(t *testing.T, moveTimeout string, builtIn, others int, args ...string) *seatLeague {
	t.Helper()
	l := &seatLeague{t: t, root: t.TempDir()}
	config := filepath.Join(l.root, "config", "system.json")
	if err := os.MkdirAll(filepath.Dir(config), 0o755); err != nil {
		t.Fatal(err)
	}
	// A player that returns after a kill has half a minute, also on a slow machine.
	text := `{"default_league_id": "league_2025_even_odd", "timeouts": {"move_timeout_sec": ` + moveTimeout + `},
		"retry_policy": {"max_retries": 10}, "circuit_breaker": {"failure_threshold": 100}}`
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return l.begin(builtIn, others, args...)
}

// begin starts the processes and players.
func (l *seatLeague) begin(builtIn, others int, args ...string) *seatLeague {
	t := l.t
	t.Helper()
	when := map[int]string{2: "players=2,referees=1", 3: "players=3,referees=1", 4: "players=4,referees=1"}[builtIn+others]
	l.manager = start(t, append([]string{"manager", "--port", "0", "--root", l.root, "--start-when", when}, args...)...)
	l.url = l.manager.endpoint()
	start(t, "referee", "--port", "0", "--root", l.root, "--manager", l.url, "--name", "Referee Alpha")
	sitDown(t, l.url, builtIn)
	return l
}

// sitDown lets players of this process take part in the league of a manager.
func sitDown(t *testing.T, manager string, n int) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	t.Cleanup(func() { stop(); ended.Wait() })
	for i := range n {
		ended.Go(func() {
			err := player.New(host.NameOf("Built-in", i), player.Random(nil), player.Options{GameTypes: catalog.Types()}).Run(ctx, 0, manager)
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", host.NameOf("Built-in", i), err)
			}
		})
	}
}

// A guest is an MCP client that plays from a seat.
type guest struct {
	t       *testing.T
	session *mcp.ClientSession
	key     string
}

// overHTTP connects to an agent. The key goes with every request, if there is one.
func overHTTP(t *testing.T, url, key, version string, o *mcp.ClientOptions) *guest {
	t.Helper()
	client := &http.Client{Transport: bearing{key}}
	return connect(t, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: client}, version, o)
}

// bearing shows a key.
type bearing struct{ key string }

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.key != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.key)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// overStdio starts a command as a desktop host does.
func overStdio(t *testing.T, version string, o *mcp.ClientOptions, args ...string) *guest {
	t.Helper()
	cmd := exec.Command("league", args...)
	cmd.Stderr = t.Output()
	return connect(t, &mcp.CommandTransport{Command: cmd}, version, o)
}

func connect(t *testing.T, to mcp.Transport, version string, o *mcp.ClientOptions) *guest {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "guest", Version: "1"}, o).Connect(t.Context(), to, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return &guest{t: t, session: session}
}

// try calls a tool and returns its report or its error.
func (g *guest) try(tool string, arguments map[string]any) (r seat.Report, complaint string) {
	g.t.Helper()
	if g.key != "" {
		arguments["key"] = g.key
	}
	ctx, cancel := context.WithTimeout(g.t.Context(), rpctest.Patience)
	defer cancel()
	res, err := g.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		g.t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	if res.IsError {
		return r, res.Content[0].(*mcp.TextContent).Text
	}
	text, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		g.t.Fatal(err)
	}
	return r, ""
}

// call calls a tool that must not complain.
func (g *guest) call(tool string, arguments map[string]any) seat.Report {
	g.t.Helper()
	r, complaint := g.try(tool, arguments)
	if complaint != "" {
		g.t.Fatalf("%s %v: %s", tool, arguments, complaint)
	}
	return r
}

// refused calls a tool that must complain in these words.
func (g *guest) refused(tool string, arguments map[string]any, words ...string) {
	g.t.Helper()
	r, complaint := g.try(tool, arguments)
	for _, w := range words {
		if !strings.Contains(complaint, w) {
			g.t.Errorf("%s %v: got %+v, %q; want a complaint with %q", tool, arguments, r, complaint, w)
		}
	}
}

// turn waits until the guest is to move.
func (g *guest) turn() *seat.Turn {
	g.t.Helper()
	for {
		if r := g.call("wait_for_turn", map[string]any{}); r.Turn != nil {
			return r.Turn
		} else if r.Status == seat.LeagueOver {
			g.t.Fatal("the league is over before the turn came")
		}
	}
}

// A memoir is the part of a league that a guest saw.
type memoir struct {
	turns int
	news  map[string][]seat.News // by message
	last  seat.Report
}

// toTheEnd calls the tools as a model does, until the league is over.
func (g *guest) toTheEnd(arguments map[string]any, choose func(*seat.Turn)) memoir {
	g.t.Helper()
	s := memoir{news: map[string][]seat.News{}}
	for s.last.Status != seat.LeagueOver {
		s.last = g.call("wait_for_turn", arguments)
		for _, n := range s.last.News {
			s.news[n.What] = append(s.news[n.What], n)
		}
		if s.last.Turn != nil {
			s.turns++
			choose(s.last.Turn)
		}
	}
	return s
}

func TestAModelPlaysALeagueByTools(t *testing.T) {
	t.Parallel()
	l := newSeatLeague(t, "30", 3, 1)
	g := overStdio(t, "", nil, "seat", "--stdio", "--name", "Dana", "--manager", l.url, "--root", t.TempDir())
	if r := g.call("take_seat", map[string]any{}); r.Name != "Dana" {
		t.Errorf("take_seat = %+v, want the seat of Dana", r)
	}
	wrong := false
	s := g.toTheEnd(map[string]any{}, func(turn *seat.Turn) {
		if turn.Game != "even_odd" || turn.OpponentID == "" || turn.Round == 0 || turn.SecondsLeft < 20 || strings.Join(turn.Choices, " ") != "even odd" {
			t.Errorf("asked %+v, want all that a model needs", turn)
		}
		if !wrong {
			wrong = true
			g.refused("make_move", map[string]any{"turn_id": turn.TurnID, "move": "seven"}, `"seven" cannot be played now`, "even, odd", "still open")
		}
		if r := g.call("make_move", map[string]any{"turn_id": turn.TurnID, "move": "Odd"}); r.Status != seat.Played {
			t.Errorf("make_move = %+v, want it played", r)
		}
		g.refused("make_move", map[string]any{"turn_id": turn.TurnID, "move": "even"}, "already played", `"odd"`)
	})
	if s.turns != 3 || len(s.news["match_over"]) != 3 || len(s.news["fallback_played"]) != 0 {
		t.Errorf("%d turns, %v; want 3 matches and no fallback", s.turns, s.news)
	}
	for _, n := range s.news["match_over"] {
		if !strings.Contains(n.Text, `you played "odd"`) || n.Result == "TECHNICAL_LOSS" {
			t.Errorf("news %+v, want a match played with odd", n)
		}
	}
	if s.last.Standing == nil || s.last.Standing.Played != 3 || s.last.Players != 4 {
		t.Errorf("at the end %+v, want the row of one who played 3", s.last)
	}
	if again := g.call("wait_for_turn", map[string]any{}); again.Status != seat.LeagueOver {
		t.Errorf("after the end the status is %s", again.Status)
	}
}

// In a game of several turns the model sees the board, and is asked until the match is over.
func TestAModelPlaysABoardGame(t *testing.T) {
	t.Parallel()
	l := (&seatLeague{t: t, root: rootFor(t, "tic_tac_toe")}).begin(1, 1)
	g := overHTTP(t, l.url, "", "", nil)
	g.key = g.call("take_seat", map[string]any{"name": "Dana"}).Key
	var seen []string
	s := g.toTheEnd(map[string]any{}, func(turn *seat.Turn) {
		view, _ := json.Marshal(turn.View)
		seen = append(seen, turn.TurnID+" "+string(view))
		var cell any = turn.Choices[0] // as a text, and then as the number that it is
		if len(seen)%2 == 0 {
			cell = json.RawMessage(turn.Choices[0])
		}
		g.refused("make_move", map[string]any{"turn_id": turn.TurnID, "move": 9}, `"9" cannot be played now`)
		g.call("make_move", map[string]any{"turn_id": turn.TurnID, "move": cell})
	})
	if len(seen) < 2 || seen[0] == seen[1] || !strings.Contains(seen[1], "board") { // the second player may lose after two
		t.Errorf("asked with %q, want two turns or more, each with the board", seen)
	}
	if over := s.news["match_over"]; len(over) != 1 || over[0].Result == "TECHNICAL_LOSS" {
		t.Errorf("news %v, want one match that was played", s.news)
	}
}

// person returns a host whose user always answers odd, and counts the questions.
func person(t *testing.T, asked *[]string) *mcp.ClientOptions {
	var mu sync.Mutex
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		mu.Lock()
		defer mu.Unlock()
		*asked = append(*asked, req.Params.Message)
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"move": "odd"}}, nil
	}}
}

// A person is asked by the host, in MCP before and after 2026-07-28, on a port and over stdio.
func TestAPersonPlaysAMatchByElicitation(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			l := newSeatLeague(t, "30", 0, 2)
			var asked [2][]string
			over := overStdio(t, version, person(t, &asked[0]), "seat", "--stdio", "--name", "Dana", "--manager", l.url, "--root", t.TempDir())
			port := start(t, "seat", "--port", "0", "--json", "--name", "Noa", "--manager", l.url, "--root", t.TempDir())
			var at struct{ Endpoint, Key string }
			rpctest.Eventually(t, "the seat's address", func() bool { return json.Unmarshal([]byte(port.out.String()), &at) == nil })
			stranger := overHTTP(t, at.Endpoint, "", version, nil)
			stranger.refused("make_move", map[string]any{"move": "even"}, "not the key of this seat")
			stranger.refused("take_seat", map[string]any{"name": "Eve"}, "this process has only one seat")
			var done sync.WaitGroup
			for _, g := range []*guest{over, overHTTP(t, at.Endpoint, at.Key, version, person(t, &asked[1]))} {
				done.Go(func() {
					s := g.toTheEnd(map[string]any{"ask_person": true}, func(*seat.Turn) { t.Error("the model was asked, and not the person") })
					if over := s.news["match_over"]; len(over) != 1 || !strings.Contains(over[0].Text, `you played "odd"`) {
						t.Errorf("news %v, want one match played with odd", s.news)
					}
				})
			}
			done.Wait()
			for _, questions := range asked {
				if len(questions) != 1 || !strings.Contains(questions[0], "even or odd for R1M1?") {
					t.Errorf("the person was asked %q, want once for R1M1", questions)
				}
			}
		})
	}
}

// Of two guests of a manager one stops answering: the fallback plays for it and the league goes on.
func TestTheFallbackPlaysForWhoStopsAnswering(t *testing.T) {
	t.Parallel()
	l := newSeatLeague(t, "5", 2, 2)
	present, gone := overHTTP(t, l.url, "", "", nil), overHTTP(t, l.url, "", "2025-06-18", nil)
	present.refused("wait_for_turn", map[string]any{}, "take_seat")
	present.refused("take_seat", map[string]any{}, "give one")
	present.refused("take_seat", map[string]any{"name": "Dana", "fallback": "genius"}, "use one of random", `"genius"`)
	present.refused("take_seat", map[string]any{"name": "Dana", "league_id": "moon"}, `no league "moon"`, "league_2025_even_odd")
	present.key = present.call("take_seat", map[string]any{"name": "Dana"}).Key
	if again := present.call("take_seat", map[string]any{}); again.PlayerID == "" || again.Key != present.key {
		t.Errorf("by the key it is %+v, want the same seat", again)
	}
	gone.refused("take_seat", map[string]any{"name": "Dana"}, "belongs to", "choose another name")
	gone.key = gone.call("take_seat", map[string]any{"name": "Gone", "fallback": "alternate"}).Key
	if gone.key == present.key || !strings.HasPrefix(gone.key, "seat_") {
		t.Fatalf("keys %q and %q, want two", gone.key, present.key)
	}
	s := present.toTheEnd(map[string]any{}, func(turn *seat.Turn) { present.call("make_move", map[string]any{"move": "even"}) })
	if s.turns != 3 || len(s.news["fallback_played"]) != 0 {
		t.Errorf("who answers has %d turns and %v, want 3 and no fallback", s.turns, s.news)
	}
	late := gone.toTheEnd(map[string]any{}, func(turn *seat.Turn) { t.Errorf("asked %v after the end", turn) })
	if len(late.news["fallback_played"]) != 3 || len(late.news["match_over"]) != 3 || late.last.Standing.TechnicalLosses != 0 {
		t.Errorf("who stopped is told %v, want that the fallback played 3 matches", late.news)
	}
	first := late.news["fallback_played"][0]
	gone.refused("make_move", map[string]any{"turn_id": first.MatchID + "-turn1", "move": "odd"}, "its time was up", "alternate played")
	gone.refused("make_move", map[string]any{"move": "odd"}, "not asked for a move")
	gone.refused("make_move", map[string]any{"turn_id": "R9M9-turn1", "move": "odd"}, "there is no turn")
}

// A host shows only the text of tools, which reports an absent manager and a refusal.
func TestToolsTellWhyASeatIsNotInTheLeague(t *testing.T) {
	t.Parallel()
	early := overStdio(t, "", nil, "seat", "--stdio", "--name", "Dana", "--manager", nobody, "--root", t.TempDir())
	if r := early.call("wait_for_turn", map[string]any{"wait_seconds": 0.1}); r.Status != seat.NotRegistered || !strings.Contains(r.Next, "connection refused. It tries again every two seconds") {
		t.Errorf("without a manager %+v, want to be told so", r)
	}
	full := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct{ ID json.RawMessage }
		_ = json.NewDecoder(r.Body).Decode(&req)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","result":{"message_type":"LEAGUE_REGISTER_RESPONSE","status":"REJECTED","reason":"the league is full"},"id":%s}`, req.ID)
	}))
	defer full.Close()
	late := overStdio(t, "2024-11-05", nil, "seat", "--stdio", "--name", "Dana", "--manager", full.URL+"/mcp", "--root", t.TempDir())
	late.refused("wait_for_turn", map[string]any{}, "your player is not in the league", "the league is full")
}
