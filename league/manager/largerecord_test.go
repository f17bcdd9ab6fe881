package manager_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"agentleague/engine/sim"
	"agentleague/game"
	"agentleague/game/tictactoe"
	"agentleague/league/manager"
	"agentleague/protocol"
)

// A record larger than any message is fetched from its referee in parts, and equals the reported one.
func TestRecordLargerThanAMessageIsKeptOverHTTP(t *testing.T) {
	t.Parallel()
	kept := &keptRecords{docs: map[string][]byte{}}
	rules := verbose{tictactoe.Game{}}
	s := playGameOverHTTP(t, sim.New(1), func(string) (game.Game, error) { return rules, nil }, manager.Options{
		Game: manager.Game{Type: rules.Info().Type, SeatMatters: true}, Records: kept,
	}, 2, 1)
	for id, m := range s.Matches {
		doc := kept.docs[id]
		if len(doc) < 1<<20 || protocol.RecordHash(doc) != m.Outcome.RecordSHA256 {
			t.Errorf("%s: a record of %d bytes with hash %s is kept, want more than 1 MiB with %s", id, len(doc),
				protocol.RecordHash(doc), m.Outcome.RecordSHA256)
		}
		if rec, err := protocol.ParseRecord(doc); err != nil || rec.MatchID != id {
			t.Errorf("%s: got the record of %q, %v", id, rec.MatchID, err)
		}
	}
}

// verbose is a game with unnecessarily long views, with multi-byte letters and quotes.
type verbose struct{ game.Game }

func (g verbose) Start(seats int, rng *rand.Rand) (game.State, error) {
	s, err := g.Game.Start(seats, rng)
	return wordy{s}, err
}

type wordy struct{ game.State }

func (s wordy) View(seat game.Seat) game.View {
	v := s.State.View(seat)
	story, _ := json.Marshal(strings.Repeat(`é"€`, 16_000))
	v.Context = bytes.Join([][]byte{v.Context[:len(v.Context)-1], []byte(`,"story":`), story, []byte("}")}, nil)
	return v
}

// keptRecords keeps records in memory.
type keptRecords struct {
	mu   sync.Mutex
	docs map[string][]byte
}

func (k *keptRecords) Has(match, hash string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.docs[match] != nil && (hash == "" || protocol.RecordHash(k.docs[match]) == hash)
}

func (k *keptRecords) Store(match string, doc []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.docs[match] = doc
	return nil
}
