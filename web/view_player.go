package web

import (
	"cmp"
	"fmt"
	"slices"

	"agentleague/dialect"
	"agentleague/dialect/notation"
	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/web/advice"
	"agentleague/web/figures"
)

// A PlayerView is the view of a player's page.
type PlayerView struct {
	LeagueID string `json:"league_id"`
	NameView
	GameType string             `json:"game_type"`
	State    string             `json:"state"`
	Why      string             `json:"why,omitempty"`
	Dialect  DialectView        `json:"dialect"`
	Standing *protocol.Standing `json:"standing,omitempty"` // none before the first table
	Place    string             `json:"place,omitempty"`    // the rank for display: 3, or =3 if it is shared
	Of       int                `json:"players"`
	Rating   *protocol.Rating   `json:"rating,omitempty"` // over the closed rounds
	Form     []FormView         `json:"form"`             // the newest, oldest first
	Results  []ResultView       `json:"results"`          // newest first
	More     int                `json:"results_left"`
	Rivals   []RivalView        `json:"opponents"`
	Latency  Latency            `json:"latency"`
	Read     int                `json:"records_read"` // the number of records behind latency and errors
	Faults   []FaultView        `json:"errors"`       // by kind, the most frequent first
	Next     *view.NextMatch    `json:"next,omitempty"`
	NoNext   string             `json:"no_next,omitempty"` // why no next match is known
	Usage    *view.UsageView    `json:"usage,omitempty"`   // of a language model, as reported by the player

	Curve    *figures.RatingCurve `json:"-"`                  // of the rating
	Endpoint string               `json:"endpoint,omitempty"` // only for the admin
	CanCheck bool                 `json:"-"`
	Playing  bool                 `json:"-"` // the league is in play
	Mine     bool                 `json:"-"` // the client is the player's owner
	CanLeave bool                 `json:"-"` // it can be withdrawn
	Checked  bool                 `json:"-"` // its owner can have it checked
}

// Title returns the page title.
func (v PlayerView) Title() string { return cmp.Or(v.Name, v.ID) }

// Describe returns the sentence that a link to the page is shown with.
func (v PlayerView) Describe() string {
	if v.Standing == nil {
		return v.Title() + " has not played yet."
	}
	return fmt.Sprintf("%s: rank %s of %d with %d points; won %d, drew %d, lost %d.", v.Title(), v.Place, v.Of, v.Standing.Points,
		v.Standing.Wins, v.Standing.Draws, v.Standing.Losses)
}

// StateWords returns the player's state for people.
func (v PlayerView) StateWords() string {
	if v.State == protocol.AgentShutdown {
		return "out of the league"
	}
	return view.Words(v.State)
}

// Causes lists the player's own errors.
func (v PlayerView) Causes() []FaultView { return v.faults(false) }

// Consequences lists the forfeits that follow from its errors: of a player that is out of the league.
func (v PlayerView) Consequences() []FaultView { return v.faults(true) }

func (v PlayerView) faults(consequences bool) (out []FaultView) {
	for _, f := range v.Faults {
		if (f.Code == protocol.AgentShutdown) == consequences {
			out = append(out, f)
		}
	}
	return out
}

// FaultCount returns the number of errors of all kinds.
func (v PlayerView) FaultCount() (n int) {
	for _, f := range v.Faults {
		n += f.Count
	}
	return n
}

// Letter returns the letter of the outcome: W, D, L or F.
func (f FormView) Letter() string { return view.Letter(f.Result) }

// Words returns the outcome in words.
func (f FormView) Words() string { return endingWords(f.Result) }

// A DialectView describes an agent's dialect.
type DialectView struct {
	Name  string `json:"name"`  // "": as in the specification
	Words string `json:"words"` // a sentence
	Text  string `json:"text,omitempty"`
}

// A FormView is a match in a player's form.
type FormView struct {
	MatchID  string   `json:"match_id"`
	Result   string   `json:"result,omitempty"`
	Opponent NameView `json:"opponent"`
}

// A ResultView is a match of a player.
type ResultView struct {
	FormView
	Round   int    `json:"round_id"`
	Points  int    `json:"points"`
	Mine    string `json:"moves,omitempty"`
	Theirs  string `json:"opponent_moves,omitempty"`
	Drawn   *int   `json:"drawn_number,omitempty"`
	Code    string `json:"error_code,omitempty"`
	Meaning string `json:"meaning,omitempty"`
	Proof   string `json:"proof,omitempty"`  // the basis of the result
	Hosted  bool   `json:"hosted,omitempty"` // a player runs in the manager's process
}

