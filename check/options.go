package check

import (
	"math/rand/v2"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// Options configure a check. Zero values are replaced by defaults.
type Options struct {
	Role   protocol.Role // default: found out
	Strict bool          // speak the specification only, and demand it
	Long   bool          // take steps that last for minutes
	Port   int           // of the checker's own small manager; default: a free one

	// Callbacks is a further port on which the checker listens if it is free, because some players call their referee
	// at a fixed port. With 0 it is only Port+1, if Port is set.
	Callbacks int

	// FirstRound is the number of the first round. It is random by default, so that an agent does not mistake the
	// matches of one check for repetitions of another's.
	FirstRound int

	// Tools maps a method to the tool of an MCP server that implements it, for tools that are not detected.
	Tools       map[string]string
	Credentials rpc.Credentials // for an MCP server that requires them

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

// Hints is advice about skipped steps, in the terms of the command line or the page. Empty hints are omitted.
type Hints struct {
	Listen      string // have the agent register with the checker
	Restart     string // the same, of an agent that is registered elsewhere
	Long        string // take the steps that last
	Port        string // choose another port
	Role        string // name the agent's role
	Credentials string // give credentials for an MCP server
	Tool        string // name a tool of an MCP server
}

// hinted is a reason with advice.
func hinted(why, hint string) string {
	if hint == "" {
		return why
	}
	return why + ": " + hint
}

// The ids that the checker uses: its league, a token that no agent has, and its own id as a referee.
const (
	league     = "league_check"
	wrongToken = "tok_player_P00_this-is-nobodys-token"
	refereeID  = "REF01"
)

// The senders of the checker's messages. They are valid, because agents check them.
var (
	asReferee = protocol.Sender(protocol.RoleReferee, refereeID)
	asManager = protocol.Manager
)
