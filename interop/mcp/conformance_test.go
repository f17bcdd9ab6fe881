package mcp_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A suite is a conformance suite, how it is run, and the scenarios that every
// agent passes as it is shipped.
type suite struct {
	name, module string
	args         []string
	needed       []string
}

var suites = []suite{
	{"0.1.16", "conformance", nil, strings.Fields(`server-initialize ping logging-set-level completion-complete tools-list
		server-sse-multiple-streams resources-list resources-subscribe resources-unsubscribe prompts-list dns-rebinding-protection`)},
	{"0.2.0-alpha.12", "conformance-next", nil,
		strings.Fields(`server-initialize server-session-lifecycle ping logging-set-level completion-complete
		tools-list server-sse-multiple-streams resources-list resources-subscribe resources-unsubscribe prompts-list dns-rebinding-protection`)},
	{"0.2.0-alpha.12 for 2026-07-28", "conformance-next", []string{"--requirements", "2026-07-28"},
		strings.Fields(`completion-complete tools-list
		resources-list prompts-list server-sse-multiple-streams dns-rebinding-protection caching http-header-validation`)},
}

// TestConformance runs the suites against a node that has the tools, prompts and resources that they call.
func TestConformance(t *testing.T) {
	t.Parallel()
	dir, url := programs(t), fixtures(t)
	together(t, suites, func(s suite) error {
		out, err := s.run(t, dir, url)
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", s.name, err, summary(out))
		}
		t.Logf("%s: %s", s.name, total(out))
		return nil
	})
}

// TestShippedAgents runs the suites against the manager that users run. It lacks the tools of the suites: baseline.yml
// lists the tests that fail for that reason alone; no other may fail, and none of these may pass.
func TestShippedAgents(t *testing.T) {
	t.Parallel()
	conform(t, func(l *leagueOf, _ suite) map[string]string { return map[string]string{"manager": l.manager} })
}

// Referees and players use the same MCP code as the manager. The suite of sessions tests nothing else than the other
// two, and is omitted here.
func TestLongShippedRefereesAndPlayers(t *testing.T) {
	t.Parallel()
	conform(t, func(l *leagueOf, s suite) map[string]string {
		if s.name == "0.2.0-alpha.12" {
			return nil
		}
		return map[string]string{"referee": l.referee, "player": l.player}
	})
}

// conform runs each suite against some agents of a league, which are endpoints by name.
func conform(t *testing.T, agents func(l *leagueOf, s suite) map[string]string) {
	t.Helper()
	dir := programs(t)
	baseline, err := filepath.Abs("baseline.yml")
	if err != nil {
		t.Fatal(err)
	}
	l := newLeague(t)
	type run struct {
		suite
		agent, url string
	}
	var runs []run
	for _, s := range suites {
		for agent, url := range agents(l, s) {
			runs = append(runs, run{s, agent, url})
		}
	}
	together(t, runs, func(r run) error {
		out, err := r.run(t, dir, r.url, "--expected-failures", baseline)
		for _, scenario := range r.needed {
			if !strings.Contains(out, "✓ "+scenario+":") {
				err = errors.Join(err, fmt.Errorf("%s does not pass", scenario))
			}
		}
		if err != nil {
			return fmt.Errorf("%s, %s: %w\n%s", r.agent, r.name, err, summary(out))
		}
		return nil
	})
}

func (s suite) run(t *testing.T, dir, url string, more ...string) (string, error) {
	url = strings.Replace(url, "localhost", "127.0.0.1", 1)
	args := append([]string{module(dir, s.module, "dist", "index.js"), "server", "--url", url}, s.args...)
	out, err := node(t, dir, append(args, more...)...)
	if err == nil && !strings.Contains(out, "=== SUMMARY ===") {
		err = errors.New("it has no end")
	}
	return out, err
}

// together runs f for each item, a few at a time, since they mostly wait. These programs have their own time limits,
// which a busy machine exceeds: a failed item runs again alone, and that result counts.
func together[T any](t *testing.T, all []T, f func(T) error) {
	t.Helper()
	var running sync.WaitGroup
	room, failed := make(chan struct{}, 6), make([]bool, len(all))
	for i, one := range all {
		room <- struct{}{}
		running.Go(func() {
			defer func() { <-room }()
			if err := f(one); err != nil {
				failed[i] = true
				t.Logf("beside others: %v", err)
			}
		})
	}
	running.Wait()
	for i, again := range failed {
		if again {
			if err := f(all[i]); err != nil {
				t.Error(err)
			}
		}
	}
}

// summary returns the end of a suite's output.
func summary(out string) string {
	if at := strings.Index(out, "=== SUMMARY ==="); at >= 0 {
		return out[at:]
	}
	return out
}

func total(out string) string {
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "Total:") {
			return strings.TrimSpace(line)
		}
	}
	return "no total"
}
