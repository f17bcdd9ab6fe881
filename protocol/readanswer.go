package protocol

import (
	"encoding/json"
	"errors"
)

// ErrUnauthenticated reports that an answer does not carry the manager's MAC.
var ErrUnauthenticated = errors.New("the answer is not authenticated by this agent's manager")

// ReadAnswer reads the manager's answer of type want to a request of that conversation. Its error is
// [ErrUnauthenticated], or a [*Refusal] that the manager made.
func (c *Credential) ReadAnswer(body []byte, want Type, conversation string) (Message, error) {
	object, refused, ok := openAnswer(body)
	if !ok {
		return nil, ErrUnauthenticated
	}
	var head struct {
		Token string `json:"auth_token"`
		Type  Type   `json:"message_type"`
	}
	if json.Unmarshal(object, &head) != nil ||
		!c.check(object, head.Token, managerPrefix, head.Type, "", conversation) {
		return nil, ErrUnauthenticated
	}
	if refused {
		var e LeagueError
		if err := json.Unmarshal(object, &e); err != nil {
			return nil, ErrUnauthenticated
		}
		out := &Refusal{Name: e.ErrorName, Message: sentence(e.Detail, e.Context, e.ErrorName)}
		if kind, known := KindNamed(e.ErrorName); known {
			out.Code = kind.Numeric(e.OriginalMessageType)
		}
		return nil, out
	}
	m, _, err := Decode(object, Reading{Type: want, Reply: true})
	return m, err
}

// openAnswer returns the message of a JSON-RPC answer: its result, or the data of its error.
func openAnswer(body []byte) (object json.RawMessage, refused, ok bool) {
	var frame struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Data json.RawMessage `json:"data"`
		} `json:"error"`
	}
	if RepeatedKey(body) != "" || json.Unmarshal(body, &frame) != nil {
		return nil, false, false
	}
	if frame.Error != nil {
		return frame.Error.Data, true, frame.Result == nil && frame.Error.Data != nil
	}
	return frame.Result, false, frame.Result != nil
}
