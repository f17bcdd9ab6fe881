package web

import (
	"slices"
	"strconv"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// LeagueHead is what every page tells of a league.
type LeagueHead struct {
	ID       string `json:"league_id"`
	Name     string `json:"name"`
	Game     string `json:"game_type"`
	GameName string `json:"game"`
	State    string `json:"state"`
	Paused   bool   `json:"paused"`
	Draining bool   `json:"draining"`          // matches in play are finished, and no others begin
	Resting  string `json:"resting,omitempty"` // why it rests although nobody told it to
	// WaitsFor says which referee keeps it from going on, and what helps.
	WaitsFor string `json:"waits_for,omitempty"`
	Round    int    `json:"round"`
	Rounds   int    `json:"rounds"`
	Recorded int    `json:"matches_recorded"`
	Matches  int    `json:"matches"`
	Players  int    `json:"players"`
	Referees int    `json:"referees"`

	Results protocol.Basis `json:"results"`        // what they rest on
	Seal    string         `json:"seal,omitempty"` // of the log's first line
	LogHead string         `json:"head,omitempty"` // the newest that was told of the log

	Champions []Player `json:"champions"` // of a league that is over
}

// Doubtful reports whether a result rests on a guest's word.
func (h LeagueHead) Doubtful() bool { return h.Results.Unproven+h.Results.Disputed > 0 }

// Noted is as much of the seal as somebody notes down.
func (h LeagueHead) Noted() string { return h.Seal[:min(len(h.Seal), 32)] }

// NotedHead is as much of the head.
func (h LeagueHead) NotedHead() string { return h.LogHead[:min(len(h.LogHead), 32)] }

// Over reports whether the league is over.
func (h LeagueHead) Over() bool { return protocol.IsOver(h.State) }

// Waiting reports whether it has not begun.
func (h LeagueHead) Waiting() bool {
	return h.State == protocol.WaitingForRegistrations || h.State == protocol.CreatingSchedule
}

// untouched reports whether no agent has joined a league that waits.
func (h LeagueHead) untouched() bool { return h.Waiting() && h.Players == 0 && h.Referees == 0 }

// Mood is how the league stands in two words, and in which colour.
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

// Percent is how much of the league has been played.
func (h LeagueHead) Percent() int { return 100 * h.Recorded / max(h.Matches, 1) }

// LeagueView is a league as its live page shows it.
type LeagueView struct {
	LeagueHead
	Sequence   uint64           `json:"sequence"`         // of the log, up to which everything is counted
	Podium     []Step           `json:"podium,omitempty"` // the first three ranks, when it is over
	Standings  []Row            `json:"standings"`
	RoundNow   *RoundNow        `json:"round_now"` // the round in play, or the last one
	Newest     []MatchRow       `json:"newest"`    // results, the newest first
	Crosstable Crosstable       `json:"crosstable"`
	Chart      Chart            `json:"chart"`
	Scoring    protocol.Scoring `json:"scoring"`
	Missing    string           `json:"missing,omitempty"` // what it lacks before it can start
	Awaited    int              `json:"awaited,omitempty"` // players with whom it starts by itself
	Endpoint   string           `json:"endpoint"`          // where agents register
	Lobby      *Lobby           `json:"lobby,omitempty"`   // who is here before it starts

	before map[string]league.Rank // the ranks at the end of the round before, of round.
	round  int

	ratings *league.RatingCache // goes from view to view

	wallChart Chart // as a projector shows it
	cycles    int   // how many times each pair meets
}

// Rated reports whether there are ratings to show.
func (v *LeagueView) Rated() bool {
	return slices.ContainsFunc(v.Standings, func(r Row) bool { return r.Rating != nil })
}

// ratingOf is the rating of a player, nil if it has none.
func (v *LeagueView) ratingOf(player string) *protocol.Rating {
	for _, r := range v.Standings {
		if r.PlayerID == player {
			return r.Rating
		}
	}
	return nil
}

// Earlier is how many results are not among the newest.
func (v *LeagueView) Earlier() int { return v.Recorded - len(v.Newest) }

// Title is that of the page.
func (v *LeagueView) Title() string { return v.Name }

// A Player is one of the league, as others are told of it.
type Player struct {
	ID     string `json:"player_id"`
	Name   string `json:"display_name"`
	Points int    `json:"points"`
}

// A Row is one of the table.
type Row struct {
	protocol.Standing
	Place  string   `json:"place"`       // the rank as people say it: 3, or =3 if it is shared
	Change int      `json:"rank_change"` // since the end of the round before: ranks that it has won
	Moved  bool     `json:"-"`           // there was a round before
	Form   []Ending `json:"form"`        // of its newest matches, oldest first
	State  string   `json:"state"`
	Tie    *Tie     `json:"tie,omitempty"` // how it is above the next, with which it is level on points

	Rating *protocol.Rating `json:"rating,omitempty"` // by the rounds that are closed
}

// Left reports whether the player plays no more.
func (r Row) Left() bool { return r.State == protocol.AgentShutdown }

// A Tie is why one of two players with the same points stands above the other.
type Tie struct {
	With  string `json:"with"` // the player below
	Rule  string `json:"rule"`
	Above int    `json:"above"` // what each has by that rule
	Below int    `json:"below"`
	Words string `json:"words"`
}

// A RoundNow is a round and its matches, those without a result first.
type RoundNow struct {
	Round   int        `json:"round"`
	Open    bool       `json:"open"`
	Done    int        `json:"done"`
	Total   int        `json:"total"`
	Matches []MatchRow `json:"matches"`
	More    int        `json:"more"` // that are not listed
	Bye     string     `json:"bye,omitempty"`
	ByeName string     `json:"bye_name,omitempty"`
}

// matchesFirst is how many matches of a round the live page lists.
const matchesFirst = 12

// Some are the matches that the live page lists.
func (r *RoundNow) Some() []MatchRow { return r.Matches[:min(len(r.Matches), matchesFirst)] }

// Others is how many it does not.
func (r *RoundNow) Others() int { return r.Total - len(r.Some()) }

// A MatchRow is a match in a line.
type MatchRow struct {
	ID      string     `json:"match_id"`
	Round   int        `json:"round"`
	A       Contestant `json:"a"`
	B       Contestant `json:"b"`
	Referee string     `json:"referee_id,omitempty"`
	Attempt int        `json:"attempt,omitempty"`
	Done    bool       `json:"done"`
	EndedAt time.Time  `json:"ended_at,omitzero"`

	Proof     string `json:"proof,omitempty"`     // what the result rests on
	Hosted    bool   `json:"hosted,omitempty"`    // a player runs in the manager's process
	Contested bool   `json:"contested,omitempty"` // somebody tells another story
}

// Marks are how the result is marked.
func (r MatchRow) Marks() []*Badge { return BadgesOf(r.Proof, r.Hosted) }

// A Contestant is one of the two in a match.
type Contestant struct {
	ID     string `json:"player_id"`
	Name   string `json:"display_name"`
	Result string `json:"result,omitempty"` // W, D, L or F
	Points int    `json:"points"`
}

const (
	rowForm    = 6  // matches in a row of the table
	newestMost = 8  // results in the ticker
	roundMost  = 24 // matches of the round in play
)

// newLeagueView looks at a league; last is what was seen of it before, or nil.
func newLeagueView(o *Options, m Season, last *LeagueView) *LeagueView {
	v := &LeagueView{Sequence: m.Sequence()} // before the state is read: never ahead of what is shown
	v.WaitsFor = waitsFor(m)
	v.Resting, v.Draining, v.Endpoint, v.Missing = m.Resting(), m.Draining(), m.Endpoint(), m.Missing()
	if v.ratings = new(league.RatingCache); last != nil {
		v.ratings = last.ratings
	}
	starts := m.Starts()
	if starts.ByNumber {
		v.Awaited = starts.Players
	}
	m.Read(func(st *league.State) {
		v.head(o, st)
		v.Scoring = st.Created.Scoring
		v.ranksBefore(st, last)
		table, results := st.Standings(), st.Results()
		v.rows(st, table, league.Decisions(table, results, st.Created.Scoring, st.Created.Tiebreakers))
		v.RoundNow = roundNow(st)
		v.Newest = newest(st)
		v.Crosstable, v.Chart = NewCrosstable(st, table, figuresMost), NewChart(st, table, figuresMost)
		v.wallChart = newWallChart(st, table)
		v.Champions, v.cycles = champions(st, table, results), st.Created.Cycles
		if st.Completed() && !st.Cancelled {
			v.Podium = podium(v.Standings)
		}
		if !st.Started() && !st.Completed() {
			v.Lobby = newLobby(st, starts, v.Missing)
		}
	})
	return v
}

// waitsFor is what a league waits for, without addresses.
func waitsFor(m Season) string { return said(protocol.RedactText(m.WaitsFor()), causeMost) }

// head fills in what every page of the league shows at its top.
func (v *LeagueView) head(o *Options, st *league.State) {
	v.ID, v.Game = st.Created.LeagueID, st.Created.GameType
	v.Name, v.GameName = said(o.Title(v.ID), nameMost), o.Game(v.Game)
	v.State, v.Paused, v.Round, v.Rounds = st.Phase(st.Ordered), st.Paused, st.Round, st.Schedule.Rounds()
	v.Recorded, v.Matches, v.Players, v.Referees = st.Recorded, st.Schedule.Matches(), len(st.Players()),
		len(st.Roster(protocol.RoleReferee))
	v.Results, v.Seal, v.LogHead = st.Basis(), st.Seal, st.Head().Hash
}

// ranksBefore finds out the ranks at the end of the round before. They do not change: those that were seen are good.
func (v *LeagueView) ranksBefore(st *league.State, last *LeagueView) {
	if v.round = st.Round; last != nil && last.round == v.round && last.before != nil {
		v.before = last.before
		return
	}
	v.before = map[string]league.Rank{}
	if st.Round >= 2 {
		v.before = league.RanksAfter(st, st.Round-1)
	}
}

// rows fills in the table: form, rank, change since the round before, and why one of two with the same points is
// ahead.
func (v *LeagueView) rows(st *league.State, table []protocol.Standing, decided []league.Decision) {
	v.Standings = make([]Row, len(table))
	ranks, ratings := league.Ranks(table, decided), v.ratings.Of(st)
	for i, row := range table {
		row.DisplayName = said(row.DisplayName, nameMost)
		r := Row{Standing: row, Form: Form(st, row.PlayerID, rowForm), State: st.Agents[row.PlayerID].State,
			Rating: ratings.Of(row.PlayerID)}
		r.Place = ranks[i].String()
		if v.Waiting() { // nothing is decided: the number is only that of the line
			r.Place = strconv.Itoa(i + 1)
		}
		if rank, ok := v.before[row.PlayerID]; ok {
			r.Change, r.Moved = rank.Number-ranks[i].Number, true
		}
		if i < len(decided) && st.Recorded > 0 && row.Points == table[i+1].Points {
			r.Tie = newTie(decided[i], said(table[i+1].DisplayName, nameMost), table[i+1].PlayerID)
		}
		v.Standings[i] = r
	}
}

// newTie says why a player is above another with the same points.
func newTie(d league.Decision, name, id string) *Tie {
	return &Tie{With: id, Rule: d.Rule, Above: d.Above, Below: d.Below, Words: d.Words(name)}
}

// roundNow is the round in play, nil before the first: matches that are not over first, since those are watched.
func roundNow(st *league.State) *RoundNow {
	if st.Round == 0 {
		return nil
	}
	all := st.InRound(st.Round)
	r := &RoundNow{
		Round: st.Round, Open: st.RoundOpen, Total: len(all), Matches: []MatchRow{}, Bye: st.Schedule.Bye(st.Round),
	}
	if r.Bye != "" {
		r.ByeName = said(st.Agents[r.Bye].Name, nameMost)
	}
	for _, done := range []bool{false, true} {
		for _, m := range all {
			switch {
			case (m.Outcome != nil) != done:
			case len(r.Matches) < roundMost:
				r.Matches = append(r.Matches, NewMatchRow(st, m))
			default:
				r.More++
			}
		}
	}
	for _, m := range all {
		if m.Outcome != nil {
			r.Done++
		}
	}
	return r
}

// newest are the results that came last, the latest first, at most newestMost.
func newest(st *league.State) []MatchRow {
	out := []MatchRow{}
	for _, m := range st.Newest() {
		if len(out) < newestMost {
			out = append(out, NewMatchRow(st, m))
		}
	}
	return out
}

// NewMatchRow tells of a match in a line.
func NewMatchRow(st *league.State, m *league.Match) MatchRow {
	side := func(id string) Contestant {
		c := Contestant{ID: id, Name: said(st.Agents[id].Name, nameMost)}
		if m.Outcome != nil {
			c.Result, c.Points = EndingOf(m, id).Letter, m.Points(id, st.Created.Scoring)
		}
		return c
	}
	return MatchRow{ID: m.ID, Round: m.Round, A: side(m.A), B: side(m.B), Referee: m.Attempt().Referee,
		Attempt: m.Attempt().Attempt, Done: m.Outcome != nil, EndedAt: m.EndedAt,
		Proof: m.Proof, Hosted: m.Hosted, Contested: len(m.Against) > 0}
}

// champions are who has won, several if nothing separates them, and nobody before the end.
func champions(st *league.State, table []protocol.Standing, results []league.Played) []Player {
	out := []Player{}
	if !st.Completed() || st.Cancelled || len(table) == 0 {
		return out
	}
	first, others := league.Champions(table, results, st.Created.Scoring, st.Created.Tiebreakers)
	for _, row := range append([]protocol.Standing{first}, others...) {
		out = append(out, Player{row.PlayerID, said(row.DisplayName, nameMost), row.Points})
	}
	return out
}
