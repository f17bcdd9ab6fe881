package bench

import "fmt"

// A Bar is what a figure is to be, and whether it is.
type Bar struct {
	Name  string   `json:"name"`
	Bar   string   `json:"bar"`
	Value *float64 `json:"value"` // null: not measured here
	Pass  *bool    `json:"pass"`
	Note  string   `json:"note,omitempty"`
}

// bars holds a result against what is aimed at. Held reports whether all that were measured are reached.
func bars(r Result) (out []Bar, held bool) {
	held = true
	add := func(name string, value *float64, atLeast bool, limit float64) {
		b := Bar{Name: name, Bar: fmt.Sprintf("≤ %v", limit), Value: value, Note: "not measured here"}
		if atLeast {
			b.Bar = fmt.Sprintf("≥ %v", limit)
		}
		if value != nil {
			pass := *value <= limit
			if atLeast {
				pass = *value >= limit
			}
			b.Pass, b.Note, held = &pass, "", held && pass
		}
		out = append(out, b)
	}
	add("ratio_std", median(r.RatioStd), true, 1.3)
	add("ratio_null", median(r.RatioNull), true, 0.25)
	add("signed / unsigned", median(r.Unsigned.Ratio), true, 0.9)
	add("allocs_per_match.referee", median(r.AllocsPerMatch.Referee), false, 110)
	add("allocs_per_match.total", median(r.AllocsPerMatch.Total), false, 320)
	add("referee_writes_per_match", median(r.RefereeWritesPerMatch), false, 7.3)
	add("crowd.allocs_ratio", median(r.Crowd.AllocsRatio), false, 1.02)
	add("crowd.cpu_ratio", median(r.Crowd.CPURatio), false, 1.15)
	add("rss_kib_per_idle_player", &r.RSSPerIdlePlayer, false, 10)
	add("rss_kib_per_match_in_flight", &r.RSSPerMatchInFlight, false, 80)
	add("matches_per_sec / a seed-style Python league", nil, true, 25)
	return out, held
}

func median(f *Figure) *float64 {
	if f == nil {
		return nil
	}
	return &f.Median
}
