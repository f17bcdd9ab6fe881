package main

import (
	"bytes"
	"cmp"
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

	"agentleague/web"
)

// A watched league is one of built-in players in a manager of its own, and those who watch it.
type watched struct {
	rate    float64 // matches per second
	matches int
	entries uint64  // of its log
	memory  int     // KiB that the manager had at most, 0 where that is not told
	cpu     float64 // seconds of a processor that the manager took from start to end, likewise
}

// watchLeague plays a league before so many viewers. Each has to receive every entry of the log, whatever happens to its
// connection.
func watchLeague(t testing.TB, viewers, players, cycles int) (out watched) {
	t.Helper()
	root := filepath.Join(t.TempDir(), "SHARED")
	manager := start(t, "manager", "--port", "0", "--root", root, "--start-after", "1h")
	var at string
	eventually(t, "the manager's page", func() bool {
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
	order("/leagues", web.NewLeague{ID: "watched", Game: "even_odd", Players: players + 1, Referees: 2, Cycles: cycles, House: slices.Repeat([]string{"random"}, players)})
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
	eventually(t, "the players", func() bool { return look().Missing == "" && len(look().Standings) == players })

	viewing := make([]*onlooker, viewers)
	var all sync.WaitGroup
	ready := make(chan error, viewers)
	for i := range viewing {
		viewing[i] = &onlooker{url: at + "/api/v1/leagues/watched/events"}
		all.Go(func() { viewing[i].watch(t.Context(), sync.OnceFunc(func() { ready <- nil })); ready <- viewing[i].err })
	}
	for range viewers {
		if err := <-ready; err != nil {
			t.Fatal(err)
		}
	}
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
	all.Wait()
	out.cpu = processor(manager.cmd.Process.Pid) - before
	out.matches, out.entries, out.memory = v.Matches, v.Sequence, peak(manager.cmd.Process.Pid)
	late := &onlooker{url: at + "/api/v1/leagues/watched/events"} // who comes afterwards sees it all too
	late.watch(t.Context(), func() {})
	for _, o := range append(viewing, late) {
		if err := o.missed(); err != nil {
			t.Error(err)
		}
	}
	out.rate = float64(v.Matches) / (late.when("LeagueCompleted").Sub(late.when("LeagueStarted"))).Seconds()
	return out
}

// An onlooker follows a league's log to its end. It only keeps what it hears: those who watch are elsewhere, and what they
// do with it must not cost the league anything while it plays.
type onlooker struct {
	url  string
	text []byte
	err  error
}

const theEnd = `"LeagueCompleted"`

// watch follows the log and comes again wherever it is cut off.
func (o *onlooker) watch(ctx context.Context, connected func()) {
	for range 100 {
		var over bool
		if over, o.err = o.follow(ctx, connected); over || o.err != nil {
			return
		}
	}
	o.err = fmt.Errorf("cut off a hundred times, last after entry %d", o.last())
}

func (o *onlooker) follow(ctx context.Context, connected func()) (over bool, err error) {
	if whole := bytes.LastIndex(o.text, []byte("\n\n")); whole > 0 {
		o.text = o.text[:whole+2]
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url, nil)
	if err != nil {
		return false, err
	}
	if last := o.last(); last > 0 {
		r.Header.Set("Last-Event-ID", strconv.FormatUint(last, 10))
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return false, errors.New(answer.Status)
	}
	connected()
	for {
		had := len(o.text)
		o.text = slices.Grow(o.text, 16<<10)
		n, err := answer.Body.Read(o.text[had:cap(o.text)])
		o.text = o.text[:had+n]
		if bytes.Contains(o.text[max(had-len(theEnd), 0):], []byte(theEnd)) {
			return true, nil
		}
		if err != nil {
			return false, ctx.Err() // cut off
		}
	}
}

// ids yields the numbers of the entries that were heard, in their order.
func (o *onlooker) ids(yield func(uint64) bool) {
	for line := range bytes.Lines(o.text) {
		if number, ok := bytes.CutPrefix(line, []byte("id: ")); ok {
			id, _ := strconv.ParseUint(strings.TrimSpace(string(number)), 10, 64)
			if !yield(id) {
				return
			}
		}
	}
}

func (o *onlooker) last() (id uint64) {
	for id = range o.ids { //nolint:revive // the last one counts
	}
	return id
}

// missed tells of an entry that is missing or came twice.
func (o *onlooker) missed() error {
	var last uint64
	for id := range o.ids {
		if id != last+1 {
			return fmt.Errorf("after entry %d comes %d", last, id)
		}
		last = id
	}
	return o.err
}

// when is the time of the entry with an event of some kind.
func (o *onlooker) when(kind string) time.Time {
	for line := range bytes.Lines(o.text) {
		var n web.Notice
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok && json.Unmarshal(data, &n) == nil &&
			slices.ContainsFunc(n.Events, func(e web.NoticeEvent) bool { return e.Kind == kind }) {
			return n.At
		}
	}
	return time.Time{}
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

// Everybody who watches receives every entry of the log: 200 here, or as many as LEAGUE_VIEWERS says.
func TestEveryViewerReceivesEverything(t *testing.T) {
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
