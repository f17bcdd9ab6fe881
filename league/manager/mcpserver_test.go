package manager_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/league/manager"
	"agentleague/league/mcpserver"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// A viewer is an MCP client of a league's manager.
type viewer struct {
	w  *world
	s  *mcp.ClientSession
	mu sync.Mutex

	updates  map[string]int // by resource
	progress []string
}

// view shows the league and connects a client to it, until the test's end.
func (w *world) view(o mcpserver.Options, f func(v *viewer)) {
	w.t.Helper()
	show := mcpserver.Open(w.manager, o)
	following, stop := context.WithCancel(w.ctx)
	followed := make(chan struct{})
	go func() { defer close(followed); show.Follow(following) }()
	v := &viewer{w: w, updates: map[string]int{}}
	here, there := mcp.NewInMemoryTransports()
	serving, err := w.manager.Node.MCP().Connect(w.ctx, there, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	v.s, err = mcp.NewClient(&mcp.Implementation{Name: "viewer", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			v.mu.Lock()
			defer v.mu.Unlock()
			v.updates[r.Params.URI]++
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			v.mu.Lock()
			defer v.mu.Unlock()
			v.progress = append(v.progress, fmt.Sprintf("%v/%v %s", r.Params.Progress, r.Params.Total, r.Params.Message))
		},
	}).Connect(w.ctx, here, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	f(v)
	_ = v.s.Close()
	_ = serving.Wait()
	stop()
	<-followed
}

func (v *viewer) subscribe(paths ...string) {
	for _, path := range paths {
		if err := v.s.Subscribe(v.w.ctx, &mcp.SubscribeParams{URI: "league://" + path}); err != nil {
			v.w.t.Errorf("%s: %v", path, err)
		}
	}
}

// read reads a resource into a value.
func (v *viewer) read(path string, into any) error {
	got, err := v.s.ReadResource(v.w.ctx, &mcp.ReadResourceParams{URI: "league://" + path})
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(got.Contents[0].Text), into)
}

func (v *viewer) watch(args map[string]any) (out struct {
	State     string
	Recorded  int `json:"matches_completed"`
	Results   []map[string]any
	Standings []protocol.Standing
}) {
	p := &mcp.CallToolParams{Name: "watch_league", Arguments: args}
	p.SetProgressToken("p")
	res, err := v.s.CallTool(v.w.ctx, p)
	if err != nil || res.IsError {
		v.w.t.Errorf("watch_league %v: %v %+v", args, err, res)
		return out
	}
	_ = json.Unmarshal([]byte(res.Content[0].(*mcp.TextContent).Text), &out)
	return out
}

func TestMCPClientFollowsALeague(t *testing.T) {
	inWorld(t, 3, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 2}, func(w *world) {
		w.bootManager()
		records := map[string]string{
			"R1M1": `{"match_id":"R1M1","transcript":[{"message":{"auth_token":"tok_match_secret"}}]}`,
		}
		w.view(mcpserver.Options{Record: func(match string) ([]byte, error) {
			if doc, ok := records[match]; ok {
				return []byte(doc), nil
			}
			return nil, mcpserver.ErrNoRecord
		}}, func(v *viewer) {
			v.subscribe("standings", "schedule", "rounds/1", "nowhere")
			if got := v.watch(map[string]any{"timeout_seconds": 1}); got.State != "WAITING_FOR_REGISTRATIONS" ||
				got.Recorded != 0 {
				t.Errorf("before the start: got %+v", got)
			}
			for n := range 2 {
				w.bootReferee(n + 1)
			}
			for n := range 4 {
				w.bootPlayer(n + 1)
			}
			first := v.watch(map[string]any{"matches": 1, "timeout_seconds": 600})
			if first.Recorded < 1 || len(first.Results) != first.Recorded {
				t.Errorf("after one match: got %+v", first)
			}
			rest := v.watch(map[string]any{"since": first.Recorded, "timeout_seconds": 600})
			if rest.State != "LEAGUE_COMPLETED" || rest.Recorded != 6 || len(rest.Results) != 6-first.Recorded ||
				len(rest.Standings) != 4 {
				t.Errorf("at the end: got %+v", rest)
			}
			w.finish(time.Minute)
			v.check()
		})
	})
}

