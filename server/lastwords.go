package server

import (
	"log/slog"
	"maps"
	"slices"
	"sync"

	"agentleague/store"
)

// lastWords stores the signatures that the players of a league give at its end. Signatures that arrive during a write
// are gathered for the next write.
type lastWords struct {
	kept   store.Document[store.LastWords]
	logger *slog.Logger
	start  func(func()) // runs a function that shutdown waits for

	mu      sync.Mutex
	words   map[string]store.LastWord // by player; nil: the stored list is not read yet
	fresh   bool                      // there are signatures not written yet
	writing bool
}

// hear records a player's signature without waiting for the disk.
func (l *lastWords) hear(player, head, signature string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.words == nil {
		l.restore()
	}
	word := store.LastWord{PlayerID: player, Head: head, Signature: signature}
	if l.words[player] == word {
		return
	}
	l.words[player], l.fresh = word, true
	if !l.writing {
		l.writing = true
		l.start(l.write)
	}
}

// restore reads the signatures stored before a restart of the manager. The caller holds the lock.
func (l *lastWords) restore() {
	l.words = map[string]store.LastWord{}
	before, err := l.kept.Load()
	if err != nil {
		l.logger.Warn("the players' signatures under the end of the log cannot be read and are collected again",
			slog.Any("error", err))
	}
	for _, w := range before.LastWords {
		l.words[w.PlayerID] = w
	}
}

// write writes until all signatures are on disk.
func (l *lastWords) write() {
	for {
		l.mu.Lock()
		if !l.fresh {
			l.writing = false
			l.mu.Unlock()
			return
		}
		l.fresh = false
		list := slices.Collect(maps.Values(l.words))
		l.mu.Unlock()
		if err := l.kept.Save(store.LastWords{LastWords: list}); err != nil {
			l.logger.Error("the players' signatures under the end of the log could not be saved",
				slog.Any("error", err))
		}
	}
}
