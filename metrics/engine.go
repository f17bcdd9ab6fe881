package metrics

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"agentleague/engine"
)

// timed is an engine that measures its appends.
type timed struct {
	engine.Engine
	ok, fenced, failed prometheus.Observer
}

// Engine returns e with its appends timed, by how they ended. It is called once.
func (a *Agent) Engine(e engine.Engine) engine.Engine {
	vec := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "league_append_duration_seconds", Help: "Time of writing a batch of events to the log, by how that ended.",
		Buckets: prometheus.ExponentialBuckets(50e-6, 2, 16), // 50 µs to 1.6 s
	}, []string{"outcome"})
	a.figures().MustRegister(vec)
	return &timed{e, vec.WithLabelValues("ok"), vec.WithLabelValues("fenced"), vec.WithLabelValues("failed")}
}

// Append appends and notes how long that took.
func (t *timed) Append(ctx context.Context, log string, prev uint64, batch []byte) (engine.Mark, error) {
	start := time.Now()
	at, err := t.Engine.Append(ctx, log, prev, batch)
	t.outcome(err).Observe(time.Since(start).Seconds())
	return at, err
}

// outcome returns the histogram for an error. A fenced append is counted separately from failures: another manager has
// taken over.
func (t *timed) outcome(err error) prometheus.Observer {
	switch {
	case err == nil:
		return t.ok
	case errors.Is(err, engine.ErrFenced):
		return t.fenced
	}
	return t.failed
}
