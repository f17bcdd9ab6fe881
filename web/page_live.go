package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/web/board"
	"agentleague/web/replay"
)

// A wallView is the view of a league's live wall: the boards of the round, the table and the newest results.
type wallView struct {
	view.LeagueHead
	Sequence  uint64          `json:"sequence"`
	Tiles     []tileView      `json:"boards"`
	Standings []view.Row      `json:"standings"`
	RoundNow  *view.RoundNow  `json:"round_now"`
	Newest    []view.MatchRow `json:"newest"`
	Podium    []Step          `json:"podium,omitempty"`
}

// Title returns the page title.
func (v wallView) Title() string { return "Live: " + v.Name }

// Describe returns the sentence that a link to the page is shown with.
func (v wallView) Describe() string { return describeHead(v.LeagueHead) }

// A tileView is a match on a wall: in play as spectators may see it, or finished, to be replayed.
type tileView struct {
	view.MatchRow
	Places  [2]string    `json:"ranks"`         // of the players, in the table
	Why     string       `json:"why,omitempty"` // leaders, upset or nearly over
	Live    bool         `json:"live"`
	Turn    int          `json:"turn,omitempty"` // of a match in play
	Board   *board.Board `json:"board,omitempty"`
	Facts   []board.Fact `json:"-"`
	Players []LivePlayer `json:"-"`
	Frames  string       `json:"-"` // the changes of each position, as JSON, for the replay; "": none
	Stamp   string       `json:"-"` // changes with the content
}

// Asked reports whether a player is to move.
func (t tileView) Asked(id string) bool {
	return slices.ContainsFunc(t.Players, func(p LivePlayer) bool { return p.ID == id && p.Asked && !p.Answered })
}

const (
	tilesMost     = 9                      // boards on a wall
	tileEvery     = 400 * time.Millisecond // the minimum age of a wall that is made again
	tileCacheSize = 512                    // finished matches, and walls
	upsetBy       = 4                      // ranks by which the winner was below the loser
	nearlyOver    = 60                     // percent of the cells that are filled
)

// walls makes the tiles of leagues. Finished matches do not change and are cached. It is safe for concurrent use.
type walls struct {
	*common
	matches *matchPages

	mu   sync.Mutex
	done map[[3]string]tileView // by league, match and attempt
	made map[string]*wall       // by league
}

// A wall has the newest tiles of a league, for all viewers.
type wall struct {
	mu    sync.Mutex
	of    *view.League
	at    time.Time
	tiles []tileView
}

func newWalls(c *common, matches *matchPages) *walls {
	return &walls{common: c, matches: matches, done: map[[3]string]tileView{}, made: map[string]*wall{}}
}

// pages is the live wall.
func (s *walls) pages() []page {
	return []page{{
		path: "/leagues/{league}/live", template: "stadium", nav: "Live", example: wallView{}, view: s.live,
		summary: "Up to nine boards of the round that is played, with the table and the newest results",
		scripts: []string{"league.js", "stadium.js"}, styles: []string{"board.css", "stadium.css"},
	}}
}

// live shows the wall of a league.
func (s *walls) live(r *http.Request, m Season) (any, error) {
	v := s.look(m)
	return wallView{LeagueHead: v.LeagueHead, Sequence: v.Sequence, Tiles: s.tiles(r.Context(), m, v.of), Standings: v.Standings,
		RoundNow: v.RoundNow, Newest: v.Newest, Podium: v.Podium}, nil
}

// tiles returns the matches for the wall of a league, the most interesting first. They are made once for all viewers.
func (s *walls) tiles(ctx context.Context, m Season, l *view.League) []tileView {
	s.mu.Lock()
	w := s.made[m.ID()]
	if w == nil {
		if len(s.made) >= tileCacheSize {
			clear(s.made)
		}
		w = &wall{}
		s.made[m.ID()] = w
	}
	s.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tiles == nil || time.Since(w.at) > tileEvery && (w.of != l || slices.ContainsFunc(w.tiles, func(t tileView) bool { return !t.Done })) {
		w.of, w.tiles = l, []tileView{}
		for _, row := range interesting(l) {
			w.tiles = append(w.tiles, s.tile(ctx, m, l, row))
		}
		w.at = time.Now()
	}
	return w.tiles
}

