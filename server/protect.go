package server

import (
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

// newIssuer returns the configured authorization server, or nil. Calls to it are not restricted to allowed networks,
// because the operator chose its address.
func newIssuer(name string, trust *tls.Config, logger *slog.Logger) *oauth.Issuer {
	if name == "" {
		return nil
	}
	issuer := oauth.NewIssuer(name, &http.Client{
		Timeout:       5 * time.Second,
		Transport:     &http.Transport{TLSClientConfig: trust.Clone(), MaxIdleConns: 2, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	})
	issuer.Failed = func(err error) {
		logger.Warn("the authorization server does not say what its keys are", slog.Any("error", err))
	}
	return issuer
}

// challenger returns a function that answers unauthorized calls of the admin's tools with an HTTP challenge. It reports
// invalid tokens to suspect.
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

// isAdmin reports whether one of the presented tokens is the admin token.
func isAdmin(admin string, shown ...string) bool {
	for _, token := range shown {
		if admin != "" && protocol.SameToken(strings.TrimPrefix(token, "Bearer "), admin) {
			return true
		}
	}
	return false
}

// needsToken returns the message for a refused tool call.
func needsToken(t protocol.Type, err error) string {
	if err != nil {
		return string(t) + " is the admin's: " + err.Error()
	}
	return string(t) + " is the admin's: get a token for " + oauth.Scope + " from the authorization server of this league"
}
