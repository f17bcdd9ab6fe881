package rpc

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"agentleague/protocol"
)

// frame writes an answer in the form in which the request came. It returns as
// well the message in it, and the error that the message tells of.
func (n *Node) frame(req request, reply protocol.Message, err error) ([]byte, protocol.Message, error) {
	if err == nil {
		var result json.RawMessage
		if result, err = n.encode(req, reply); err == nil {
			return req.Answer(req.id, result), reply, nil
		}
	}
	e := protocol.AsError(err)
	m := n.errorMessage(req, e)
	data, unwritable := n.encode(req, m)
	if unwritable != nil { // something in its context cannot be written
		e, err = protocol.AsError(unwritable), unwritable
		m = n.errorMessage(req, e)
		data, _ = n.encode(req, m)
	}
	if req.bare {
		return data, m, err
	}
	return framedError(req.id, wireError{
		Code: e.Kind.Numeric(req.spec.Type), Message: e.Kind.Name, Data: data,
		ErrorCode: e.Kind.Code, ErrorName: e.Kind.Name, ErrorDescription: e.Kind.Name,
	}), m, err
}

// encode completes the envelope of an answer, which goes out in the
// conversation of its request, and writes it.
func (n *Node) encode(req request, reply protocol.Message) (json.RawMessage, error) {
	n.stamp(reply)
	reply.Head().ConversationID = req.conversation
	return protocol.Encode(reply)
}

// errorMessage writes an error as the message of the protocol that the role of this agent sends.
func (n *Node) errorMessage(req request, e *protocol.Error) protocol.Message {
	action := cmp.Or(string(req.spec.Type), clip(req.method), clip(req.Text("message_type")))
	about := map[string]any{"action": action, "detail": e.Detail}
	maps.Copy(about, e.Context)
	for k, v := range about {
		if text, ok := v.(string); ok {
			about[k] = redact(text)
		}
	}
	if role, _ := protocol.ParseSender(n.Sender()); role == protocol.RoleManager {
		return &protocol.LeagueError{
			Envelope:  protocol.Envelope{MessageType: protocol.TypeLeagueError},
			ErrorCode: e.Kind.Code, ErrorName: e.Kind.Name, ErrorDescription: e.Kind.Name,
			OriginalMessageType: req.spec.Type, Context: about, Retryable: e.Retryable(),
		}
	}
	player := req.Text("player_id")
	return &protocol.GameError{
		Envelope:  protocol.Envelope{MessageType: protocol.TypeGameError, MatchID: req.Text("match_id")},
		ErrorCode: e.Kind.Code, ErrorName: e.Kind.Name, ErrorDescription: e.Kind.Name,
		PlayerID: player, AffectedPlayer: player,
		OriginalMessageType: req.spec.Type, Context: about, Retryable: e.Retryable(),
	}
}

// redact hides the tokens in a text: some errors quote what was sent.
func redact(text string) string { return protocol.RedactIn(text) }

// A wireError is the error member of an answer.
type wireError struct {
	Code             int    `json:"code"`
	Data             any    `json:"data"`
	ErrorCode        string `json:"error_code,omitempty"`
	ErrorDescription string `json:"error_description,omitempty"`
	ErrorName        string `json:"error_name,omitempty"`
	Message          string `json:"message"`
}

// framedError writes an answer with an error. Ids are put in as they came:
// encoding/json would rewrite some of their letters.
func framedError(id json.RawMessage, e wireError) []byte {
	b, _ := json.Marshal(e) // its data are JSON or plain texts
	return slices.Concat([]byte(`{"error":`), b, []byte(`,"id":`), nullable(id), []byte(`,"jsonrpc":"2.0"}`))
}

// failure writes an error of JSON-RPC's own.
func failure(id json.RawMessage, code int, message, detail string) []byte {
	return framedError(id, wireError{Code: code, Message: message, Data: map[string]string{"detail": redact(detail)}})
}

func invalid(id json.RawMessage, detail string) []byte {
	return failure(id, protocol.InvalidRequest, "Invalid Request", detail)
}

func nullable(id json.RawMessage) json.RawMessage {
	if id == nil {
		return json.RawMessage("null")
	}
	return id
}

// clip cuts a text that somebody sent for showing in an error.
func clip(s string) string {
	if len(s) > 64 {
		return strings.ToValidUTF8(s[:64], "") + "…"
	}
	return s
}
