package cli

import (
	"context"
	"errors"
	"io"
	"time"

	"agentleague/client"
	"agentleague/internal/term"
	"agentleague/protocol"
)

// An app is what all verbs share.
type app struct {
	ctx        context.Context // of this run; an interrupt ends it
	out, err   io.Writer
	root       string           // the tree of files
	logging    bool             // how much to log was said: lines are those of slog
	rooted     bool             // that was said, and is not only where it usually is
	manager    string           // the endpoint of a running manager
	chosen     bool             // that was said, and is not only where managers usually are
	leagueID   string           // which of its leagues is asked about
	asked      *client.Fallback // that answers questions; nil: nothing was asked
	title      string           // of the league whose log answers them; "": it has none, or a manager answers
	json       bool
	level      string // of the logs on standard error
	pprof      string // an address to serve profiles at
	network    netFlags
	admin      credential
	away       string                          // in a sentence, which log is not where it was when the process was interrupted
	deadlines  map[protocol.Type]time.Duration // how long those who are called may take
	warned     bool                            // of what has no effect in the configuration
	running    bool                            // a verb has begun: what fails now is no wrong usage
	stopNotify func()                          // from then on an interrupt ends the process
}

// shown is an error as a terminal can show it: others' words may be in it.
type shown struct{ error }

// Error is without control characters: part of it may be an agent's own words.
func (e shown) Error() string { return term.PlainLines(e.error.Error()) }
func (e shown) Unwrap() error { return e.error }

// errReported is a failure of which the person has been told already.
var errReported = errors.New("failed")

// errDoubt is the end of a verification in which nothing differs and something is not proven. The person has been told.
var errDoubt = errors.New("not everything is proven")
