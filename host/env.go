package host

import (
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"agentleague/config"
	"agentleague/engine"
	"agentleague/game/catalog"
	"agentleague/referee"
	"agentleague/rpc"
	"agentleague/store"
	"agentleague/store/logs"
)

// An Env is shared by the agents of one process: an open root, the configuration of one league, and the network.
type Env struct {
	*store.Root
	System config.System
	League config.League
	Rules  catalog.Catalog // the games that can be played here
	Net    *Net
	Screen io.Writer  // where warnings are shown besides the log
	People bool       // a person reads them there: they are sentences
	Level  slog.Level // of lines on the screen
}

// Of is the same environment for another league.
func (h *Env) Of(settings config.League) *Env {
	other := *h
	other.League = settings
	if system, err := h.Config().System(); err == nil { // it was read when the root was opened
		other.System = settings.Limits.Of(system)
	}
	return &other
}

// DataDir is the folder with the data of the root.
func (h *Env) DataDir() string { return filepath.Join(h.Dir(), "data") }

// Logger writes to a file of the root, and important lines to the screen.
func (h *Env) Logger(log *logs.Log, name string) *slog.Logger {
	return slog.New(&agentHandler{file: log.Handler(), env: h, name: name})
}

// Orchestrator is the log of a process that runs several agents of this root: starts, failures and the end. Its lines
// are only in the file.
func (h *Env) Orchestrator() (*slog.Logger, *logs.Log) {
	log := h.Logs().System(slog.LevelInfo)
	return slog.New(log.Handler()).With(slog.String("league_id", h.League.LeagueID)), log
}

// Wire has the network options of every agent of this root.
func (h *Env) Wire() rpc.Options {
	s := h.System.Security
	return rpc.Options{
		Guard: h.Net.Guard, TLS: h.Net.Trust, Hosts: h.Net.Names(), Public: h.Net.Public, Scrapers: s.MetricsAllow,
		Deadlines: Deadlines(h.System.Timeouts), SystemID: h.System.SystemID, Bearer: h.Bearers().Of,
		Limits: rpc.Limits{
			Agent: limit(s.RequestsPerAgent), Open: limit(s.OpenRequestsPerAddress), Failed: limit(s.FailedRequestsPerAddress),
		},
	}
}

// HostCheck refuses requests that a foreign page made a browser send to this process.
func (h *Env) HostCheck() rpc.HostCheck {
	return rpc.HostCheck{Hosts: h.Net.Names(), Scrapers: h.System.Security.MetricsAllow}
}

// limit reads a limit of the configuration, where 0 means that there is none.
func limit(perSecond int) float64 {
	if perSecond == 0 {
		return -1
	}
	return float64(perSecond)
}

// HasRoom fails while the disk of this root is full, as the log's own failure would.
func (h *Env) HasRoom() error {
	err := h.Room()
	if full := (*store.FullError)(nil); errors.As(err, &full) {
		return &engine.FullError{Place: "the disk that holds " + h.DataDir(), Err: full.Err}
	}
	return err
}

// IsFull reports whether a failure passes after disk space is freed.
func IsFull(err error) bool {
	return errors.As(err, new(*engine.FullError)) || errors.As(err, new(*store.FullError))
}

// Policy is how a referee of this root asks.
func (h *Env) Policy() (referee.Policy, error) {
	games, err := h.Config().Games()
	if err != nil {
		return referee.Policy{}, err
	}
	limits := map[string]time.Duration{}
	for _, g := range games.Games {
		limits[g.GameType] = g.MaxRoundTimeSec.Duration()
	}
	t, r, b := h.System.Timeouts, h.System.RetryPolicy, h.System.CircuitBreaker
	retries := r.MaxRetries
	if retries == 0 {
		retries = -1
	}
	return referee.Policy{
		JoinTimeout: t.GameJoinAckTimeoutSec.Duration(), MoveTimeout: t.MoveTimeoutSec.Duration(),
		GameOverTimeout: t.GameOverTimeoutSec.Duration(),
		MaxRetries:      retries, Backoff: r.BackoffStrategy,
		Delay: r.InitialDelaySec.Duration(), MaxDelay: r.MaxDelaySec.Duration(),
		Retryable: append([]string{}, r.RetryableErrors...), GameLimits: limits,
		BreakerFailures: b.FailureThreshold, BreakerReset: b.ResetTimeoutSec.Duration(),
	}, nil
}