// check compares the resources of a completed league with its state.
func (v *viewer) check() {
	t, s := v.w.t, v.w.state()
	rest()
	v.mu.Lock()
	if v.updates["league://standings"] < 6 || v.updates["league://schedule"] < 6 || v.updates["league://rounds/1"] < 2 ||
		v.updates["league://nowhere"] != 0 {
		t.Errorf("heard of %v", v.updates)
	}
	if len(v.progress) != 6 || !strings.HasPrefix(v.progress[0], "1/6 R1M") ||
		!strings.HasPrefix(v.progress[5], "6/6 R3M") {
		t.Errorf("progress: %q", v.progress)
	}
	v.mu.Unlock()

	var table struct {
		State     string
		Standings []protocol.Standing
	}
	if err := v.read("standings", &table); err != nil || table.State != "LEAGUE_COMPLETED" ||
		!slices.Equal(table.Standings, s.Standings()) {
		t.Errorf("standings: %v %+v", err, table)
	}
	var plan struct {
		Rounds []struct{ Matches []map[string]any }
	}
	if err := v.read("schedule", &plan); err != nil || len(plan.Rounds) != 3 || len(plan.Rounds[2].Matches) != 2 {
		t.Errorf("schedule: %v %+v", err, plan)
	}
	var round struct {
		Status  string
		Matches []struct{ Status string }
	}
	if err := v.read("rounds/3", &round); err != nil || round.Status != "COMPLETED" || len(round.Matches) != 2 ||
		round.Matches[0].Status == "PENDING" {
		t.Errorf("round: %v %+v", err, round)
	}
	var player struct {
		Standing protocol.Standing
		Matches  []map[string]any
		Next     *map[string]any `json:"next_match"`
	}
	if err := v.read("players/P02", &player); err != nil || player.Standing.PlayerID != "P02" ||
		len(player.Matches) != 3 || player.Next != nil {
		t.Errorf("player: %v %+v", err, player)
	}
	var match struct {
		Winner  string
		Choices map[string]string
	}
	if err := v.read("matches/R1M1", &match); err != nil || match.Winner != s.Matches["R1M1"].Outcome.Result.Winner ||
		len(match.Choices) != 2 {
		t.Errorf("match: %v %+v", err, match)
	}
	var record json.RawMessage
	if err := v.read("matches/R1M1/transcript", &record); err != nil ||
		strings.Contains(string(record), "tok_match_secret") || !strings.Contains(string(record), "redacted") {
		t.Errorf("transcript: %v %s", err, record)
	}
	for _, path := range []string{
		"rounds/0", "rounds/4", "rounds/x", "players/P09", "players/REF01", "matches/R9M9", "matches/R1M2/transcript",
		"matches/x/y/transcript", "standings/1", "nothing", "",
	} {
		var v2 any
		if err := v.read(path, &v2); err == nil || !strings.Contains(err.Error(), "not found") {
			t.Errorf("%q: got %v, want that there is no such thing", path, err)
		}
	}
	v.checkPrompts()
	v.checkCompletion()
}

func (v *viewer) checkPrompts() {
	for _, c := range []struct {
		name string
		args map[string]string
		want []string // in the messages; none: an error
	}{
		{"play_match", map[string]string{"name": "Ada"}, []string{"take_seat with Ada", "league://standings", "even_odd"}},
		{"explain_last_match", nil, []string{"match R3M", "league://matches/R3M"}},
		{"explain_last_match", map[string]string{"player_id": "P01"}, []string{"match R3M"}},
		{"explain_last_match", map[string]string{"player_id": "P77"}, nil},
		{"summarise_round", map[string]string{"round": "1"}, []string{"round 1", "league://rounds/1", "league://standings"}},
		{"summarise_round", nil, []string{"round 3"}},
		{"summarise_round", map[string]string{"round": "9"}, nil},
		{"commentate", map[string]string{"match_id": "R1M1"}, []string{"match R1M1", "league://matches/R1M1/transcript"}},
		{"commentate", map[string]string{"match_id": "R1M9"}, nil},
		{"unheard_of", nil, nil},
	} {
		got, err := v.s.GetPrompt(v.w.ctx, &mcp.GetPromptParams{Name: c.name, Arguments: c.args})
		text, _ := json.Marshal(got)
		if (err != nil) != (c.want == nil) {
			v.w.t.Errorf("%s %v: got %v", c.name, c.args, err)
		}
		for _, want := range c.want {
			if !strings.Contains(string(text), want) {
				v.w.t.Errorf("%s %v: got %s, want %s in it", c.name, c.args, text, want)
			}
		}
	}
}

