package cli

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/rpc/rpctest"
	"agentleague/web"
)

// A watched league has built-in players in its own manager, and spectators.
type watched struct {
	rate    float64 // matches per second
	matches int
	entries uint64  // of its log
	memory  int     // the manager's peak in KiB, 0 if unavailable
	cpu     float64 // seconds of a processor that the manager took from start to end, likewise
}

// watchLeague plays a league with that number of viewers. Each has to receive every entry of the log, however often its
// connection is cut.
func watchLeague(t testing.TB, viewers, players, cycles int) (out watched) {
	t.Helper()
	root := filepath.Join(t.TempDir(), "SHARED")
	manager := start(t, "manager", "--port", "0", "--root", root, "--start-after", "1h")
	var at string
	rpctest.Eventually(t, "the manager's page", func() bool {
		_, rest, _ := strings.Cut(manager.errs.String(), "Watch it at ")
		at, _, _ = strings.Cut(rest, "/\n")
		return strings.Contains(rest, "\n")
	})
	token, err := os.ReadFile(filepath.Join(root, "data", "admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	order := func(path string, body any) {
		t.Helper()
		text, _ := json.Marshal(body)
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, at+"/api/v1"+path, bytes.NewReader(text))
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			said, _ := io.ReadAll(answer.Body)
			t.Fatalf("%s: %s %s", path, answer.Status, said)
		}
	}
	order("/leagues", web.NewLeague{ID: "watched", Game: "even_odd", Players: players + 1, Referees: 2, Cycles: cycles, Bots: slices.Repeat([]string{"random"}, players)})
	look := func() (v web.LeagueView) {
		answer, err := http.Get(at + "/api/v1/leagues/watched")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if err := json.NewDecoder(answer.Body).Decode(&v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	rpctest.Eventually(t, "the players", func() bool { return look().Missing == "" && len(look().Standings) == players })

	ctx, leave := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer leave()
	var connected sync.WaitGroup
	watch := func() *onlooker {
		o := &onlooker{url: at + "/api/v1/leagues/watched/events"}
		connected.Add(1)
		all.Go(func() {
			once := sync.OnceFunc(connected.Done)
			o.watch(ctx, once)
			once()
		})
		return o
	}
	viewing := make([]*onlooker, viewers)
	for i := range viewing {
		viewing[i] = watch()
	}
	connected.Wait()
	before := processor(manager.cmd.Process.Pid)
	order("/leagues/watched/start", nil)
	begun := time.Now()
	var v web.LeagueView
	for v = look(); !v.Over(); v = look() {
		if time.Since(begun) > 10*time.Minute {
			t.Fatalf("the league is not over: %d of %d matches", v.Recorded, v.Matches)
		}
		time.Sleep(100 * time.Millisecond)
	}
	out.cpu = processor(manager.cmd.Process.Pid) - before
	out.matches, out.entries, out.memory = v.Matches, v.Sequence, peak(manager.cmd.Process.Pid)
	for _, o := range append(viewing, watch()) { // a late viewer receives everything too
		var when map[string]time.Time
		rpctest.Eventually(t, fmt.Sprintf("entry %d", v.Sequence), func() bool {
			last, at, err := o.heard()
			if err != nil {
				t.Fatal(err)
			}
			when = at
			return last >= v.Sequence
		})
		out.rate = float64(v.Matches) / when["LeagueCompleted"].Sub(when["LeagueStarted"]).Seconds()
	}
	return out
}

// An onlooker follows a league's log. It only stores the received data, compressed: viewers run elsewhere, and their
// processing must not slow the league down.
type onlooker struct {
	url string

	mu       sync.Mutex
	received []bytes.Buffer // from each connection
	err      error
}

// watch follows the log until ctx ends, and comes again wherever it is cut off.
func (o *onlooker) watch(ctx context.Context, connected func()) {
	for range 100 {
		if err := o.follow(ctx, connected); err != nil || ctx.Err() != nil {
			o.fail(err)
			return
		}
	}
	o.fail(errors.New("cut off a hundred times"))
}

func (o *onlooker) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = err
}

