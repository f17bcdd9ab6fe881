package bench

import (
	"math"
	"net"
	"testing"
	"time"
)

func TestAFigureIsTheMedianAndTheRange(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   Figure
	}{
		{[]float64{3, 1, 2}, Figure{2, 1, 3}},
		{[]float64{4, 1, 2, 3}, Figure{2.5, 1, 4}},
		{[]float64{7}, Figure{7, 7, 7}},
	} {
		if got := figure(c.values); *got != c.want {
			t.Errorf("%v: got %v, want %v", c.values, *got, c.want)
		}
	}
	if got := figure(nil); got != nil {
		t.Errorf("of nothing: got %v, want none", got)
	}
}

func TestRatiosAreOfNeighbours(t *testing.T) {
	got := figure(ratios([]float64{100, 10, 1}, []float64{1000, 100, 10}, 7))
	if want := 0.7; math.Abs(got.Min-want) > 1e-9 || math.Abs(got.Max-want) > 1e-9 {
		t.Errorf("got %v, want %v throughout", *got, want)
	}
	if got := ratios([]float64{1, 2}, []float64{0, 1}, 1); len(got) != 1 {
		t.Errorf("got %v: nothing is divided by zero", got)
	}
}

func TestAQuantileIsWithinItsBucket(t *testing.T) {
	buckets := []bucket{{math.Inf(1), 100}, {0.01, 50}, {0.02, 90}, {0.05, 100}}
	for _, c := range []struct{ share, want float64 }{{0.5, 0.01}, {0.7, 0.015}, {0.9, 0.02}, {0.99, 0.047}} {
		if got, ok := quantile(buckets, c.share); !ok || math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v: got %v, %v; want %v", c.share, got, ok, c.want)
		}
	}
	if _, ok := quantile(nil, 0.5); ok {
		t.Error("nothing has no quantile")
	}
	if got, _ := quantile([]bucket{{1, 1}, {math.Inf(1), 2}}, 0.99); got != 1 {
		t.Errorf("beyond all bounds: got %v, want the last bound", got)
	}
}

// A bar fails when its figure falls short, and what was not measured neither passes nor fails.
func TestBarsCanFail(t *testing.T) {
	good := func(v float64) *Figure { return &Figure{v, v, v} }
	r := Result{
		RatioStd: good(1.3), RatioNull: good(0.25), RefereeWritesPerMatch: good(7.3), RSSPerIdlePlayer: 10,
		RSSPerMatchInFlight: 80,
		AllocsPerMatch:      Allocs{Referee: good(110), Total: good(320)}, Crowd: Crowd{
			AllocsRatio: good(1.02), CPURatio: good(1.15),
		},
		Unsigned: Unsigned{Ratio: good(0.9)},
	}
	all, held := bars(r)
	if !held || len(all) != 11 {
		t.Fatalf("got %v, %d bars; want 11 that hold", held, len(all))
	}
	for _, b := range all[:10] {
		if b.Pass == nil || !*b.Pass {
			t.Errorf("%s: %v against %s does not pass", b.Name, b.Value, b.Bar)
		}
	}
	if last := all[10]; last.Pass != nil || last.Value != nil || last.Note == "" {
		t.Errorf("got %+v, want a bar that says it was not measured", last)
	}
	for name, worse := range map[string]func(*Result){
		"ratio_std":                   func(r *Result) { r.RatioStd = good(1.29) },
		"ratio_null":                  func(r *Result) { r.RatioNull = good(0.24) },
		"signed / unsigned":           func(r *Result) { r.Unsigned.Ratio = good(0.89) },
		"allocs_per_match.referee":    func(r *Result) { r.AllocsPerMatch.Referee = good(111) },
		"allocs_per_match.total":      func(r *Result) { r.AllocsPerMatch.Total = good(321) },
		"referee_writes_per_match":    func(r *Result) { r.RefereeWritesPerMatch = good(7.4) },
		"crowd.allocs_ratio":          func(r *Result) { r.Crowd.AllocsRatio = good(1.03) },
		"crowd.cpu_ratio":             func(r *Result) { r.Crowd.CPURatio = good(1.16) },
		"rss_kib_per_idle_player":     func(r *Result) { r.RSSPerIdlePlayer = 10.1 },
		"rss_kib_per_match_in_flight": func(r *Result) { r.RSSPerMatchInFlight = 80.1 },
	} {
		bad := r
		worse(&bad)
		all, held := bars(bad)
		failed := ""
		for _, b := range all {
			if b.Pass != nil && !*b.Pass {
				failed += b.Name
			}
		}
		if held || failed != name {
			t.Errorf("%s is short: got %v, %q", name, held, failed)
		}
	}
}

// Each yardstick answers its own client, and counts.
func TestYardsticksMeasure(t *testing.T) {
	t.Parallel()
	for name, y := range yardsticks {
		ready, ended := make(chan string, 1), make(chan error, 1)
		ctx := t.Context()
		go func() { ended <- Serve(ctx, name, func(at string) { ready <- at }) }()
		at := <-ready
		if rate, err := y.rate(ctx, at, 2, 50*time.Millisecond); err != nil || rate <= 0 {
			t.Errorf("R_%s: got %v exchanges a second, %v", name, rate, err)
		}
	}
	if err := Serve(t.Context(), "other", nil); err == nil {
		t.Error("a yardstick that there is not: got no error")
	}
}

// A yardstick whose server is not there is an error, not a rate.
func TestAYardstickWithoutAServerFails(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for name, y := range yardsticks {
		if rate, err := y.rate(t.Context(), address, 2, time.Second); err == nil {
			t.Errorf("R_%s: got %v exchanges a second with nobody", name, rate)
		}
	}
}
