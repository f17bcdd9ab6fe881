package metrics_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"agentleague/metrics"
	"agentleague/metrics/metricstest"
)

func TestAgentsOfOneProcessHaveTheirOwnSeries(t *testing.T) {
	var all metrics.Agents
	managers := map[string]*metrics.Agent{}
	for id, results := range map[string]int{"spring": 3, "autumn": 5, "closed": 7} {
		m := metrics.New()
		m.Season(func() metrics.Season { return metrics.Season{Results: results} })
		managers[id] = m
		remove := all.Add(id, "league_manager", m)
		if id == "closed" {
			remove()
		}
	}
	referee := metrics.New()
	referee.Referee()
	all.Add("spring", "REF01", referee)
	for _, at := range []http.Handler{&all, managers["spring"], referee, &all} { // at the address of any, repeatedly
		w := httptest.NewRecorder()
		at.ServeHTTP(w, httptest.NewRequest(http.MethodGet, metrics.AllPath, nil))
		got, err := metricstest.Read(w.Body)
		if err != nil || w.Code != http.StatusOK {
			t.Fatalf("got %d, %v", w.Code, err)
		}
		if got[`league_results_recorded_total{agent="league_manager",league_id="spring"}`] != 3 || got.Sum("league_results_recorded_total") != 8 {
			t.Errorf("got %v results", got.Sum("league_results_recorded_total"))
		}
		if got[`league_forfeits_total{agent="REF01",error_code="E001",league_id="spring"}`] != 0 || got.Rows("league_forfeits_total") == 0 {
			t.Errorf("got %d causes of forfeits", got.Rows("league_forfeits_total"))
		}
		if got.Rows("process_cpu_seconds_total") != 1 {
			t.Errorf("the process is shown %d times", got.Rows("process_cpu_seconds_total"))
		}
	}
}
