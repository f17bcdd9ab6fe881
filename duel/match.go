// Package duel plays matches outside of any league: the real referee, two
// players, and an organizer where a manager would be.
//
//	Match  ─▶ one game at one table
//	Series ─▶ many games of one pairing at several tables, in pairs with seats swapped
//
// Everybody is at a port of its own, a strategy that is hosted here as well: a
// match is what it is in a league, with its timeouts, retries and record.
// Nothing is kept unless the caller keeps it.
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

// League is what the league of matches is called that belong to none.
const League = "friendly"

// refereeID is the id of the referee of a single match.
const refereeID = "REF01"

// A Contestant is one player of a match: one that runs somewhere, or a strategy
// that is played here.
type Contestant struct {
	ID       string
	Name     string // as it was asked for
	Endpoint string
	Dialect  string          // what is known of how one that runs somewhere wants to be spoken to
	Strategy player.Strategy // nil: it runs somewhere
}

// Options are what a match is played with.
type Options struct {
	Game    string
	Rules   catalog.Catalog // that the game is one of
	Policy  referee.Policy
	Caller  rpc.Options                     // how those are called who run somewhere
	Logger  func(agent string) *slog.Logger // of each agent that is hosted
	Observe func(rpc.Message)               // told of every message of the referee
	Ready   func()                          // told when both players are there, before the match begins

	Seed     string   // what draws and the chance of built-in players follow from; "": chance
	Openings Openings // of games in which both see everything

	League   string // what its league is called; default: [League]
	Round    int    // its round there; default: the first
	Announce bool   // those who run somewhere hear of the match before it begins, as in a league
}

// A Match is one that is played here. Each of its agents has a port of its own.
type Match struct {
	ID          string
	Contestants [2]*Contestant
	Options

	kept  referee.Memory
	judge *referee.Referee
}

// New returns a match under an id that its players have not met before: they
// tell matches apart by it.
func New(contestants [2]*Contestant, o Options) *Match {
	o.League, o.Round = cmp.Or(o.League, League), cmp.Or(o.Round, 1)
	return &Match{ID: protocol.MatchID(o.Round, 1+rand.IntN(999_999)), Contestants: contestants, Options: o}
}

// Play plays the match to its end and returns its record.
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

// Chance is what the built-in player of a side draws from at a table, all of them counted from 0.
func Chance(seed string, side, table int) *rand.Rand {
	return draw.New([]byte(seeded(seed, fmt.Sprintf("player %d.%d", side, table))))
}

// seeded is a key that follows from a seed.
func seeded(seed, what string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "series %s %s", seed, what))
	return hex.EncodeToString(sum[:])
}

// Spectate returns what one may see of the match who has no seat, in the game's own JSON, while it is played. It is for
// those who are told of its messages.
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
