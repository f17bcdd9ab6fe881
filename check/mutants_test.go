package check_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/check"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
)

// holdMutants checks an agent once for each step of its role, with the one
// deviation that the step is there for. That step fails, or warns if it is mere
// advice, and no other does.
func holdMutants(t *testing.T, role protocol.Role, deviations map[string]deviation,
	run func(t *testing.T, id string, d deviation) (protocol.Report, error)) {
	known := map[string]bool{}
	for _, step := range check.Steps(role) {
		known[step.ID] = true
		if _, ok := deviations[step.ID]; !ok {
			t.Errorf("%s %s: no agent deviates in it", step.ID, step.Name)
		}
	}
	type outcome struct {
		report protocol.Report
		err    error
	}
	outcomes := map[string]*outcome{}
	var wg sync.WaitGroup
	slots := make(chan struct{}, 4) // they wait more than they work
	for _, id := range slices.Sorted(maps.Keys(deviations)) {
		if !known[id] {
			t.Errorf("%s is no step", id)
		}
		o := &outcome{}
		outcomes[id] = o
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			o.report, o.err = run(t, id, deviations[id])
		})
	}
	wg.Wait()
	for _, id := range slices.Sorted(maps.Keys(deviations)) {
		t.Run(id, func(t *testing.T) {
			if outcomes[id].err != nil {
				t.Fatal(outcomes[id].err)
			}
			onlyFails(t, outcomes[id].report, id)
		})
	}
}

// onlyFails holds a report in which one step is to have failed, or to have
// warned if it is mere advice.
func onlyFails(t *testing.T, r protocol.Report, id string) {
	want := protocol.Fail
	if advice := strings.HasSuffix(id, "03") || strings.HasSuffix(id, "17"); advice {
		want = protocol.Warn
	}
	for _, s := range r.Steps {
		switch {
		case s.ID == id && s.Status != want:
			t.Errorf("%s %s %s, want %s\n  sent %s\n  got  %s", s.Status, s.ID, s.Name, want, s.Sent, s.Received)
		case s.ID == id && (s.Detail == "" || s.Fix == "" || s.Sent+s.Received == ""):
			t.Errorf("%s does not say what is wrong, where, and what to do: %+v", s.ID, s)
		case s.ID != id && (s.Status == protocol.Fail || s.Status == protocol.Warn):
			t.Errorf("%s %s %s: %s\n  sent %s\n  got  %s", s.Status, s.ID, s.Name, s.Detail, s.Sent, s.Received)
		}
	}
}

// waits returns how long a check waits for a forbidden action. It is short unless the agent performs that action,
// because machines can be slow.
func waits(id string, inVain ...string) time.Duration {
	if slices.Contains(inVain, id) {
		return 3 * time.Second
	}
	return 20 * time.Second
}

// missed maps a step to the deadlines that the agent misses for it. No other step measures these answers, so that a
// slow machine has no effect.
var missed = map[string]map[protocol.Type]time.Duration{
	"P22": {protocol.TypeGameInvitation: 50 * time.Millisecond},
	"P25": {protocol.TypeChooseParityCall: 50 * time.Millisecond},
}

