package bench

import "runtime"

// A Result is what was measured, by match where it says so, with the bars.
type Result struct {
	System   string  `json:"system"`
	Cores    int     `json:"cores"`
	Players  int     `json:"players"`
	InFlight int     `json:"in_flight"`
	Slices   int     `json:"slices"`
	SliceSec float64 `json:"slice_sec"`

	MatchesPerSec *Figure `json:"matches_per_sec"`
	StdPerSec     *Figure `json:"r_std_per_sec"`
	NullPerSec    *Figure `json:"r_null_per_sec"`
	RatioStd      *Figure `json:"ratio_std"`
	RatioNull     *Figure `json:"ratio_null"`

	AllocsPerMatch        Allocs  `json:"allocs_per_match"`
	CPUMsPerMatch         *Figure `json:"cpu_ms_per_match"`
	RefereeWritesPerMatch *Figure `json:"referee_writes_per_match,omitempty"`
	P50Ms                 float64 `json:"p50_ms"`
	P99Ms                 float64 `json:"p99_ms"`

	RSSPerIdlePlayer    float64 `json:"rss_kib_per_idle_player"`
	RSSPerMatchInFlight float64 `json:"rss_kib_per_match_in_flight"`

	Unsigned Unsigned `json:"unsigned"`
	Crowd    Crowd    `json:"crowd"`
	Bars     []Bar    `json:"bars"`
	Held     bool     `json:"held"` // every bar that was measured
}

// Allocs is objects made for a match, by who makes them.
type Allocs struct {
	Referee *Figure `json:"referee"`
	Players *Figure `json:"players"`
	Manager *Figure `json:"manager"`
	Total   *Figure `json:"total"`
}

// Unsigned is the same league with players that sign nothing, and what signing costs: the rate with it by the rate
// without, where each player has a port of its own, as those need that show no key.
type Unsigned struct {
	MatchesPerSec *Figure `json:"matches_per_sec"`
	CPUMsPerMatch *Figure `json:"cpu_ms_per_match"`
	Ratio         *Figure `json:"ratio"`
}

// A Crowd is the same league with more players, and how much more a match of it costs.
type Crowd struct {
	Players        int     `json:"players"`
	MatchesPerSec  *Figure `json:"matches_per_sec"`
	AllocsPerMatch *Figure `json:"allocs_per_match"`
	CPUMsPerMatch  *Figure `json:"cpu_ms_per_match"`
	AllocsRatio    *Figure `json:"allocs_ratio"`
	CPURatio       *Figure `json:"cpu_ratio"`
}

// exchangesPerMatch is how many calls a match is, by which rates of matches and of exchanges are compared.
const exchangesPerMatch = 7

// The agents of a league, as slices have them.
const (
	manager = iota
	referee
	players
)

func (s *stage) result() Result {
	of := func(agent int) *Figure {
		return figure(each(s.league, func(x slice) float64 { return x.allocs(agent) }))
	}
	rate, cpu, allocs := each(s.league, slice.rate), each(s.league, slice.cpu), each(s.league, slice.allocsOfAll)
	crowdCPU, crowdAllocs := each(s.crowd, slice.cpu), each(s.crowd, slice.allocsOfAll)
	plainRate := each(s.plain, slice.rate)
	r := Result{
		System: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU(), Players: s.Players, InFlight: s.InFlight,
		Slices: s.Slices, SliceSec: s.Slice.Seconds(),
		MatchesPerSec: figure(rate), StdPerSec: figure(s.stdRate), NullPerSec: figure(s.nullRate),
		RatioStd:       figure(ratios(rate, s.stdRate, exchangesPerMatch)),
		RatioNull:      figure(ratios(rate, s.nullRate, exchangesPerMatch)),
		AllocsPerMatch: Allocs{Referee: of(referee), Players: of(players), Manager: of(manager), Total: figure(allocs)},
		CPUMsPerMatch:  figure(cpu), P50Ms: s.p50, P99Ms: s.p99, RSSPerIdlePlayer: s.idle, RSSPerMatchInFlight: s.held,
		Unsigned: Unsigned{
			MatchesPerSec: figure(plainRate), CPUMsPerMatch: figure(each(s.plain, slice.cpu)),
			Ratio: figure(ratios(each(s.apart, slice.rate), plainRate, 1)),
		},
		Crowd: Crowd{
			Players: s.Crowd, MatchesPerSec: figure(each(s.crowd, slice.rate)), AllocsPerMatch: figure(crowdAllocs),
			CPUMsPerMatch: figure(crowdCPU),
			AllocsRatio:   figure(ratios(crowdAllocs, allocs, 1)), CPURatio: figure(ratios(crowdCPU, cpu, 1)),
		},
	}
	if writes := figure(each(s.league, slice.refereeWrites)); writes.Median > 0 {
		r.RefereeWritesPerMatch = writes
	}
	r.Bars, r.Held = bars(r)
	return r
}
