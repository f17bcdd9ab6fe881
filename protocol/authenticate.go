package protocol

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
)

// Credential is the secret that a native agent shares with its manager. The agent authenticates each request, and the
// manager each answer, with an HMAC of the message under T, which itself is never sent.
//
//	A      = "tok_agent_" id "_" HMAC(T, "agent",  league, message type, match id, conversation, SHA-256 of the message)
//	answer = "tok_manager_"      HMAC(T, "answer", league, message type,           conversation, SHA-256 of the message)
//
// The message is the JSON object in params, in result, or in the error's data, byte for byte, with the
// token's text cut out of auth_token.
type Credential struct {
	Token    string // T
	LeagueID string
	AgentID  string
}

// SignRequest makes the encoder set the token of request m to A, the agent's MAC of the message.
func (c *Credential) SignRequest(m Message) { c.sign(m, agentPrefix+c.AgentID+"_", "") }

// SignAnswer marks m as the manager's answer to a request of that conversation. The encoder adds the MAC.
func (c *Credential) SignAnswer(m Message, conversation string) {
	c.sign(m, managerPrefix, conversation)
}

// sign sets auth_token of m to a placeholder, which the encoder replaces by the MAC.
func (c *Credential) sign(m Message, prefix, answers string) {
	h := m.Head()
	h.signature = &signature{Credential: *c, prefix: prefix, answers: answers}
	m.(interface{ putToken(string) }).putToken(prefix + placeholder)
}

// signature holds what the encoder needs to authenticate a message.
type signature struct {
	Credential
	prefix  string
	answers string // conversation of the request that it answers
}

// placeholder reserves the space of a MAC. It is random, so that no text of another agent contains it.
var placeholder = func() string {
	var b [sha256.Size]byte
	_, _ = rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}()

// write replaces the placeholder for the token in the encoded message text by the MAC.
func (s *signature) write(text []byte, h *Envelope) error {
	mark := append(append(make([]byte, 0, 128), s.prefix...), placeholder...)
	at := bytes.Index(text, mark)
	if at < 0 {
		return errors.New("sign the message: it has no auth_token")
	}
	mac := s.mac(text, at, len(mark), s.prefix != managerPrefix, h.MessageType, h.MatchID, s.conversation(h))
	base64.RawURLEncoding.Encode(text[at+len(s.prefix):], mac[:])
	return nil
}

// conversation returns the conversation id that the MAC covers.
func (s *signature) conversation(h *Envelope) string {
	if s.prefix == managerPrefix {
		return s.answers
	}
	return h.ConversationID
}

// mac returns the MAC of an encoded message, whose token field is at text[at:at+size].
func (c *Credential) mac(
	text []byte, at, size int, request bool, t Type, match, conversation string,
) [sha256.Size]byte {
	d := sha256.New()
	d.Write(text[:at])
	d.Write(text[at+size:])
	var room [sha256.Size]byte
	sum := hexText(d.Sum(room[:0]))
	if request {
		return macLines(c.Token, "agent", c.LeagueID, string(t), match, conversation, sum)
	}
	return macLines(c.Token, "answer", c.LeagueID, string(t), conversation, sum)
}

// check reports whether the MAC in a token is valid for the text of a message.
func (c *Credential) check(text []byte, token, prefix string, t Type, match, conversation string) bool {
	at := bytes.Index(text, []byte(token))
	if token == "" || at < 0 || bytes.Contains(text[at+1:], []byte(token)) {
		return false
	}
	return isToken(token, prefix, c.mac(text, at, len(token), prefix != managerPrefix, t, match, conversation))
}

// Requested reports whether the token of the received request m is the agent's valid MAC.
func (c *Credential) Requested(m Message) bool {
	h := m.Head()
	return c.check(h.source, h.AuthToken, agentPrefix+c.AgentID+"_", h.MessageType, h.MatchID, h.ConversationID)
}

// AgentOf returns the agent id in a request token (tok_agent_ID_MAC), or "" if the token has another format. It does
// not authenticate the token.
func AgentOf(token string) (id string) { return idAfter(token, agentPrefix) }
