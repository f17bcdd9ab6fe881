package protocol

import "time"

// A Reading says how a message is to be read.
type Reading struct {
	Type         Type      // what the method says of a message that does not name its type
	Strict       bool      // an absent envelope field is an error
	Reply        bool      // it answers a call of ours: it is never refused for its envelope
	Now          time.Time // when it arrived, for a message without a timestamp
	Conversation string    // for a message without a conversation
}
