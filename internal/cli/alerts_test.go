package cli

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentleague/metrics"
	"agentleague/rpc/rpctest"
)

// alertCauses are values of series, a sample each minute, by alert: its cause lasts about 20 minutes and ends.
var alertCauses = map[string][]struct{ series, values string }{
	"LeagueProcessDown": {{`^up\{`, "1x2 0x20 1x60"}},
	"LeagueLogFails":    {{`^league_append_duration_seconds_count\{.*outcome="failed"`, "0x2 1+1x20 21x60"}},
	"LeagueFenced":      {{`^league_append_duration_seconds_count\{.*outcome="fenced"`, "0x2 5+5x20 105x60"}},
	"LeagueLogSlow": {
		{`^league_append_duration_seconds_bucket\{.*outcome="ok".*le="(1|2\.5|5|10|\+Inf)"`, "0+10x20 200x60"},
		{`^league_append_duration_seconds_bucket\{`, "0x80"},
	},
	"LeagueStandsStill": {{`^league_matches_open`, "1x20 0x60"}, {`^league_results_recorded_total`, "7x80"}},
	"LeagueForfeits": {
		{`^league_forfeits_total\{.*error_code="E001"`, "0+1x20 20x60"},
		{`^league_matches_total\{.*status="TECHNICAL_LOSS"`, "0+1x20 20x60"},
		{`^league_(forfeits|matches)_total`, "0x80"},
	},
	"LeagueRefereeSlow": {
		{`^league_overhead_seconds_bucket\{.*le="(2|5|10|30|\+Inf)"`, "0+10x20 200x60"},
		{`^league_overhead_seconds_bucket\{`, "0x80"},
	},
	"LeagueFilesRunOut": {{`^process_open_fds`, "90x20 10x60"}, {`^process_max_fds`, "100x80"}},
}

// Every alert fires and ends in every deployment shape: promtool evaluates the rules on the series that the processes
// of the shape show, with values that have the cause of the alert for a while.
func TestLongAlertsFireAndEnd(t *testing.T) {
	need(t, "promtool")
	rules := readFile(t, deployed+"/prometheus/league.rules.yml")
	alerts := regexp.MustCompile(`(?m)^ *- alert: (\w+)$`).FindAllStringSubmatch(rules, -1)
	for _, a := range alerts {
		if alertCauses[a[1]] == nil {
			t.Errorf("no cause of %s is tested", a[1])
		}
	}
	if len(alerts) != len(alertCauses) {
		t.Errorf("%d alerts, %d causes", len(alerts), len(alertCauses))
	}
	for shape, start := range map[string]func(*testing.T) []string{
		"hosted":    startHosted,
		"separate":  startSeparate,
		"clustered": startClustered,
	} {
		t.Run(shape, func(t *testing.T) { checkAlerts(t, scrape(t, start(t)...)) })
	}
}

// startHosted starts a manager that hosts the referee and players of a league.
func startHosted(t *testing.T) []string {
	manager := start(t, "manager", "--root", t.TempDir(), "--port", "0", "--start", "manual", "--json")
	at := manager.jsonEndpoint()
	ends(t, "create", "cup", "--root", manager.root(), "--manager", at, "--players", "3", "--referees", "1", "--bots", "random,random")
	return []string{at}
}

// startSeparate starts a manager and a referee in separate processes and roots.
func startSeparate(t *testing.T) []string {
	manager := start(t, "manager", "--root", t.TempDir(), "--port", "0", "--start", "manual", "--json")
	return []string{manager.jsonEndpoint(), startReferee(t, manager)}
}

// startClustered starts a manager of a cluster and a referee of all its leagues.
func startClustered(t *testing.T) []string {
	manager := start(t, "manager", "--root", t.TempDir(), "--port", "0", "--start", "manual", "--json", "--engine", startDeployed(t))
	return []string{manager.jsonEndpoint(), startReferee(t, manager, "--every-league")}
}