func (v *viewer) checkCompletion() {
	for _, c := range []struct{ kind, ref, name, value, want string }{
		{"ref/resource", "league://rounds/{n}", "n", "", "1 2 3"},
		{"ref/resource", "league://players/{id}", "id", "p0", "P01 P02 P03 P04"},
		{"ref/resource", "league://matches/{id}", "id", "R2", "R2M1 R2M2"},
		{"ref/resource", "league://matches/{id}/transcript", "id", "R3M1", "R3M1"},
		{"ref/prompt", "commentate", "match_id", "r1", "R1M1 R1M2"},
		{"ref/prompt", "explain_last_match", "player_id", "P04", "P04"},
		{"ref/prompt", "summarise_round", "round", "3", "3"},
		{"ref/prompt", "play_match", "name", "A", ""},
	} {
		ref := &mcp.CompleteReference{Type: c.kind}
		if c.kind == "ref/prompt" {
			ref.Name = c.ref
		} else {
			ref.URI = c.ref
		}
		got, err := v.s.Complete(v.w.ctx, &mcp.CompleteParams{
			Ref: ref, Argument: mcp.CompleteParamsArgument{Name: c.name, Value: c.value},
		})
		if err != nil || strings.Join(got.Completion.Values, " ") != c.want {
			v.w.t.Errorf("%s %s=%q: got %v %v, want %s", c.ref, c.name, c.value, err, got, c.want)
		}
	}
	for _, args := range []string{`{"since":-1}`, `{"timeout_seconds":601}`, `{"matches":"two"}`} {
		res, err := v.s.CallTool(v.w.ctx, &mcp.CallToolParams{Name: "watch_league", Arguments: json.RawMessage(args)})
		if err != nil || !res.IsError {
			v.w.t.Errorf("watch_league %s: got %v %+v", args, err, res)
		}
	}
}

// rest waits for messages in transit.
func rest() { time.Sleep(time.Second) }

// The admin's tools want the admin's token over MCP as anywhere else.
func TestMCPToolsNeedTheRightRole(t *testing.T) {
	inWorld(t, 4, rpctest.Faults{}, manager.Options{StartPlayers: 2, StartReferees: 1, Pace: time.Hour, Cycles: 3},
		func(w *world) {
			w.bootAll(1, 2)
			w.view(mcpserver.Options{}, func(v *viewer) {
				v.watch(map[string]any{"matches": 1, "timeout_seconds": 600})
				for _, c := range []struct{ token, want string }{
					{"", "E011"}, {"tok_admin_guess", "E012"}, {w.tokenOf("P01"), "E012"}, {w.tokenOf("REF01"), "E012"},
					{adminToken, ""},
				} {
					for _, tool := range []string{"pause_league", "resume_league", "create_schedule", "withdraw_player"} {
						if tool == "withdraw_player" && c.want == "" {
							continue
						}
						res, err := v.s.CallTool(w.ctx, &mcp.CallToolParams{
							Name: tool, Arguments: map[string]any{"auth_token": c.token, "player_id": "P02"},
						})
						if err != nil {
							t.Errorf("%s: %v", tool, err)
							continue
						}
						if text := res.Content[0].(*mcp.TextContent).Text; res.IsError != (c.want != "") ||
							!strings.HasPrefix(text, c.want) {
							t.Errorf("%s with %.12q: got %s, want %s", tool, c.token, text, c.want)
						}
					}
				}
				if a := w.state().Agents["P02"]; a.State == protocol.AgentShutdown {
					t.Error("P02 was withdrawn")
				}
			})
		})
}

// docs/guide/mcp.md lists all tools, prompts and resources of a manager.
func TestGuideTellsOfEverythingThatTheManagerOffers(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guide/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	inWorld(t, 5, rpctest.Faults{}, manager.Options{}, func(w *world) {
		w.bootManager()
		w.view(mcpserver.Options{}, func(v *viewer) {
			var names []string
			for tool, err := range v.s.Tools(w.ctx, nil) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, tool.Name)
			}
			for p, err := range v.s.Prompts(w.ctx, nil) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, p.Name)
			}
			for r, err := range v.s.Resources(w.ctx, nil) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, r.URI)
			}
			for r, err := range v.s.ResourceTemplates(w.ctx, nil) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, r.URITemplate)
			}
			for _, name := range names {
				if !strings.Contains(string(guide), "`"+name+"`") {
					t.Errorf("docs/guide/mcp.md does not tell of %s", name)
				}
			}
			if len(names) < 20 {
				t.Errorf("there are %q only", names)
			}
		})
	})
}
