package server

import (
	"log/slog"
	"maps"
	"slices"
	"sync"

	"agentleague/store"
)

// finalSignatures stores the players' signatures of the end of a league. It writes in batches: signatures that arrive
// during a write are stored by the next one.
type finalSignatures struct {
	kept   store.Document[store.FinalSignatures]
	logger *slog.Logger
	start  func(func()) // runs a function that shutdown waits for

	mu         sync.Mutex
	signatures map[string]store.FinalSignature // by player; nil: the stored list is not read yet
	fresh      bool                            // there are signatures not written yet
	writing    bool
}

// add stores a player's signature in the background.
func (l *finalSignatures) add(player, head, signature string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.signatures == nil {
		l.restore()
	}
	signed := store.FinalSignature{PlayerID: player, Head: head, Signature: signature}
	if l.signatures[player] == signed {
		return
	}
	l.signatures[player], l.fresh = signed, true
	if !l.writing {
		l.writing = true
		l.start(l.write)
	}
}

// restore reads the stored signatures. The caller holds the lock.
func (l *finalSignatures) restore() {
	l.signatures = map[string]store.FinalSignature{}
	before, err := l.kept.Load()
	if err != nil {
		l.logger.Warn("the players' signatures under the end of the log cannot be read and are collected again",
			slog.Any("error", err))
	}
	for _, s := range before.Signatures {
		l.signatures[s.PlayerID] = s
	}
}

// write writes until all signatures are on disk.
func (l *finalSignatures) write() {
	for {
		l.mu.Lock()
		if !l.fresh {
			l.writing = false
			l.mu.Unlock()
			return
		}
		l.fresh = false
		list := slices.Collect(maps.Values(l.signatures))
		l.mu.Unlock()
		if err := l.kept.Save(store.FinalSignatures{Signatures: list}); err != nil {
			l.logger.Error("the players' signatures under the end of the log could not be saved",
				slog.Any("error", err))
		}
	}
}
