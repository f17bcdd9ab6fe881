package rpc

import (
	"log/slog"
	"sync"
	"time"
)

// warned remembers which warnings were logged. Its zero value is ready, and it is safe for concurrent use.
type warned struct {
	mu sync.Mutex
	at map[string]time.Time // by text and subject
}

// warnEvery is how often a warning about one subject is logged.
const warnEvery = time.Minute

// warn logs a warning about a subject, unless it was logged within the last minute.
func (w *warned) warn(log *slog.Logger, text, about string) {
	w.mu.Lock()
	last, known := w.at[text+about]
	due := !known || time.Since(last) >= warnEvery
	if due {
		if w.at == nil || len(w.at) > 64 {
			w.at = map[string]time.Time{}
		}
		w.at[text+about] = time.Now()
	}
	w.mu.Unlock()
	if due {
		log.Warn(text, slog.String("address", about))
	}
}
