package rpc

import (
	"encoding/json"
	"net/http"
	"slices"

	"agentleague/dialect"
	"agentleague/protocol"
)

// Clients of MCP learn from the status of an answer that they need a token, and from its header where to get one. An
// error of a tool would only reach the model. So the call of a tool can be refused before it runs.

// challenged refuses the call of a tool, if it is to be refused.
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

// calledTool returns the message for which a body calls a tool, and the token in its arguments; "": it calls none.
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
