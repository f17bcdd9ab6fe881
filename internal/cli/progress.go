package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"agentleague/internal/term"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
)

// A progress shows a league while it is played: on a terminal as a table that
// is drawn again and again, elsewhere as plain lines.
type progress struct {
	app    *app
	m      *manager.Manager
	title  string // the display name of the league
	screen *term.Screen
	round  int // the newest one that was printed
	shown  int // results when it was shown last

	standing string // the last printed problem with a referee

	lobby map[string]bool // the agents printed before the start; nil: the start is not awaited
	last  string          // the last status line on a terminal
}

// newProgress follows a manager in this process; it prints to standard error.
func newProgress(a *app, m *manager.Manager, title string) *progress {
	return &progress{app: a, m: m, title: title, screen: &term.Screen{W: a.err}, shown: -1}
}

// follow shows the league until it is over or ctx ends.
func (p *progress) follow(ctx context.Context, over <-chan struct{}) {
	if p.app.json {
		select {
		case <-over:
		case <-p.m.Ended():
		case <-ctx.Done():
		}
		return
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-over:
			p.show()
			p.screen.Clear()
			return
		case <-p.m.Ended():
			p.screen.Clear()
			return
		case <-ctx.Done():
			if p.lobby != nil {
				p.waiting() // agents that joined since the last call
			}
			p.screen.Clear()
			return
		case <-tick.C:
			p.show()
		}
	}
}

// show draws the table anew on a terminal, and elsewhere writes a line for each round that has ended.
func (p *progress) show() {
	if p.lobby != nil && p.waiting() {
		return
	}
	var s league.Snapshot
	var news bool
	p.m.Read(func(state *league.State) {
		if news = p.shown != state.Recorded; news { // the state of a large league is read only after a change
			s = state.Snapshot()
		}
	})
	p.printStanding()
	if !news {
		return
	}
	p.shown = s.Version
	if term.Is(p.app.err) {
		p.draw(s)
		return
	}
	for ; p.round < s.RoundsCompleted; p.round++ {
		r := s.Rounds[p.round]
		fmt.Fprintf(p.app.err, "round %d of %d: %s\n", r.Round, s.TotalRounds, results(r.Matches, namesOf(s.Agents)))
	}
}

// printStanding prints once which referee blocks the league.
func (p *progress) printStanding() {
	words := p.m.WaitsFor()
	if words == p.standing {
		return
	}
	if p.standing = words; words != "" {
		p.screen.Clear()
		fmt.Fprintf(p.app.err, "The league is %s.\n", term.Cut(words, 700))
	}
}

// awaitStart prints agents that join from now on, until the league starts.
func (p *progress) awaitStart() {
	p.lobby = map[string]bool{}
	p.m.Read(func(s *league.State) {
		for id := range s.Agents {
			p.lobby[id] = true
		}
	})
}

// newcomersMost is the number of agents that are printed individually.
const newcomersMost = 20

// waiting prints agents that join before the start, and the missing ones. It returns false after the start.
func (p *progress) waiting() bool {
	var came []*league.Agent
	status := p.m.Status()
	p.m.Read(func(s *league.State) {
		if s.Started() || s.Completed() {
			p.lobby = nil
			return
		}
		for _, a := range append(s.Roster(protocol.RoleReferee), s.Roster(protocol.RolePlayer)...) {
			if !p.lobby[a.ID] {
				p.lobby[a.ID] = true
				came = append(came, a)
			}
		}
	})
	if p.lobby == nil {
		p.screen.Clear()
		return false
	}
	p.printWaiting(came, status)
	return true
}

// printWaiting prints the new agents. On a terminal, a line below counts down.
func (p *progress) printWaiting(came []*league.Agent, status protocol.LeagueStatus) {
	terminal := term.Is(p.app.err)
	present := status.Starting(time.Now())
	if terminal {
		present = term.Present(status)
	}
	first := p.last == ""
	if p.last == present && len(came) == 0 || !terminal && !first && len(came) == 0 {
		return
	}
	p.last = present
	p.screen.Clear()
	if len(came) > newcomersMost {
		fmt.Fprintf(p.app.err, "%d agents have joined.\n", len(came))
	} else {
		for _, a := range came {
			fmt.Fprintf(p.app.err, "%s has joined as %s.\n", term.Brief(a.Name), a.Label())
		}
	}
	if terminal {
		p.screen.Note("The league " + present)
		return
	}
	fmt.Fprintf(p.app.err, "The league %s.\n", present)
}

