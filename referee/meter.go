package referee

import (
	"time"

	"agentleague/protocol"
)

// A Meter is told what a referee does, by many goroutines at once. Nobody waits
// for it: its methods return at once.
type Meter interface {
	// Began tells that a match is being played; its Ended follows.
	Began()
	// Asked tells that a seat is asked a question, for the first time or again.
	Asked(question protocol.Type)
	// Tried tells how long a try took: the player, and apart from that the
	// referee's own delay.
	Tried(question protocol.Type, agent, overhead time.Duration)
	// Ended tells that a match is over and its record durable, before anyone
	// hears its end. A nil result says that it was given up without a record.
	Ended(took time.Duration, result *protocol.GameResult)
}

// unmetered is the meter of a referee that has none.
type unmetered struct{}

func (unmetered) Began()                                    {}
func (unmetered) Asked(protocol.Type)                       {}
func (unmetered) Tried(_ protocol.Type, _, _ time.Duration) {}
func (unmetered) Ended(time.Duration, *protocol.GameResult) {}
