package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentleague/engine"
	"agentleague/files"
	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
)

// A house is an open root and what its configuration says of one league.
type house struct {
	*files.Root
	app    *app
	level  slog.Level
	system files.System
	league files.League
}

// open opens the root for a league; no id means the root's default league.
func (a *app) open(leagueID string) (*house, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.level)); err != nil {
		return nil, wrongUsage("--log-level: want debug, info, warn or error, got %q", a.level)
	}
	root, err := files.Open(a.root, games())
	if broken := (*fs.PathError)(nil); errors.As(err, &broken) && !isFull(err) {
		return nil, fmt.Errorf("%s cannot be the folder of a league: %w; choose another with --root", a.root, err)
	}
	if err != nil {
		return nil, err
	}
	h := &house{Root: root, app: a, level: level}
	if h.system, err = root.Config().System(); err != nil {
		return nil, err
	}
	if leagueID == "" {
		leagueID = root.DefaultLeague()
	}
	if err := files.CheckID("--league-id", leagueID); err != nil {
		return nil, err
	}
	h.league, err = root.Config().League(leagueID)
	return h, err
}

// visit opens a root in which there is something to look at, and makes none.
func (a *app) visit(leagueID string) (*house, error) {
	if _, err := os.Stat(filepath.Join(a.root, "data")); errors.Is(err, fs.ErrNotExist) {
		return nil, a.nothingPlayed()
	}
	return a.open(leagueID)
}

func (a *app) nothingPlayed() error {
	return fmt.Errorf("no league has been played in %s; play one with `league run`, or say where with --root", a.root)
}

// games is the registry of all games there are.
func games() (out []files.GameEntry) {
	for _, g := range catalog.All() {
		i := g.Info()
		out = append(out, files.GameEntry{
			GameType: i.Type, DisplayName: i.Name, RulesModule: i.Module, MoveTypes: i.MoveTypes, ValidChoices: i.ValidChoices,
			MinPlayers: i.MinSeats, MaxPlayers: i.MaxSeats,
		})
	}
	return out
}

func (h *house) dataDir() string { return filepath.Join(h.Dir(), "data") }

// logger writes to a file of the root, and what is worth it to standard error.
func (h *house) logger(log *files.Log, name string) *slog.Logger {
	screen := slog.NewTextHandler(h.app.err, &slog.HandlerOptions{Level: h.level})
	return slog.New(slog.NewMultiHandler(log.Handler(), screen.WithAttrs([]slog.Attr{slog.String("agent", name)})))
}

// logMessages writes every message that passes into an agent's log: that it
// passed, never what it says. A log that cannot be written is nobody's failure.
func logMessages(log *files.Log) func(rpc.Message) {
	lines := log.Handler()
	return func(m rpc.Message) {
		p := files.Passing{Sent: m.Sent, Peer: m.Peer}
		if m.Message != nil {
			head := m.Message.Head()
			p.Type, p.Conversation, p.Match = string(head.MessageType), head.ConversationID, head.MatchID
			if !m.Sent && head.Sender != "" {
				p.Peer = head.Sender
			}
		}
		if m.Err == nil && len(m.Warnings) == 0 {
			_ = log.Passed(time.Now(), p)
			return
		}
		_ = lines.Handle(context.Background(), p.Record(time.Now(), levelOf(m), more(m)...))
	}
}

