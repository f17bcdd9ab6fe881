package protocol

import "time"

// A Reading holds the options to decode a message.
type Reading struct {
	Type         Type      // the type implied by the method, for a message without message_type
	Strict       bool      // an absent envelope field is an error
	Reply        bool      // it answers a call of ours: it is never refused for its envelope
	Now          time.Time // when it arrived, for a message without a timestamp
	Conversation string    // for a message without a conversation
}
