package referee

import (
	"time"

	"agentleague/protocol"
)

// A Meter observes the work of a referee. Its methods are called concurrently and must not block.
type Meter interface {
	// Began reports the start of a match; its Ended follows.
	Began()
	// Asked reports that a seat is asked a question, for the first time or again.
	Asked(question protocol.Type)
	// Tried reports the duration of a try: the player's time, and separately the referee's own delay.
	Tried(question protocol.Type, agent, overhead time.Duration)
	// Ended reports that a match is over and its record durable, before its end is announced. A nil result means that
	// it was given up without a record.
	Ended(took time.Duration, result *protocol.GameResult)
}

// unmetered is the meter of a referee that has none.
type unmetered struct{}

func (unmetered) Began()                                    {}
func (unmetered) Asked(protocol.Type)                       {}
func (unmetered) Tried(_ protocol.Type, _, _ time.Duration) {}
func (unmetered) Ended(time.Duration, *protocol.GameResult) {}
