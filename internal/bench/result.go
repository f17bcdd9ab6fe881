package bench

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

	Disk Disk `json:"disk_kib_per_match"` // of the league

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

// A Bar is a figure's aim, and whether the figure reaches it.
type Bar struct {
	Name  string   `json:"name"`
	Bar   string   `json:"bar"`
	Value *float64 `json:"value"` // null: not measured on this system
	Pass  *bool    `json:"pass"`
	Note  string   `json:"note,omitempty"`
}
