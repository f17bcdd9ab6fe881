package server

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"agentleague/game"
	"agentleague/host"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/league/mcpserver"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/store"
)

// ManagerOptions returns the options of the league's manager from the configuration.
func ManagerOptions(h *host.Env) (manager.Options, error) {
	rules, err := h.Rules.Lookup(h.League.GameType)
	if err != nil {
		return manager.Options{}, fmt.Errorf("config/leagues/%s.json: game_type: %w", h.League.LeagueID, err)
	}
	if h.League.Schedule.PairedDraws {
		i := rules.Info()
		if err := league.CheckPairedDraws(h.League.Schedule.Cycles, i.Type, i.GuestsMayJudge); err != nil {
			return manager.Options{}, fmt.Errorf("config/leagues/%s.json: schedule.paired_draws: %w", h.League.LeagueID, err)
		}
	}
	games, err := registry(h)
	if err != nil {
		return manager.Options{}, err
	}
	token, err := h.AdminToken()
	if err != nil {
		return manager.Options{}, err
	}
	dialects, err := dialects(h)
	if err != nil {
		return manager.Options{}, err
	}
	scoring := h.League.Scoring.Points()
	ratings := sync.OnceValue(func() map[string]int { return ratingsByName(h) })
	carried := sync.OnceValue(func() map[string][2]int { return ratingsBefore(h) })
	kept := h.Matches(h.League.LeagueID)
	o := manager.Options{
		Options: h.Wire(),
		Game:    GameOf(rules), Games: games,
		Build:      manager.Build{Version: host.Version(), Commit: host.BuildCommit()},
		Window:     max(h.System.Timeouts.RegistrationWindowSec.Duration(), 1), // 0 is a window that closes at once
		AdminToken: token, OpenDoors: !h.System.Security.EnableAuthTokens,
		TokenBytes: h.System.Security.TokenLength, TokenTTL: time.Duration(h.System.Security.TokenTTLHours) * time.Hour,
		RatingOf: func(p league.Registered) (rating, deviation int) {
			if r := carried()[league.Identity(p.Key, p.Name)]; r[1] > 0 {
				return r[0], r[1]
			}
			return ratings()[p.Name], 0
		},
		CheckResult: func(r *protocol.MatchResultReport, a, b string) error {
			return referee.Verify(h.Rules.Lookup, r, a, b)
		},
		Plausible: func(r *protocol.MatchResultReport, a, b string) error {
			return referee.Plausible(h.Rules.Lookup, r, a, b)
		},
		Decide: func(r *protocol.MatchMovesReport, key, a, b string) (protocol.ReportedResult, error) {
			drawn, err := hex.DecodeString(key)
			if err != nil {
				return protocol.ReportedResult{}, err
			}
			return referee.Decide(h.Rules.Lookup, r.GameType, r.Moves, drawn, a, b, scoring)
		},
		Dialect: func(role protocol.Role, id string) string { return dialects[protocol.Sender(role, id)] },
		Records: kept, Adopt: store.NewAdopter(h.Root, h.League.LeagueID, kept).Adopt, Room: h.HasRoom,
	}
	o.Describe(h.League)
	return o, nil
}

// registry returns the games that can be played, by type, with their names from the configuration.
func registry(h *host.Env) (map[string]protocol.GameInfo, error) {
	configured, err := h.Config().Games()
	if err != nil {
		return nil, err
	}
	out := map[string]protocol.GameInfo{}
	for _, entry := range configured.Games {
		g, err := h.Rules.Lookup(entry.GameType)
		if err != nil {
			continue // the game cannot be played: the configuration's warnings report it
		}
		i := g.Info()
		out[i.Type] = protocol.GameInfo{
			DisplayName: cmp.Or(entry.DisplayName, i.Name), MoveTypes: i.MoveTypes, ValidChoices: i.ValidChoices,
			MinPlayers: i.MinSeats, MaxPlayers: i.MaxSeats, Rules: i.Rules,
		}
	}
	return out, nil
}

// dialects returns the configured dialects of agents, by sender.
func dialects(h *host.Env) (map[string]string, error) {
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

// recordsOf returns a function that reads the record of a match of the league.
func recordsOf(h *host.Env, leagueID string) func(match string) ([]byte, error) {
	return func(match string) ([]byte, error) {
		doc, err := h.Matches(leagueID).Load(match)
		if errors.Is(err, store.ErrNoRecord) {
			return nil, mcpserver.ErrNoRecord
		}
		return doc, err
	}
}

// GameOf returns the facts of a game that a manager needs.
func GameOf(rules game.Game) manager.Game {
	i := rules.Info()
	return manager.Game{Type: i.Type, Digest: game.Digest(rules), SeatMatters: i.SeatMatters, GuestsMayJudge: i.GuestsMayJudge,
		Asks: referee.ExampleQuestion(rules)}
}

// ratingsByName returns the ratings of the players of the league's game over all leagues of the data directory, for its
// seeds.
func ratingsByName(h *host.Env) map[string]int {
	out := map[string]int{}
	games, err := store.Careers(h.Root)
	if err != nil {
		return out // the players are seeded as they registered
	}
	for _, game := range games {
		for _, c := range game.Players {
			if game.GameType == h.League.GameType {
				out[c.DisplayName] = c.Rating
			}
		}
	}
	return out
}
