package bench

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"agentleague/rpc/rpctest"
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
	got := figure(ratios([]float64{100, 10, 1}, []float64{1000, 100, 10}))
	if want := 0.1; math.Abs(got.Min-want) > 1e-9 || math.Abs(got.Max-want) > 1e-9 {
		t.Errorf("got %v, want %v throughout", *got, want)
	}
	if got := ratios([]float64{1, 2}, []float64{0, 1}); len(got) != 1 {
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

// A bar fails if its figure is too low; without a measurement it neither passes nor fails.
func TestBarsCanFail(t *testing.T) {
	good := func(v float64) *Figure { return &Figure{v, v, v} }
	r := Result{
		RatioStd: good(0.7), CPURatioStd: good(1.4), RefereeWritesPerMatch: good(8.5), RSSPerIdlePlayer: 10,
		RSSPerMatchInFlight: 80, AllocsPerExchange: Roles{Total: good(70)},
		Crowd: Crowd{AllocsRatio: good(1.05), CPURatio: good(1.05)}, Unsigned: Unsigned{Ratio: good(0.9)},
	}
	unmeasured := r
	unmeasured.CPURatioStd = nil
	if all, held := bars(unmeasured); !held || all[2].Pass != nil || all[2].Note == "" {
		t.Errorf("not measured: got %v, %+v", held, all[2])
	}
	all, held := bars(r)
	if !held || len(all) != 9 {
		t.Fatalf("got %v, %d bars; want 9 that hold", held, len(all))
	}
	for _, b := range all {
		switch measured := b.Value != nil; {
		case measured && (b.Pass == nil || !*b.Pass):
			t.Errorf("%s: %v against %s does not pass", b.Name, *b.Value, b.Bar)
		case !measured && (b.Pass != nil || b.Note == ""):
			t.Errorf("got %+v, want a bar that says it was not measured", b)
		}
	}
	for name, worse := range map[string]func(*Result){
		"ratio_std":                   func(r *Result) { r.RatioStd = good(0.69) },
		"allocs_per_exchange.total":   func(r *Result) { r.AllocsPerExchange.Total = good(70.1) },
		"cpu_ratio_std":               func(r *Result) { r.CPURatioStd = good(1.41) },
		"signed / unsigned":           func(r *Result) { r.Unsigned.Ratio = good(0.89) },
		"referee_writes_per_match":    func(r *Result) { r.RefereeWritesPerMatch = good(8.6) },
		"crowd.allocs_ratio":          func(r *Result) { r.Crowd.AllocsRatio = good(1.06) },
		"crowd.cpu_ratio":             func(r *Result) { r.Crowd.CPURatio = good(1.06) },
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
		if done, err := y.exchanges(ctx, at, 2, 50*time.Millisecond); err != nil || done <= 0 {
			t.Errorf("R_%s: got %v exchanges, %v", name, done, err)
		}
	}
	if err := Serve(t.Context(), "other", nil); err == nil {
		t.Error("a yardstick that there is not: got no error")
	}
}

// A yardstick without its server is an error, not a rate.
func TestAYardstickWithoutAServerFails(t *testing.T) {
	address := fmt.Sprintf("127.0.0.1:%d", rpctest.Port())
	for name, y := range yardsticks {
		if done, err := y.exchanges(t.Context(), address, 2, time.Second); err == nil {
			t.Errorf("R_%s: got %v exchanges with nobody", name, done)
		}
	}
}

// The yardsticks' code is fixed, because figures of different days are compared by it.
func TestTheYardsticksAreFixed(t *testing.T) {
	for file, want := range map[string]string{
		"std.go":  "91f59945fe38ed204c7c2f56024f86a1b4582d983f18e0fa4e62c093ceec9d43",
		"null.go": "89b41b5192dab7db0db116a06bc6d570fe1a9c4d412ab2fd72cdd50fefaa146b",
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != want {
			t.Errorf("%s: got SHA-256 %s, want %s; a change makes all earlier ratios incomparable", file, got, want)
		}
	}
}

func TestCPUIsReadBehindAnyName(t *testing.T) {
	line := "42 (a ) b) S 1 42 42 0 -1 4194304 1 0 0 0 150 25 0 0 20 0 8 0 1 2 3"
	if got := cpuIn(line); got != 1.75 {
		t.Errorf("got %v s, want 1.75", got)
	}
	if got := cpuIn("nothing"); got != 0 {
		t.Errorf("of another line: got %v s, want 0", got)
	}
}

// A call counts as an exchange when it was answered, with an error too.
func TestOnlyAnsweredCallsAreExchanges(t *testing.T) {
	var u usage
	for _, outcome := range []string{"ok", "E012", "refused", "E001", "E009", "cancelled"} {
		u.read(fmt.Sprintf(`league_calls_total{message_type="GAME_OVER",outcome=%q}`, outcome), 2)
	}
	if u.calls != 6 {
		t.Errorf("got %v exchanges, want 6", u.calls)
	}
}

// A process that takes a wrong token, or refuses a message for another reason, ends the bench.
func TestATakenTokenEndsTheBench(t *testing.T) {
	answer := `{"jsonrpc": "2.0", "id": 1, "error": {"error_code": "E012"}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }))
	defer server.Close()
	p := &process{endpoint: server.URL}
	a := &arena{manager: p, referee: p, crowd: p}
	if n, err := a.intrude(t.Context()); err != nil || n != 3 {
		t.Errorf("all refuse: got %d, %v", n, err)
	}
	for _, answer = range []string{`{"jsonrpc": "2.0", "id": 1, "result": {}}`, `{"jsonrpc": "2.0", "id": 1, "error": {"error_code": "E003"}}`} {
		if n, err := a.intrude(t.Context()); err == nil || n != 0 {
			t.Errorf("%s: got %d, %v; want an error", answer, n, err)
		}
	}
}
