package bench

import (
	"cmp"
	"fmt"
)

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
		b := Bar{Name: name, Bar: fmt.Sprintf("≤ %v", limit), Value: value, Note: "not asked for, or not told by this system"}
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
	add("ratio_std", median(r.RatioStd), true, 0.7)
	add("allocs_per_exchange.total", median(r.AllocsPerExchange.Total), false, 70)
	add("cpu_ratio_std", median(r.CPURatioStd), false, 1.4)
	add("syscalls_per_match", all(r.SyscallsPerMatch), false, 82) // half of what they were before the gate
	add("referee_writes_per_match", median(r.RefereeWritesPerMatch), false, 8.5)
	add("rss_kib_per_idle_player", &r.RSSPerIdlePlayer, false, 10)
	add("rss_kib_per_match_in_flight", &r.RSSPerMatchInFlight, false, 80)
	add("crowd.allocs_ratio", median(r.Crowd.AllocsRatio), false, 1.05)
	add("crowd.cpu_ratio", median(r.Crowd.CPURatio), false, 1.05)
	add("signed / unsigned", median(r.Unsigned.Ratio), true, 0.9)
	add("matches_per_sec / a seed-style Python league", overPython(r), true, 25)
	if python := &out[len(out)-1]; r.Python == nil {
		python.Note = cmp.Or(r.NoPython, python.Note)
	}
	add("thinking.round_sec", roundOf(r.Thinking), false, 6)
	return out, held
}

// median is that of a figure, nil if it was not measured: it is left out of the drawing then.
func median(f *Figure) *float64 {
	if f == nil {
		return nil
	}
	return &f.Median
}

// overPython is how many times as fast the league is as the one in Python, nil if that was not run.
func overPython(r Result) *float64 {
	if r.Python == nil {
		return nil
	}
	return median(r.Python.Ratio)
}

// roundOf is how many seconds a round of thinking players took, nil if none was played.
func roundOf(t *Thinking) *float64 {
	if t == nil {
		return nil
	}
	return &t.RoundSec
}

// all is the sum of system calls, if they were counted.
func all(syscalls map[string]float64) *float64 {
	n, ok := syscalls[total]
	if !ok {
		return nil
	}
	return &n
}
