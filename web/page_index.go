package web

import (
	"cmp"
	"context"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"agentleague/league/view"
	"agentleague/protocol"
)

// indexView is a page of the list of this manager's leagues.
type indexView struct {
	Leagues []view.LeagueHead `json:"leagues"`
	Total   int               `json:"total"` // the number of matching leagues
	Page    int               `json:"page"`  // its number, from 1
	Pages   int               `json:"pages"`
	Search  string            `json:"q,omitempty"`
	Only    string            `json:"state,omitempty"`

	all   int // all leagues, matching or not
	only  string
	Seats bool `json:"-"` // a person can take a seat

	hidden string                                // the data directory's default league, which no agent has joined
	card   func(head view.LeagueHead) leagueCard // loads what the page shows of a league
}

// A leagueCard is a league on the front page.
type leagueCard struct {
	view.LeagueHead
	Tile  *tileView   // a board of a league that is played
	Lobby *view.Lobby // of a league before its start
}

// boardsOnFront limits the leagues with a board on the front page.
const boardsOnFront = 6

// Playing lists the leagues that are played, the first of them with a board.
func (v indexView) Playing() []leagueCard {
	return v.cards(func(h view.LeagueHead) bool { return !h.Waiting() && !h.Over() })
}

// Starting lists the leagues before their start, the next one first.
func (v indexView) Starting() []leagueCard {
	out := v.cards(view.LeagueHead.Waiting)
	slices.SortStableFunc(out, func(a, b leagueCard) int {
		return cmp.Compare(a.startsAt(), b.startsAt())
	})
	return out
}

// startsAt returns the time of the start for sorting; a league without one is last.
func (c leagueCard) startsAt() int64 {
	if c.Lobby == nil || !c.Lobby.Timed() {
		return math.MaxInt64
	}
	return c.Lobby.StartsAt.Unix()
}

// Finished lists the leagues that are over.
func (v indexView) Finished() []leagueCard { return v.cards(view.LeagueHead.Over) }

// cards returns the leagues of a kind. An empty league that was created automatically is left out.
func (v indexView) cards(of func(view.LeagueHead) bool) (out []leagueCard) {
	for _, head := range v.Leagues {
		if head.ID == v.hidden || !of(head) {
			continue
		}
		c := leagueCard{LeagueHead: head}
		if len(out) < boardsOnFront && !head.Over() && v.card != nil {
			c = v.card(head)
		}
		out = append(out, c)
	}
	return out
}

// load adds the board or the lobby of a league.
func (s *indexPages) load(ctx context.Context, head view.LeagueHead) leagueCard {
	c := leagueCard{LeagueHead: head}
	m, ok := s.Host.League(head.ID)
	if !ok {
		return c
	}
	l := s.look(m).of
	if c.Lobby = l.Lobby; l.Lobby == nil {
		if tiles := s.walls.tiles(ctx, m, l); len(tiles) > 0 {
			shown := slices.IndexFunc(tiles, func(t tileView) bool { return t.Board != nil })
			c.Tile = &tiles[max(shown, 0)]
		}
	}
	return c
}

// The number of leagues on a page, by default and at most.
const (
	listed     = 100
	listedMost = 500
)

// shortStates maps short names to the states of a league, for filters.
var shortStates = map[string][]string{
	"waiting": {protocol.WaitingForRegistrations, protocol.CreatingSchedule, ""},
	"playing": {protocol.RunningLeague},
	"over":    {protocol.LeagueIsCompleted, protocol.LeagueIsCancelled},
	"open":    {protocol.WaitingForRegistrations, protocol.CreatingSchedule, protocol.RunningLeague, ""},
}

// Title returns the page title.
func (indexView) Title() string { return "Leagues" }

// Over reports whether a league is over, so that there are ratings over all leagues.
func (v indexView) Over() bool { return slices.ContainsFunc(v.Leagues, view.LeagueHead.Over) }

// Away returns the address that browsers are redirected to: the league's if it is the only one, or "".
func (v indexView) Away() string { return v.only }

// Many reports whether there are enough leagues for a search field.
func (v indexView) Many() bool { return v.all > 10 }

// States lists the filters by state.
func (indexView) States() []string { return []string{"waiting", "playing", "over", "open"} }

