package wasm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"

	"agentleague/game"
	"agentleague/game/draw"
)

// Extension is how the name of a module ends.
const Extension = ".wasm"

// A Game is a game whose rules are a module. It is safe for concurrent use.
type Game struct {
	module *module
	info   game.Info
	digest string
	code   []byte
}

// Load returns the game in a file below root. A file is compiled once per process. The end of ctx cancels compilation.
// An error names the file.
func Load(ctx context.Context, root fs.FS, name string) (*Game, error) {
	if !fs.ValidPath(name) || !strings.HasSuffix(name, Extension) {
		return nil, fmt.Errorf("%.100q: want the name of a %s file below the root, without .. and with /", name, Extension)
	}
	code, err := read(root, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	g, err := New(ctx, name, code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return g, nil
}

// read returns a file, truncated to one byte more than the maximum size.
func read(root fs.FS, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		if broken := (*fs.PathError)(nil); errors.As(err, &broken) {
			err = broken.Err // the caller adds the file name
		}
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxModule+1))
}

// loaded caches every game of this process by file name and digest.
var loaded sync.Map

// New returns the game in a module with that name. It validates the module's description and starts a match, so that a
// broken module is rejected before a league uses it.
func New(ctx context.Context, name string, code []byte) (*Game, error) {
	key := [2]string{name, digest(code)}
	if g, ok := loaded.Load(key); ok {
		return g.(*Game), nil
	}
	m, err := compile(ctx, code)
	if err != nil {
		return nil, err
	}
	g := &Game{module: m, digest: key[1], code: bytes.Clone(code)}
	if g.info, err = m.describe(name); err == nil {
		err = g.try()
	}
	if err != nil {
		m.close()
		return nil, err
	}
	kept, _ := loaded.LoadOrStore(key, g)
	return kept.(*Game), nil
}

// try starts a match.
func (g *Game) try() error {
	s, err := g.Start(g.info.MinSeats, draw.New(nil))
	if err == nil {
		err = s.(*state).Failed()
	}
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	return nil
}

// Info describes the game.
func (g *Game) Info() game.Info { return clone(g.info) }

// Digest returns the SHA-256 of the module in hex. Equal digests mean equal rules.
func (g *Game) Digest() string { return g.digest }

// Code returns a copy of the module.
func (g *Game) Code() []byte { return bytes.Clone(g.code) }

// Start begins a match. If the module fails, the match is over at once; see [game.Failing].
func (g *Game) Start(seats int, rng *rand.Rand) (game.State, error) {
	if err := g.info.CheckSeats(seats); err != nil {
		return nil, err
	}
	s := &state{game: g, seats: seats, rng: rng}
	s.step(request{Op: opStart, Seats: seats})
	return s, nil
}
