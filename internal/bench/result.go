package bench

import "runtime"

// A Result holds all measurements and the bars.
type Result struct {
	System   string  `json:"system"`
	Cores    int     `json:"cores"`
	Players  int     `json:"players"`
	InFlight int     `json:"in_flight"` // matches at a time
	Slices   int     `json:"slices"`
	SliceSec float64 `json:"slice_sec"` // minimum length of each slice

	MatchesPerSec     *Figure `json:"matches_per_sec"`
	ExchangesPerMatch *Figure `json:"exchanges_per_match"` // answered calls, of the match and of its share of a round's broadcasts
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

	P50Ms float64 `json:"p50_ms"` // of one exchange
	P99Ms float64 `json:"p99_ms"`

	RSSPerIdlePlayer    float64 `json:"rss_kib_per_idle_player"`     // in KiB
	RSSPerMatchInFlight float64 `json:"rss_kib_per_match_in_flight"` // in KiB

	Unsigned Unsigned `json:"unsigned"`
	Crowd    Crowd    `json:"crowd"`

	WrongTokensRefused int        `json:"wrong_tokens_refused"` // all that the bench sent, in every slice to every kind of process
	Verified           []Verified `json:"verified"`             // by league

	Bars []Bar `json:"bars"`
	Held bool  `json:"held"` // every bar that was measured
}

// Roles is a figure by kind of process.
type Roles struct {
	Referee *Figure `json:"referee"`
	Players *Figure `json:"players"`
	Manager *Figure `json:"manager"`
	Total   *Figure `json:"total"`
}

// Unsigned is the same league without keys and signatures. Ratio is the rate with signatures by the rate without, both
// with a port for each player, which players without keys need.
type Unsigned struct {
	MatchesPerSec *Figure `json:"matches_per_sec"`
	CPUMsPerMatch *Figure `json:"cpu_ms_per_match"`
	Ratio         *Figure `json:"ratio"`
}

// A Crowd is the same league with more players, and the cost of its matches relative to the smaller league.
type Crowd struct {
	Players        int     `json:"players"`
	MatchesPerSec  *Figure `json:"matches_per_sec"`
	AllocsPerMatch *Figure `json:"allocs_per_match"`
	CPUMsPerMatch  *Figure `json:"cpu_ms_per_match"`
	AllocsRatio    *Figure `json:"allocs_ratio"`
	CPURatio       *Figure `json:"cpu_ratio"`
}

// The agents of a league, as indices into slice.used.
const (
	manager = iota
	referee
	players
)

// result sums up all slices. Ratios are of neighbouring slices and not of averages, since a slow phase of the machine
// affects both.
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
		WrongTokensRefused: s.refused(), Verified: s.verified,
		Unsigned: s.unsignedResult(), Crowd: s.crowdResult(cpus, allocs),
	}
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

// unsignedResult compares the leagues with and without signatures.
func (s *stage) unsignedResult() Unsigned {
	rates := each(s.plain, slice.rate)
	return Unsigned{
		MatchesPerSec: figure(rates), CPUMsPerMatch: figure(each(s.plain, slice.cpu)),
		Ratio: figure(ratios(each(s.apart, slice.rate), rates)),
	}
}

// crowdResult compares the CPU and the objects of a match in the larger and the smaller league.
func (s *stage) crowdResult(cpus, allocs []float64) Crowd {
	crowdCPU, crowdAllocs := each(s.crowd, slice.cpu), each(s.crowd, slice.allocs)
	return Crowd{
		Players: s.Crowd, MatchesPerSec: figure(each(s.crowd, slice.rate)),
		AllocsPerMatch: figure(crowdAllocs), CPUMsPerMatch: figure(crowdCPU),
		AllocsRatio: figure(ratios(crowdAllocs, allocs)), CPURatio: figure(ratios(crowdCPU, cpus)),
	}
}

// byRole divides the usage of each kind of process by the work done.
func byRole(of []slice, used func(usage) float64, done func(slice) float64) Roles {
	role := func(agent int) *Figure {
		return figure(each(of, func(s slice) float64 { return used(s.used[agent]) / done(s) }))
	}
	return Roles{
		Referee: role(referee), Players: role(players), Manager: role(manager),
		Total: figure(each(of, func(s slice) float64 { return s.sum(used) / done(s) })),
	}
}
