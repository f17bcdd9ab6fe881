package protocol

import (
	"encoding/json"
	"time"
)

// An Envelope holds the members that all messages share.
type Envelope struct {
	// always league.v2; any other value is refused
	Protocol       string `json:"protocol" enum:"league.v2"`
	MessageType    Type   `json:"message_type"`                 // the type of the message; the method of JSON-RPC implies it too
	Sender         string `json:"sender"`                       // role and id, as in player:P01; the manager is league_manager
	Timestamp      string `json:"timestamp" format:"date-time"` // when it was written, in UTC
	ConversationID string `json:"conversation_id"`              // an answer has that of its question
	AuthToken      string `json:"auth_token,omitempty"`         // of the sender, or for the receiver; never logged
	LeagueID       string `json:"league_id,omitempty"`          // "": the receiver's only one
	RoundID        Round  `json:"round_id,omitempty"`           // from 1; 0 where the message is about no round
	MatchID        string `json:"match_id,omitempty"`           // R1M2 is the second match of the first round

	RoundForm string `json:"-"` // how the other side writes round_id, such as "R%d"; "": as a number

	source    json.RawMessage // the object this message was decoded from
	plain     bool            // the source has no member that the struct has not
	dropNulls bool            // see WithoutNulls
	shared    *Shared         // see Begin
	signature signer          // of a message that is authenticated when it is written; nil: it is not
	answers   Answerer        // authenticates the answer to this request; nil: it is not authenticated
}

// A signer adds the MAC to the encoded text of a message.
type signer interface {
	write(text []byte, h *Envelope) error
}

// An Answerer authenticates the answers to a request; [Credential] is the implementation.
type Answerer interface {
	SignAnswer(m Message, conversation string)
}

// AnswerWith sets the authenticator that signs the answer, a message or an error, to this received request.
func (e *Envelope) AnswerWith(a Answerer) { e.answers = a }

// AnsweredWith returns the authenticator of the answer to this request, or nil.
func (e *Envelope) AnsweredWith() Answerer { return e.answers }

func (e *Envelope) putToken(token string) { e.AuthToken = token }

// A Message is a pointer to one of the structs of this package.
type Message interface {
	// Head returns the message's envelope. The caller may change it.
	Head() *Envelope
}

// Head returns the envelope itself.
func (e *Envelope) Head() *Envelope { return e }

// A Reading holds the options for decoding a message.
type Reading struct {
	Type         Type      // the type implied by the method, for a message without message_type
	Strict       bool      // an absent envelope field is an error
	Reply        bool      // it answers a call of ours: it is never refused for its envelope
	Now          time.Time // when it arrived, for a message without a timestamp
	Conversation string    // for a message without a conversation
}

// Source returns the JSON object from which the message was decoded, or nil for
// a message created by this process. It includes members that the struct does not have.
func (e *Envelope) Source() json.RawMessage { return e.source }

// Begin declares that a list in the message may begin with the elements of s, whose encoding is cached. This affects
// only speed: any other list is encoded as usual.
func (e *Envelope) Begin(s *Shared) { e.shared = s }
