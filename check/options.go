package check

import (
	"math/rand/v2"
	"time"

	"agentleague/protocol"
)

// Options are the parts of a check that have defaults.
type Options struct {
	Role   protocol.Role // default: found out
	Strict bool          // speak the specification only, and demand it
	Long   bool          // take steps that last for minutes
	Port   int           // of the checker's own small manager; default: a free one

	// Callbacks is another port at which the checker listens, if it is free: some players call their referee at a
	// fixed port. 0: only the one after Port, where that is given.
	Callbacks int

	// FirstRound numbers the matches that are played. The default is random, so
	// that an agent does not take one check for the repetition of another.
	FirstRound int

	// Tools names tools of an MCP server that are not found automatically, by the method that they implement.
	Tools  map[string]string
	Bearer string // the token for an MCP server that requires one

	Ready func(manager string)     // is called with the manager's address when it listens
	Begin func(Step)               // is called before every step
	Step  func(protocol.CheckStep) // is called after every step

	Hints Hints // advice about skipped steps

	Deadlines map[protocol.Type]time.Duration // of answers; default: the protocol's
	Patience  time.Duration                   // for answers that have no deadline, and for a match; default 10 s
	Grace     time.Duration                   // for finding out how to speak to an agent; default 15 s
	Wait      time.Duration                   // for an agent that registers; default 5 minutes
}

// withDefaults fills in the defaults. FirstRound leaves room for ten rounds, more than a check plays.
func (o Options) withDefaults() Options {
	if o.FirstRound == 0 {
		o.FirstRound = 1 + 10*rand.IntN(100_000)
	}
	for d, otherwise := range map[*time.Duration]time.Duration{&o.Patience: 10 * time.Second, &o.Grace: 15 * time.Second,
		&o.Wait: 5 * time.Minute} {
		if *d == 0 {
			*d = otherwise
		}
	}
	return o
}

// Hints are advice for the operator of a check about skipped steps, in the terms of the command line or page. An
// empty one is left out.
type Hints struct {
	Listen  string // have the agent register with the checker
	Restart string // the same, of an agent that is registered elsewhere
	Long    string // take the steps that last
	Port    string // choose another port
	Role    string // name the agent's role
	Bearer  string // show a token to an MCP server
	Tool    string // name a tool of an MCP server
}

// hinted is a reason with advice.
func hinted(why, hint string) string {
	if hint == "" {
		return why
	}
	return why + ": " + hint
}

// league is the league that the checker plays, wrongToken belongs to no agent, and refereeID is the checker's id as a
// referee.
const (
	league     = "league_check"
	wrongToken = "tok_player_P00_this-is-nobodys-token"
	refereeID  = "REF01"
)

// Senders of the checker's messages: agents check them.
var (
	asReferee = protocol.Sender(protocol.RoleReferee, refereeID)
	asManager = protocol.Manager
)
