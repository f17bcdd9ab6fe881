package foreign

import (
	"net/http"
	"strconv"
)

// A call is a request that an agent has understood.
type call struct {
	kind    Kind
	message object
	id      any
}

// An answer is an HTTP response.
type answer struct {
	status int
	body   []byte
}

// send writes the answer to a request.
func (a *answer) send(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// refuse answers unknown messages.
func (p Persona) refuse(id any) *answer {
	word := map[Refusal]any{RefuseNod: "ok", RefuseStatus: "unknown_message_type"}[p.Refuses]
	switch {
	case word == nil:
		return p.Refuses.answer(id)
	case p.Framing.plain():
		return &answer{200, encode(object{"status": word})}
	}
	return &answer{200, encode(object{"jsonrpc": "2.0", "result": object{"status": word}, "id": id})}
}

// answer returns the refusal of the request with that id.
func (r Refusal) answer(id any) *answer {
	switch r {
	case RefuseNotFound:
		return &answer{
			200, encode(object{"jsonrpc": "2.0", "error": object{"code": -32601, "message": "Method not found"}, "id": id}),
		}
	case RefuseAck:
		return &answer{
			200, encode(object{
				"jsonrpc": "2.0", "result": object{"protocol": "league.v2", "message_type": "ACK", "sender": "referee:x"}, "id": id,
			}),
		}
	case RefuseFields:
		why := "Missing required fields: {'message_type', 'timestamp', 'protocol', 'conversation_id', 'sender'}"
		return &answer{200, encode(object{"jsonrpc": "2.0", "error": object{"code": -32000, "message": why}, "id": id})}
	case RefuseWords:
		return &answer{200, encode(object{"error": "Unknown method"})}
	case Refuse422:
		return missingField("")
	case Refuse500:
		return &answer{500, []byte("Internal Server Error")}
	}
	status, _ := strconv.Atoi(string(r))
	if status == 404 || status == 405 {
		return &answer{status, encode(object{"detail": http.StatusText(status)})}
	}
	return &answer{
		status,
		encode(object{"jsonrpc": "2.0", "error": object{"code": -32600, "message": http.StatusText(status)}, "id": id}),
	}
}

// missingField returns a validating framework's error for a missing member.
func missingField(name string) *answer {
	loc := []string{"body"}
	if name != "" {
		loc = append(loc, name)
	}
	return &answer{
		422, encode(object{"detail": []object{{"loc": loc, "msg": "field required", "type": "value_error.missing"}}}),
	}
}

// extraField returns a validating framework's error for an extra member.
func extraField(name string) *answer {
	return &answer{
		422, encode(object{
			"detail": []object{
				{"loc": []string{"body", name}, "msg": "extra fields not permitted", "type": "value_error.extra"},
			},
		}),
	}
}

// failed returns the persona's error for a known message that it cannot execute, for example because it is busy.
func (p Persona) failed(id any, status int, why string) *answer {
	if p.Framing.plain() {
		return &answer{status, encode(object{"status": "error", "error": why})}
	}
	return &answer{status, encode(object{"jsonrpc": "2.0", "error": object{"code": -32000, "message": why}, "id": id})}
}
