package referee

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"agentleague/protocol"
)

// maxNoted bounds what one answer of a player takes up in the transcript:
// nobody can blow up a record beyond what a manager fetches.
const maxNoted = 2 << 10

// sent notes a message to a seat.
func (m *match) sent(s *seat, msg protocol.Message) {
	m.note(m.r.Node.Sender(), protocol.Sender(protocol.RolePlayer, s.ID), msg.Head().MessageType, noted(msg))
}

// received notes a message of a seat's player.
func (m *match) received(s *seat, msg protocol.Message) {
	raw, t := noted(msg), msg.Head().MessageType
	if len(raw) > maxNoted {
		raw = json.RawMessage(fmt.Sprintf(`{"message_type":%q,"omitted_bytes":%d}`, t, len(raw)))
	}
	m.note(protocol.Sender(protocol.RolePlayer, s.ID), m.r.Node.Sender(), t, raw)
}

// note writes a message into the transcript, which nobody sees before the match is over.
func (m *match) note(from, to string, t protocol.Type, raw json.RawMessage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.transcript = append(m.transcript, protocol.TranscriptEntry{
		Seq: len(m.transcript) + 1, Timestamp: protocol.Stamp(time.Now()), MessageType: t, From: from, To: to, Message: raw,
	})
}

// aToken is a token of ours, wherever a player has put it.
var aToken = regexp.MustCompile(`tok_[0-9A-Za-z_-]+`)

// hidden is what stands where a token was.
var hidden = []byte(protocol.Redact("tok_"))

// noted is a message as the transcript shows it: without tokens, and in valid
// UTF-8, or its hash would change on the way to the manager.
func noted(msg protocol.Message) json.RawMessage {
	raw, err := protocol.Encode(msg)
	if err != nil {
		return json.RawMessage("null")
	}
	raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	raw = aToken.ReplaceAll(raw, hidden)
	if !bytes.Contains(raw, []byte("auth_token")) || ours(msg.Head().AuthToken) {
		return raw
	}
	return redacted(raw)
}

// ours reports whether a token is nothing but one of our form.
func ours(token string) bool { return token != "" && aToken.FindString(token) == token }

// redacted hides the token of a message that is of a foreign form.
func redacted(raw json.RawMessage) json.RawMessage {
	var f map[string]json.RawMessage
	if json.Unmarshal(raw, &f) != nil || f["auth_token"] == nil {
		return raw
	}
	f["auth_token"], _ = json.Marshal(string(hidden)) // a string always encodes
	out, err := json.Marshal(f)
	if err != nil {
		return raw
	}
	return out
}
