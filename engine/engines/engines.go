// Package engines opens the engine that an address names. To add an engine, write its folder and a row of kinds.
//
//	journal                          files of the root, for one manager
//	nats://a:4222,b:4222,c:4222      a NATS cluster, which any number of managers share
package engines

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"agentleague/engine"
)

// An Engine stores a manager's logs and secrets, with the extensions that a manager uses.
type Engine interface {
	engine.Engine

	// HeldAt records the address of this process, for others that want the same store.
	HeldAt(address string) error

	// KeepHead returns when the head of a log durably covers its newest entry.
	KeepHead(ctx context.Context, log string) error

	// Check answers an [engine.AwayError] while a log is not as the engine left it.
	Check(ctx context.Context, log string) error
}

// An Opener opens an engine for the data directory with that data/ folder. Logger logs its weaknesses.
type Opener func(ctx context.Context, dataDir string, logger *slog.Logger) (Engine, error)

// A Choice is a selected engine. The zero value is the journal.
type Choice struct {
	shared bool
	open   Opener
	bare   func(ctx context.Context, dataDir string, logger *slog.Logger) (Bare, error)
}

// Own is an engine without an address, such as one in memory. shared means that several managers have it open.
func Own(shared bool, open Opener) Choice { return Choice{shared: shared, open: open} }

// defaultEngine is the address of the default engine.
const defaultEngine = "journal"

// A kind is an engine that an address names.
type kind struct {
	example string // an address, for the help; "": the scheme is another one of the same engine
	choose  func(address string, o Options) (Choice, error)
}

// kinds are the engines by the scheme of their address.
var kinds = map[string]kind{
	defaultEngine: {defaultEngine, chooseJournal},
	"nats":        {"nats://USER:PASSWORD@a:4222,b:4222,c:4222", chooseNATS},
	"tls":         {"", chooseNATS},
}

// Examples lists an address of each engine.
func Examples() (out []string) {
	for _, scheme := range slices.Sorted(maps.Keys(kinds)) {
		if example := kinds[scheme].example; example != "" {
			out = append(out, example)
		}
	}
	return out
}

// Options are the choices that no address has.
type Options struct {
	InsecureNATS bool // NATS servers of other machines may be used without credentials
}

// Parse reads an address; "" is the journal's. It opens nothing: an error describes the address.
func Parse(address string, o Options) (Choice, error) {
	scheme, _, _ := strings.Cut(address, "://")
	if address == "" {
		scheme = defaultEngine
	}
	known, ok := kinds[scheme]
	if !ok {
		return Choice{}, fmt.Errorf("use one of %s, got %q", strings.Join(slices.Sorted(maps.Keys(kinds)), ", "), scheme)
	}
	return known.choose(address, o)
}

// Shared reports whether several managers can have the engine open, each with a separate data directory.
func (c Choice) Shared() bool { return c.shared }

// Open opens the engine for the data directory with that data/ folder. Logger logs its weaknesses.
func (c Choice) Open(ctx context.Context, dataDir string, logger *slog.Logger) (Engine, error) {
	if c.open == nil {
		return openJournal(ctx, dataDir, logger)
	}
	return c.open(ctx, dataDir, logger)
}
