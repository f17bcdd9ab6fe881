package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"agentleague/league"
	"agentleague/mailbox"
	"agentleague/rpc"
)

// The mailboxes of a server belong to its agents in all leagues. Each request for one names a league by its path, for
// the address and seal of the manager and for the messages of the agent:
//
//	/mailboxes…, /k/KEY/mailboxes…, /leagues/{id}/mailboxes…    see [mailbox.Office.Serve]
//	POST /leagues/{id}/agents/P01/mcp                           a referee's message to an agent with a mailbox
type mailboxes struct {
	*process
	office  *mailbox.Office
	leagues *Leagues
}

// newMailboxes returns the mailboxes of a server. Leagues is set before the first request.
func newMailboxes(p *process) *mailboxes {
	m := &mailboxes{process: p}
	limits := p.env.System.Mailboxes
	m.office = mailbox.NewOffice(mailbox.Limits{
		Body: int64(limits.MaxBytes), Rate: limits.BytesPerSecond, Connections: limits.Connections, New: limits.New, Unused: limits.Unused,
	}, m.registered)
	return m
}

// registered reports whether an agent of an open league has a mailbox.
func (m *mailboxes) registered(id string) bool {
	for _, l := range m.leagues.Running() {
		if l.Manager.HasMailbox(id) {
			return true
		}
	}
	return false
}

// A mailRequest is a request for a mailbox or for an agent with one.
type mailRequest struct {
	league string // "": the first
	key    string // the join key in its path
	agent  string // a message to it is passed on; "": the request is for mailboxes
	path   string // from /mailboxes on
}

// mailRequestOf parses the path of a request. It returns false for other requests.
func mailRequestOf(r *http.Request) (out mailRequest, ok bool) {
	path := r.URL.Path
	if rest, ok := strings.CutPrefix(path, "/leagues/"); ok {
		out.league, path, _ = strings.Cut(rest, "/")
		path = "/" + path
	}
	if rest, ok := strings.CutPrefix(path, "/k/"); ok {
		out.key, path, _ = strings.Cut(rest, "/")
		path = "/" + path
	}
	if id, ok := strings.CutPrefix(path, "/agents/"); ok && out.league != "" && out.key == "" {
		out.agent, ok = strings.CutSuffix(id, "/mcp")
		return out, ok
	}
	out.path = path
	return out, path == "/mailboxes" || strings.HasPrefix(path, "/mailboxes/")
}

// IsMailbox reports whether a request is for mailboxes.
func IsMailbox(r *http.Request) bool {
	q, ok := mailRequestOf(r)
	return ok && q.agent == ""
}

// serve answers a request for a mailbox, or for an agent with one.
func (m *mailboxes) serve(w http.ResponseWriter, r *http.Request, q mailRequest) {
	id := cmp.Or(q.league, m.env.League.LeagueID)
	l, done, err := m.leagues.Hold(r.Context(), id)
	if err != nil {
		http.Error(w, fmt.Sprintf("there is no league %.64q here; use the address of a league, such as /leagues/ID/mailboxes", id),
			http.StatusNotFound)
		return
	}
	defer done()
	if q.agent != "" {
		m.relay(w, r, l, q.agent)
		return
	}
	from := l.Manager.Node.FromOf(r)
	m.office.Serve(w, r, q.path, mailbox.Site{
		Manager: m.calledAs(r, l), Seal: stateOf(l, func(s *league.State) string { return s.Seal }),
		Peer: rpc.AddressKey(from.Addr), Life: m.life, Secure: r.TLS != nil || m.isPublic(r) || rpc.IsHere(from.Addr),
		Receive: func(ctx context.Context, box string, body []byte) mailbox.Answer {
			l, done, err := m.leagues.Hold(ctx, id) // a league may have been closed and opened since
			if err != nil {
				return mailbox.Answer{Error: "the league cannot be opened; its manager's log has the reason"}
			}
			defer done()
			return mailbox.Answer{Body: l.Manager.Node.Answer(ctx, rpc.From{Addr: from.Addr, Path: "mcp", Key: q.key, Mailbox: box}, body)}
		},
		Warn: func(text string) { l.Manager.Suspect(text, from.Addr) },
	})
}

// relay passes the message of a referee on to an agent with a mailbox.
func (m *mailboxes) relay(w http.ResponseWriter, r *http.Request, l *League, agent string) {
	if r.Method != http.MethodPost {
		http.Error(w, "referees POST their messages here", http.StatusMethodNotAllowed)
		return
	}
	limit := cmp.Or(l.opts.MaxBody, 1<<20)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		http.Error(w, fmt.Sprintf("a request has at most %d bytes", limit), http.StatusRequestEntityTooLarge)
		return
	}
	answer, err := l.Manager.Relay(r.Context(), l.Manager.Node.FromOf(r), agent, body)
	var no *mailbox.Refusal
	switch {
	case errors.As(err, &no):
		http.Error(w, no.Reason, no.Status)
	case errors.Is(err, context.DeadlineExceeded):
		http.Error(w, agent+" has not answered in time", http.StatusGatewayTimeout)
	case err != nil:
		http.Error(w, agent+" was not reached: "+err.Error(), http.StatusBadGateway)
	default:
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(answer.Status)
		_, _ = w.Write(answer.Body)
	}
}

// calledAs returns the endpoint of a league with the host name to which the client sent its request. The host has been
// checked.
func (m *mailboxes) calledAs(r *http.Request, l *League) string {
	if m.isPublic(r) {
		return m.outside(l.opts.Endpoint)
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	return scheme + r.Host + strings.TrimPrefix(l.opts.Endpoint, m.base)
}

// isPublic reports whether a request was sent to the public address.
func (m *mailboxes) isPublic(r *http.Request) bool {
	u, err := url.Parse(m.public)
	return m.public != "" && err == nil && strings.EqualFold(u.Host, r.Host)
}