// follow stores the data of one connection until it is cut.
func (o *onlooker) follow(ctx context.Context, connected func()) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept-Encoding", "gzip") // set explicitly, so that the client does not decompress
	if last, _, _ := o.heard(); last > 0 {
		r.Header.Set("Last-Event-ID", strconv.FormatUint(last, 10))
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return errors.New(answer.Status)
	}
	connected()
	o.mu.Lock()
	o.received = append(o.received, bytes.Buffer{})
	o.mu.Unlock()
	for part := make([]byte, 16<<10); ; {
		n, err := answer.Body.Read(part)
		o.mu.Lock()
		o.received[len(o.received)-1].Write(part[:n])
		o.mu.Unlock()
		if err != nil {
			return nil
		}
	}
}

// heard checks the received data: it returns the last entry, the first times of some kinds of events, and an error if
// an entry is missing or duplicated.
func (o *onlooker) heard() (last uint64, when map[string]time.Time, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	when = map[string]time.Time{}
	for _, part := range o.received {
		text, err := gzip.NewReader(bytes.NewReader(part.Bytes()))
		if err != nil {
			continue // cut off at once
		}
		whole, _ := io.ReadAll(text)
		for event := range bytes.SplitSeq(whole[:bytes.LastIndex(whole, []byte("\n\n"))+1], []byte("\n\n")) {
			_, data, ok := bytes.Cut(event, []byte("\ndata: "))
			if !ok {
				continue
			}
			var n web.Notice
			if err := json.Unmarshal(data, &n); err != nil || n.Seq != last+1 {
				return last, when, fmt.Errorf("after entry %d comes %d (%w)", last, n.Seq, err)
			}
			last = n.Seq
			for _, e := range n.Events {
				if when[e.Kind].IsZero() {
					when[e.Kind] = n.At
				}
			}
		}
	}
	return last, when, o.err
}

// peak is the most memory that a process has had, in KiB.
func peak(pid int) (kib int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	_, _ = fmt.Sscan(rest, &kib)
	return kib
}

// processor is how long a process has been at work, in seconds.
func processor(pid int) float64 {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}

// Each viewer receives every entry of the log: 200 viewers, or the number in LEAGUE_VIEWERS.
func TestLongEveryViewerReceivesEverything(t *testing.T) {
	t.Parallel()
	viewers, _ := strconv.Atoi(cmp.Or(os.Getenv("LEAGUE_VIEWERS"), "200"))
	got := watchLeague(t, viewers, 12, 4)
	t.Logf("%d viewers of %d matches in %d entries: %.0f matches/s, %d MiB", viewers, got.matches, got.entries, got.rate, got.memory>>10)
	if got.matches != 264 {
		t.Errorf("%d matches, want 264", got.matches)
	}
	if most := 300<<10 + 200*viewers; runtime.GOOS == "linux" && got.memory > most && !racing {
		t.Errorf("the manager had %d KiB, want at most %d", got.memory, most)
	}
}

// BenchmarkViewers plays the same league without viewers and with 2,000, turn by turn. It reports how fast the second is
// against the first (ratio), and how many processors the manager spends on viewers while it plays (viewer-cores).
func BenchmarkViewers(b *testing.B) {
	viewers, _ := strconv.Atoi(cmp.Or(os.Getenv("LEAGUE_VIEWERS"), "2000"))
	var ratios, cores []float64
	for range b.N {
		alone := watchLeague(b, 0, 16, 6)
		seen := watchLeague(b, viewers, 16, 6)
		seconds := float64(seen.matches) / seen.rate
		ratios, cores = append(ratios, seen.rate/alone.rate), append(cores, (seen.cpu-alone.cpu)/seconds)
		b.Logf("alone %.0f matches/s, %.1f s of a processor, %d MiB; with %d viewers %.0f matches/s, %.1f s, %d MiB", alone.rate, alone.cpu, alone.memory>>10, viewers, seen.rate, seen.cpu, seen.memory>>10)
	}
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(median(cores), "viewer-cores")
	b.ReportMetric(0, "ns/op")
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