// Marks returns the badges of the result.
func (r ResultView) Marks() []*view.Badge { return view.BadgesOf(r.Proof, r.Hosted) }

// A RivalView summarizes the results against one opponent.
type RivalView struct {
	NameView
	Played   int `json:"played"`
	Won      int `json:"won"`
	Drew     int `json:"drew"`
	Lost     int `json:"lost"`
	Forfeits int `json:"forfeited"`
}

// A FaultView has a player's errors of one kind.
type FaultView struct {
	advice.Advice
	Count int         `json:"count"`
	Cases []FaultCase `json:"cases"` // the newest
}

// Cause returns the cause in the newest case with a record of it, or else in any.
func (f FaultView) Cause() (newest FaultCase) {
	for _, c := range f.Cases {
		switch {
		case c.Detail != "" && c.Asked != "":
			return c
		case newest.Detail == "":
			newest = c
		}
	}
	return newest
}

// Others returns the number of cases that are not listed.
func (f FaultView) Others() int { return f.Count - len(f.Cases) }

// A FaultCase is one error.
type FaultCase struct {
	MatchID string `json:"match_id"`
	At      string `json:"at,omitempty"`
	Asked   string `json:"asked,omitempty"`  // the question
	Detail  string `json:"detail,omitempty"` // see [cause]
	Advice  string `json:"advice,omitempty"` // the referee's advice
	Lost    bool   `json:"lost"`             // the match was lost by it
	Void    bool   `json:"void,omitempty"`   // it did not count: its referee was late too
}

// The limits of the lists on a player's page.
const (
	recentMost  = 12
	resultsMost = 200
	casesMost   = 20
	recordsMost = 200
)

// playerView returns the view of a player from the log.
func playerView(s *league.State, t *league.Table, id string) (PlayerView, []league.Match, bool) {
	a := s.Agents[id]
	if a == nil || a.Role != protocol.RolePlayer {
		return PlayerView{}, nil, false
	}
	v := PlayerView{
		LeagueID: s.Created.LeagueID, NameView: nameOf(s, id), GameType: s.Created.GameType, State: a.State,
		Why: said(protocol.RedactText(a.Why), causeMost), Dialect: dialectView(a.Dialect), Of: len(s.Players()),
		Form: []FormView{}, Results: []ResultView{}, Rivals: []RivalView{}, Faults: []FaultView{}, Latency: latencyOf(nil),
	}
	v.Standing, v.Place = rowOf(t, id)
	v.Rating = t.Ratings.Of(id)
	v.Usage = view.NewUsageView(view.UsageOf(s, id))
	if v.Next = view.NextOf(s, id); v.Next == nil {
		v.NoNext = view.NextWords(s, id)
	}
	played := v.matches(s, id)
	return v, played, true
}

// rowOf returns a player's row of a table, and its rank; nil if it has none.
func rowOf(t *league.Table, id string) (row *protocol.Standing, rank string) {
	i, ok := t.Row(id)
	if !ok {
		return nil, ""
	}
	own := t.Rows[i]
	own.DisplayName = nameShown(own.DisplayName)
	return &own, t.Ranks[i].String()
}

// matches fills in the player's matches, and returns those that have a result, newest first.
func (v *PlayerView) matches(s *league.State, id string) (played []league.Match) {
	rivals := map[string]*RivalView{}
	for _, m := range s.MatchesOf(id) {
		other := m.Opponent(id)
		if m.Outcome == nil {
			continue
		}
		played = append(played, *m)
		if rivals[other] == nil {
			rivals[other] = &RivalView{NameView: nameOf(s, other)}
		}
		rivals[other].add(m.Outcome.Result.For(id))
		v.Results = append(v.Results, resultView(s, m, id, other))
	}
	for _, r := range v.Results[max(0, len(v.Results)-recentMost):] {
		v.Form = append(v.Form, r.FormView)
	}
	slices.Reverse(v.Results)
	slices.Reverse(played)
	v.More = max(0, len(v.Results)-resultsMost)
	v.Results = v.Results[:len(v.Results)-v.More]
	for _, r := range rivals {
		v.Rivals = append(v.Rivals, *r)
	}
	slices.SortFunc(v.Rivals, func(a, b RivalView) int { return protocol.CompareIDs(a.ID, b.ID) })
	return played
}

