package manager_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"agentleague/engine/sim"
	"agentleague/game"
	"agentleague/game/tictactoe"
	"agentleague/league/manager"
	"agentleague/protocol"
)

// A manager reads the records of a closed round again: a record that was damaged on disk is fetched again.
func TestADamagedRecordOfAClosedRoundIsFetchedAgain(t *testing.T) {
	t.Parallel()
	kept := &rottingRecords{keptRecords{docs: map[string][]byte{}}, map[string]int{}}
	rules := tictactoe.Game{}
	s := playGameOverHTTP(t, sim.New(1), func(string) (game.Game, error) { return rules, nil }, manager.Options{
		Game: manager.Game{Type: rules.Info().Type, SeatMatters: true}, Records: kept, Cycles: 4, Pace: 400 * time.Millisecond,
	}, 2, 1)
	kept.mu.Lock()
	defer kept.mu.Unlock()
	for id, m := range s.Matches {
		if doc := kept.docs[id]; m.Round == 1 && (kept.stored[id] < 2 || protocol.RecordHash(doc) != m.Outcome.RecordSHA256) {
			t.Errorf("%s: stored %d times, with the hash %s, want twice and %s", id, kept.stored[id], protocol.RecordHash(doc),
				m.Outcome.RecordSHA256)
		}
	}
}

// rottingRecords flips a byte of each record of round 1 that is stored for the first time.
type rottingRecords struct {
	keptRecords
	stored map[string]int
}

func (k *rottingRecords) Store(match string, doc []byte) error {
	k.mu.Lock()
	k.stored[match]++
	first := k.stored[match] == 1
	k.mu.Unlock()
	if first && strings.HasPrefix(match, "R1") {
		doc = bytes.Clone(doc)
		doc[len(doc)/2] ^= 1
	}
	return k.keptRecords.Store(match, doc)
}
