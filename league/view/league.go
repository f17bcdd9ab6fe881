package view

import (
	"strconv"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// LeagueHead is the summary of a league that every page shows.
type LeagueHead struct {
	ID       string `json:"league_id"`
	Name     string `json:"name"`
	Game     string `json:"game_type"`
	GameName string `json:"game"`
	State    string `json:"state"`
	Paused   bool   `json:"paused"`
	Draining bool   `json:"draining"`          // matches in play are finished, and no further ones start
	Resting  string `json:"resting,omitempty"` // why it is idle without an order to pause
	// WaitsFor is a sentence with the referee that blocks the league and the remedy, or "".
	WaitsFor    string    `json:"waits_for,omitempty"`
	NextRoundAt time.Time `json:"next_round_at,omitzero"` // by the calendar: when the next round begins
	Round       int       `json:"round"`
	Rounds      int       `json:"rounds"`
	OpenEnd     bool      `json:"open_end,omitempty"` // rounds counts the rounds so far: more may follow
	Recorded    int       `json:"matches_recorded"`
	Matches     int       `json:"matches"`
	Players     int       `json:"players"`
	Referees    int       `json:"referees"`

	Results protocol.Basis `json:"results"`        // the basis of the results
	Seal    string         `json:"seal,omitempty"` // of the log's first line
	LogHead string         `json:"head,omitempty"` // the newest published hash of the log

	Champions []Player `json:"champions"` // of a league that is over
}

// Doubtful reports whether any result is unproven or disputed.
func (h LeagueHead) Doubtful() bool { return h.Results.Unproven+h.Results.Disputed > 0 }

// ShortSeal returns the first 32 characters of the seal, which people write down.
func (h LeagueHead) ShortSeal() string { return h.Seal[:min(len(h.Seal), 32)] }

// ShortLogHead returns the first 32 characters of the log's head.
func (h LeagueHead) ShortLogHead() string { return h.LogHead[:min(len(h.LogHead), 32)] }

// Over reports whether the league is over.
func (h LeagueHead) Over() bool { return protocol.IsOver(h.State) }

// Waiting reports whether it has not begun.
func (h LeagueHead) Waiting() bool {
	return h.State == protocol.WaitingForRegistrations || h.State == protocol.CreatingSchedule
}

// Untouched reports whether the league has not started and no agent has joined.
func (h LeagueHead) Untouched() bool { return h.Waiting() && h.Players == 0 && h.Referees == 0 }

// Mood returns the state of the league as a short label, and its color.
func (h LeagueHead) Mood() (m struct{ Words, Colour string }) {
	switch {
	case h.State == protocol.LeagueIsCancelled:
		m.Words, m.Colour = "Cancelled", "info"
	case h.Over():
		m.Words, m.Colour = "Over", "info"
	case h.Resting != "":
		m.Words, m.Colour = "Resting", "bad"
	case h.Paused:
		m.Words, m.Colour = "Paused", "warn"
	case h.Waiting() && h.State == protocol.CreatingSchedule:
		m.Words, m.Colour = "Starting", "info"
	case h.Waiting():
		m.Words, m.Colour = "Waiting for players", ""
	case h.Draining:
		m.Words, m.Colour = "Draining", "warn"
	default:
		m.Words, m.Colour = "Running", "good"
	}
	return m
}

// Timed reports whether the calendar delays the next round.
func (h LeagueHead) Timed() bool { return time.Now().Before(h.NextRoundAt) }

// Percent returns the percentage of matches with a result.
func (h LeagueHead) Percent() int { return 100 * h.Recorded / max(h.Matches, 1) }

// A League is a view of a league at one moment. It is immutable.
type League struct {
	LeagueHead
	Seq        uint64 // of the log, up to which everything is counted
	Table      *league.Table
	Rows       []Row
	RoundNow   *RoundNow  // the round in play, or the last one
	Newest     []MatchRow // results, the newest first
	Crosstable Crosstable
	Curves     Curves // of the players that the live page shows
	WallCurves Curves // of the players that a projector shows
	Scoring    protocol.Scoring
	Missing    string  // what blocks the start
	Awaited    int     // players with whom it starts automatically
	Endpoint   string  // where agents register
	Lobby      *Lobby  // the agents present before the start; nil afterwards
	Paired     *Paired // of a league that pairs round by round; nil for a fixed ring

	before map[string]league.Rank // the ranks at the end of the round before the newest
}

// A Player is an agent of the league as pages show it.
type Player struct {
	ID     string `json:"player_id"`
	Name   string `json:"display_name"`
	Points int    `json:"points"`
	Rating int    `json:"rating,omitempty"` // that decides the rank in a ladder
}

// A Row is one of the table.
type Row struct {
	protocol.Standing
	Place  string   `json:"place"`       // the rank as people write it: 3, or =3 if it is shared
	Change int      `json:"rank_change"` // since the end of the round before: ranks that it has won
	Moved  bool     `json:"-"`           // there was a round before
	Form   []Ending `json:"form"`        // of its newest matches, oldest first
	State  string   `json:"state"`
	Tie    *Tie     `json:"tie,omitempty"` // how it is above the next, with which it is level on points

	Rating *protocol.Rating `json:"rating,omitempty"` // by the rounds that are closed
	Paired *PairedRow       `json:"paired,omitempty"` // of a league that pairs round by round
}

// Left reports whether the player plays no more.
func (r Row) Left() bool { return r.State == protocol.AgentShutdown }

// A Tie explains why one of two players with the same points ranks above the other.
type Tie struct {
	With  string `json:"with"` // the player below
	Rule  string `json:"rule"`
	Above int    `json:"above"` // the value of each by that rule
	Below int    `json:"below"`
	Words string `json:"words"`
}

const (
	rowForm    = 6  // matches in a row of the table
	newestMost = 8  // results in the ticker
	roundMost  = 24 // matches of the round in play

	wallLines = 200 // players with a line of points on a projector
	causeMost = 500 // characters of a cause
)

// A Source is a running league: its state, its log, and the facts that are not in the log.
type Source interface {
	Read(f func(s *league.State)) // f must not keep or change the state
	Sequence() uint64             // of the newest entry of the log
	Endpoint() string             // where agents reach the manager
	Missing() string              // what blocks the start; "": nothing
	Starts() league.Start         // how it will start, if it has not
	WaitsFor() string             // the referee that blocks the league, and the remedy; "": none does
	Resting() string              // why it is idle without an order; "": it is not
	Draining() bool               // no further match may start
}

// Names returns the display names of leagues and games by id.
type Names struct{ League, Game func(id string) string }

// RowsOf returns the rows of a league's table.
func RowsOf(s *league.State, t *league.Table) []Row {
	l := &League{Table: t}
	l.LeagueHead.State, l.before = s.Phase(s.Ordered), ranksBefore(s)
	return l.rows(s)
}

// newLeague builds the view of a league; last is the previous view, or nil. It calls the methods of the source
// before it reads the state, because both take the same lock. It also reads the sequence before the state, so that
// the sequence is never ahead of the state.
func (c *Cache) newLeague(names Names, last *League) *League {
	src := c.src
	l := &League{Seq: src.Sequence(), Missing: src.Missing(), Endpoint: src.Endpoint()}
	l.WaitsFor, l.Resting, l.Draining = waitsFor(src), src.Resting(), src.Draining()
	starts := src.Starts()
	if starts.ByNumber {
		l.Awaited = starts.Players
	}
	src.Read(func(s *league.State) {
		l.Table = c.Latest(s)
		l.LeagueHead.fill(s, names)
		if last != nil && last.Round == l.Round { // ranks of a closed round stay
			l.before = last.before
		} else {
			l.before = ranksBefore(s)
		}
		l.Scoring = s.Created.Scoring
		l.Rows, l.Champions = l.rows(s), championsOf(s, l.Table)
		l.Paired = PairedOf(s, l.Rows, FiguresLive)
		l.RoundNow, l.Newest = roundNow(s), newest(s)
		l.Crosstable, l.Curves = CrosstableOf(s, l.Table, FiguresLive), CurvesOf(s, l.Table, FiguresLive)
		l.WallCurves = curvesOf(s, l.Table, l.Table.Rows[:min(len(l.Table.Rows), wallLines)])
		if !s.Started() && !s.Completed() {
			l.Lobby = newLobby(s, starts, l.Missing)
		}
	})
	return l
}

// waitsFor returns why a league waits, without addresses.
func waitsFor(src Source) string { return Clean(protocol.RedactText(src.WaitsFor()), causeMost) }

// fill sets the fields that every page of the league shows in its header.
func (h *LeagueHead) fill(s *league.State, names Names) {
	h.ID, h.Game = s.Created.LeagueID, s.Created.GameType
	h.Name, h.GameName = Clean(names.League(h.ID), NameMost), names.Game(h.Game)
	h.State, h.Paused, h.Round, h.Rounds = s.Phase(s.Ordered), s.Paused, s.Round, s.TotalRounds()
	h.OpenEnd = s.Status().OpenEnd
	h.NextRoundAt = league.NextRoundAt(s, time.Now())
	h.Recorded, h.Matches, h.Players, h.Referees = s.Recorded, s.TotalMatches(), len(s.Players()),
		len(s.Roster(protocol.RoleReferee))
	h.Results, h.Seal, h.LogHead = s.Basis(), s.Seal, s.Head().Hash
}

// ranksBefore returns the ranks by player at the end of the round before the newest one.
func ranksBefore(s *league.State) map[string]league.Rank {
	out := map[string]league.Rank{}
	if s.Round >= 2 {
		t := s.TableAfter(s.Round - 1)
		for i, row := range t.Rows {
			out[row.PlayerID] = t.Ranks[i]
		}
	}
	return out
}

// rows returns the rows of the table with recent results, rank, rank change since the previous round, and an
// explanation where two players with the same points are separated.
func (l *League) rows(s *league.State) []Row {
	t := l.Table
	out := make([]Row, len(t.Rows))
	for i, row := range t.Rows {
		row.DisplayName = Clean(row.DisplayName, NameMost)
		r := Row{Standing: row, Form: Form(s, row.PlayerID, rowForm), State: s.Agents[row.PlayerID].State,
			Place: t.Ranks[i].String(), Rating: t.Ratings.Of(row.PlayerID)}
		if l.Waiting() { // nothing is decided: the number is only that of the line
			r.Place = strconv.Itoa(i + 1)
		}
		if rank, ok := l.before[row.PlayerID]; ok {
			r.Change, r.Moved = rank.Number-t.Ranks[i].Number, true
		}
		if i < len(t.Decisions) && s.Recorded > 0 && row.Points == t.Rows[i+1].Points {
			r.Tie = newTie(t.Decisions[i], Clean(t.Rows[i+1].DisplayName, NameMost), t.Rows[i+1].PlayerID)
		}
		out[i] = r
	}
	addPaired(s, out)
	return out
}

// newTie explains why a player ranks above another with the same points.
func newTie(d league.Decision, name, id string) *Tie {
	return &Tie{With: id, Rule: d.Rule, Above: d.Above, Below: d.Below, Words: d.Words(name)}
}

// championsOf returns the winners: several if no rule separates them, none before the end.
func championsOf(s *league.State, t *league.Table) []Player {
	out, champions := []Player{}, league.Champions(s, t)
	if len(champions) == 0 {
		return out
	}
	ratings := league.LadderRatings(s)
	for _, row := range champions {
		out = append(out, Player{ID: row.PlayerID, Name: Clean(row.DisplayName, NameMost), Points: row.Points, Rating: ratings[row.PlayerID][0]})
	}
	return out
}
