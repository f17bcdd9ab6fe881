package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"agentleague/client"
	"agentleague/internal/term"
	"agentleague/protocol"
)

// An app is shared by all verbs.
type app struct {
	ctx       context.Context // of this run; an interrupt ends it
	out, err  io.Writer
	root      string           // the tree of files
	logging   bool             // the log level was given: lines are those of slog
	rooted    bool             // the data directory was given, and is not only the default
	manager   string           // the endpoint of a running manager
	chosen    bool             // the manager was given, and is not only the default
	leagueID  string           // which of its leagues is asked about
	asked     *client.Fallback // that answers questions; nil: nothing was asked
	title     string           // of the league in the log that answers queries; "": it has none, or a manager answers
	json      bool
	level     string // of the logs on standard error
	pprof     string // an address to serve profiles at
	network   netFlags
	admin     credential
	warned    bool // of configuration without effect
	running   bool // a verb has begun: later errors are no wrong usage
	interrupt interruption
}

// shown wraps an error whose text may contain third-party input, and sanitizes it for a terminal.
type shown struct{ error }

// Error returns the wrapped error's text without control characters.
func (e shown) Error() string { return term.PlainLines(e.error.Error()) }
func (e shown) Unwrap() error { return e.error }

// errReported makes the process exit with status 1 and print nothing more: the failure was already printed.
var errReported = errors.New("failed")

// errDoubt ends a verification that found no difference but could not prove everything. It was already printed.
var errDoubt = errors.New("not everything is proven")

// say prints object as JSON if --json is set, and the formatted line otherwise.
func (a *app) say(object any, format string, args ...any) {
	if a.json {
		_ = a.print(object)
		return
	}
	fmt.Fprintf(a.out, format+"\n", args...)
}

// print writes one JSON object.
func (a *app) print(v any) error { return printJSON(a.out, v) }

// printJSON writes one object and a newline in a single Write, so that concurrent lines do not interleave. It escapes
// control characters, because values may be third-party text.
func printJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(protocol.PlainJSON(b.Bytes()))
	return err
}

// quoted writes an argument as a shell wants it.
func quoted(arg string) string {
	if strings.ContainsAny(arg, " \t'\"$&|;<>()*?") {
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return arg
}
