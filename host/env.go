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

// An Env is shared by the agents of one process: an open data directory, the configuration of one league, and the
// network.
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
	if system, err := h.Config().System(); err == nil { // it was read when the data directory was opened
		other.System = settings.Limits.Of(system)
	}
	return &other
}

// DataDir returns the path of the data directory's data/ folder.
func (h *Env) DataDir() string { return filepath.Join(h.Dir(), "data") }

// Logger returns a logger that writes to a log file of the data directory, and important lines to the screen too.
func (h *Env) Logger(log *logs.Log, name string) *slog.Logger {
	return slog.New(&agentHandler{file: log.Handler(), env: h, name: name})
}

// Orchestrator returns the log of a process that runs several agents of the data directory, and a logger to it. It
// records starts, failures and the end, and nothing of it appears on the screen.
func (h *Env) Orchestrator() (*slog.Logger, *logs.Log) {
	log := h.Logs().System(slog.LevelInfo)
	return slog.New(log.Handler()).With(slog.String("league_id", h.League.LeagueID)), log
}

// Wire returns the network options that all agents of the data directory share.
func (h *Env) Wire() rpc.Options {
	s := h.System.Security
	return rpc.Options{
		Guard: h.Net.Guard, TLS: h.Net.Trust, Hosts: h.Net.Names(), Public: h.Net.Public, Scrapers: s.MetricsAllow,
		Deadlines: Deadlines(h.System.Timeouts), SystemID: h.System.SystemID, Credentials: h.CredentialsFor,
		Limits: rpc.Limits{
			Agent: limit(s.RequestsPerAgent), Open: limit(s.OpenRequestsPerAddress), Failed: limit(s.FailedRequestsPerAddress),
		},
	}
}

// CredentialsFor returns the stored credentials for the MCP server at an endpoint. A file that was edited by hand and is not
// valid gives none.
func (h *Env) CredentialsFor(endpoint string) rpc.Credentials {
	c, err := rpc.ParseCredentials(h.Credentials().Of(endpoint))
	if err != nil {
		return rpc.Credentials{}
	}
	return c
}

// HostCheck returns a check of the Host header, which rejects requests that a foreign web page made a browser send.
func (h *Env) HostCheck() rpc.HostCheck {
	return rpc.HostCheck{Hosts: h.Net.Names(), Scrapers: h.System.Security.MetricsAllow}
}

// limit converts a configured limit, in which 0 means unlimited, to the form of [rpc.Limits].
func limit(perSecond int) float64 {
	if perSecond == 0 {
		return -1
	}
	return float64(perSecond)
}

// HasRoom returns an [engine.FullError] if the disk of the data directory is full.
func (h *Env) HasRoom() error {
	err := h.Room()
	if full := (*store.FullError)(nil); errors.As(err, &full) {
		return &engine.FullError{Place: "the disk that holds " + h.DataDir(), Err: full.Err}
	}
	return err
}

// IsFull reports whether an error means a full disk: a retry can succeed after space is freed.
func IsFull(err error) bool {
	return errors.As(err, new(*engine.FullError)) || errors.As(err, new(*store.FullError))
}

// Policy is how a referee of this data directory asks.
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