// levelOf is how much a message matters that did not simply pass.
func levelOf(m rpc.Message) slog.Level {
	if len(m.Warnings) > 0 {
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// more is what there is to tell of such a message.
func more(m rpc.Message) (attrs []slog.Attr) {
	if m.Err != nil {
		attrs = append(attrs, slog.String("error", m.Err.Error()), slog.String("error_code", m.ErrorCode))
	}
	if len(m.Warnings) > 0 {
		attrs = append(attrs, slog.String("odd", strings.Join(m.Warnings, "; ")))
	}
	return attrs
}

// wire is how every agent of this root meets others.
func (h *house) wire() rpc.Options {
	s := h.system.Security
	return rpc.Options{
		Guard: h.app.outside.guard, TLS: h.app.outside.trust, Hosts: []string{h.app.outside.host},
		Limits: rpc.Limits{Agent: limit(s.RequestsPerAgent), Open: limit(s.OpenRequestsPerAddress), Failed: limit(s.FailedRequestsPerAddress)},
	}
}

// limit reads a limit of the configuration, where 0 means that there is none.
func limit(perSecond int) float64 {
	if perSecond == 0 {
		return -1
	}
	return float64(perSecond)
}

// managerOptions are the league's options from its configuration.
func (h *house) managerOptions() (league.Options, error) {
	rules, err := catalog.Lookup(h.league.GameType)
	if err != nil {
		return league.Options{}, fmt.Errorf("config/leagues/%s.json: game_type: %w", h.league.LeagueID, err)
	}
	token, err := h.AdminToken()
	if err != nil {
		return league.Options{}, err
	}
	dialects, err := h.dialects()
	if err != nil {
		return league.Options{}, err
	}
	registry := map[string]protocol.GameInfo{}
	for _, g := range catalog.All() {
		i := g.Info()
		registry[i.Type] = protocol.GameInfo{
			DisplayName: i.Name, MoveTypes: i.MoveTypes, ValidChoices: i.ValidChoices, MinPlayers: i.MinSeats, MaxPlayers: i.MaxSeats,
		}
	}
	scoring := h.league.Scoring.Points()
	forfeits := h.league.MaxConsecutiveForfeits
	if forfeits == 0 {
		forfeits = -1
	}
	p := h.league.Participants
	o := league.Options{
		Options:  h.wire(),
		LeagueID: h.league.LeagueID, Game: gameOf(rules), Games: registry,
		Scoring: &scoring, Tiebreakers: h.league.Scoring.Tiebreakers, Cycles: h.league.Schedule.Cycles, MaxForfeits: forfeits,
		MinPlayers: p.MinPlayers, MaxPlayers: p.MaxPlayers, MinReferees: p.MinReferees, MaxReferees: p.MaxReferees,
		Window: h.system.Timeouts.RegistrationWindowSec.Duration(), BroadcastLimit: h.league.BroadcastLimit,
		AdminToken: token, OpenDoors: !h.system.Security.EnableAuthTokens, TokenTTL: time.Duration(h.system.Security.TokenTTLHours) * time.Hour,
		CheckResult: func(r *protocol.MatchResultReport, a, b string) error { return referee.Verify(catalog.Lookup, r, a, b) },
		Plausible: func(r *protocol.MatchResultReport, a, b string) error {
			return referee.Plausible(catalog.Lookup, r, a, b)
		},
		Decide: func(r *protocol.MatchMovesReport, key, a, b string) (protocol.ReportedResult, error) {
			drawn, err := hex.DecodeString(key)
			if err != nil {
				return protocol.ReportedResult{}, err
			}
			return referee.Decide(catalog.Lookup, r.GameType, r.Moves, drawn, a, b, scoring)
		},
		Dialect: func(role protocol.Role, id string) string { return dialects[protocol.Sender(role, id)] },
		Records: records{h.Matches(h.league.LeagueID)}, Adopt: h.adopt, Room: h.room, CreatedBy: h.league.CreatedBy,
	}
	o.InvitedOnly, o.GuestReferees = h.league.InvitedOnly, h.league.GuestReferees
	if s := h.league.Start; s != nil {
		o.StartPlayers, o.StartReferees, o.Window = s.Players, s.Referees, -1
	}
	return o, nil
}

// gameOf is what a manager has to know of a game.
func gameOf(rules game.Game) league.Game {
	i := rules.Info()
	return league.Game{Type: i.Type, SeatMatters: i.SeatMatters, GuestsMayJudge: i.GuestsMayJudge}
}

// of is the same house for another league.
func (h *house) of(settings files.League) *house {
	other := *h
	other.league = settings
	return &other
}

// dialects are how the configuration wants agents to be spoken to, by their senders.
func (h *house) dialects() (map[string]string, error) {
	agents, err := h.Config().Agents()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, r := range agents.Referees {
		out[protocol.Sender(protocol.RoleReferee, r.RefereeID)] = r.Dialect
	}
	for _, p := range agents.Players {
		out[protocol.Sender(protocol.RolePlayer, p.PlayerID)] = p.Dialect
	}
	return out, nil
}

// room fails while the disk of this root is full, as the log's own failure would.
func (h *house) room() error {
	err := h.Room()
	if full := (*files.FullError)(nil); errors.As(err, &full) {
		return &engine.FullError{Place: "the disk that holds " + h.dataDir(), Err: full.Err}
	}
	return err
}

// policy is how a referee of this root asks.
func (h *house) policy() referee.Policy {
	t, r, b := h.system.Timeouts, h.system.RetryPolicy, h.system.CircuitBreaker
	retries := r.MaxRetries
	if retries == 0 {
		retries = -1
	}
	return referee.Policy{
		JoinTimeout: t.GameJoinAckTimeoutSec.Duration(), MoveTimeout: t.MoveTimeoutSec.Duration(), GameOverTimeout: t.GameOverTimeoutSec.Duration(),
		MaxRetries: retries, Delay: r.InitialDelaySec.Duration(), MaxDelay: r.MaxDelaySec.Duration(), Exponential: r.BackoffStrategy == files.BackoffExponential,
		BreakerFailures: b.FailureThreshold, BreakerReset: b.ResetTimeoutSec.Duration(),
	}
}
