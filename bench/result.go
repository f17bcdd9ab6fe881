package bench

import "runtime"

// A Result is what was measured, by match or by exchange where it says so, with the bars.
type Result struct {
	System   string  `json:"system"`
	Cores    int     `json:"cores"`
	Players  int     `json:"players"`
	InFlight int     `json:"in_flight"` // matches at a time
	Slices   int     `json:"slices"`
	SliceSec float64 `json:"slice_sec"` // how long each turn was

	MatchesPerSec     *Figure `json:"matches_per_sec"`
	ExchangesPerMatch *Figure `json:"exchanges_per_match"` // calls that were answered, of the match and of its share of a round's news
	ExchangesPerSec   *Figure `json:"exchanges_per_sec"`
	StdPerSec         *Figure `json:"r_std_per_sec"`
	NullPerSec        *Figure `json:"r_null_per_sec"`
	RatioStd          *Figure `json:"ratio_std"`  // exchanges a second by R_std's
	RatioNull         *Figure `json:"ratio_null"` // and by R_null's

	AllocsPerMatch    Roles   `json:"allocs_per_match"`
	AllocsPerExchange Roles   `json:"allocs_per_exchange"`
	CPUMsPerMatch     *Figure `json:"cpu_ms_per_match"`
	CPUUsPerExchange  Roles   `json:"cpu_us_per_exchange"`
	StdCPUUs          *Figure `json:"r_std_cpu_us,omitempty"`  // of both sides, for an exchange of R_std
	CPURatioStd       *Figure `json:"cpu_ratio_std,omitempty"` // CPU of an exchange by that of R_std's

	ReadsAndWritesPerMatch *Figure `json:"reads_and_writes_per_match,omitempty"` // calls of the system, of all processes
	RefereeWritesPerMatch  *Figure `json:"referee_writes_per_match,omitempty"`

	// SyscallsPerMatch is by name, of all processes, where they were asked for; total is all of them.
	SyscallsPerMatch map[string]float64 `json:"syscalls_per_match,omitempty"`

	P50Ms float64 `json:"p50_ms"` // of one exchange
	P99Ms float64 `json:"p99_ms"`

	RSSPerIdlePlayer    float64 `json:"rss_kib_per_idle_player"`     // in KiB
	RSSPerMatchInFlight float64 `json:"rss_kib_per_match_in_flight"` // in KiB

	Unsigned Unsigned `json:"unsigned"`
	Crowd    Crowd    `json:"crowd"`

	Python   *PythonLeague `json:"python"`              // null: not measured
	NoPython string        `json:"no_python,omitempty"` // why the league in Python was not run

	WrongTokensRefused int        `json:"wrong_tokens_refused"` // of the bench's own, in every slice by every kind of process: all
	Verified           []Verified `json:"verified"`             // what league verify says of each league afterwards

	Thinking *Thinking `json:"thinking,omitempty"`
	Series   *Series   `json:"series,omitempty"`

	Bars []Bar `json:"bars"`
	Held bool  `json:"held"` // every bar that was measured
}

