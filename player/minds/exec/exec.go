// Package exec is a strategy that runs in an external program: any program that reads
// lines and writes lines.
//
//	turn ─▶ one line of JSON on its standard input
//	move ◀─ one line on its standard output: "even", 4, or {"move":"even"}
//
// The program is started with the first turn and runs until the strategy is closed. A
// program that exits, or does not answer in time, is restarted with the next turn.
package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"slices"
	"strings"
	"time"

	"agentleague/game"
	"agentleague/internal/child"
	"agentleague/player"
)

// Options configures a Mind. Zero values select the defaults.
type Options struct {
	Stderr io.Writer // receives the standard error of the program, line by line; default: this process's own
}

// New returns a strategy that runs a command line. Words are separated by spaces, and quotes protect spaces in words,
// as in a shell; no other shell syntax is supported. New fails if the program does not exist, but does not start it.
func New(command string, o Options) (*Mind, error) {
	words, err := split(command)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, errors.New("name a program, such as exec:./player or exec:'python3 player.py'")
	}
	path, err := osexec.LookPath(words[0])
	if err != nil {
		return nil, fmt.Errorf("the program cannot be started: %w", err)
	}
	if o.Stderr == nil {
		o.Stderr = os.Stderr
	}
	return &Mind{path: path, args: words[1:], name: words[0], opts: o, free: make(chan struct{}, 1)}, nil
}

// A Mind asks a program for moves, one at a time. It is safe for concurrent use.
type Mind struct {
	path, name string
	args       []string
	opts       Options

	free    chan struct{} // full while a question is open
	program *program      // nil: not running
	failed  failure
	closed  bool
}

// A failure is why the program gave no valid answer to the last question. It is sent along when the question is
// repeated.
type failure struct {
	match string
	turn  int
	why   string
}

// Choose sends the turn to the program and returns its move. The program must answer shortly before ctx ends; a late or
// illegal answer is an error.
func (m *Mind) Choose(ctx context.Context, v game.View) (game.Move, error) {
	if len(v.Options) == 0 {
		return nil, errors.New("nothing may be played")
	}
	ctx, cancel := early(ctx)
	defer cancel()
	select {
	case m.free <- struct{}{}:
		defer func() { <-m.free }()
	case <-ctx.Done():
		return nil, fmt.Errorf("%s is still thinking about another match", m.name)
	}
	b := player.Brief(ctx, pastMatches)
	if was := m.failed; b.Refused == "" && was.match == b.ID && was.turn == v.Turn {
		b.Refused = was.why
	}
	move, err := m.ask(ctx, lineFor(ctx, v, b), v.Options)
	m.failed = failure{}
	if err != nil {
		m.failed = failure{b.ID, v.Turn, err.Error()}
		return nil, fmt.Errorf("%s %w", m.name, err)
	}
	return move, nil
}

// ask sends one question to the program. A program that does not answer in time is killed: otherwise its late answer
// would be read as the answer to the next question.
func (m *Mind) ask(ctx context.Context, line []byte, options []game.Move) (game.Move, error) {
	if err := m.start(); err != nil {
		return nil, err
	}
	answer, err := m.program.ask(ctx, line)
	if err != nil {
		m.program.kill()
		m.program = nil
		return nil, err
	}
	return read(answer, options)
}

// start starts the program if it is not running.
func (m *Mind) start() error {
	if m.closed {
		return errors.New("is closed")
	}
	if m.program != nil && !m.program.ended() {
		return nil
	}
	p, err := run(m.path, m.args, &child.Prefixed{To: m.opts.Stderr, Prefix: m.name + ": "})
	if err != nil {
		return fmt.Errorf("cannot be started: %w", err)
	}
	m.program = p
	return nil
}

// Close ends the program and all its child processes. It waits for a question in progress.
func (m *Mind) Close() error {
	m.free <- struct{}{}
	defer func() { <-m.free }()
	m.closed = true
	if m.program != nil {
		m.program.close()
		m.program = nil
	}
	return nil
}

// early returns a context that ends shortly before ctx, so that the referee receives the error in time.
func early(ctx context.Context) (context.Context, context.CancelFunc) {
	due, bound := ctx.Deadline()
	if !bound {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, due.Add(-min(time.Until(due)/10, time.Second/2)))
}

// read parses the move in an answer: JSON, JSON in the field "move", or one of the options as plain text.
func read(answer []byte, options []game.Move) (game.Move, error) {
	text := strings.TrimSpace(string(answer))
	var inside struct {
		Move json.RawMessage `json:"move"`
	}
	if json.Unmarshal(answer, &inside) == nil && inside.Move != nil {
		text = string(inside.Move)
	}
	i := slices.IndexFunc(options, func(o game.Move) bool { return same(text, o) })
	if i < 0 {
		var legal []string
		for _, o := range options {
			legal = append(legal, player.Written(o))
		}
		return nil, fmt.Errorf("answered %.100q, which is no legal move; use one of %s", text, clip(strings.Join(legal, ", ")))
	}
	return options[i], nil
}

// same reports whether a text is an option, as JSON or as plain text.
func same(text string, option game.Move) bool {
	if text == player.Written(option) {
		return true
	}
	var a, b any
	if json.Unmarshal([]byte(text), &a) != nil || json.Unmarshal(option, &b) != nil {
		return false
	}
	left, _ := json.Marshal(a) // both have just been read
	right, _ := json.Marshal(b)
	return string(left) == string(right)
}

// clip shortens a list for a sentence.
func clip(text string) string {
	if len(text) > 300 {
		return text[:300] + "…"
	}
	return text
}
