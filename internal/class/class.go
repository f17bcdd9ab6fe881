// Package class makes the league of a lesson from the roster of a class.
//
//	roster.csv ─▶ Prepare ─▶ the league's description ─ server ─▶ Begin ─▶ invitations, a page to print
package class

import (
	"bytes"
	"context"

	"agentleague/config"
	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/internal/roster"
	"agentleague/protocol"
	"agentleague/server"
	"agentleague/store"
	"agentleague/web/handout"
)

// pace is the pause between two rounds in seconds: for watching, and for students that join late.
const pace = 5

// swiss is the format of a class unless another is given: each student plays in each round, and the rounds are few.
const swiss = "swiss"

// anyRound admits late students up to the last round of a format.
const anyRound = 100_000

// A Lesson is a league for a class.
type Lesson struct {
	Invitations []protocol.Invitation `json:"invitations"`
	Handout     string                `json:"handout"`     // the file of the page to print
	RosterPage  string                `json:"roster_page"` // its address

	Settings config.Change `json:"-"` // that make a league's description one for the class

	roster roster.Roster
	file   string
}

// Prepare reads the roster file of a class for a league of a format, "" being swiss. A league that has been created
// keeps its format. Start is whether the league starts when the whole class has joined.
func Prepare(h *host.Env, file, format string, referees int, start bool) (*Lesson, error) {
	r, err := roster.Read(file)
	if err != nil {
		return nil, err
	}
	created, err := store.CreatedAs(journal.Path(h.DataDir(), h.League.LeagueID))
	if err != nil {
		return nil, err
	}
	l := &Lesson{Settings: config.Change{}, roster: r, file: file}
	if created.LeagueID == "" {
		l.Settings.Set("pace_sec", pace)
	}
	if format == swiss || created.LeagueID == "" && format == "" {
		l.Settings.Set("schedule.format", swiss)
		l.Settings.Set("schedule.late.until", anyRound)
		l.Settings.Set("schedule.withdrawal.before_half", "keep") // grades stand
	}
	l.Settings.Set("invited", r.Names())
	l.Settings.Set("invited_only", true)
	l.Settings.Set("guest_referees", "never")
	l.Settings.Set("house.referees", referees)
	if start {
		l.Settings.Set("start.players", max(len(r.Names()), 2))
		l.Settings.Set("start.referees", 1)
	}
	return l, nil
}

// Begin invites the students to the served league, stores the roster with it, and writes the page to print. It is
// idempotent: a student that was invited before keeps the address.
func (l *Lesson) Begin(ctx context.Context, s *server.Server, by string) (err error) {
	of := s.First
	if l.Invitations, err = of.Manager.Registrar.Invite(ctx, protocol.RolePlayer, l.roster.Names(), by); err != nil {
		return err
	}
	var page bytes.Buffer
	if err := (handout.Handout{League: of.Env.League.DisplayName, Invitations: l.Invitations}).Write(&page); err != nil {
		return err
	}
	l.RosterPage = server.PageOf(of.Endpoint()) + "leagues/" + of.ID() + "/roster"
	l.Handout, err = roster.Keep(of.Env.DataDir(), of.ID(), l.file, page.Bytes())
	return err
}