// interesting selects the matches for a wall: those in play, then the newest results, of the round and before it;
// first the matches of the leaders and the upsets.
func interesting(l *view.League) (out []view.MatchRow) {
	if l.RoundNow != nil {
		out = slices.Clone(l.RoundNow.Matches)
	}
	for _, m := range l.Newest {
		if !slices.ContainsFunc(out, func(o view.MatchRow) bool { return o.ID == m.ID }) {
			out = append(out, m)
		}
	}
	out = slices.DeleteFunc(out, func(m view.MatchRow) bool { return !m.Done && m.Attempt == 0 })
	weight := func(m view.MatchRow) int {
		n := min(rankOf(l, m.A.ID), rankOf(l, m.B.ID))
		switch {
		case !m.Done:
			n -= 2000
		case l.RoundNow != nil && m.Round == l.RoundNow.Round:
			n -= 1000
		}
		if upset(l, m) {
			n -= 500
		}
		return n
	}
	slices.SortStableFunc(out, func(a, b view.MatchRow) int { return cmp.Compare(weight(a), weight(b)) })
	return out[:min(len(out), tilesMost)]
}

// rankOf returns the number of a player's row in the table.
func rankOf(l *view.League, id string) int {
	return slices.IndexFunc(l.Rows, func(r view.Row) bool { return r.PlayerID == id })
}

// upset reports whether the winner of a match ranks far below the loser.
func upset(l *view.League, m view.MatchRow) bool {
	a, b := rankOf(l, m.A.ID), rankOf(l, m.B.ID)
	return m.A.Result == "W" && a-b >= upsetBy || m.B.Result == "W" && b-a >= upsetBy
}

// tile makes the tile of a match.
func (s *walls) tile(ctx context.Context, m Season, l *view.League, row view.MatchRow) tileView {
	t := tileView{MatchRow: row}
	if row.Done {
		t = s.finished(ctx, m, row)
	} else {
		t.Live = true
		if now := s.matches.glimpses.look(ctx, m, row.ID); now != nil {
			t.Players, t.Stamp, t.Turn = now.Players, now.Stamp, now.Turn
			if len(now.Seen) > 0 && len(now.Seen[0].Board.Cells) > 0 {
				t.Board = &now.Seen[0].Board
			}
		}
	}
	a, b := rankOf(l, row.A.ID), rankOf(l, row.B.ID)
	for i, rank := range []int{a, b} {
		if rank >= 0 {
			t.Places[i] = l.Rows[rank].Place
		}
	}
	switch {
	case l.Recorded > 0 && upset(l, row):
		t.Why = "upset"
	case l.Recorded > 0 && min(a, b) < 3:
		t.Why = "leaders"
	case t.Live && filled(t.Board) >= nearlyOver:
		t.Why = "nearly over"
	}
	return t
}

// filled returns the percentage of the cells of a board that are filled.
func filled(b *board.Board) int {
	if b == nil {
		return 0
	}
	n := 0
	for _, cell := range b.Cells {
		if cell != "" {
			n++
		}
	}
	return 100 * n / len(b.Cells)
}

// finished returns the tile of a finished match with its last position and the frames of its replay.
func (s *walls) finished(ctx context.Context, m Season, row view.MatchRow) tileView {
	key := [3]string{m.ID(), row.ID, strconv.Itoa(row.Attempt)}
	s.mu.Lock()
	t, known := s.done[key]
	s.mu.Unlock()
	if known {
		t.MatchRow = row
		return t
	}
	t = tileView{MatchRow: row, Stamp: "done"}
	rec, missing := s.matches.record(ctx, m, row.ID)
	var v MatchView
	m.Read(func(st *league.State) {
		v, _ = matchView(st, row.ID, func(attempt int) (protocol.MatchRecord, bool) {
			return rec, missing == nil && rec.Attempt == attempt
		}, func(string) bool { return false })
	})
	s.matches.place(&v)
	if n := len(v.Positions); n > 0 && len(v.Positions[n-1].Seen) > 0 {
		t.Board, t.Frames = &v.Positions[n-1].Seen[0].Board, replay.Frames(v.Positions)
	}
	if v.Recorded || v.Positions != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.done) >= tileCacheSize {
			clear(s.done)
		}
		s.done[key] = t
	}
	return t
}
