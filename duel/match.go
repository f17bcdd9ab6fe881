// Package duel plays matches outside of any league: the real referee, two
// players, and an organizer in place of a manager.
//
//	Match  ─▶ one game at one table
//	Series ─▶ many games of one pairing at several tables, in pairs with seats swapped
//
// Every agent has a separate port, hosted strategies too: a match is the same as
// in a league, with its timeouts, retries and record. Nothing is stored unless
// the caller stores it.
package duel

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"

	"agentleague/game/catalog"
	"agentleague/game/draw"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
)

// League is the default league id of matches outside of leagues.
const League = "friendly"

// refereeID is the id of the referee of a single match.
const refereeID = "REF01"

// A Contestant is one player of a match: a running agent, or a strategy that this process hosts.
type Contestant struct {
	ID       string
	Name     string // as it was asked for
	Endpoint string
	Dialect  string          // the known dialect of a running agent
	Strategy player.Strategy // nil: it runs somewhere
}

// Options are the settings of a match.
type Options struct {
	Game    string
	Rules   catalog.Catalog // that the game is one of
	Policy  referee.Policy
	Caller  rpc.Options                     // for calls of running agents
	Logger  func(agent string) *slog.Logger // of each agent that is hosted
	Observe func(rpc.Message)               // is called with every message of the referee
	Ready   func()                          // is called when both players are there, before the match begins

	Seed     string   // seed of draws and of the randomness of built-in players; "": random
	Openings Openings // of games in which both see everything

	League   string // the league id; default: [League]
	Round    int    // its round there; default: the first
	Announce bool   // running agents receive an announcement before the match, as in a league
}

// A Match is a single match. Each of its agents has a separate port.
type Match struct {
	ID          string
	Contestants [2]*Contestant
	Options

	kept  referee.Memory
	judge *referee.Referee
}

// New returns a match with a random id, since players remember matches by id.
func New(contestants [2]*Contestant, o Options) *Match {
	o.League, o.Round = cmp.Or(o.League, League), cmp.Or(o.Round, 1)
	return &Match{ID: protocol.MatchID(o.Round, 1+rand.IntN(999_999)), Contestants: contestants, Options: o}
}

// Play plays the match to its end and returns its record, as bytes and decoded. It returns [ErrNobody] if a running
// agent does not answer and [ErrInterrupted] if ctx ends first.
func (f *Match) Play(ctx context.Context) (doc []byte, rec protocol.MatchRecord, err error) {
	t := &table{Options: f.Options, contestants: f.Contestants, records: &f.kept}
	defer func() { err = errors.Join(err, t.close()) }()
	if err := t.open(ctx); err != nil {
		return nil, rec, err
	}
	f.judge = t.judge
	if f.Ready != nil {
		f.Ready()
	}
	p := pairing{id: f.ID, seats: f.Contestants}
	if f.Seed != "" {
		p.key = seeded(f.Seed, "game 0.0")
	}
	return t.play(ctx, p)
}

// Chance returns the random source of the built-in player of a side at a table. Sides and tables are counted from 0.
func Chance(seed string, side, table int) *rand.Rand {
	return draw.New([]byte(seeded(seed, fmt.Sprintf("player %d.%d", side, table))))
}

// seeded is a key that follows from a seed.
func seeded(seed, what string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "series %s %s", seed, what))
	return hex.EncodeToString(sum[:])
}

// Spectate returns a spectator's view of the match in progress, in the game's JSON; nil without a match in progress. It
// is meant to be called from Options.Observe.
func (f *Match) Spectate() json.RawMessage {
	if f.judge == nil {
		return nil
	}
	told, err := f.judge.Tell(f.League, f.ID)
	if err != nil {
		return nil
	}
	return told.Spectator
}
