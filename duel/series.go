package duel

import (
	"cmp"
	"context"
	crand "crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/host"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rating"
)

// A Side is one player of a series: a running agent, or a factory of strategies, which makes one for each table.
type Side struct {
	Name     string
	Endpoint string                                           // where it runs
	New      func(chance *rand.Rand) (player.Strategy, error) // nil: it runs somewhere
}

// A Series plays many games of one pairing, in pairs: in the second game the players swap seats and the draw is the
// same, so that luck favors neither. A player that remembers the first game may exploit that.
type Series struct {
	Options
	Sides    [2]Side
	Games    int
	Tables   int          // number of concurrent games, each with separate strategies; default 1
	Unpaired bool         // every game has a separate draw
	SPRT     *rating.SPRT // stops the series once it is decided

	Keep     func(id string, doc []byte) error // is called with every record; nil: records are dropped
	Progress func(Tally)                       // is called after each pair; may be nil

	mu     sync.Mutex
	ledger ledger
	next   int // the pair that is played next
	first  int // the number of the first game
}

// tooManyForfeits is the number of consecutive forfeits by one player that stops a series.
const tooManyForfeits = 5

// Play plays the series. If it returns an error, the tally contains the games before it.
func (s *Series) Play(ctx context.Context) (Tally, error) {
	s.League, s.Round = cmp.Or(s.League, League), cmp.Or(s.Round, 1)
	s.first = 1 + rand.IntN(900_000) // players tell games apart by their ids, also from those of earlier series
	if s.Seed == "" {
		s.Seed = crand.Text()
	}
	group, ctx := errgroup.WithContext(ctx)
	for n := range min(max(s.Tables, 1), (s.Games+1)/2) {
		group.Go(func() error { return s.table(ctx, n) })
	}
	err := group.Wait()
	return s.ledger.sum(true), err
}

// FirstID returns the match id of the first game.
func (s *Series) FirstID() string { return protocol.MatchID(s.Round, s.first) }

// table plays pairs at one table until no pair is left.
func (s *Series) table(ctx context.Context, n int) (err error) {
	var players [2]*Contestant
	defer func() {
		for _, p := range players {
			if p != nil {
				err = errors.Join(err, host.CloseStrategy(p.Strategy))
			}
		}
	}()
	for i, side := range s.Sides {
		if players[i], err = side.contestant(i, Chance(s.Seed, i, n)); err != nil {
			return err
		}
	}
	t := &table{Options: s.Options, contestants: players, records: &scratch{}}
	defer func() { err = errors.Join(err, t.close()) }()
	if err := t.open(ctx); err != nil {
		return err
	}
	for pair := s.take(); pair >= 0; pair = s.take() {
		if err := s.pair(ctx, t, pair); err != nil {
			return err
		}
	}
	return nil
}

// contestant is the side at one table.
func (s Side) contestant(i int, chance *rand.Rand) (*Contestant, error) {
	c := &Contestant{ID: protocol.AgentID(protocol.RolePlayer, i+1), Name: s.Name, Endpoint: s.Endpoint}
	if s.New == nil {
		return c, nil
	}
	var err error
	c.Strategy, err = s.New(chance)
	return c, err
}

// take returns the number of the next pair, or -1 if the series is complete or stopped.
func (s *Series) take() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if 2*s.next >= s.Games || s.ledger.tally.Stopped != "" {
		return -1
	}
	s.next++
	return s.next - 1
}

// pair plays two games with seats swapped, or one if only one is left.
func (s *Series) pair(ctx context.Context, t *table, pair int) error {
	var points []float64
	defer func() { s.count(points) }()
	for game := 2 * pair; game < min(2*pair+2, s.Games); game++ {
		seat := game % 2
		p := pairing{id: protocol.MatchID(s.Round, s.first+game), seats: t.contestants, key: s.key(pair, seat)}
		if seat == 1 {
			slices.Reverse(p.seats[:])
		}
		opening, err := s.opening(p.key)
		if err != nil {
			return err
		}
		doc, rec, err := t.play(ctx, p)
		if err != nil {
			return err
		}
		if s.Keep != nil {
			if err := s.Keep(p.id, doc); err != nil {
				return fmt.Errorf("a game was played, but its record cannot be saved: %w", err)
			}
		}
		s.mu.Lock()
		points = append(points, s.ledger.add(rec, [2]string{t.contestants[0].ID, t.contestants[1].ID}, seat, opening))
		s.mu.Unlock()
	}
	return nil
}

// opening returns the first moves of the game with that key.
func (s *Series) opening(key string) ([]game.Move, error) {
	g, err := s.Rules.Lookup(s.Game)
	if err != nil {
		return nil, err
	}
	raw, err := hex.DecodeString(key)
	if err != nil {
		return nil, err
	}
	_, moves, err := s.Openings.start(g, draw.New(raw))
	return moves, err
}

// key is the key of a game's draw.
func (s *Series) key(pair, seat int) string {
	if !s.Unpaired {
		seat = 0
	}
	return seeded(s.Seed, fmt.Sprintf("game %d.%d", pair, seat))
}

// count adds the points of a pair to the score, stops the series if it is decided, and reports progress.
func (s *Series) count(points []float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &s.ledger
	switch len(points) {
	case 0:
		return
	case 1:
		l.tally.Score.AddGame(points[0])
	default:
		l.tally.Score.AddPair(points[0], points[1])
	}
	s.judge()
	if s.Progress != nil {
		s.Progress(l.sum(false))
	}
}

// judge stops the series if the test is decided or a player keeps forfeiting. The caller holds the lock.
func (s *Series) judge() {
	t := &s.ledger.tally
	for i, n := range s.ledger.streak {
		if n >= tooManyForfeits && t.Stopped == "" {
			t.Stopped = fmt.Sprintf("%s forfeited %d games in a row: %s", s.Sides[i].Name, n, t.Why[i])
		}
	}
	if s.SPRT == nil || t.SPRT != nil && t.SPRT.Verdict != rating.Continue {
		return
	}
	t.SPRT = &Sequential{}
	t.SPRT.LLR, t.SPRT.Lower, t.SPRT.Upper, t.SPRT.Verdict = s.SPRT.Test(t.Score)
	if t.SPRT.Verdict != rating.Continue && t.Stopped == "" {
		t.Stopped = "the test is decided"
	}
}
