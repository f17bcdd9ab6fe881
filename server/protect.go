package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"agentleague/league/manager"
	"agentleague/oauth"
	"agentleague/protocol"
	"agentleague/rpc"
)

// newIssuer returns the authorization server that the organiser configured, or nil. Its address comes from the
// operator and is not restricted.
func newIssuer(name string, trust *tls.Config) *oauth.Issuer {
	if name == "" {
		return nil
	}
	return oauth.NewIssuer(name, &http.Client{
		Timeout:       5 * time.Second,
		Transport:     &http.Transport{TLSClientConfig: trust.Clone(), MaxIdleConns: 2, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	})
}

// watchIssuer logs failures of the authorization server in the log of the first league.
func (c *Server) watchIssuer() {
	if c.issuer == nil {
		return
	}
	log := c.logger
	c.issuer.Failed = func(err error) {
		log.Warn("the authorization server does not say what its keys are", slog.Any("error", err))
	}
}

// protect makes the authorization server's tokens count as the admin's in a league, and refers callers of the admin's
// tools to that server.
func (c *Server) protect(l *League) {
	if c.issuer == nil {
		return
	}
	o, base := &l.opts, cmp.Or(c.public, c.base)
	path := strings.TrimPrefix(o.Endpoint, c.base)
	r := &oauth.Resource{
		Issuer: c.issuer, ID: base + path, Metadata: base + oauth.WellKnown + path, Name: "League manager of " + o.LeagueID,
	}
	if path != "/mcp" {
		r.Whole = base + "/mcp"
	}
	l.resource = r
	o.Grants = func(ctx context.Context, token string) (string, error) {
		grant, err := r.Grant(ctx, token)
		return grant.Name(), err
	}
	o.Challenge = challenger(r, o, func(what, addr string) { l.Manager.Suspect(what, addr) })
}

// challenger refuses unauthorized calls of the admin's tools with an HTTP challenge.
func challenger(r *oauth.Resource, o *manager.Options, suspect func(what, addr string)) rpc.Challenger {
	return func(ctx context.Context, from rpc.From, t protocol.Type, token string) *rpc.Challenge {
		spec, _ := protocol.Lookup(t)
		if spec.From != string(protocol.RoleAdmin) || isAdmin(o.AdminToken, token, from.Token) {
			return nil
		}
		var err error
		if from.Token != "" {
			if _, err = r.Grant(ctx, from.Token); err == nil {
				return nil
			}
			suspect(string(t)+" without the admin token was refused", from.Addr)
		}
		status, header := r.Challenge(err)
		return &rpc.Challenge{Status: status, Header: header, Detail: needsToken(t, err)}
	}
}

// isAdmin reports whether one of the tokens is the admin token.
func isAdmin(admin string, shown ...string) bool {
	for _, token := range shown {
		if admin != "" && protocol.SameToken(strings.TrimPrefix(token, "Bearer "), admin) {
			return true
		}
	}
	return false
}

// needsToken returns the reason why a tool call was refused.
func needsToken(t protocol.Type, err error) string {
	if err != nil {
		return string(t) + " is the admin's: " + err.Error()
	}
	return string(t) + " is the admin's: get a token for " + oauth.Scope + " from the authorization server of this league"
}

// serveMetadata serves the metadata that name the authorization server of a league's endpoint.
func (c *Server) serveMetadata(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, oauth.WellKnown), c.prefix)
	l := c.First
	if c.shared != nil {
		l, _ = c.visit(c.env.League.LeagueID)
	}
	if id, ok := leagueAt(path); ok {
		l, _ = c.visit(id)
	} else if path != "" && path != "/mcp" {
		l = nil
	}
	if l == nil || l.resource == nil {
		http.Error(w, "there is no protected resource at this path, or no authorization server for it", http.StatusNotFound)
		return
	}
	l.resource.ServeHTTP(w, r)
}

// leagueAt returns the league whose endpoint has the given path.
func leagueAt(path string) (id string, ok bool) {
	id, ok = strings.CutPrefix(path, "/leagues/")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(id, "/mcp")
}
