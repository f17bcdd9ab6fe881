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
	rooted    bool             // the root was given, and is not only the default
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

// shown sanitizes an error for a terminal: it may contain third-party text.
type shown struct{ error }

// Error is without control characters: part of it may be an agent's own words.
func (e shown) Error() string { return term.PlainLines(e.error.Error()) }
func (e shown) Unwrap() error { return e.error }

// errReported is a failure that was already printed.
var errReported = errors.New("failed")

// errDoubt is the end of a verification with unproven parts and no difference. It was already printed.
var errDoubt = errors.New("not everything is proven")

// say prints a result, as a JSON object or as a line.
func (a *app) say(object any, format string, args ...any) {
	if a.json {
		_ = a.print(object)
		return
	}
	fmt.Fprintf(a.out, format+"\n", args...)
}

// print writes one JSON object.
func (a *app) print(v any) error { return printJSON(a.out, v) }

// printJSON writes one object and a line feed in one call, so that lines of many goroutines do not mix. It escapes
// control characters: values may be third-party text on a terminal.
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
