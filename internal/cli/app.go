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

// An app is shared by all verbs.
type app struct {
	ctx        context.Context // of this run; an interrupt ends it
	out, err   io.Writer
	root       string           // the tree of files
	logging    bool             // the log level was given: lines are those of slog
	rooted     bool             // the root was given, and is not only the default
	manager    string           // the endpoint of a running manager
	chosen     bool             // the manager was given, and is not only the default
	leagueID   string           // which of its leagues is asked about
	asked      *client.Fallback // that answers questions; nil: nothing was asked
	title      string           // of the league in the log that answers queries; "": it has none, or a manager answers
	json       bool
	level      string // of the logs on standard error
	pprof      string // an address to serve profiles at
	network    netFlags
	admin      credential
	away       string                          // in a sentence, which log is not where it was when the process was interrupted
	deadlines  map[protocol.Type]time.Duration // timeouts of calls
	warned     bool                            // of configuration without effect
	running    bool                            // a verb has begun: later errors are no wrong usage
	stopNotify func()                          // from then on an interrupt ends the process
}

// shown sanitizes an error for a terminal: it may contain third-party text.
type shown struct{ error }

// Error is without control characters: part of it may be an agent's own words.
func (e shown) Error() string { return term.PlainLines(e.error.Error()) }
func (e shown) Unwrap() error { return e.error }

// errReported is a failure that was already printed.
var errReported = errors.New("failed")

// errDoubt is the end of a verification with unproven parts and no difference. It was already printed.
var errDoubt = errors.New("not everything is proven")
