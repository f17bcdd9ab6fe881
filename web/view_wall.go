package web

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"agentleague/league/view"
	"agentleague/web/figures"
)

// A slide is one screen of the projector view. The screens change automatically; each is readable from the last row
// of a classroom, and together they list every player.
type slide struct {
	Kind    string // join, final, table, absent, round, chart, cross
	Title   string
	Count   string // beside the title: the extent of this part
	Size    string // of its lines: large, usual or small; hundreds if ranks have three digits
	Columns [][]view.Row
	Names   [][]string // of players that are not here yet
	Matches [][]view.MatchRow
	More    int // matches that are not listed
}

// The capacity of a screen. The style sheet gives each line its share of the screen's height.
const (
	wallLarge   = 8  // players in lines of the largest size
	wallColumn  = 15 // players in a column
	wallRound   = 12 // matches in a column
	wallCross   = 30 // players whose pairwise results are readable
	wallColumns = 3
	wallShort   = 13 // characters of a name that fits into a third of a screen
)

// Slides lists the screens of the projector view.
func (p leaguePage) Slides() (out []slide) {
	if p.Lobby != nil {
		return p.lobbySlides()
	}
	if len(p.Podium) > 0 {
		out = append(out, slide{Kind: "final", Title: "Final result"})
	}
	out = append(out, p.tableSlides()...)
	if p.RoundNow != nil && !p.Over() {
		out = append(out, p.roundSlide())
	}
	if len(p.wallChart.Lines) > 0 {
		out = append(out, slide{Kind: "chart", Title: "Points over the rounds", Count: p.chartCount()})
	}
	if p.Crossed() && len(p.Standings) <= wallCross {
		s := slide{Kind: "cross", Title: "Who beat whom", Size: "usual"}
		switch {
		case len(p.Standings) <= wallLarge:
			s.Size = "large"
		case len(p.Standings) > wallColumn:
			s.Size = "small"
		}
		out = append(out, s)
	}
	return out
}

// WallChart returns the chart in the proportions of a projector.
func (p leaguePage) WallChart() figures.Chart { return p.wallChart }

// chartCount returns the number of labelled curves, if not all are.
func (p leaguePage) chartCount() string {
	if p.wallChart.Grey() == 0 {
		return ""
	}
	return fmt.Sprintf("names of the first %d of %d", len(p.wallChart.Legend()), len(p.Standings))
}

// tableSlides show the whole table: in one column, in two, or in screens of three.
func (p leaguePage) tableSlides() (out []slide) {
	title := "Standings"
	if p.Waiting() {
		title = "Players"
	}
	var names []string
	for _, r := range p.Standings {
		names = append(names, r.DisplayName)
	}
	for _, s := range screens(p.Standings, title, columnsFor(names)) {
		s.slide.Kind, s.slide.Columns = "table", s.columns
		out = append(out, s.slide)
	}
	return out
}

// lobbySlides show how to join, and the present and missing players.
func (p leaguePage) lobbySlides() (out []slide) {
	out = append(out, slide{Kind: "join", Title: "Before the start"})
	if len(p.Standings) > 0 {
		out = append(out, p.tableSlides()...)
	}
	for _, s := range screens(p.Lobby.Absent, "Not here yet", columnsFor(p.Lobby.Absent)) {
		s.slide.Kind, s.slide.Names = "absent", s.columns
		out = append(out, s.slide)
	}
	return out
}

// A screen is a slide with a part of a list in columns.
type screen[T any] struct {
	slide   slide
	columns [][]T
}

// columnsFor returns the maximum number of columns, which is smaller if a name does not fit into a third of a screen.
func columnsFor(names []string) int {
	for _, name := range names {
		if utf8.RuneCountInString(name) > wallShort {
			return wallColumns - 1
		}
	}
	return wallColumns
}

// screens splits a list into the necessary number of screens, as evenly as possible.
func screens[T any](list []T, title string, most int) (out []screen[T]) {
	all := len(list)
	columns := min(max(1, (all+wallColumn-1)/wallColumn), most)
	count := (all + columns*wallColumn - 1) / (columns * wallColumn)
	each := (all + max(count, 1) - 1) / max(count, 1)
	for from := 0; from < all; from += each {
		to := min(from+each, all)
		s := screen[T]{slide{Title: title, Size: "usual"}, split(list[from:to], columns)}
		switch {
		case all <= wallLarge:
			s.slide.Size = "large"
		case all >= 100:
			s.slide.Size = "usual hundreds"
		}
		if count > 1 {
			s.slide.Count = fmt.Sprintf("%d to %d of %d", from+1, to, all)
		}
		out = append(out, s)
	}
	return out
}

// roundSlide shows the round in play: large if it is short, in two columns if it is long.
func (p leaguePage) roundSlide() slide {
	r := p.RoundNow
	s := slide{Kind: "round", Title: fmt.Sprintf("Round %d", r.Round), More: r.More,
		Count: fmt.Sprintf("%d of %d done", r.Done, r.Total), Size: "usual"}
	if len(r.Matches) <= wallLarge {
		s.Size = "large"
	}
	s.Matches = split(r.Matches, 1+min(len(r.Matches)/(wallRound+1), 1))
	return s
}

// split splits a list into the given number of columns, one after the other.
func split[T any](list []T, columns int) (out [][]T) {
	each := cmp.Or((len(list)+columns-1)/columns, 1)
	for from := 0; from < len(list); from += each {
		out = append(out, list[from:min(from+each, len(list))])
	}
	return out
}
