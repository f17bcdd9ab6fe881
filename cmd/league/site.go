package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"agentleague/game/catalog"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/web"
)

// site is what people watch a manager's league with.
func (h *house) site(m *league.Manager, o league.Options) http.Handler {
	return web.New(web.Options{
		Host: oneLeague{m}, Title: h.titleOf, Game: gameName, Version: version(), Logger: o.Logger,
		Games: gameChoices(), Strategies: strategyChoices(),
		Admin: func(token string) error {
			if o.AdminToken == "" || !protocol.SameToken(token, o.AdminToken) {
				return errors.New("that is not the admin token")
			}
			return nil
		},
		Report: func(_ context.Context, league string, w io.Writer) error { return h.liveReport(m, league, w) },
	})
}

// withSite lets the site answer browsers on the port of a node.
func withSite(site, node http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if web.Takes(r) {
			site.ServeHTTP(w, r)
			return
		}
		node.ServeHTTP(w, r)
	})
}

// pageOf is where people watch the manager at an endpoint.
func pageOf(endpoint string) string { return strings.TrimSuffix(endpoint, "mcp") }

// titleOf is how the configuration calls a league.
func (h *house) titleOf(league string) string {
	if league == h.league.LeagueID {
		return cmp.Or(h.league.DisplayName, league)
	}
	return league
}

// liveReport writes the report of a league that is open here.
func (h *house) liveReport(m *league.Manager, id string, w io.Writer) (err error) {
	var r report
	m.Read(func(s *league.State) { r = newReport(h.titleOf(id), s) })
	return reportTemplate.Execute(w, r)
}

func gameChoices() (out []web.Choice) {
	for _, g := range catalog.All() {
		out = append(out, web.Choice{Value: g.Info().Type, Label: g.Info().Name})
	}
	return out
}

func strategyChoices() (out []web.Choice) {
	for _, name := range slices.Sorted(maps.Keys(strategies)) {
		out = append(out, web.Choice{Value: name, Label: name})
	}
	return out
}

// oneLeague is a manager that runs one league.
type oneLeague struct{ m *league.Manager }

func (o oneLeague) Leagues() []string { return []string{o.m.ID()} }

func (o oneLeague) League(id string) (*league.Manager, bool) { return o.m, id == o.m.ID() }

func (o oneLeague) Create(context.Context, web.NewLeague) (string, error) {
	return "", protocol.Errorf(protocol.InvalidMessage, "this manager runs one league; start another with `league manager --league-id …`")
}
