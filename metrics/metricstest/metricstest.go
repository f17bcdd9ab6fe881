// Package metricstest reads the metrics of an agent at /metrics, for tests.
//
//	GET /metrics ─▶ text ─▶ Samples{`league_tries_total{message_type="GAME_INVITATION"}`: 12}
package metricstest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Samples are metric values by name and labels. The labels are in the order of their names; a histogram has its _count
// and its _sum.
type Samples map[string]float64

// Get returns the samples of the agent at an endpoint, such as http://localhost:8001/mcp.
func Get(t testing.TB, endpoint string) Samples {
	t.Helper()
	resp, err := http.Get(strings.TrimSuffix(endpoint, "/mcp") + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	samples, err := Read(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET /metrics: %s, %v", resp.Status, err)
	}
	return samples
}

// Read reads samples as Prometheus does.
func Read(r io.Reader) (Samples, error) {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(r)
	out := Samples{}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			out.add(name, m)
		}
	}
	return out, err
}

// Sum adds up every row of a name.
func (s Samples) Sum(name string) (sum float64) {
	for row, value := range s {
		if row == name || strings.HasPrefix(row, name+"{") {
			sum += value
		}
	}
	return sum
}

// Rows counts the rows of a name.
func (s Samples) Rows(name string) (n int) {
	for row := range s {
		if row == name || strings.HasPrefix(row, name+"{") {
			n++
		}
	}
	return n
}

func (s Samples) add(name string, m *dto.Metric) {
	labels := ""
	for _, l := range m.GetLabel() {
		labels += fmt.Sprintf(",%s=%q", l.GetName(), l.GetValue())
	}
	if labels != "" {
		labels = "{" + labels[1:] + "}"
	}
	switch {
	case m.Histogram != nil:
		s[name+"_count"+labels] = float64(m.Histogram.GetSampleCount())
		s[name+"_sum"+labels] = m.Histogram.GetSampleSum()
	case m.Counter != nil:
		s[name+labels] = m.Counter.GetValue()
	case m.Gauge != nil:
		s[name+labels] = m.Gauge.GetValue()
	}
}
