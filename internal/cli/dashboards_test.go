package cli

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"agentleague/league"
	"agentleague/metrics/metricstest"
	"agentleague/protocol"
)

// checkDashboards compares the dashboard and the alerts with the metrics of running agents: every metric and every
// label that they use must exist.
func (s *testSeason) checkDashboards() {
	live := map[string]map[string]bool{} // labels, by name
	at := []string{s.url}
	s.manager.Read(func(state *league.State) {
		for _, a := range state.Roster(protocol.RoleReferee) {
			at = append(at, a.Endpoint)
		}
	})
	for _, endpoint := range at {
		for row := range metricstest.Get(s, endpoint) {
			name, labels, _ := strings.Cut(row, "{")
			name = strings.TrimSuffix(name, "_count")
			if live[name] == nil {
				live[name] = map[string]bool{}
			}
			for _, l := range regexp.MustCompile(`(\w+)="`).FindAllStringSubmatch(labels, -1) {
				live[name][l[1]] = true
			}
		}
	}
	queries := append(dashboardQueries(s.T), alertQueries(s.T)...)
	if len(queries) < 20 {
		s.Errorf("there are only %d queries", len(queries))
	}
	for _, q := range queries {
		for _, why := range unknown(q, live) {
			s.Errorf("%s: %s", q, why)
		}
	}
}

// figure finds a figure in a query, with the labels that are asked of it.
var figure = regexp.MustCompile(`\b((?:league|process|go)_\w+)(\{[^}]*\})?`)

// unknown returns the metrics and labels of a query that no agent has.
func unknown(query string, live map[string]map[string]bool) (out []string) {
	found := figure.FindAllStringSubmatch(query, -1)
	for _, m := range found {
		name := strings.TrimSuffix(strings.TrimSuffix(m[1], "_bucket"), "_count")
		labels, ok := live[name]
		if !ok {
			out = append(out, "nobody shows "+m[1])
			continue
		}
		for _, l := range regexp.MustCompile(`(\w+)\s*[=!]~?"`).FindAllStringSubmatch(m[2], -1) {
			if l[1] != "job" && l[1] != "instance" && !labels[l[1]] {
				out = append(out, m[1]+" has no label "+l[1])
			}
		}
	}
	if len(found) == 0 && !strings.HasPrefix(query, "up{") {
		out = append(out, "it asks for nothing of ours")
	}
	return out
}

// Prometheus itself takes the configuration and the alerts.
func TestAlertsAreAsPrometheusWantsThem(t *testing.T) {
	t.Parallel()
	need(t, "promtool")
	out, err := exec.CommandContext(t.Context(), "promtool", "check", "config", deployed+"/prometheus/prometheus.yml").CombinedOutput()
	if err != nil {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}

func dashboardQueries(t *testing.T) (out []string) {
	t.Helper()
	var board struct {
		Panels []struct {
			Title, Description string
			Targets            []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(readFile(t, deployed+"/grafana/league.json")), &board); err != nil {
		t.Fatal(err)
	}
	for _, p := range board.Panels {
		if p.Title == "" || p.Description == "" || len(p.Targets) == 0 {
			t.Errorf("panel %q explains nothing or shows nothing", p.Title)
		}
		for _, q := range p.Targets {
			out = append(out, q.Expr)
		}
	}
	return out
}

// alertQueries are those of the alerts, each of which the guide explains.
func alertQueries(t *testing.T) (out []string) {
	t.Helper()
	guide := readFile(t, "../../docs/guide/operating.md")
	for line := range strings.Lines(readFile(t, deployed+"/prometheus/league.rules.yml")) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "- alert: "); ok && !strings.Contains(guide, "`"+name+"`") {
			t.Errorf("docs/guide/operating.md does not say what %s means", name)
		}
		if q, ok := strings.CutPrefix(strings.TrimSpace(line), "expr: "); ok {
			out = append(out, q)
		}
	}
	return out
}
