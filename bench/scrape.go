package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// What an agent's process has used since it began, and has done.
type usage struct {
	mallocs, cpu float64 // objects, seconds
	rss          float64 // bytes
	writes       float64 // calls of write; only where the system tells
	results      float64 // of a manager
	open, over   float64 // matches of a referee
	durations    []bucket
}

func (u usage) minus(v usage) usage {
	u.mallocs, u.cpu, u.writes = u.mallocs-v.mallocs, u.cpu-v.cpu, u.writes-v.writes
	u.results, u.over = u.results-v.results, u.over-v.over
	return u
}

// usage asks an agent what it has used.
func (p *process) usage(ctx context.Context) (u usage, err error) {
	text, err := get(ctx, p.metrics())
	if err != nil {
		return u, err
	}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			u.read(name, n)
		}
	}
	u.writes = writesOf(p.pid())
	return u, nil
}

func (u *usage) read(name string, n float64) {
	switch {
	case name == "go_memstats_mallocs_total":
		u.mallocs = n
	case name == "process_cpu_seconds_total":
		u.cpu = n
	case name == "process_resident_memory_bytes":
		u.rss = n
	case name == "league_results_recorded_total":
		u.results = n
	case name == "league_matches_open":
		u.open = n
	case strings.HasPrefix(name, "league_matches_total{"):
		u.over += n
	case strings.HasPrefix(name, `league_match_duration_seconds_bucket{le="`):
		bound := strings.TrimSuffix(name[strings.IndexByte(name, '"')+1:], `"}`)
		if b, err := strconv.ParseFloat(bound, 64); err == nil {
			u.durations = append(u.durations, bucket{b, n})
		}
	}
}

// get returns what is at a page. The connection is kept for the next time.
func get(ctx context.Context, url string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, resp.Status)
	}
	return string(body), err
}

// writesOf counts the calls of write that a process has made, sockets and files alike; 0 where the system does not
// tell.
func writesOf(pid int) float64 {
	f, err := os.Open(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if n, ok := strings.CutPrefix(s.Text(), "syscw: "); ok {
			writes, _ := strconv.ParseFloat(n, 64)
			return writes
		}
	}
	return 0
}
