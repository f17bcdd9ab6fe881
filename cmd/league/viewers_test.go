package main

import (
	"bufio"
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

	var all sync.WaitGroup
	failed := make(chan error, viewers)
	ready := make(chan struct{}, viewers)
	for range viewers {
		all.Go(func() {
			if err := watchToTheEnd(t.Context(), at+"/api/v1/leagues/watched/events", func() { ready <- struct{}{} }); err != nil {
				failed <- err
			}
		})
	}
	for range viewers {
		select {
		case <-ready:
		case err := <-failed:
			t.Fatal(err)
		}
	}
	begun, before := time.Now(), processor(manager.cmd.Process.Pid)
	order("/leagues/watched/start", nil)
	var v web.LeagueView
	for v = look(); !v.Over(); v = look() {
		if time.Since(begun) > 10*time.Minute {
			t.Fatalf("the league is not over: %d of %d matches", v.Recorded, v.Matches)
		}
		time.Sleep(100 * time.Millisecond)
	}
	out.rate, out.matches, out.entries = float64(v.Matches)/time.Since(begun).Seconds(), v.Matches, v.Sequence
	all.Wait()
	out.cpu = processor(manager.cmd.Process.Pid) - before
	close(failed)
	for err := range failed {
		t.Error(err)
	}
	out.memory = peak(manager.cmd.Process.Pid)
	return out
}

// watchToTheEnd follows a log to the end of its league and comes again wherever it is cut off. An entry that is missing or
// comes twice is an error.
func watchToTheEnd(ctx context.Context, url string, connected func()) error {
	var last uint64
	connected = sync.OnceFunc(connected)
	for again := 0; ; again++ {
		over, err := watchFrom(ctx, url, &last, connected)
		if over || err != nil {
			return err
		}
		if again > 100 {
			return fmt.Errorf("cut off a hundred times, last after entry %d", last)
		}
	}
}

func watchFrom(ctx context.Context, url string, last *uint64, connected func()) (over bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false, err
	}
	if *last > 0 {
		r.Header.Set("Last-Event-ID", strconv.FormatUint(*last, 10))
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
	for lines := bufio.NewReaderSize(answer.Body, 16<<10); ; {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return over, ctx.Err() // cut off
		}
		if number, ok := bytes.CutPrefix(line, []byte("id: ")); ok {
			id, _ := strconv.ParseUint(strings.TrimSpace(string(number)), 10, 64)
			if id != *last+1 {
				return false, fmt.Errorf("after entry %d comes %d", *last, id)
			}
			*last = id
		}
		if bytes.Contains(line, []byte(`"LeagueCompleted"`)) {
			return true, nil
		}
	}
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
