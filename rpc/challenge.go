package rpc

import (
	"encoding/json"
	"net/http"
	"slices"

	"agentleague/dialect"
	"agentleague/protocol"
)

// An MCP client needs the HTTP status 401 and a header to request a token; an error in the result of a tool would only
// reach the model. So a tool call without a token can be refused before the tool runs.

// challenged refuses a tool call if the node's Challenger requires it, and returns whether it has written the answer.
func (s *responder) challenged(w http.ResponseWriter, r *http.Request, from From, body []byte) bool {
	if s.Challenge == nil || !mentionsMCP(body) {
		return false
	}
	t, token := s.calledTool(body)
	if t == "" {
		return false
	}
	c := s.Challenge(r.Context(), from, t, token)
	if c == nil {
		return false
	}
	if !s.failed.Allow(s.Limits.Failed, from.Addr) {
		c = &Challenge{Status: http.StatusTooManyRequests, Detail: TooMany("requests that are refused").Detail}
	}
	s.served(t, protocol.AuthTokenInvalid.Code)
	if c.Header != "" {
		w.Header().Set("WWW-Authenticate", c.Header)
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, c.Detail, c.Status)
	return true
}

// calledTool returns the message type of a tool call, and the token in its arguments. t is "" for other requests.
func (s *responder) calledTool(body []byte) (t protocol.Type, token string) {
	p := peek(body)
	types := dialect.TypesNamed(p.tool)
	at := slices.IndexFunc(types, s.takes)
	if p.tool == "" || at < 0 {
		return "", ""
	}
	var call struct {
		Params struct {
			Arguments struct {
				Token string `json:"auth_token"`
			} `json:"arguments"`
		} `json:"params"`
	}
	_ = json.Unmarshal(body, &call) // an unreadable body has no token
	return types[at], call.Params.Arguments.Token
}