// results describes the matches of a round in a line.
func results(matches []league.MatchView, name func(id string) string) string {
	out := make([]string, len(matches))
	for i, m := range matches {
		loser := m.A
		if m.Winner == m.A {
			loser = m.B
		}
		switch {
		case m.Winner != "" && m.Status == protocol.TechnicalLoss:
			out[i] = fmt.Sprintf("%s beat %s by forfeit", name(m.Winner), name(loser))
		case m.Winner != "":
			out[i] = fmt.Sprintf("%s beat %s", name(m.Winner), name(loser))
		case m.Status == protocol.Draw:
			out[i] = fmt.Sprintf("%s drew with %s", name(m.A), name(m.B))
		default:
			out[i] = fmt.Sprintf("%s and %s: %s", name(m.A), name(m.B), strings.ToLower(m.Status))
		}
		if word := doubt(m.Proof); word != "" {
			out[i] += " (" + word + ")"
		}
	}
	if len(out) > 6 {
		return fmt.Sprintf("%s … and %d more", strings.Join(out[:6], ", "), len(out)-6)
	}
	return strings.Join(out, ", ")
}

// namesOf finds the name of an agent, which is short; "P01" if it has none.
func namesOf(agents []league.AgentView) func(id string) string {
	names := map[string]string{}
	for _, a := range agents {
		names[a.ID] = a.Name
	}
	return func(id string) string { return term.Cut(cmp.Or(names[id], id), 40) }
}

// draw draws the league over the previous picture.
func (p *progress) draw(s league.Snapshot) {
	p.screen.Title = cmp.Or(p.title, s.LeagueID)
	p.screen.Draw(protocol.LeagueStatus{
		PauseReason: p.m.Resting(), CurrentRound: len(s.Rounds), TotalRounds: s.TotalRounds, MatchesCompleted: s.Version, TotalMatches: s.TotalMatches, Players: len(s.Agents),
	}, s.Standings)
}

// final prints the league's name, the table and the champion.
func (p *progress) final() {
	var s league.Snapshot
	shared := term.Ranks{}
	p.m.Read(func(state *league.State) {
		s = state.Snapshot()
		for i, rank := range state.Table().Ranks {
			if rank.Shared {
				shared[s.Standings[i].PlayerID] = rank.String()
			}
		}
	})
	fmt.Fprintln(p.app.out, term.Brief(cmp.Or(p.title, s.LeagueID)))
	term.PrintTable(p.app.out, s.Standings, shared)
	if words := basisWords(s.Basis); words != "" {
		fmt.Fprintln(p.app.out, words)
	}
	switch {
	case s.State == protocol.LeagueIsCancelled:
		fmt.Fprintln(p.app.out, cancelledWords)
	case len(s.Standings) > 0:
		fmt.Fprintf(p.app.out, "%s after %s in %s.\n", champions(s.Standings, shared), term.Count(s.Version, "match"),
			term.Count(s.TotalRounds, "round"))
	}
}

// champions names the winner of a league, or all players that share the first place.
func champions(table []protocol.Standing, shared term.Ranks) string {
	first := table[0]
	var names []string
	for _, row := range table {
		if row.PlayerID == first.PlayerID || shared[first.PlayerID] != "" && shared[row.PlayerID] == shared[first.PlayerID] {
			names = append(names, fmt.Sprintf("%s (%s)", term.Brief(row.DisplayName), row.PlayerID))
		}
	}
	if len(names) == 1 {
		return fmt.Sprintf("Champion: %s with %d points", names[0], first.Points)
	}
	last := len(names) - 1
	return fmt.Sprintf("Champions: %s and %s, with %d points each", strings.Join(names[:last], ", "), names[last], first.Points)
}
