package check_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// reply changes a member of answers of a type; nil removes it.
func reply(typ, path string, value any) deviation {
	return replyIn("", typ, path, value)
}

// replyIn is reply in one match only.
func replyIn(match, typ, path string, value any) deviation {
	return deviation{tell: func(_ *deviant, _, _, result object) {
		if result["message_type"] == typ && (match == "" || result["match_id"] == match) {
			put(result, path, value)
		}
	}}
}

// fix changes a member of requests that hold a wrong value, so that the agent takes them.
func fix(path string, wrong, right any) deviation {
	return deviation{ask: func(_ *deviant, _, message object) {
		if fmt.Sprint(at(message, path)) == fmt.Sprint(wrong) {
			put(message, path, right)
		}
	}}
}

// spoil takes a needed member from requests in which another has that value, so that the agent refuses them.
func spoil(needed string, when func(message object) bool) deviation {
	return deviation{ask: func(_ *deviant, _, message object) {
		if when(message) {
			delete(message, needed)
		}
	}}
}

// rawly answers requests with that text in them by hand.
func rawly(marker, answer string) deviation {
	return deviation{raw: func(_ *deviant, w http.ResponseWriter, r *http.Request, body []byte) bool {
		if r.Method != http.MethodPost || !strings.Contains(string(body), marker) {
			return false
		}
		_, _ = w.Write([]byte(answer))
		return true
	}}
}

// onGet answers GET requests for a path by hand.
func onGet(path string, status int, answer string) deviation {
	return deviation{raw: func(_ *deviant, w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if r.Method != http.MethodGet || r.URL.Path != path {
			return false
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer))
		return true
	}}
}

// wire are the deviations of the steps that all roles share, by the number of the step.
func wire(sender string) map[string]deviation {
	const yes = `{"jsonrpc":"2.0","result":{},"id":9}`
	return map[string]deviation{
		"01": onGet("/health", 200, `{"status":"fine","agent":"`+sender+`"}`),
		"02": onGet("/health", 200, `{"status":"healthy","agent":"me"}`),
		"03": onGet("/mcp", 200, "hello"),
		"04": {tell: func(_ *deviant, _, answer, _ object) {
			if fmt.Sprint(answer["id"]) == "7" {
				delete(answer, "jsonrpc")
			}
		}},
		"05": {tell: func(_ *deviant, _, answer, result object) {
			if fmt.Sprint(answer["id"]) == "8" && result["message_type"] == "PONG" {
				delete(result, "message_type")
			}
		}},
		"06": {tell: func(_ *deviant, _, answer, _ object) {
			if _, text := answer["id"].(string); text {
				answer["id"] = 1
			}
		}},
		"07": {tell: func(_ *deviant, _, answer, _ object) {
			if fmt.Sprint(answer["id"]) == "1.50" {
				answer["id"] = 1.5
			}
		}},
		"08": rawly(`"params":{},"id":null}`, ``),
		"09": {raw: func(_ *deviant, w http.ResponseWriter, _ *http.Request, body []byte) bool {
			if !bytes.HasPrefix(body, []byte("\xff")) {
				return false
			}
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"what?"},"id":null}`))
			return true
		}},
		"10": rawly(`"jsonrpc":"1.0"`, yes),
		"11": rawly(`"a":1,"a":2`, yes),
		"12": rawly(`},{"jsonrpc"`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"no batches"},"id":null}`),
		"13": {raw: func(_ *deviant, w http.ResponseWriter, _ *http.Request, body []byte) bool {
			if string(body) != `{"jsonrpc":"2.0","method":"ping","params":{}}` {
				return false
			}
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","result":{},"id":null}`))
			return true
		}},
		"14": rawly(`"no_such_method"`, `{"jsonrpc":"2.0","error":{"code":-32603,"message":"no"},"id":9}`),
		"15": {ask: func(_ *deviant, request, _ object) {
			if request["method"] == "Ping" {
				request["method"] = "ping"
			}
		}},
		"16": {raw: func(_ *deviant, w http.ResponseWriter, _ *http.Request, body []byte) bool {
			if !strings.Contains(string(body), "no_such_method_either") {
				return false
			}
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","error":{"code":-32601,"message":"no"},"id":9}`))
			return true
		}},
		"17": {raw: func(_ *deviant, w http.ResponseWriter, _ *http.Request, body []byte) bool {
			if len(body) < 1<<20 {
				return false
			}
			_, _ = w.Write([]byte(yes))
			return true
		}},
		"18": {raw: func(_ *deviant, w http.ResponseWriter, _ *http.Request, body []byte) bool {
			if !strings.Contains(string(body), `"method":"ping","params":{},"id":1800`) {
				return false
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","result":{},"id":1800}`))
			return true
		}},
	}
}

