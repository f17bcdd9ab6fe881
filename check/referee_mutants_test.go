package check_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"agentleague/check"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
)

// sends changes messages of a type that the agent sends in a match.
func sends(match, typ string, change func(f *deviant, m object)) deviation {
	return deviation{send: func(f *deviant, m object) []byte {
		if m["message_type"] == typ && (match == "" || m["match_id"] == match) {
			change(f, m)
		}
		return nil
	}}
}

// lacks leaves a member out of messages that the agent sends.
func lacks(match, typ, path string) deviation {
	return sends(match, typ, func(_ *deviant, m object) { put(m, path, nil) })
}

// says changes a member of the messages that the agent sends.
func says(match, typ, path string, value any) deviation {
	return sends(match, typ, func(_ *deviant, m object) { put(m, path, value) })
}

// withholds does not send messages of a type to a player, and takes them for answered.
func withholds(match, typ, player, answer string, from int) deviation {
	return deviation{send: func(f *deviant, m object) []byte {
		if m["message_type"] == typ && m["match_id"] == match && (player == "" || m["player_id"] == player) &&
			f.nth(typ) >= from {
			return []byte(`{"jsonrpc":"2.0","id":1,"result":` + answer + `}`)
		}
		return nil
	}}
}

// recalls remembers a member of the first START_MATCH and puts it into later ones that have another.
func recalls(path string) deviation {
	return deviation{ask: func(f *deviant, _, m object) {
		if m["message_type"] != "START_MATCH" {
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.inOrder == nil {
			f.inOrder = at(m, path)
		}
		put(m, path, f.inOrder)
	}}
}

func TestLongMutantsOfAReferee(t *testing.T) {
	t.Parallel()
	own := map[string]deviation{
		"20": lacks("", "REFEREE_REGISTER_REQUEST", "referee_meta.version"),
		"21": {raw: func(f *deviant, w http.ResponseWriter, r *http.Request, _ []byte) bool {
			if r.URL.Path != "/health" || f.nth("health") > 1 {
				return false
			}
			hangUp(w)
			return true
		}},
		"22": rawly(`"register_to_league"`, `{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}`),
		"23": replyIn("R1M1", "START_MATCH_ACK", "match_id", nil),
		"24": withholds("R1M1", "GAME_INVITATION", "P02", `{"accept":true}`, 1),
		"25": lacks("R1M1", "GAME_INVITATION", "role_in_match"),
		"26": says("R1M1", "GAME_INVITATION", "auth_token", "tok_referee_REF01_mine"),
		"27": says("R1M1", "GAME_INVITATION", "conversation_id", "conv-r1m1-001"),
		"28": { // asks the second when the first has answered
			send: func(f *deviant, m object) []byte {
				if m["message_type"] == "CHOOSE_PARITY_CALL" && m["match_id"] == "R1M1" && m["player_id"] == "P02" {
					f.await("answered")
				}
				return nil
			},
			hear: func(f *deviant, m object, answer []byte) []byte {
				if m["message_type"] == "CHOOSE_PARITY_CALL" && m["player_id"] == "P01" {
					f.keep("answered", "yes")
				}
				return answer
			},
		},
		"29": lacks("R1M1", "CHOOSE_PARITY_CALL", "deadline"),
		"30": reply("MATCH_STATE", "state", nil),
		"31": reply("MATCH_STATE", "players", []object{{"player_id": "P01", "choice": "even"}}),
		"32": withholds("R1M1", "GAME_OVER", "P02", `{}`, 1),
		"33": lacks("R1M1", "GAME_OVER", "game_result.reason"),
		"34": says("R1M1", "GAME_OVER", "game_result.status", "DRAW"),
		"35": lacks("R1M1", "GAME_OVER", "fairness"),
		"36": lacks("R1M1", "MATCH_RESULT_REPORT", "game_type"),
		"37": sends("R1M1", "MATCH_RESULT_REPORT", func(_ *deviant, m object) {
			other := map[any]string{"P01": "P02", "P02": "P01"}[at(m, "result.winner")]
			put(m, "result.winner", other)
		}),
		"38": says("R1M1", "MATCH_RESULT_REPORT", "auth_token", "tok_referee_REF01_wrong"),
		"39": withholds("R1M2", "MATCH_RESULT_REPORT", "", `{"status":"ACCEPTED"}`, 2),
		"40": {ask: func(f *deviant, _, m object) {
			if m["message_type"] == "START_MATCH" && m["match_id"] == "R1M1" && f.nth("start") == 2 {
				m["attempt"] = 2
			}
		}},
		"41": withholds("R1M2", "GAME_ERROR", "", `{}`, 1),
		"42": {send: func(f *deviant, m object) []byte {
			if m["message_type"] == "CHOOSE_PARITY_CALL" && m["match_id"] == "R1M2" && m["player_id"] == "P01" &&
				f.nth("call") > 1 {
				return []byte(`{"jsonrpc":"2.0","id":1,"result":{"message_type":"CHOOSE_PARITY_RESPONSE","parity_choice":"apple"}}`)
			}
			return nil
		}},
		"43": {hear: func(f *deviant, m object, answer []byte) []byte { // repeats the invitation to a player that has declined
			if m["message_type"] == "GAME_INVITATION" && m["match_id"] == "R1M3" && m["player_id"] == "P01" &&
				f.nth("declined") == 1 {
				return []byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"INTERNAL_ERROR"}}`)
			}
			return answer
		}},
		"44": says("R1M3", "MATCH_RESULT_REPORT", "result.details.drawn_number", 4),
		"45": says("R1M4", "MATCH_RESULT_REPORT", "result.winner", "P01"),
		"46": says("R1M5", "MATCH_RESULT_REPORT", "result.details.status", "WIN"),
		"47": {ask: func(f *deviant, _, m object) {
			if m["message_type"] == "START_MATCH" && m["auth_token"] != nil {
				f.keep("token", fmt.Sprint(m["auth_token"]))
				m["auth_token"] = f.kept("token")
			}
		}},
		"48": {ask: func(f *deviant, _, m object) {
			if m["message_type"] == "START_MATCH" {
				f.keep("token", fmt.Sprint(m["auth_token"]))
				if m["auth_token"] == nil {
					m["auth_token"] = f.kept("token")
				}
			}
		}},
		"49": recalls("player_B"),
		"61": fix("match_id", "R9M9", "R1M1"),
		"62": rawly(`"mcp_message"`,
			`{"jsonrpc":"2.0","id":9,"result":{"message_type":"ANSWER_ACK","status":"ACKNOWLEDGED"}}`),
		"90": reply("LEAGUE_COMPLETED_ACK", "status", nil),
	}
	all := numbered("R", wire("referee:REF01"), own, faults("GET_MATCH_STATE", "match_id", "R1M1"),
		closing("START_MATCH_ACK", "AUTH_TOKEN_INVALID"))
	holdMutants(t, protocol.RoleReferee, all, func(t *testing.T, id string, d deviation) (protocol.Report, error) {
		f := newDeviant(d)
		policy := referee.Policy{}
		if id == "R46" {
			policy.JoinTimeout = 1500 * time.Millisecond
		}
		ref := newReferee(t, referee.Options{Policy: policy, Options: rpc.Options{Network: hasty{rpc.NewHTTP(1 << 20), f}}})
		f.token = func() string { return ref.Granted().Token }
		url := f.listen(t, ref.Node)
		return check.Run(t.Context(), "", check.Options{FirstRound: 1, Strict: true, Long: id == "R46",
			Patience: waits(id, "R24", "R28", "R32", "R39"), Ready: func(manager string) {
				go func() { _ = ref.Register(t.Context(), manager, url) }()
			}})
	})
}
