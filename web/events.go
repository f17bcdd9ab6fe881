package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"
)

const (
	heartbeat         = 15 * time.Second
	writeTimeout      = 15 * time.Second // that a viewer may take for one piece
	maxHistoryReaders = 8                // viewers that read the log at the same time
)

// streams sends the logs of leagues to viewers.
type streams struct {
	*common
	reading chan struct{} // has an element for each viewer that is reading the log
}

// serve streams the log of a league: the entries after the one in the header Last-Event-ID or else in the query
// parameter after, or else all.
func (s *streams) serve(w http.ResponseWriter, r *http.Request, m Season) error {
	after, err := lastSeen(r, m)
	if err != nil {
		return err
	}
	leave, full := s.viewers.enter()
	defer leave()
	if full {
		w.Header().Set("Retry-After", "5")
		return &problem{Status: http.StatusServiceUnavailable, What: "Too many viewers are connected.", Do: "Try again in a moment, or load the page without live updates."}
	}
	v := &viewer{
		reading: s.reading, m: m, hub: s.watched(m).hub, w: w, control: http.NewResponseController(w), packs: unpacks(r),
		at: after,
	}
	v.hub.join()
	defer v.hub.leave()
	if err := v.serve(r.Context()); err != nil && r.Context().Err() == nil {
		s.Logger.Debug("a viewer was dropped", slog.String("league_id", m.ID()), slog.Any("error", err))
	}
	return nil
}

// lastSeen returns the sequence of the last entry that a viewer received. A sequence beyond the log belongs to
// another log: the stream restarts from the beginning.
func lastSeen(r *http.Request, m Season) (uint64, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("after")
	}
	if text == "" {
		return 0, nil
	}
	seq, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, badRequest("after: want the number of a log entry, got "+said(text, 40)+".", "Leave it out to start "+
			"with the first entry.")
	}
	if seq > m.Sequence() {
		return 0, nil
	}
	return seq, nil
}

// A viewer is a client that follows a league.
type viewer struct {
	reading chan struct{}
	m       Season
	hub     *hub
	w       http.ResponseWriter
	control *http.ResponseController
	packs   bool
	at      uint64 // the entry that was sent last
}

// errSlow ends the stream of a viewer that reads more slowly than the league plays. Its browser reconnects
// automatically, and continues after the last entry that it has.
var errSlow = errors.New("too slow: what comes next is not remembered; it can come again")

// serve sends entries until the viewer leaves, the manager ends, or the viewer is too slow.
func (v *viewer) serve(ctx context.Context) error {
	h := v.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	h.Set("Vary", "Accept-Encoding")
	_ = v.control.SetReadDeadline(time.Time{}) // a request that never ends
	if v.packs {
		h.Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(v.w, packHead)
	}
	if err := v.send(piece{body: []byte("retry: 1000\n\n")}); err != nil {
		return err
	}
	if err := v.catchUp(ctx); err != nil {
		return err
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		p, last, grown, known := v.hub.after(v.at)
		switch {
		case !known:
			return errSlow
		case p.body != nil:
			if err := v.send(p); err != nil {
				return err
			}
			v.at = last
			continue
		}
		select {
		case <-grown:
		case <-beat.C:
			if err := v.send(piece{body: []byte(":\n\n")}); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		case <-v.m.Ended():
			return nil
		}
	}
}

// catchUp sends the entries that the hub does not hold, from the log.
func (v *viewer) catchUp(ctx context.Context) error {
	if v.known() {
		return nil
	}
	select {
	case v.reading <- struct{}{}:
		defer func() { <-v.reading }()
	case <-ctx.Done():
		return nil
	}
	var out []byte
	for e, err := range v.m.Follow(ctx, v.at) {
		if err != nil {
			return err
		}
		out, v.at = appendEvent(out, e), e.Seq
		done := v.known()
		if done || len(out) >= chunkBytes {
			if err := v.send(piece{body: out}); err != nil {
				return err
			}
			out = out[:0]
		}
		if done {
			return nil
		}
	}
	return nil
}

// known reports whether the hub holds the viewer's next entry.
func (v *viewer) known() bool {
	_, _, _, known := v.hub.after(v.at)
	return known
}

// send writes a piece to one viewer and flushes it. A viewer that accepts none of it within writeTimeout is dropped.
func (v *viewer) send(p piece) error {
	b := p.body
	if v.packs {
		if b = p.packed; b == nil {
			b = packPiece(p.body)
		}
	}
	_ = v.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := v.w.Write(b); err != nil {
		return err
	}
	return v.control.Flush()
}
