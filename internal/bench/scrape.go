package bench

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// usage holds the counters of an agent's process since it began.
type usage struct {
	mallocs, cpu float64 // objects, seconds
	rss          float64 // bytes
	io           float64 // calls of read and write; only where the system reports them
	writes       float64 // of them, those of write
	calls        float64 // to other agents, and answered
	results      float64 // of a manager
	open, over   float64 // matches of a referee
	durations    []bucket
}

// minus is the difference to an earlier usage. Gauges such as memory keep their current values.
func (u usage) minus(v usage) usage {
	u.mallocs, u.cpu, u.io, u.writes = u.mallocs-v.mallocs, u.cpu-v.cpu, u.io-v.io, u.writes-v.writes
	u.calls, u.results, u.over = u.calls-v.calls, u.results-v.results, u.over-v.over
	return u
}

// times multiplies the resources used, without the work done.
func (u usage) times(n float64) usage {
	return usage{mallocs: n * u.mallocs, cpu: n * u.cpu, io: n * u.io, writes: n * u.writes}
}

// without subtracts the cost of n polls, clamped at zero: the polls may have cost less than usual.
func (u usage) without(poll usage, n float64) usage {
	u = u.minus(poll.times(n))
	u.mallocs, u.cpu, u.io, u.writes = max(u.mallocs, 0), max(u.cpu, 0), max(u.io, 0), max(u.writes, 0)
	return u
}

// usage reads an agent's counters.
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
	reads, writes := ioOf(p.pid())
	u.io, u.writes = reads+writes, writes
	return u, nil
}

// read takes one line of an agent's metrics and ignores lines that are not needed.
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
	case strings.HasPrefix(name, "league_calls_total{"):
		if answered(name) {
			u.calls += n
		}
	case strings.HasPrefix(name, "league_matches_total{"):
		u.over += n
	case strings.HasPrefix(name, `league_match_duration_seconds_bucket{le="`):
		bound := strings.TrimSuffix(name[strings.IndexByte(name, '"')+1:], `"}`)
		if b, err := strconv.ParseFloat(bound, 64); err == nil {
			u.durations = append(u.durations, bucket{b, n})
		}
	}
}

// answered reports whether a row counts calls that were answered, with a result or an error.
func answered(row string) bool {
	for _, none := range []string{protocol.Timeout.Code, protocol.Connection.Code, rpc.Cancelled} {
		if strings.Contains(row, `outcome="`+none+`"`) {
			return false
		}
	}
	return true
}

// get returns the body of a page and keeps the connection.
func get(ctx context.Context, url string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Accept-Encoding", "identity") // compression would cost the measured process 0.8 MB and CPU
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

// The agents of a league, as indices into slice.used.
const (
	manager = iota
	referee
	players
)
