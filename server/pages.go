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
	"agentleague/internal/roster"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/league/registration"
	"agentleague/protocol"
	"agentleague/report"
	"agentleague/rpc"
	"agentleague/verify"
	"agentleague/web"
)

// leaguePages connects the web pages with the leagues of a server.
type leaguePages struct {
	*process
	placement Placement
	leagues   *Leagues
	organizer *Organizer
	seats     *seats
	prover    *verify.Prover
}

var _ web.Host = (*leaguePages)(nil)

// handler returns the handler of the pages. admin is the admin token, and key signs the admin's sessions.
func (p *leaguePages) handler(admin string, key []byte) http.Handler {
	return p.env.HostCheck().Wrap(web.New(web.Options{
		SessionKey: key,
		Host:       p, Title: p.titleOf, Game: func(gameType string) string { return GameName(p.env, gameType) }, Version: host.Version(), Logger: p.logger,
		Public: p.public, Address: func(r *http.Request) string { return rpc.ClientKey(p.public, r) },
		Games: gameChoices(p.env), Strategies: strategyChoices(),
		Admin: func(token string) error {
			if admin == "" || !protocol.SameToken(token, admin) {
				return errors.New("this is not the admin token")
			}
			return nil
		},
		State: p.placement.State, Archived: p.leagues.Archived, Shelve: p.organizer.Archive,
		Rules: p.env.RulesOf, Live: p.matchProgress,
		Enlist: p.enlist, Report: p.liveReport, Record: p.record, Verify: p.verifyMatch, Mistake: p.mistake, Retrace: p.retrace, Check: p.checkAgent, Practise: p.practise,
		Roster:   func(id string) (roster.Roster, error) { return roster.Kept(p.env.DataDir(), id) },
		Document: p.document, Archive: p.archive,
		Seat: p.takeSeat, Seated: p.seated, Seasons: p.organizer.Series, SeasonOf: p.organizer.seasonOf,
		Go: func(f func(context.Context)) { p.background.Go(func() { f(p.life) }) },
	}))
}

// Leagues lists the leagues of the server.
func (p *leaguePages) Leagues() []string { return p.leagues.IDs() }

// League returns a league of this process, opening it if necessary, or the summary of a league that another process
// runs. It returns false if the league cannot be opened.
func (p *leaguePages) League(id string) (web.Season, bool) {
	l, err := p.leagues.Visit(id)
	if errors.Is(err, ErrElsewhere) {
		return p.placement.Remote(id)
	}
	if err != nil {
		return nil, false
	}
	return pagedLeague{l.Manager, l.Manager.Orders, l.Manager.Registrar}, true
}

// A pagedLeague implements [web.Season] by the parts of a manager.
type pagedLeague struct {
	*manager.Manager
	*manager.Orders
	*registration.Registrar
}

// PageOf returns the URL of the web pages of the manager with that endpoint.
func PageOf(endpoint string) string { return strings.TrimSuffix(endpoint, "mcp") }

// titleOf returns the configured title of a league, or its id.
func (p *leaguePages) titleOf(id string) string {
	settings, err := p.env.Config().League(id)
	if err != nil {
		return id
	}
	return cmp.Or(settings.DisplayName, id)
}

// liveReport writes the report of a league.
func (p *leaguePages) liveReport(_ context.Context, id string, w io.Writer) error {
	l, err := p.leagues.Visit(id)
	if err != nil {
		return err
	}
	var r report.Report
	l.Manager.Read(func(s *league.State) { r = Report(l.Env, p.titleOf(id), s) })
	return r.Write(w)
}

// byPage is the recorded actor of an admin's action on a page.
const byPage = "admin via page"

// enlist adds an agent that does not register itself and returns its id.
func (p *leaguePages) enlist(ctx context.Context, id, endpoint, name string, role protocol.Role) (string, error) {
	l, err := p.leagues.Visit(id)
	if err != nil {
		return "", err
	}
	enlisted, err := l.Manager.Registrar.Enlist(ctx, registration.Recruit{Role: role, Endpoint: endpoint, Name: name, By: byPage})
	return enlisted.ID, err
}

// matchProgress returns the public state of a match in play, which its referee reports.
func (p *leaguePages) matchProgress(ctx context.Context, id, match string) (*protocol.MatchState, error) {
	l, err := p.leagues.Visit(id)
	if err != nil {
		return nil, err
	}
	return l.Manager.MatchProgress(ctx, match)
}

// Create creates the league that is requested on a page.
func (p *leaguePages) Create(ctx context.Context, n web.NewLeague) (string, error) {
	return p.organizer.Create(ctx, &protocol.CreateLeague{
		Envelope: protocol.Envelope{LeagueID: n.ID}, GameType: n.Game, Players: n.Players, Referees: n.Referees,
		Cycles: n.Cycles, PairedDraws: n.PairedDraws, Bots: slices.Clone(n.Bots),
		Like: n.Like, Settings: n.Settings,
	}, byPage)
}

// gameChoices returns the games that a league created on a page can have.
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