// add counts one result against this opponent. A forfeit counts as such, not as a loss.
func (r *RivalView) add(result string) {
	r.Played++
	switch result {
	case protocol.Win:
		r.Won++
	case protocol.Draw:
		r.Drew++
	case protocol.TechnicalLoss:
		r.Forfeits++
	default:
		r.Lost++
	}
}

// resultView returns a player's view of a match: the choices of both, the draw, and the reason of its forfeit, if
// any.
func resultView(s *league.State, m *league.Match, id, other string) ResultView {
	r := m.Outcome.Result
	v := ResultView{
		FormView: FormView{MatchID: m.ID, Result: r.For(id), Opponent: nameOf(s, other)}, Round: m.Round,
		Mine: movesOf(m.Outcome, id), Theirs: movesOf(m.Outcome, other), Drawn: r.Drawn, Proof: m.Proof,
		Hosted: m.Hosted,
	}
	v.Points = m.Points(id, s.Created.Scoring)
	if code, forfeited := r.Forfeits[id]; forfeited {
		v.Code, v.Meaning = shown(code), protocol.ForfeitMeaning(shown(code))
	}
	return v
}

// recorded fills in the data from the records of a player's matches, newest first: answer times, and errors. An
// insider reads the agent's answers.
func (v *PlayerView) recorded(played []league.Match, record func(m league.Match) (protocol.MatchRecord, bool),
	insider bool) {
	var tries []protocol.Try
	faults := map[string]*FaultView{}
	for _, m := range played[:min(len(played), recordsMost)] {
		rec, known := record(m)
		cases := map[string][]FaultCase{}
		if known {
			v.Read++
			for _, t := range rec.Tries {
				if t.PlayerID == v.ID {
					tries = append(tries, t)
				}
			}
			cases = faultsIn(&rec, v.ID, insider)
		}
		code, forfeited := m.Outcome.Result.Forfeits[v.ID]
		if forfeited && len(cases[code]) == 0 {
			cases[code] = []FaultCase{{MatchID: m.ID, Detail: protocol.ForfeitMeaning(shown(code))}}
		}
		if forfeited {
			cases[code][len(cases[code])-1].Lost = true
		}
		for code, some := range cases {
			f := faults[code]
			if f == nil {
				f = &FaultView{Advice: advice.On(v.GameType, shown(code)), Cases: []FaultCase{}}
				faults[code] = f
			}
			f.Count += len(some)
			f.Cases = append(f.Cases, some[:min(len(some), max(0, casesMost-len(f.Cases)))]...)
		}
	}
	v.Latency = latencyOf(tries)
	for _, f := range faults {
		v.Faults = append(v.Faults, *f)
	}
	slices.SortFunc(v.Faults, func(a, b FaultView) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code))
	})
}

// faultsIn lists a player's errors in a match, by code. The referee's comments are in its messages, in the same
// order.
func faultsIn(rec *protocol.MatchRecord, id string, insider bool) map[string][]FaultCase {
	told := map[string][]gameError{}
	for _, e := range rec.Transcript {
		if e.MessageType == protocol.TypeGameError && bareID(e.To) == id {
			one := failure(e.Message)
			code := advice.On(rec.GameType, one.Name).Code
			told[code] = append(told[code], one)
		}
	}
	out := map[string][]FaultCase{}
	for _, t := range rec.Tries {
		if t.PlayerID != id || tryView(t).OK() {
			continue
		}
		c := FaultCase{MatchID: rec.MatchID, At: shown(t.SentAt), Asked: shown(string(t.Asked)), Void: t.Void}
		if all := told[t.Outcome]; len(all) > 0 && !t.Void {
			c.Detail, c.Advice = cause(all[0].Detail, insider), shown(protocol.RedactText(all[0].Suggestion))
			told[t.Outcome] = all[1:]
		}
		out[t.Outcome] = append(out[t.Outcome], c)
	}
	return out
}

// dialectView explains a dialect.
func dialectView(text string) DialectView {
	if text == "" || text == protocol.Canonical {
		return DialectView{Words: "as specified"}
	}
	d, err := notation.Parse(text)
	if err != nil {
		return DialectView{Words: "a dialect of its own", Text: said(text, 400)}
	}
	row := dialect.Like(d)
	return DialectView{Name: row.Name, Words: row.Seen, Text: said(text, 400)}
}
