package server

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"agentleague/host"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/report"
	"agentleague/rpc"
	"agentleague/web"
)

// pages returns the handler of the web pages.
func (c *Server) pages() http.Handler {
	state := c.State
	if c.shared != nil {
		state = c.shared.State
	}
	admin := c.usual.AdminToken
	var key []byte
	if c.shared != nil {
		key = c.shared.sessions
	}
	return web.New(web.Options{
		SessionKey: key,
		Host:       c, Title: c.titleOf, Game: func(gameType string) string { return GameName(c.env, gameType) }, Version: host.Version(), Logger: c.logger,
		Public: c.public, Address: func(r *http.Request) string { return rpc.ClientKey(c.public, r) },
		Games: gameChoices(c.env), Strategies: strategyChoices(),
		Admin: func(token string) error {
			if admin == "" || !protocol.SameToken(token, admin) {
				return errors.New("this is not the admin token")
			}
			return nil
		},
		State: state, Archived: c.Archived, Shelve: c.shelve, Rules: c.env.RulesOf, Live: c.live,
		Enlist: c.enlist, Report: c.liveReport, Record: c.record, Verify: c.verifyMatch, Check: c.checkAgent, Practise: c.practise,
		Document: c.document, Archive: c.archive,
		Seat: c.takeSeat, Seated: c.seated, Seasons: c.Seasons, SeasonOf: c.seasonOf,
		Go: func(f func(context.Context)) { c.background.Go(func() { f(c.life) }) },
	})
}

// PageOf returns the address of the pages of the manager at an endpoint.
func PageOf(endpoint string) string { return strings.TrimSuffix(endpoint, "mcp") }

// titleOf returns the configured title of a league.
func (c *Server) titleOf(id string) string {
	settings, err := c.env.Config().League(id)
	if err != nil {
		return id
	}
	return cmp.Or(settings.DisplayName, id)
}

// liveReport writes the report of a league.
func (c *Server) liveReport(_ context.Context, id string, w io.Writer) error {
	l, err := c.visit(id)
	if err != nil {
		return err
	}
	var r report.Report
	l.Manager.Read(func(s *league.State) { r = Report(l.Env, c.titleOf(id), s) })
	return r.Write(w)
}

// byPage is the actor of an admin's action on a page.
const byPage = "admin via page"

// enlist adds an agent that did not register itself.
func (c *Server) enlist(ctx context.Context, id, endpoint, name string, role protocol.Role) (string, error) {
	l, err := c.visit(id)
	if err != nil {
		return "", err
	}
	return l.Manager.Enlist(ctx, role, endpoint, name, byPage)
}

// live returns the public state of a match in play from its referee.
func (c *Server) live(ctx context.Context, id, match string) (*protocol.MatchState, error) {
	l, err := c.visit(id)
	if err != nil {
		return nil, err
	}
	return l.Manager.Glimpse(ctx, match)
}

// Create creates the league that is requested on a page.
func (c *Server) Create(ctx context.Context, n web.NewLeague) (string, error) {
	return c.create(ctx, &protocol.CreateLeague{
		Envelope: protocol.Envelope{LeagueID: n.ID}, GameType: n.Game, Players: n.Players, Referees: n.Referees,
		Cycles: n.Cycles, PairedDraws: n.PairedDraws, Bots: slices.Clone(n.Bots),
		Like: n.Like, Settings: n.Settings,
	}, byPage)
}

// gameChoices returns the games that a new league can have: those of this program's registry.
func gameChoices(h *host.Env) (out []web.Choice) {
	for _, g := range h.Rules.All() {
		if _, err := h.Config().Game(g.Info().Type); err == nil {
			out = append(out, web.Choice{Value: g.Info().Type, Label: GameName(h, g.Info().Type)})
		}
	}
	return out
}

// strategyChoices returns the built-in players for a form, each with the games that it plays.
func strategyChoices() (out []web.Choice) {
	for _, m := range host.Bots("") {
		out = append(out, web.Choice{Value: m.Name, Label: m.Name, Games: m.Games})
	}
	return out
}

// Report returns the report of a league with the given title.
func Report(h *host.Env, title string, s *league.State) report.Report {
	return report.New(report.About{Title: title, Game: GameName(h, s.Created.GameType), Version: host.Version()}, s)
}

// GameName returns the name of a game from the configuration, or from its rules.
func GameName(h *host.Env, gameType string) string {
	if entry, err := h.Config().Game(gameType); err == nil && entry.DisplayName != "" {
		return entry.DisplayName
	}
	rules, err := h.Rules.Lookup(gameType)
	if err != nil {
		return gameType
	}
	return rules.Info().Name
}