func TestLongMutantsOfAPlayer(t *testing.T) {
	t.Parallel()
	is := func(m object, typ, match string) bool { return m["message_type"] == typ && m["match_id"] == match }
	late := func(step string, typ protocol.Type) deviation {
		return deviation{ask: func(f *deviant, _, m object) {
			if is(m, string(typ), "R1M1") && f.nth(string(typ)) == 1 {
				deadline, passed := context.WithTimeout(t.Context(), missed[step][typ])
				defer passed()
				<-deadline.Done()
			}
		}}
	}
	choice := func(m object) []byte {
		return fmt.Appendf(nil,
			`{"jsonrpc":"2.0","id":1,"result":{"protocol":"league.v2","message_type":"CHOOSE_PARITY_RESPONSE","sender":"player:P01",
			"timestamp":"2025-01-15T10:30:00Z","conversation_id":%q,"match_id":%q,"player_id":"P01","parity_choice":"even"}}`, m["conversation_id"], m["match_id"])
	}
	own := map[string]deviation{
		"20": {send: func(_ *deviant, m object) []byte { put(m, "player_meta.version", nil); return nil }},
		"21": {raw: func(f *deviant, w http.ResponseWriter, r *http.Request, _ []byte) bool {
			if r.URL.Path != "/health" || f.nth("health") > 1 {
				return false
			}
			hangUp(w)
			return true
		}},
		"22": late("P22", protocol.TypeGameInvitation),
		"23": {tell: func(f *deviant, _, _, result object) {
			if is(result, "GAME_JOIN_ACK", "R1M1") {
				put(result, "arrival_timestamp", nil)
			}
		}},
		"24": {tell: func(f *deviant, _, _, result object) {
			if is(result, "GAME_JOIN_ACK", "R1M1") && f.nth("join") > 1 {
				result["accept"] = false
			}
		}},
		"25": late("P25", protocol.TypeChooseParityCall),
		"26": replyIn("R1M1", "CHOOSE_PARITY_RESPONSE", "player_id", nil),
		"27": {tell: func(f *deviant, _, _, result object) {
			if is(result, "CHOOSE_PARITY_RESPONSE", "R1M1") && f.nth("choice") == 3 {
				result["parity_choice"], result["choice"] = "odd", "odd"
			}
		}},
		"28": {ask: func(f *deviant, _, m object) {
			if is(m, "GAME_INVITATION", "R1M1") {
				f.keep("token", fmt.Sprint(m["auth_token"]))
			}
			if is(m, "CHOOSE_PARITY_CALL", "R1M1") {
				m["auth_token"] = f.kept("token")
			}
		}},
		"29": {ask: func(f *deviant, _, m object) {
			if is(m, "GAME_INVITATION", "R1M1") {
				f.keep("token", fmt.Sprint(m["auth_token"]))
			}
			if is(m, "CHOOSE_PARITY_CALL", "R9M9") {
				m["match_id"], m["auth_token"] = "R1M1", f.kept("token")
			}
		}},
		"30": reply("GAME_ERROR_ACK", "status", nil),
		"31": {tell: func(f *deviant, _, _, result object) {
			if is(result, "GAME_OVER_ACK", "R1M1") && f.nth("over") == 1 {
				delete(result, "player_id")
			}
		}},
		"32": {ask: func(f *deviant, _, m object) {
			if is(m, "GAME_OVER", "R1M1") && f.nth("over") == 2 {
				m["match_id"] = "R8M8"
			}
		}},
		"33": {raw: func(f *deviant, w http.ResponseWriter, _ *http.Request, body []byte) bool {
			var request object
			_ = decode(body, &request)
			m, _ := request["params"].(object)
			if is(m, "GAME_OVER", "R1M1") {
				f.keep("over", "yes")
			}
			if !is(m, "CHOOSE_PARITY_CALL", "R1M1") || f.kept("over") == "" {
				return false
			}
			_, _ = w.Write(choice(m))
			return true
		}},
		"34": {tell: func(_ *deviant, m, answer, _ object) {
			if is(m, "GAME_INVITATION", "R2M1") {
				answer["result"] = nil
				answer["error"] = object{"code": -32601, "message": "busy"}
			}
		}},
		"35": {raw: func(f *deviant, w http.ResponseWriter, _ *http.Request, body []byte) bool {
			if !strings.Contains(string(body), `"GAME_INVITATION"`) || !strings.Contains(string(body), `"match_id":"R3M`) {
				return false
			}
			if f.keep("only", string(body)); f.kept("only") == string(body) {
				f.await("crowd")
				return false
			}
			f.keep("crowd", "yes") // every time: on a connection that was used before, a request is made again
			hangUp(w)
			return true
		}},
		"36": {tell: func(f *deviant, _, _, result object) {
			if is(result, "CHOOSE_PARITY_RESPONSE", "R4M1") {
				result["parity_choice"] = []string{"even", "odd"}[f.nth("choice")%2]
			}
		}},
		"40": reply("ROUND_ANNOUNCEMENT_ACK", "round_id", nil),
		"41": reply("STANDINGS_UPDATE_ACK", "status", "OK"),
		"42": reply("ROUND_COMPLETED_ACK", "message_type", nil),
		"43": {ask: func(f *deviant, _, m object) {
			if m["message_type"] == "ROUND_ANNOUNCEMENT" {
				f.keep("token", fmt.Sprint(m["auth_token"]))
				m["auth_token"] = f.kept("token")
			}
		}},
		"44": reply("PLAYER_STATE", "agent_state", nil),
		"90": reply("LEAGUE_COMPLETED_ACK", "status", nil),
	}
	all := numbered("P", wire("player:P01"), own, faults("CHOOSE_PARITY_CALL", "match_id", "R6M1"),
		closing("GAME_JOIN_ACK", "AUTH_TOKEN_INVALID"))
	holdMutants(t, protocol.RolePlayer, all, func(t *testing.T, id string, d deviation) (protocol.Report, error) {
		f := newDeviant(d)
		o := check.Options{FirstRound: 1, Strict: true, Patience: waits(id), Deadlines: missed[id]}
		a := player.New("Agent Alpha", first, player.Options{Options: rpc.Options{Network: hasty{rpc.NewHTTP(1 << 20), f}}})
		url := f.listen(t, a.Node)
		o.Ready = func(manager string) {
			go func() { _ = a.Register(t.Context(), manager, url) }()
		}
		return check.Run(t.Context(), "", o)
	})
}
