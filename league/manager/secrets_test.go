package manager_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"agentleague/engine/sim"
	"agentleague/game"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// TestNothingTellsAChoiceBeforeItsTime stops a league in the middle of a match, when one player has chosen and the
// other has not, and searches all readable data: every tool and query for every agent, all log lines, the log of
// events, the live events, the records, and the MCP resources. They contain neither the choice nor any secret.
func TestNothingTellsAChoiceBeforeItsTime(t *testing.T) {
	const choice = "odd" // P01's; the words of the question have both, so it is looked for as a value
	inWorld(t, 5, rpctest.Faults{}, manager.Options{StartPlayers: 2, StartReferees: 1}, func(w *world) {
		chosen := make(chan struct{})
		w.strategy = func(id string) player.Strategy {
			return player.StrategyFunc(func(ctx context.Context, v game.View) (game.Move, error) {
				if id == "P01" {
					close(chosen)
					return game.Move(`"` + choice + `"`), nil
				}
				<-ctx.Done()
				return nil, ctx.Err()
			})
		}
		events, err := w.disk.Open(sim.Options{}).Subscribe(w.ctx, "league."+leagueID)
		if err != nil {
			t.Fatal(err)
		}
		w.bootAll(1, 2)
		<-chosen
		time.Sleep(5 * time.Second) // virtual: the answer has arrived, the other is still awaited

		places := w.look()
		over := w.lookOverMCP()
		maps.Copy(places, over)
		for _, place := range []string{
			"LM MCP resource standings", "LM MCP resource matches/R1M1", "LM MCP call of watch_league",
			"REF01 MCP call of get_match_state", "P01 MCP call of get_player_state",
		} {
			if !strings.Contains(over[place], "R1M1") && !strings.Contains(over[place], "P01") {
				t.Errorf("%s tells nothing: %q", place, over[place])
			}
		}
		places["log lines"] = w.logs.String()
		for _, e := range w.disk.Entries(leagueID) {
			places[fmt.Sprint("event ", e.Seq)] = string(e.Data)
		}
		for done := false; !done; {
			select {
			case e := <-events:
				places["live events"] += string(e)
			default:
				done = true
			}
		}
		for f := range w.recorders["REF01"].Unreported(w.ctx) {
			t.Errorf("there is a record of %s before its end", f.Record.MatchID)
		}
		if len(places) < 15 {
			t.Errorf("looked at %d places only", len(places))
		}
		if !strings.Contains(places["REF01 get_match_state"], `"answered":true`) {
			t.Errorf("nobody has answered yet: %s", places["REF01 get_match_state"])
		}
		secrets := w.secrets()
		for place, text := range places {
			if strings.Contains(text, `"`+choice+`"`) && !strings.Contains(place, "get_games") &&
				!strings.Contains(place, "MCP tool choose_parity") {
				t.Errorf("%s tells the choice: %s", place, text)
			}
			for what, secret := range secrets {
				if strings.Contains(text, secret) {
					t.Errorf("%s tells %s: %s", place, what, text)
				}
			}
		}
	})
}

// look asks every agent everything that a stranger, or another player, may ask.
func (w *world) look() map[string]string {
	out := map[string]string{}
	ask := func(agent, method string, params map[string]any) {
		params["match_id"], params["player_id"] = "R1M1", "P01"
		body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params, "id": 1})
		url := map[string]string{
			"LM": managerURL, "REF01": "http://localhost:8001/mcp", "P01": "http://localhost:8101/mcp",
		}[agent]
		p := w.procs["P02"]
		_, answer, err := p.Post(p.Context(), url, "look "+method, body)
		if err != nil {
			w.t.Errorf("%s %s: %v", agent, method, err)
		}
		name := agent + " " + method
		if q, ok := params["query_type"]; ok {
			name += fmt.Sprint(" ", q)
		}
		out[name] = string(answer)
	}
	for _, m := range []string{"get_standings", "get_league_status", "get_games", "create_schedule", "ping"} {
		ask("LM", m, map[string]any{})
	}
	for _, q := range protocol.Queries() {
		ask("LM", "league_query", map[string]any{"query_type": q.Name, "sender": "player:P02", "auth_token": w.tokenOf("P02")})
	}
	for _, m := range []string{
		"get_match_state", "collect_choices", "draw_number", "finalize_match", "get_match_records",
		"register_to_league", "ping",
	} {
		ask("REF01", m, map[string]any{
			"records": []any{map[string]any{"league_id": leagueID, "match_id": "R1M1", "attempt": 1}},
		})
	}
	for _, m := range []string{
		"get_player_state", "choose_parity", "notify_match_result", "handle_game_invitation", "ping",
	} {
		ask("P01", m, map[string]any{"sender": "referee:REF01", "auth_token": "tok_guess", "attempt": 1})
	}
	return out
}

// secrets are values that no agent may receive while the league runs.
func (w *world) secrets() map[string]string {
	disk := w.disk.Open(sim.Options{})
	key, _ := disk.Secret(w.ctx, "token."+leagueID)
	draw, _ := disk.Secret(w.ctx, "draw."+leagueID)
	s := w.state()
	drawKey := protocol.DrawKey(draw, leagueID, "R1M1", s.Agents["P01"].Nonce, s.Agents["P02"].Nonce)
	out := map[string]string{
		"the token key": fmt.Sprintf("%x", key), "the draw secret": fmt.Sprintf("%x", draw),
		"the draw key": fmt.Sprintf("%x", drawKey),
	}
	for _, a := range s.Agents {
		token := w.agreed(a)
		out["the token of "+a.ID] = token
		out["the manager's token for "+a.ID] = protocol.ManagerToken(token, leagueID, protocol.TypeRoundAnnouncement, 1)
		if a.Role == protocol.RolePlayer {
			out["the match token of "+a.ID] = protocol.MatchToken(token, leagueID, "R1M1", 1, "REF01")
		}
	}
	return out
}
