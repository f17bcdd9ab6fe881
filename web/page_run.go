package web

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/web/figures"
)

// RunView shows the admin's possible and past orders for a league.
type RunView struct {
	view.LeagueHead
	Missing  string     `json:"missing,omitempty"` // missing conditions for its start
	Can      Can        `json:"can"`
	Entrants []view.Row `json:"players_in_league"`
	Orders   []Order    `json:"orders"` // the newest first; only for the admin
	Earlier  int        `json:"orders_left,omitempty"`
	Exports  []Export   `json:"exports"`

	Failing  []failing          `json:"failing"`  // agents that need attention; only for the admin
	Refused  []Refused          `json:"refused"`  // refused registrations; only for the admin
	Warnings []protocol.Warning `json:"warnings"` // recent refused attempts, the newest first; for the admin only
}

// Can lists the orders that are possible now.
type Can struct {
	Start    bool `json:"start"`
	Pause    bool `json:"pause"`
	Resume   bool `json:"resume"`
	Drain    bool `json:"drain"`
	Withdraw bool `json:"withdraw"`
	Cancel   bool `json:"cancel"`
}

// An Order is a past order with its time and actor.
type Order struct {
	At   time.Time `json:"at"`
	What string    `json:"order"`
	ID   string    `json:"agent_id,omitempty"`
	By   string    `json:"by,omitempty"`
}

// Title returns the page title.
func (RunView) Title() string { return "Manage" }

// runPages are the admin's pages for running a league.
type runPages struct{ *common }

// pages is the page with the orders for a league.
func (s *runPages) pages() []page {
	return []page{
		{path: "/leagues/{league}/run", template: "run", nav: "Manage", summary: "The orders for the league, and " +
			"those so far with who gave them", view: s.run, example: RunView{}, styles: []string{"run.css"}},
	}
}

// ordersMost limits the number of orders shown.
const ordersMost = 50

// run shows the orders that are possible now. An impossible order has no button; the manager decides in any case.
func (s *runPages) run(r *http.Request, m Season) (any, error) {
	look := s.look(m)
	v := RunView{
		LeagueHead: look.LeagueHead, Missing: look.Missing, Entrants: look.Standings, Orders: []Order{},
		Exports: exportsOf(s.Options, look.ID),
	}
	v.Can = Can{
		Start: look.State == protocol.WaitingForRegistrations && look.Missing == "", Pause: !look.Over() && !look.Paused,
		Resume: !look.Over() && (look.Paused || look.Draining && !look.Waiting()),
		Drain:  !look.Over() && !look.Draining && !look.Waiting(), Withdraw: !look.Over(), Cancel: !look.Over(),
	}
	v.Failing, v.Refused, v.Warnings = []failing{}, []Refused{}, []protocol.Warning{}
	if !s.isAdmin(r) {
		return v, nil
	}
	v.Refused, v.Warnings = refused(m.Refusals()), newestFirst(m.Warnings())
	agents := agentsOf(m, true)
	m.Read(func(st *league.State) {
		if v.Failing = failingOf(st, agents, s.Check != nil); look.Over() {
			v.Failing = []failing{} // nothing helps any more
		}
		v.Earlier = max(0, len(st.Orders)-ordersMost)
		for _, o := range st.Orders[max(0, len(st.Orders)-ordersMost):] {
			v.Orders = append([]Order{{o.At, o.What, said(o.ID, nameMost), said(o.By, 100)}}, v.Orders...)
		}
	})
	return v, nil
}

// A withdrawal is the API's request to withdraw a player.
type withdrawal struct {
	PlayerID string `json:"player_id"`
}

// A readmission is the API's request to admit a refused agent, or to readmit a withdrawn one.
type readmission struct {
	AgentID string `json:"agent_id"`
	Code    string `json:"code,omitempty"`
}

// A renaming is the API's request to rename an agent.
type renaming struct {
	AgentID string `json:"agent_id"`
	Name    string `json:"display_name"`
}

// A merging is the API's request to merge two agents.
type merging struct {
	KeptID string `json:"kept_id"`
	GoneID string `json:"gone_id"`
}

// An annulment is the API's request to have a match played again.
type annulment struct {
	MatchID string `json:"match_id"`
	Reason  string `json:"reason,omitempty"`
}

// An invitation is the API's request to invite agents.
type invitation struct {
	Role  string   `json:"role"` // player or referee
	Names []string `json:"names"`
}

// invitedView is the answer to it.
type invitedView struct {
	Invitations []protocol.Invitation `json:"invitations"`
}

// Title returns the title of the page that a form shows the answer on.
func (invitedView) Title() string { return "Invitations" }

// Printed returns the page that a form shows the answer on, once: the keys are stored nowhere.
func (invitedView) Printed() page { return page{template: "invitations", styles: []string{"run.css"}} }

// QR returns the QR code of an invitation's address.
func (invitedView) QR(i protocol.Invitation) *figures.QR { return figures.NewQR(i.Address) }

