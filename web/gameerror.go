package web

import (
	"cmp"
	"encoding/json"

	"agentleague/protocol"
)

// A gameError is a GAME_ERROR of any referee.
type gameError struct {
	Code       string `json:"error_code"`
	Name       string `json:"error_name"` // or else the code
	Detail     string `json:"detail"`     // the sender's description
	Suggestion string `json:"suggestion"`
	Context    struct {
		Detail string `json:"detail"`
	} `json:"context"`
}

// failure parses a GAME_ERROR.
func failure(message json.RawMessage) (m gameError) {
	_ = json.Unmarshal(message, &m) // an unreadable message has no details
	if _, known := protocol.KindNamed(m.Name); !known && m.Code != "" {
		m.Name = m.Code
	}
	m.Detail = cmp.Or(m.Detail, m.Context.Detail)
	return m
}
