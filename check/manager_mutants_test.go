package check_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"agentleague/check"
	"agentleague/league/manager"
	"agentleague/protocol"
)

// of reports whether a request registers the checker's own agent of that name.
func of(m object, name string) bool {
	return strings.HasPrefix(fmt.Sprint(at(m, "player_meta.display_name")), "Check "+name+" ")
}

// admits changes the answer to the n-th registration without a token.
func admits(name string, n int, path string, value func(f *deviant) any) deviation {
	return deviation{tell: func(f *deviant, m, _, result object) {
		if !of(m, name) || m["auth_token"] != nil || result == nil {
			return
		}
		if f.nth(name) == n {
			put(result, path, value(f))
		}
	}}
}

func always(v any) func(*deviant) any { return func(*deviant) any { return v } }

// keepsAnn stores ann's grant.
func keepsAnn(f *deviant, m, result object) {
	if of(m, "ann") && result["auth_token"] != nil {
		f.keep("id", fmt.Sprint(result["player_id"]))
		f.keep("token", fmt.Sprint(result["auth_token"]))
	}
}

// lends lets a query pass with ann's own token when it has that one; nil is none.
func lends(wrong any) deviation {
	return deviation{
		tell: func(f *deviant, m, _, result object) { keepsAnn(f, m, result) },
		ask: func(f *deviant, _, m object) {
			if m["message_type"] == "LEAGUE_QUERY" && m["auth_token"] == wrong {
				m["auth_token"] = f.kept("token")
			}
		},
	}
}

// believes acknowledges reports from a sender with a token of that form.
func believes(sender, token string) deviation {
	return deviation{raw: func(_ *deviant, w http.ResponseWriter, _ *http.Request, body []byte) bool {
		var request object
		_ = decode(body, &request)
		m, _ := request["params"].(object)
		if m["message_type"] != "MATCH_RESULT_REPORT" || !strings.HasPrefix(fmt.Sprint(m["sender"]), sender) ||
			!strings.HasPrefix(fmt.Sprint(m["auth_token"]), token) {
			return false
		}
		fmt.Fprintf(w,
			`{"jsonrpc":"2.0","id":1,"result":{"protocol":"league.v2","message_type":"MATCH_RESULT_ACK","sender":"league_manager","timestamp":"2025-01-15T10:30:00Z",
			"conversation_id":%q,"status":"ACCEPTED","match_id":"R99M99","round_id":1}}`, m["conversation_id"])
		return true
	}}
}

// answers changes a member of the answer to a query.
func answers(kind, path string, value any) deviation {
	return deviation{tell: func(_ *deviant, m, _, result object) {
		if m["query_type"] == kind && result != nil {
			put(result, path, value)
		}
	}}
}