// Earlier returns the query of the page before this one; "": there is none.
func (v indexView) Earlier() template.URL { return v.at(v.Page - 1) }

// Later returns the query of the page after this one; "": there is none.
func (v indexView) Later() template.URL { return v.at(v.Page + 1) }

// at returns the query of a page with the present filter; "" if there is no such page.
func (v indexView) at(page int) template.URL {
	if page < 1 || page > v.Pages {
		return ""
	}
	q := url.Values{"page": {strconv.Itoa(page)}}
	if v.Search != "" {
		q.Set("q", v.Search)
	}
	if v.Only != "" {
		q.Set("state", v.Only)
	}
	return template.URL(q.Encode()) //nolint:gosec // it is encoded
}

// indexPages show the leagues of the manager.
type indexPages struct {
	*common
	walls *walls
}

// pages are the list of leagues, and the root of the site, which redirects to the league if it is the only one.
func (s *indexPages) pages() []page {
	return []page{
		{path: "/", template: "index", summary: "All leagues of this manager", view: s.index(true), example: indexView{},
			styles: frontStyles, scripts: frontScripts},
		{path: "/leagues", template: "index", view: s.index(false), example: indexView{}, styles: frontStyles, scripts: frontScripts,
			summary: "The leagues of this manager, 100 at a time: page, limit (at most 500), q (a part of the id), state " +
				"(waiting, playing, over, open), archived=1 for those that were put away, brief=1 for ids and states alone"},
	}
}

// The styles and scripts of the front page, which has boards.
var (
	frontStyles  = []string{"board.css", "run.css", "stadium.css"}
	frontScripts = []string{"stadium.js"}
)

// index lists the leagues. With jump, a list with one league redirects to it.
func (s *indexPages) index(jump bool) func(*http.Request, Season) (any, error) {
	return func(r *http.Request, _ Season) (any, error) {
		q := r.URL.Query()
		v := indexView{Leagues: []view.LeagueHead{}, Search: strings.TrimSpace(q.Get("q")), Only: q.Get("state")}
		if _, known := shortStates[v.Only]; !known && v.Only != "" {
			return nil, badRequest("There is no state "+said(v.Only, 32)+".", "Use one of waiting, playing, over, open.")
		}
		all := s.Host.Leagues()
		v.all = len(all)
		away := q.Get("archived") != ""
		wanted := slices.DeleteFunc(all, func(id string) bool {
			return away != (s.Archived != nil && s.Archived(id)) || !s.wanted(id, v.Search, v.Only)
		})
		limit := between(q.Get("limit"), listed, listedMost)
		v.Total, v.Pages = len(wanted), max(1, (len(wanted)+limit-1)/limit)
		v.Page = between(q.Get("page"), 1, v.Pages)
		from := (v.Page - 1) * limit
		for _, id := range wanted[from:min(from+limit, len(wanted))] {
			if head, ok := s.head(id, q.Get("brief") != ""); ok || s.Archived != nil && s.Archived(id) {
				v.Leagues = append(v.Leagues, head)
			}
		}
		if len(v.Leagues) > 1 && v.Leagues[0].Untouched() { // the root's default one, which no agent has joined
			v.Leagues = append(v.Leagues[1:], v.Leagues[0])
			v.hidden = v.Leagues[len(v.Leagues)-1].ID
		}
		v.Seats = s.Seat != nil
		v.card = func(head view.LeagueHead) leagueCard { return s.load(r.Context(), head) }
		if jump && v.all == 1 && len(v.Leagues) == 1 {
			v.only = "/leagues/" + v.Leagues[0].ID
		}
		return v, nil
	}
}

// wanted reports whether a league matches a filter.
func (s *indexPages) wanted(id, search, state string) bool {
	if search != "" && !strings.Contains(strings.ToLower(id), strings.ToLower(search)) {
		return false
	}
	if state == "" || s.State == nil {
		return true
	}
	now, _ := s.State(id)
	return slices.Contains(shortStates[state], now)
}

// between parses a number of a query, limited to most; otherwise is the default.
func between(text string, otherwise, most int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		n = otherwise
	}
	return min(n, most)
}
