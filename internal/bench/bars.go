package bench

import "fmt"

// bars compares a result with the aims. held reports whether all measured figures reach theirs.
func bars(r Result) (out []Bar, held bool) {
	held = true
	for _, aim := range []struct {
		name    string
		value   *float64
		atLeast bool
		limit   float64
	}{
		{"ratio_std", median(r.RatioStd), true, 0.7},
		{"allocs_per_exchange.total", median(r.AllocsPerExchange.Total), false, 70},
		{"cpu_ratio_std", median(r.CPURatioStd), false, 1.4},
		{"referee_writes_per_match", median(r.RefereeWritesPerMatch), false, 8.5},
		{"rss_kib_per_idle_player", &r.RSSPerIdlePlayer, false, 10},
		{"rss_kib_per_match_in_flight", &r.RSSPerMatchInFlight, false, 80},
		{"crowd.allocs_ratio", median(r.Crowd.AllocsRatio), false, 1.05},
		{"crowd.cpu_ratio", median(r.Crowd.CPURatio), false, 1.05},
		{"signed / unsigned", median(r.Unsigned.Ratio), true, 0.9},
	} {
		b := Bar{Name: aim.name, Bar: fmt.Sprintf("≤ %v", aim.limit), Value: aim.value, Note: "this system does not report it"}
		if aim.atLeast {
			b.Bar = fmt.Sprintf("≥ %v", aim.limit)
		}
		if v := aim.value; v != nil {
			pass := *v == aim.limit || (*v > aim.limit) == aim.atLeast
			b.Pass, b.Note, held = &pass, "", held && pass
		}
		out = append(out, b)
	}
	return out, held
}

// median returns the median of a figure, nil if it was not measured.
func median(f *Figure) *float64 {
	if f == nil {
		return nil
	}
	return &f.Median
}