// invite makes join keys. They are in the answer: as JSON, or as a page to print.
func (s *runPages) invite(r *http.Request, m Season) (string, any, error) {
	role, err := roleOf(r.PostFormValue("role"))
	if err != nil {
		return "", nil, err
	}
	names := strings.Split(strings.Join(r.PostForm["names"], "\n"), "\n") // a form sends one text with a name in each line
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	list, err := m.Invite(r.Context(), cmp.Or(role, protocol.RolePlayer), nonEmpty(names), by(r))
	return "/leagues/" + m.ID() + "/run", invitedView{list}, err
}

// actions are the admin's orders. Each is a method of the manager, which messages and signals use too, with the
// name of the actor.
func (s *runPages) actions() []action {
	return []action{
		s.order("start", "Start the league with the agents that have registered", nil, func(r *http.Request, m Season) error { return m.Start(r.Context(), by(r)) }),
		s.order("pause", "Start no further matches until the league is resumed", nil, func(r *http.Request, m Season) error { return m.Pause(r.Context(), by(r)) }),
		s.order("resume", "Continue after a pause or a drain", nil, func(r *http.Request, m Season) error { return m.Resume(r.Context(), by(r)) }),
		s.order("cancel", "End the league for good; its results stand, and there is no champion", nil, func(r *http.Request, m Season) error { return m.Cancel(r.Context(), by(r)) }),
		s.order("next-season", "Have the league play one more season, with the same description", nil, func(r *http.Request, m Season) error {
			number, wanted := 1, 1
			if s.SeasonOf != nil {
				number, wanted = s.SeasonOf(m.ID())
			}
			return m.PlaySeasons(r.Context(), max(number+1, wanted), by(r))
		}),
		s.order("drain", "Start no further matches until the league is resumed or its manager restarted", nil, func(r *http.Request, m Season) error {
			m.BeginDrain(r.Context(), by(r))
			return nil
		}),
		s.order("withdraw", "Take a player out of the league; its results so far stand", withdrawal{}, func(r *http.Request, m Season) error {
			return m.Withdraw(r.Context(), r.PostFormValue("player_id"), by(r))
		}),
		s.order("rest", "Keep a player out of the next rounds, without forfeits; 0 rounds end its rest", resting{}, func(r *http.Request, m Season) error {
			rounds, err := strconv.Atoi(r.PostFormValue("rounds"))
			if err != nil {
				return badRequest("The number of rounds is missing.", "Give a whole number; 0 ends the rest.")
			}
			return m.Rest(r.Context(), r.PostFormValue("player_id"), rounds, by(r))
		}),
		s.order("readmit", "Admit an agent that was refused with a code, or take back one that is out", readmission{}, func(r *http.Request, m Season) error {
			return m.Readmit(r.Context(), r.PostFormValue("agent_id"), strings.TrimSpace(r.PostFormValue("code")), by(r))
		}),
		s.order("rename", "Give an agent another name", renaming{}, func(r *http.Request, m Season) error {
			return m.Rename(r.Context(), strings.TrimSpace(r.PostFormValue("agent_id")), r.PostFormValue("display_name"), by(r))
		}),
		s.order("merge", "Make one agent of two that registered without a key; only before the start", merging{}, func(r *http.Request, m Season) error {
			return m.Merge(r.Context(), strings.TrimSpace(r.PostFormValue("kept_id")), strings.TrimSpace(r.PostFormValue("gone_id")), by(r))
		}),
		s.order("annul", "Annul the result of a match and have it played again", annulment{}, func(r *http.Request, m Season) error {
			return m.Annul(r.Context(), r.PostFormValue("match_id"), r.PostFormValue("reason"), by(r))
		}),
		{path: "/leagues/{league}/invite", summary: "Make join keys for agents that will join; the answer has them", body: invitation{}, do: s.invite},
		{path: "/leagues/{league}/archive", summary: "Put a league away that is not being played, or bring it back", body: shelvedRecords{}, do: s.setArchived, closed: true},
	}
}

// order returns an action on a league that redirects to the page of the form, or to the league's orders.
func (s *runPages) order(name, summary string, body any, do func(*http.Request, Season) error) action {
	return action{path: "/leagues/{league}/" + name, summary: summary, body: body,
		do: func(r *http.Request, m Season) (string, any, error) {
			if err := do(r, m); err != nil {
				return "", nil, err
			}
			return within(cmp.Or(r.PostFormValue("next"), "/leagues/"+m.ID()+"/run")), s.changed(m), nil
		}}
}

// shelvedRecords is the API's request to archive or restore a league, and its answer.
type shelvedRecords struct {
	ID       string `json:"league_id,omitempty"`
	Undo     string `json:"undo,omitempty"` // "true" restores it
	Archived bool   `json:"archived,omitempty"`
}

// setArchived archives the league of the request's path, or restores it if the form field undo is "true".
func (s *runPages) setArchived(r *http.Request, _ Season) (string, any, error) {
	id, back := r.PathValue("league"), r.PostFormValue("undo") == "true"
	if s.Shelve == nil {
		return "", nil, notFound("Leagues are not archived here.")
	}
	if err := s.Shelve(r.Context(), id, back, by(r)); err != nil {
		return "", nil, &problem{Status: http.StatusConflict, What: said(id, 64) + " stays as it is: " + err.Error() + "."}
	}
	next := "/leagues"
	if back {
		next += "/" + id
	}
	return next, shelvedRecords{ID: id, Archived: !back}, nil
}
