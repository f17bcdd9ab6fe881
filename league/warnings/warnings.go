// Package warnings lists recent refused attempts for the organizer of a league.
package warnings

import (
	"slices"
	"sync"
	"time"

	"agentleague/protocol"
)

const (
	warnEvery      = time.Minute // per key and address
	maxWarnings    = 64          // listed in total
	maxWarningsPer = 8           // listed per address, so that one address cannot evict the warnings of others
)

// A warning is listed once per key and address.
type warning struct {
	key    string
	logged time.Time
	protocol.Warning
}

// A List holds the recent warnings of a league. Its zero value is empty. It is safe for concurrent use.
type List struct {
	mu   sync.Mutex
	list []*warning // the newest last
}

// Add lists a warning and reports whether it must be logged now: once per minute for the same key and address.
// The key names the kind of attempt, or the agent that it is about, for [List.Clear].
func (w *List) Add(key, text, address string) (log bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	i := slices.IndexFunc(w.list, func(o *warning) bool { return o.key == key && o.Address == address })
	if i < 0 {
		if w.full(address, now) {
			return false
		}
		w.list = append(w.list, &warning{key: key, Warning: protocol.Warning{Address: address}})
		i = len(w.list) - 1
	}
	one := w.list[i]
	one.Text, one.At = protocol.Clip(protocol.Plain(text), MaxText), protocol.Stamp(now)
	one.Count++
	if log = now.Sub(one.logged) >= warnEvery; log {
		one.logged = now
	}
	w.list = append(slices.Delete(w.list, i, i+1), one)
	return log
}

// MaxText limits the text of a warning, parts of which are untrusted.
const MaxText = 500

// full reports whether an address has used up its warnings for the last minute. Otherwise it removes an old warning if
// the list is full.
func (w *List) full(address string, now time.Time) bool {
	own := func(o *warning) bool { return o.Address == address }
	count := 0
	for _, o := range w.list {
		if own(o) {
			count++
		}
	}
	oldest := 0
	if count >= maxWarningsPer {
		oldest = slices.IndexFunc(w.list, own)
		if now.Sub(w.list[oldest].logged) < warnEvery {
			return true
		}
	}
	if count >= maxWarningsPer || len(w.list) >= maxWarnings {
		w.list = slices.Delete(w.list, oldest, oldest+1)
	}
	return false
}

// Clear removes the warnings of a key, from all addresses.
func (w *List) Clear(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = slices.DeleteFunc(w.list, func(o *warning) bool { return o.key == key })
}

// All returns the warnings, the newest last.
func (w *List) All() []protocol.Warning {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]protocol.Warning, len(w.list))
	for i, o := range w.list {
		out[i] = o.Warning
	}
	return out
}
