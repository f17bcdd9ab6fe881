package show

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"agentleague/internal/term"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
)

// A Progress shows a league while it is played: on a terminal as a table that is redrawn, elsewhere as plain lines.
type Progress struct {
	out, err io.Writer
	silent   bool // nothing is shown until the end

	m      *manager.Manager
	title  string // the display name of the league
	screen *term.Screen
	round  int // the newest one that was printed
	shown  int // results when it was shown last

	standing string // the last printed problem with a referee
	next     string // the time of the next round as it was printed last

	lobby map[string]bool // the agents printed before the start; nil: the start is not awaited
	last  string          // the last status line on a terminal
}

// NewProgress follows a manager in this process. The table goes to out, progress to err unless it is silent.
func NewProgress(out, err io.Writer, silent bool, m *manager.Manager, title string) *Progress {
	return &Progress{out: out, err: err, silent: silent, m: m, title: title, screen: &term.Screen{W: err}, shown: -1}
}

// Follow shows the league until it is over or ctx ends.
func (p *Progress) Follow(ctx context.Context, over <-chan struct{}) {
	if p.silent {
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
func (p *Progress) show() {
	if p.lobby != nil && p.waiting() {
		return
	}
	var status *protocol.LeagueStatus
	now := p.m.Status()
	p.printStanding(now.WaitsFor)
	ticks := p.nextRound(now)
	terminal := term.Is(p.err)
	var table []protocol.Standing
	var rounds strings.Builder
	p.m.Read(func(s *league.State) {
		switch {
		case p.shown == s.Recorded && !ticks:
			return
		case terminal:
			status = &protocol.LeagueStatus{NextRoundAt: now.NextRoundAt, OpenEnd: now.OpenEnd, CurrentRound: s.Round,
				TotalRounds: s.TotalRounds(), MatchesCompleted: s.Recorded, TotalMatches: s.TotalMatches(), Players: len(s.Agents)}
			table = s.Standings()
			p.screen.Title = cmp.Or(p.title, s.Created.LeagueID)
		default:
			p.printRounds(&rounds, s, now)
		}
		p.shown = s.Recorded
	})
	_, _ = io.WriteString(p.err, rounds.String())
	if status != nil {
		status.PauseReason = p.m.Resting()
		p.screen.Draw(*status, table)
	}
}

// printRounds prints the rounds that have ended since the last call.
func (p *Progress) printRounds(out io.Writer, s *league.State, status protocol.LeagueStatus) {
	name := func(id string) string { return term.Cut(cmp.Or(s.Agents[id].Name, id), 40) }
	for r, ok := s.RoundView(p.round + 1); ok && !r.CompletedAt.IsZero(); r, ok = s.RoundView(p.round + 1) {
		status.CurrentRound = r.Round
		fmt.Fprintf(out, "%s: %s\n", term.Round(status), results(r.Matches, name))
		p.round++
	}
}

// nextRound prints when the next round begins, once, and reports whether the countdown of a terminal has changed.
func (p *Progress) nextRound(status protocol.LeagueStatus) (ticks bool) {
	next, left := status.NextRound(time.Now())
	if term.Is(p.err) {
		next = left.String()
	}
	if next == p.next || next == "" {
		return false
	}
	p.next = next
	if term.Is(p.err) {
		return true
	}
	fmt.Fprintf(p.err, "%s; %s\n", term.Round(status), next)
	return false
}

// printStanding prints, once, the referee that the league is waiting for.
func (p *Progress) printStanding(words string) {
	if words == p.standing {
		return
	}
	if p.standing = words; words != "" {
		p.screen.Clear()
		fmt.Fprintf(p.err, "The league is %s.\n", term.Cut(words, 700))
	}
}

// AwaitStart prints agents that join from now on, until the league starts.
func (p *Progress) AwaitStart() {
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
func (p *Progress) waiting() bool {
	var came []*league.Agent
	status := p.m.Status()
	over := false
	p.m.Read(func(s *league.State) {
		over = s.Started() || s.Completed()
		for _, a := range append(s.Roster(protocol.RoleReferee), s.Roster(protocol.RolePlayer)...) {
			if !p.lobby[a.ID] {
				p.lobby[a.ID] = true
				came = append(came, a)
			}
		}
	})
	if over {
		p.lobby = nil
		p.screen.Clear()
		p.printNewcomers(came)
		return false
	}
	p.printWaiting(came, status)
	return true
}

// printWaiting prints the new agents. On a terminal, a line below counts down.
func (p *Progress) printWaiting(came []*league.Agent, status protocol.LeagueStatus) {
	terminal := term.Is(p.err)
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
	p.printNewcomers(came)
	if terminal {
		p.screen.Note("The league " + present)
		return
	}
	fmt.Fprintf(p.err, "The league %s.\n", present)
}

// printNewcomers prints a line for each new agent, or one for many.
func (p *Progress) printNewcomers(came []*league.Agent) {
	if len(came) > newcomersMost {
		fmt.Fprintf(p.err, "%d agents have joined.\n", len(came))
		return
	}
	for _, a := range came {
		fmt.Fprintf(p.err, "%s has joined as %s.\n", term.Brief(a.Name), a.Label())
	}
}

// Final prints the league's name, the table and the champion.
func (p *Progress) Final() {
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
	fmt.Fprintln(p.out, term.Brief(cmp.Or(p.title, s.LeagueID)))
	term.PrintTable(p.out, s.Standings, shared)
	if words := BasisWords(s.Basis); words != "" {
		fmt.Fprintln(p.out, words)
	}
	switch {
	case s.State == protocol.LeagueIsCancelled:
		fmt.Fprintln(p.out, Cancelled)
	case len(s.Standings) > 0:
		fmt.Fprintf(p.out, "%s after %s in %s.\n", Champions(s.Standings, shared), term.Count(s.Version, "match"),
			term.Count(s.TotalRounds, "round"))
	}
}
