package web

import (
	"strings"
	"time"

	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
)

// An agentsView lists all agents of a league with their state.
type agentsView struct {
	LeagueID string      `json:"league_id"`
	Open     bool        `json:"registration_open"`
	Closed   string      `json:"registration_closed,omitempty"` // why no further player may join
	From     int         `json:"joins_in_round,omitempty"`      // the first round of a player that joins now, after the start
	Referees []agentView `json:"referees"`
	Players  []agentView `json:"players"`
	Checks   []checkHead `json:"checks"` // the newest first; only for the admin

	CanCheck  bool   `json:"-"`
	CanEnlist bool   `json:"-"`
	Endpoint  string `json:"-"` // where agents register
}

// An agentView is an agent with its state.
type agentView struct {
	NameView
	Role     protocol.Role `json:"role"`
	State    string        `json:"state"`
	Why      string        `json:"why,omitempty"`
	Seen     string        `json:"last_seen,omitempty"`   // time of the last message with its token
	Trouble  string        `json:"unreachable,omitempty"` // the reason why it is unreachable at its endpoint
	Way      string        `json:"way,omitempty"`         // to an agent with a mailbox
	Waiting  int           `json:"messages_waiting"`
	Dialect  DialectView   `json:"dialect"`
	Guest    bool          `json:"guest,omitempty"` // it is a referee of a third party
	Ours     bool          `json:"match_tokens"`    // it can recompute tokens, as agents of this project do
	Playing  []string      `json:"matches_open"`
	Capacity int           `json:"capacity,omitempty"` // of a referee
	Done     int           `json:"matches_done"`
	Tries    int           `json:"tries"`
	MeanMS   float64       `json:"mean_ms"` // of a player's own answers, or of a referee's players' answers
	Endpoint string        `json:"endpoint,omitempty"`
}

// Well reports whether the agent is in good order.
func (a agentView) Well() bool {
	return a.Trouble == "" && (a.State == protocol.AgentRegistered || a.State == protocol.AgentActive)
}

// Mean returns the mean time of an answer, in words.
func (a agentView) Mean() string { return took(a.MeanMS) }

// Ago returns the time since the agent's last message, in words.
func (a agentView) Ago() string {
	at, err := time.Parse(time.RFC3339, a.Seen)
	if err != nil {
		return ""
	}
	silent := time.Since(at)
	switch {
	case silent < 3*time.Second:
		return "just now"
	case silent < time.Hour:
		return silent.Round(time.Second).String() + " ago"
	}
	return strings.TrimSuffix(silent.Round(time.Minute).String(), "0s") + " ago"
}

// entry sets whether a player may join now, and from which round on.
func (v *agentsView) entry(s *league.State, closed string) {
	v.Open, v.Closed = closed == "", closed
	if v.Open && s.Started() {
		v.From = s.Round + 1
	}
}

// newAgentsView lists all agents. Only the admin sees endpoints, as the protocol requires.
func newAgentsView(s *league.State, health func(id string) league.Health, admin bool) agentsView {
	v := agentsView{
		LeagueID: s.Created.LeagueID, Referees: []agentView{}, Players: []agentView{},
		Checks: []checkHead{},
	}
	open, done := workload(s)
	for _, role := range []protocol.Role{protocol.RoleReferee, protocol.RolePlayer} {
		for _, a := range s.Roster(role) {
			h := health(a.ID)
			one := agentView{
				NameView: nameOf(s, a.ID), Role: role, State: a.State, Why: shown(protocol.RedactText(a.Why)),
				Trouble: shown(protocol.RedactText(h.Unreached)), Waiting: h.Waiting, Way: shown(h.Way),
				Dialect: dialectView(a.Dialect), Guest: a.Guest(), Ours: a.Native(), Playing: append([]string{}, open[a.ID]...), Done: done[a.ID],
				Tries: a.Timing.Tries,
			}
			if !h.Seen.IsZero() {
				one.Seen = h.Seen.UTC().Format(time.RFC3339)
			}
			if a.Timing.Tries > 0 {
				one.MeanMS = float64(a.Timing.AgentUS) / 1000 / float64(a.Timing.Tries)
			}
			if admin {
				one.Endpoint = said(a.Endpoint, 200)
			}
			if role == protocol.RoleReferee {
				one.Capacity = max(a.Capacity, 1)
				v.Referees = append(v.Referees, one)
			} else {
				v.Players = append(v.Players, one)
			}
		}
	}
	return v
}

// workload counts the open and finished matches of each agent.
func workload(s *league.State) (open map[string][]string, done map[string]int) {
	open, done = map[string][]string{}, map[string]int{}
	for round := 1; round <= s.Round; round++ {
		for _, m := range s.InRound(round) {
			for _, id := range []string{m.A, m.B, m.Attempt().Referee} {
				if m.Outcome == nil {
					open[id] = append(open[id], m.ID)
				} else if id != m.Attempt().Referee || id == m.Outcome.Referee {
					done[id]++
				}
			}
		}
	}
	return open, done
}

// Title returns the page title.
func (agentsView) Title() string { return "Agents" }

// StateWords returns the agent's state for people.
func (a agentView) StateWords() string { return view.Words(a.State) }

// Tone returns the style class of the state.
func (a agentView) Tone() string {
	switch {
	case a.Well():
		return "good"
	case a.State == protocol.AgentShutdown:
		return ""
	}
	return "bad"
}

// Some returns the open matches that fit into a row.
func (a agentView) Some() []string { return a.Playing[:min(len(a.Playing), 3)] }

// Others returns the number of open matches that are not listed.
func (a agentView) Others() int { return len(a.Playing) - len(a.Some()) }
