package metrics_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"agentleague/metrics"
	"agentleague/metrics/metricstest"
)

func TestLeaguesOfOneProcessAreToldApart(t *testing.T) {
	of := map[string]*metrics.Agent{}
	for id, results := range map[string]int{"spring": 3, "autumn": 5} {
		of[id] = metrics.New()
		of[id].Season(func() metrics.Season { return metrics.Season{Results: results} })
	}
	for range 2 { // as often as somebody asks
		w := httptest.NewRecorder()
		metrics.ServeLeagues(w, httptest.NewRequest(http.MethodGet, "/metrics/leagues", nil), of)
		got, err := metricstest.Read(w.Body)
		if err != nil || w.Code != http.StatusOK {
			t.Fatalf("got %d, %v", w.Code, err)
		}
		if got[`league_results_recorded_total{league_id="spring"}`] != 3 || got.Sum("league_results_recorded_total") != 8 {
			t.Errorf("got %v results", got.Sum("league_results_recorded_total"))
		}
		if got.Rows("process_cpu_seconds_total") != 1 {
			t.Errorf("the process is shown %d times", got.Rows("process_cpu_seconds_total"))
		}
	}
}
