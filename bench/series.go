package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"agentleague/bench/plot"
)

// A Series is how cost and rate change with the number of players and with that of matches at a time.
type Series struct {
	Players  []Sample `json:"players"`
	InFlight []Sample `json:"in_flight"`
}

// A Sample is what was measured at one place of a series.
type Sample struct {
	At             int     `json:"at"` // players, or matches at a time
	MatchesPerSec  *Figure `json:"matches_per_sec"`
	AllocsPerMatch *Figure `json:"allocs_per_match"`
	CPUMsPerMatch  *Figure `json:"cpu_ms_per_match"`
}

// seriesSlices is how many slices a sample has.
const seriesSlices = 3

// inFlight is where the second series is measured.
var inFlight = []int{1, 2, 4, 8, 16, 32, 64}

// sample is one point of a drawing, from all turns that were played for it.
func sample(at int, played []slice) Sample {
	return Sample{
		At: at, MatchesPerSec: figure(each(played, slice.rate)), AllocsPerMatch: figure(each(played, slice.allocs)),
		CPUMsPerMatch: figure(each(played, slice.cpu)),
	}
}

// measureSeries measures both series. It comes after everything else.
func measureSeries(ctx context.Context, o Options) (s *Series, err error) {
	s = &Series{}
	if s.Players, err = overPlayers(ctx, o); err != nil {
		return nil, err
	}
	s.InFlight, err = overInFlight(ctx, o)
	return s, err
}

// overPlayers measures leagues of more and more players, one after the other: what is counted does not depend on what
// else the machine does, and all of them at once would not fit into it.
func overPlayers(ctx context.Context, o Options) (out []Sample, err error) {
	for _, n := range o.PlotPlayers {
		o.Say(fmt.Sprintf("a league of %d players", n))
		played, err := playedBy(ctx, o, setup{
			root: filepath.Join(o.Folder, fmt.Sprintf("players-%d", n)), players: n, inFlight: o.InFlight,
		})
		if err != nil {
			return nil, fmt.Errorf("a league of %d players: %w", n, err)
		}
		out = append(out, sample(n, played))
	}
	return out, nil
}

// playedBy plays some turns in a league of its own, which is gone afterwards.
func playedBy(ctx context.Context, o Options, as setup) (played []slice, err error) {
	a, err := openArena(ctx, o.Program, as)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(as.root)
	defer a.close()
	if err := a.begin(ctx, o.Slice); err != nil {
		return nil, err
	}
	for range seriesSlices {
		s, err := a.play(ctx, o.Slice)
		if err != nil {
			return nil, err
		}
		played = append(played, s)
	}
	return played, nil
}

// overInFlight measures leagues that differ in how many matches their referee plays at a time, in turns: their rates
// are compared with each other.
func overInFlight(ctx context.Context, o Options) (out []Sample, err error) {
	arenas, played := make([]*arena, len(inFlight)), make([][]slice, len(inFlight))
	defer func() {
		for _, a := range arenas {
			if a != nil {
				a.close()
			}
		}
	}()
	for i, n := range inFlight {
		o.Say(fmt.Sprintf("%d matches at a time", n))
		arenas[i], err = openArena(ctx, o.Program, setup{
			root: filepath.Join(o.Folder, fmt.Sprintf("in-flight-%d", n)), players: 2 * inFlight[len(inFlight)-1], inFlight: n,
		})
		if err == nil {
			err = arenas[i].begin(ctx, o.Slice)
		}
		if err != nil {
			return nil, err
		}
	}
	for turn := range seriesSlices {
		o.Say(fmt.Sprintf("turn %d of %d", turn+1, seriesSlices))
		for i, a := range arenas {
			s, err := a.play(ctx, o.Slice)
			if err != nil {
				return nil, err
			}
			played[i] = append(played[i], s)
		}
	}
	for i, n := range inFlight {
		out = append(out, sample(n, played[i]))
	}
	return out, nil
}

// Plots are the drawings of a series by the names of their files.
func (s Series) Plots() map[string][]byte {
	points := func(of []Sample, f func(Sample) *Figure) (out []plot.Point) {
		for _, at := range of {
			if v := f(at); v != nil {
				out = append(out, plot.Point{X: float64(at.At), Y: v.Median, Low: v.Min, Top: v.Max})
			}
		}
		return out
	}
	objects := func(at Sample) *Figure { return at.AllocsPerMatch }
	cpu := func(at Sample) *Figure { return at.CPUMsPerMatch }
	rate := func(at Sample) *Figure { return at.MatchesPerSec }
	return map[string][]byte{
		"speed-players.svg": plot.Draw("What a match costs in leagues of different sizes: objects and CPU time",
			plot.Panel{Title: "objects for a match, all processes", X: "players in the league", Points: points(s.Players, objects)},
			plot.Panel{Title: "CPU for a match, all processes, ms", X: "players in the league", Points: points(s.Players, cpu)}),
		"speed-in-flight.svg": plot.Draw("How the rate and the cost of matches change with how many are played at a time",
			plot.Panel{Title: "matches a second", X: "matches at a time", Points: points(s.InFlight, rate)},
			plot.Panel{Title: "CPU for a match, all processes, ms", X: "matches at a time", Points: points(s.InFlight, cpu)}),
	}
}

// WritePlots writes the drawings to a folder.
func (s Series) WritePlots(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, svg := range s.Plots() {
		if err := os.WriteFile(filepath.Join(folder, name), svg, 0o644); err != nil {
			return err
		}
	}
	return nil
}