// Roles is what something takes, by whose process it is.
type Roles struct {
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

// The agents of a league, as slices have them.
const (
	manager = iota
	referee
	players
)

// result makes the figures of all turns. Ratios are those of turns side by side and not of averages: what slows the
// machine down for a while slows both.
func (s *stage) result() Result {
	rates, cpus, allocs := each(s.league, slice.exchangeRate), each(s.league, slice.cpu), each(s.league, slice.allocs)
	r := Result{
		System: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU(), Players: s.Players, InFlight: s.InFlight,
		Slices: s.Slices, SliceSec: s.Slice.Seconds(),
		MatchesPerSec:     figure(each(s.league, slice.rate)),
		ExchangesPerMatch: figure(each(s.league, slice.exchangesPerMatch)), ExchangesPerSec: figure(rates),
		StdPerSec: figure(s.stdRate), NullPerSec: figure(s.nullRate),
		RatioStd: figure(ratios(rates, s.stdRate)), RatioNull: figure(ratios(rates, s.nullRate)),
		AllocsPerMatch:    byRole(s.league, mallocs, func(x slice) float64 { return x.matches }),
		AllocsPerExchange: byRole(s.league, mallocs, slice.exchanges),
		CPUMsPerMatch:     figure(cpus),
		CPUUsPerExchange:  byRole(s.league, cpu, func(x slice) float64 { return x.exchanges() / 1e6 }),
		StdCPUUs:          measured(s.stdCPU), CPURatioStd: measured(ratios(each(s.league, slice.exchangeCPU), s.stdCPU)),
		ReadsAndWritesPerMatch: measured(each(s.league, slice.io)),
		RefereeWritesPerMatch:  measured(each(s.league, slice.refereeWrites)),
		P50Ms:                  s.p50, P99Ms: s.p99, RSSPerIdlePlayer: s.idle, RSSPerMatchInFlight: s.held,
		SyscallsPerMatch: s.syscalls, WrongTokensRefused: s.refused(), Verified: s.verified,
		Unsigned: s.unsignedResult(), Crowd: s.crowdResult(cpus, allocs),
	}
	r.Thinking, r.Series = s.thinking, s.series
	r.Python, r.NoPython = s.pythonResult(), s.noPython
	r.Bars, r.Held = bars(r)
	return r
}

// refused counts the messages with a wrong token.
func (s *stage) refused() (n int) {
	for _, played := range [][]slice{s.league, s.apart, s.plain, s.crowd} {
		for _, x := range played {
			n += x.refused
		}
	}
	return n
}

// unsignedResult compares leagues with signatures and without, which are measured apart from everything else.
func (s *stage) unsignedResult() Unsigned {
	rates := each(s.plain, slice.rate)
	return Unsigned{
		MatchesPerSec: figure(rates), CPUMsPerMatch: figure(each(s.plain, slice.cpu)),
		Ratio: figure(ratios(each(s.apart, slice.rate), rates)),
	}
}

// crowdResult holds the larger league against the CPU and the objects of the smaller one's matches.
func (s *stage) crowdResult(cpus, allocs []float64) Crowd {
	crowdCPU, crowdAllocs := each(s.crowd, slice.cpu), each(s.crowd, slice.allocs)
	return Crowd{
		Players: s.Crowd, MatchesPerSec: figure(each(s.crowd, slice.rate)),
		AllocsPerMatch: figure(crowdAllocs), CPUMsPerMatch: figure(crowdCPU),
		AllocsRatio: figure(ratios(crowdAllocs, allocs)), CPURatio: figure(ratios(crowdCPU, cpus)),
	}
}

// pythonResult is how the league in Python did, nil where there was none.
func (s *stage) pythonResult() *PythonLeague {
	if s.python == nil {
		return nil
	}
	return &PythonLeague{
		Players: s.Players, Processes: len(s.python.parts), MatchesPerSec: figure(s.pythonRate),
		CPUMsPerMatch: measured(s.pythonCPU), Ratio: figure(ratios(each(s.league, slice.rate), s.pythonRate)),
	}
}

// byRole divides what each kind of process used by how much was done.
func byRole(of []slice, used func(usage) float64, done func(slice) float64) Roles {
	role := func(agent int) *Figure {
		return figure(each(of, func(s slice) float64 { return used(s.used[agent]) / done(s) }))
	}
	return Roles{
		Referee: role(referee), Players: role(players), Manager: role(manager),
		Total: figure(each(of, func(s slice) float64 { return s.sum(used) / done(s) })),
	}
}

// measured is the figure of what a system tells, or none where it does not.
func measured(values []float64) *Figure {
	if f := figure(values); f != nil && f.Median > 0 {
		return f
	}
	return nil
}
