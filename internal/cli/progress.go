package cli

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"charm.land/lipgloss/v2"

	"agentleague/league"
	"agentleague/protocol"
)

// A progress shows a league while it is played: on a terminal as a table that
// is drawn again and again, elsewhere as plain lines.
type progress struct {
	app    *app
	m      *league.Manager
	screen *screen
	round  int // the newest that was told of
	shown  int // results when it was shown last
}

func newProgress(a *app, m *league.Manager) *progress {
	return &progress{app: a, m: m, screen: &screen{app: a}, shown: -1}
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
			p.screen.clear()
			return
		case <-p.m.Ended():
			p.screen.clear()
			return
		case <-ctx.Done():
			p.screen.clear()
			return
		case <-tick.C:
			p.show()
		}
	}
}

func (p *progress) show() {
	var s league.Snapshot
	var news bool
	p.m.Read(func(state *league.State) {
		if news = p.shown != state.Recorded; news { // a large league is not worth looking through for nothing
			s = state.Snapshot()
		}
	})
	if !news {
		return
	}
	p.shown = s.Version
	if terminal(p.app.err) {
		p.draw(s)
		return
	}
	for ; p.round < s.RoundsCompleted; p.round++ {
		r := s.Rounds[p.round]
		fmt.Fprintf(p.app.err, "round %d of %d: %s\n", r.Round, s.TotalRounds, results(r.Matches))
	}
}

// results tells the matches of a round in a line.
func results(matches []league.MatchView) string {
	out := make([]string, len(matches))
	for i, m := range matches {
		switch {
		case m.Winner != "" && m.Status == protocol.TechnicalLoss:
			out[i] = fmt.Sprintf("%s %s-%s %s wins by forfeit", m.ID, m.A, m.B, m.Winner)
		case m.Winner != "":
			out[i] = fmt.Sprintf("%s %s-%s %s wins", m.ID, m.A, m.B, m.Winner)
		case m.Status == protocol.Draw:
			out[i] = fmt.Sprintf("%s %s-%s draw", m.ID, m.A, m.B)
		default:
			out[i] = fmt.Sprintf("%s %s-%s %s", m.ID, m.A, m.B, strings.ToLower(m.Status))
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

// draw draws the league over what was drawn before.
func (p *progress) draw(s league.Snapshot) {
	p.screen.title = s.LeagueID
	p.screen.draw(protocol.LeagueStatus{
		PauseReason: p.m.Resting(), CurrentRound: len(s.Rounds), TotalRounds: s.TotalRounds, MatchesCompleted: s.Version, TotalMatches: s.TotalMatches, Players: len(s.Agents),
	}, s.Standings)
}

// final prints the table and the champion.
func (p *progress) final() {
	var s league.Snapshot
	p.m.Read(func(state *league.State) { s = state.Snapshot() })
	p.app.printTable(s.Standings)
	if words := basisWords(s.Basis); words != "" {
		fmt.Fprintln(p.app.out, words)
	}
	if len(s.Standings) > 0 {
		first := s.Standings[0]
		fmt.Fprintf(p.app.out, "Champion: %s (%s) with %d points after %d matches in %d rounds.\n",
			brief(first.DisplayName), first.PlayerID, first.Points, s.Version, s.TotalRounds)
	}
}

// printTable prints the table, with lines and colour on a terminal and plain elsewhere.
func (a *app) printTable(rows []protocol.Standing) {
	if terminal(a.out) {
		_, _ = lipgloss.Fprintln(a.out, standingsTable(rows))
		return
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RANK\tPLAYER\tNAME\tPLAYED\tWON\tDRAWN\tLOST\tPOINTS")
	for _, r := range rows {
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%d\t%d\t%s\t%d\n", r.Rank, brief(r.PlayerID), brief(r.DisplayName), r.Played, r.Wins, r.Draws, lost(r), r.Points)
	}
	_ = w.Flush()
}