func TestLongMutantsOfAManager(t *testing.T) {
	t.Parallel()
	const wrong = "tok_player_P00_this-is-nobodys-token"
	bobs := deviation{
		tell: func(f *deviant, m, _, result object) {
			keepsAnn(f, m, result)
			if of(m, "bob") && result != nil {
				result["player_id"] = f.kept("id")
			}
		},
	}
	own := map[string]deviation{
		"20": reply("LEAGUE_REGISTER_RESPONSE", "status", "PENDING"),
		"21": admits("ann", 1, "reason", always(nil)),
		"22": {ask: func(_ *deviant, _, m object) {
			if of(m, "ann") {
				m["sender"] = "player:ann"
			}
		}},
		"23": admits("bob", 1, "player_id", always("PLAYER-2")),
		"24": bobs,
		"25": {tell: func(_ *deviant, m, _, result object) {
			if of(m, "ann") && m["auth_token"] != nil {
				result["auth_token"] = "tok_player_P01_another"
			}
		}},
		"26": admits("ann", 2, "player_id", always("P55")),
		"27": admits("ann", 4, "auth_token", always("tok_player_P01_another")),
		"28": {ask: func(f *deviant, _, m object) {
			if m["message_type"] == "LEAGUE_QUERY" && f.nth("query") == 1 {
				m["auth_token"] = wrong
			}
		}},
		"29": {tell: func(f *deviant, m, _, result object) {
			keepsAnn(f, m, result)
			if m["sender"] == "player:check-thief" && result != nil {
				result["player_id"] = f.kept("id")
			}
		}},
		"30": fix("player_meta.protocol_version", "1.9.0", "2.0.0"),
		"31": fix("player_meta.protocol_version", "3.0.0", "2.0.0"),
		"32": fix("player_meta.game_types", []any{"chess"}, []any{"even_odd"}),
		"33": {ask: func(_ *deviant, _, m object) {
			if m["player_meta"] != nil && at(m, "player_meta.display_name") == nil {
				put(m, "player_meta.display_name", "Nameless")
			}
		}},
		"34": {ask: func(_ *deviant, _, m object) {
			if m["player_meta"] != nil && at(m, "player_meta.contact_endpoint") == nil {
				put(m, "player_meta.contact_endpoint", "http://localhost:1/mcp")
			}
		}},
		"35": fix("player_meta.game_types", 5, []any{"even_odd"}),
		"36": reply("REFEREE_REGISTER_RESPONSE", "reason", nil),
		"37": lends(nil),
		"38": lends(wrong),
		"39": {
			tell: func(f *deviant, m, _, result object) { keepsAnn(f, m, result) },
			ask: func(f *deviant, _, m object) { // any true token authenticates any sender
				if m["message_type"] == "LEAGUE_QUERY" && m["sender"] == "player:"+f.kept("id") && m["auth_token"] != nil &&
					m["auth_token"] != wrong {
					m["auth_token"] = f.kept("token")
				}
			},
		},
		"40": {
			tell: func(f *deviant, m, _, result object) { keepsAnn(f, m, result) },
			ask: func(f *deviant, _, m object) {
				if m["sender"] == "player:P9998" {
					m["sender"] = "player:" + f.kept("id")
				}
			},
		},
		"41": answers("GET_STANDINGS", "current_round", nil),
		"42": answers("GET_STATUS", "data.status.state", nil),
		"43": answers("GET_GAMES", "success", false),
		"44": answers("GET_SCHEDULE", "error", nil),
		"45": answers("GET_NEXT_MATCH", "query_type", "GET_LAST_MATCH"),
		"46": answers("GET_PLAYER_STATS", "data.player_stats.points", nil),
		"47": {ask: func(_ *deviant, _, m object) {
			if m["query_type"] == "GET_PLAYER_DIRECTORY" && strings.HasPrefix(fmt.Sprint(m["sender"]), "player:") {
				m["query_type"] = "GET_STANDINGS"
			}
		}},
		"48": answers("GET_PLAYER_DIRECTORY", "data.players", nil),
		"49": {ask: func(_ *deviant, request, m object) {
			if request["method"] == "get_standings" && m["message_type"] != nil {
				m["league_id"] = "league_of_others"
			}
		}},
		"61": fix("query_type", "GET_WEATHER", "GET_STANDINGS"),
		"62": fix("league_id", "league_of_nowhere", nil),
		"63": believes("player:", "tok_"),
		"64": believes("referee:REF998", "tok_"),
		"65": believes("referee:", wrong),
		"66": believes("referee:", "tok_referee_"),
		"67": {ask: func(_ *deviant, _, m object) {
			if m["sender"] == "admin" && m["auth_token"] == nil {
				m["auth_token"] = "tok_admin"
			}
		}},
		"68": {ask: func(_ *deviant, _, m object) {
			if m["sender"] == "admin" && m["auth_token"] == wrong {
				m["auth_token"] = "tok_admin"
			}
		}},
		"69": {raw: func(f *deviant, w http.ResponseWriter, _ *http.Request, body []byte) bool {
			crowded, leave := f.crowded(4)
			defer leave()
			if !strings.Contains(string(body), "LEAGUE_QUERY") {
				return false
			}
			time.Sleep(100 * time.Millisecond)
			if !crowded && f.kept(string(body)) == "" {
				return false
			}
			f.keep(string(body), "refused") // and when it is made again, on a new connection
			hangUp(w)
			return true
		}},
	}
	all := numbered("M", wire("league_manager"), own, faults("LEAGUE_QUERY", "query_type", "GET_STANDINGS"),
		closing("LEAGUE_REGISTER_RESPONSE", "AUTH_TOKEN_INVALID"))
	all["M57"] = deviation{
		tell: func(f *deviant, m, _, result object) { keepsAnn(f, m, result) },
		ask: func(f *deviant, _, m object) {
			if m["sender"] == "nobody" {
				m["sender"] = "player:" + f.kept("id")
			}
		},
	}
	holdMutants(t, protocol.RoleManager, all, func(t *testing.T, id string, d deviation) (protocol.Report, error) {
		f := newDeviant(d)
		url := f.listen(t, newManager(t, manager.Options{}).Node)
		return check.Run(t.Context(), url, check.Options{
			FirstRound: 1, Strict: true, Patience: waits(id), Role: protocol.RoleManager,
		})
	})
}
