package rpc

import (
	"bytes"
	"encoding/json"

	"agentleague/protocol"
)

// A Summary holds the fields of a request by which a manager decides whether to relay it.
type Summary struct {
	Types          []protocol.Type // that the request may be; the first is the likeliest
	Token          string          // its auth_token
	MatchID        string
	ConversationID string
	Bare           bool // there is no JSON-RPC around the message
	Native         bool // it has the public key of a native agent
}

// Summarize reads the body of one request in any dialect. It returns false if the body is not a message of the
// protocol, such as a batch or the call of a tool.
func Summarize(body []byte) (s Summary, ok bool) {
	s.Native = bytes.Contains(body, []byte(`"agreement_key"`))
	if r, plain := protocol.ReadRequest(body); plain {
		h := r.Message.Head()
		s.Types, s.Token, s.MatchID, s.ConversationID = []protocol.Type{h.MessageType}, h.AuthToken, h.MatchID, h.ConversationID
		return s, true
	}
	req, wrong := parse("mcp", json.RawMessage(bytes.TrimSpace(body)))
	if wrong != nil {
		return Summary{}, false
	}
	s.Types, s.Token, s.Bare = req.Types(), req.Text("auth_token"), req.bare
	s.MatchID, s.ConversationID = req.Text("match_id"), req.Text("conversation_id")
	return s, len(s.Types) > 0
}