// closing are the deviations of the last steps, which all roles share. They
// are shown in an answer of one type, and in one error.
func closing(typ, kind string) map[string]deviation {
	inError := func(change func(e object)) deviation {
		return deviation{tell: func(_ *deviant, _, answer, _ object) {
			if e, ok := answer["error"].(object); ok && e["error_name"] == kind {
				change(e)
			}
		}}
	}
	return map[string]deviation{
		"80": {tell: func(_ *deviant, _, answer, result object) {
			if result["message_type"] == typ {
				answer["result"] = object{"response": result}
			}
		}},
		"81": reply(typ, "protocol", nil),
		"82": reply(typ, "message_type", nil),
		"83": reply(typ, "sender", "me"),
		"84": reply(typ, "timestamp", "2025-01-15T12:30:00+02:00"),
		"85": reply(typ, "conversation_id", "conv-of-my-own"),
		"86": inError(func(e object) { delete(e, "error_description") }),
		"87": inError(func(e object) { e["code"] = -32000 }),
		"88": inError(func(e object) { put(e, "data.context.detail", "tok_player_P00_this-is-nobodys-token is wrong") }),
		"89": {raw: func(_ *deviant, w http.ResponseWriter, _ *http.Request, body []byte) bool {
			if !strings.Contains(string(body), `"id":99}`) {
				return false
			}
			hangUp(w)
			return true
		}},
	}
}

// faults are the deviations of the steps that send wrong messages of a type.
func faults(typ, needed string, right any) map[string]deviation {
	when := func(path, value string) func(object) bool {
		return func(m object) bool {
			return m["message_type"] == typ && strings.Contains(fmt.Sprint(at(m, path)), value)
		}
	}
	return map[string]deviation{
		"50": {ask: func(_ *deviant, _, m object) {
			if m["message_type"] == typ && m[needed] == nil && m[strings.ToUpper(needed[:1])+needed[1:]] == nil {
				m[needed] = right
			}
		}},
		"51": {ask: func(_ *deviant, _, m object) {
			if _, odd := m[needed].(object); odd {
				m[needed] = right
			}
		}},
		"52": fix("protocol", "league.v1", "league.v2"),
		"53": fix("timestamp", "2025-01-15T12:30:00+02:00", "2025-01-15T10:30:00Z"),
		"54": fix("timestamp", "yesterday", "2025-01-15T10:30:00Z"),
		"55": spoil(needed, when("timestamp", ".123456+00:00")),
		"56": spoil(needed, func(m object) bool {
			_, err := time.Parse("20060102T15:04:05Z", fmt.Sprint(m["timestamp"]))
			return err == nil
		}),
		"57": fix("sender", "nobody", "referee:REF01"),
		"58": spoil(needed, when("x_check", "a")),
		"59": spoil(needed, when("round_id", "ROUND_1")),
		"60": {ask: func(_ *deviant, _, m object) {
			if v, ok := m[strings.ToUpper(needed[:1])+needed[1:]]; ok {
				m[needed] = v
			}
		}},
	}
}

// numbered puts the letter of a role before the numbers of steps.
func numbered(letter string, sets ...map[string]deviation) map[string]deviation {
	out := map[string]deviation{}
	for _, set := range sets {
		for number, d := range set {
			out[letter+number] = d
		}
	}
	return out
}