// startReferee starts a referee with the referee secret of a manager, and returns its address.
func startReferee(t *testing.T, manager *process, args ...string) string {
	t.Helper()
	root := t.TempDir()
	secrets := filepath.Join(root, "data/secrets")
	rpctest.Eventually(t, "the referee secret", func() bool {
		secret, err := os.ReadFile(filepath.Join(manager.root(), "data/secrets/referee"))
		return err == nil && os.MkdirAll(secrets, 0o700) == nil && os.WriteFile(filepath.Join(secrets, "referee"), secret, 0o600) == nil
	})
	port := rpctest.Port()
	start(t, append([]string{"referee", "--root", root, "--port", strconv.Itoa(port), "--manager", manager.jsonEndpoint()}, args...)...)
	return fmt.Sprintf("http://localhost:%d/mcp", port)
}

// root is the root of a process, from its arguments.
func (p *process) root() string { return p.cmd.Args[slices.Index(p.cmd.Args, "--root")+1] }

// jsonEndpoint is the address of a manager that prints JSON.
func (p *process) jsonEndpoint() (url string) {
	p.t.Helper()
	rpctest.Eventually(p.t, "the manager's address", func() bool {
		url = part(p.out.String(), `"endpoint":"([^"]*)"`)
		return url != ""
	})
	return url
}

// scrape returns the series of processes, as a Prometheus with the deployed configuration names them. It waits for those of a
// referee.
func scrape(t *testing.T, endpoints ...string) (series []string) {
	t.Helper()
	rpctest.Eventually(t, "the figures of a referee", func() bool {
		series = nil
		for n, at := range endpoints {
			from := fmt.Sprintf(`job="league",instance="agent-%d"`, n)
			series = append(series, "up{"+from+"}")
			for line := range strings.Lines(page(strings.TrimSuffix(at, "/mcp") + metrics.AllPath)) {
				name, labels, _ := strings.Cut(line[:strings.LastIndexByte(line, ' ')], "{")
				if name != "#" && !strings.HasPrefix(line, "#") {
					series = append(series, name+"{"+from+strings.TrimSuffix(","+labels, "}")+"}")
				}
			}
		}
		return slices.ContainsFunc(series, func(s string) bool { return strings.HasPrefix(s, "league_forfeits_total") })
	})
	return series
}

// page is the body of a page, or empty while it cannot be had.
func page(url string) string {
	resp, err := http.Get(url)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		return ""
	}
	return string(body)
}

// checkAlerts lets promtool evaluate each alert on the series with its cause.
func checkAlerts(t *testing.T, series []string) {
	t.Helper()
	rules, err := filepath.Abs(deployed + "/prometheus/league.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	fmt.Fprintf(&tests, "rule_files: [%q]\nevaluation_interval: 1m\ntests:\n", rules)
	for _, alert := range slices.Sorted(maps.Keys(alertCauses)) {
		fmt.Fprintf(&tests, "- interval: 1m\n  name: %s\n  input_series:\n", alert)
		for _, s := range series {
			for _, cause := range alertCauses[alert] {
				if regexp.MustCompile(cause.series).MatchString(s) {
					fmt.Fprintf(&tests, "  - {series: '%s', values: '%s'}\n", strings.TrimSuffix(strings.Replace(s, ",}", "}", 1), ","), cause.values)
					break
				}
			}
		}
		fires := fmt.Sprintf(`count(ALERTS{alertname="%s",alertstate="firing"}) > bool 0 or vector(0)`, alert)
		tests.WriteString("  promql_expr_test:\n")
		for _, want := range []struct{ at, value string }{{"14m", "1"}, {"75m", "0"}} {
			fmt.Fprintf(&tests, "  - {expr: '%s', eval_time: %s, exp_samples: [{labels: '{}', value: %s}]}\n", fires, want.at, want.value)
		}
	}
	file := filepath.Join(t.TempDir(), "alerts.yml")
	if err := os.WriteFile(file, []byte(tests.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "promtool", "test", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}
