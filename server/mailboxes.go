package server

import (
	"bytes"
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
	others  func() []string // the addresses of the other managers of the cluster
}

// newMailboxes returns the mailboxes of a server. Leagues is set before the first request.
func newMailboxes(p *process, others func() []string) *mailboxes {
	m := &mailboxes{process: p, others: others}
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
		Peer: rpc.AddressKey(from.Addr), Life: l.life, Secure: isSecure(r) || m.isPublic(r.Host) || rpc.IsHere(from.Addr),
		Others: m.others(),
		Receive: func(ctx context.Context, box string, body []byte) mailbox.Answer {
			l, done, err := m.leagues.Hold(ctx, id) // a league may have been closed and opened since
			if err != nil {
				return mailbox.Answer{Error: "the league cannot be opened; its manager's log has the reason"}
			}
			defer done()
			return mailbox.Answer{Body: l.Manager.Node.Answer(ctx, rpc.From{Addr: from.Addr, Path: "mcp", Key: q.key, Mailbox: box}, body)}
		},
		Warn:   func(text string) { l.Manager.Suspect(text, from.Addr) },
		Second: func(box, older string) { l.Manager.SecondAtMailbox(box, older, from.Addr) },
	})
}

// servePost passes the plain message of a referee on, see [rpc.PostHandler], if it was sent to this server's own address.
func (m *mailboxes) servePost(ctx context.Context, r *rpc.Post, l *League, agent string) (answer []byte, ok bool) {
	if "http://"+r.Host != m.base || m.isPublic(r.Host) || int64(len(r.Body)) > bodyLimit(l) {
		return nil, false
	}
	status, text := m.passOn(ctx, l, rpc.From{Addr: r.Remote}, agent, bytes.Clone(r.Body))
	if status != http.StatusOK {
		r.Status = status
	}
	return text, true
}

// passOn passes the message of a referee on to an agent with a mailbox, and returns its answer or a sentence.
func (m *mailboxes) passOn(ctx context.Context, l *League, from rpc.From, agent string, body []byte) (status int, text []byte) {
	answer, err := l.Manager.Relay(ctx, from, agent, body)
	var no *mailbox.Refusal
	switch {
	case errors.As(err, &no):
		return no.Status, []byte(no.Reason)
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout, []byte(agent + " has not answered in time")
	case err != nil:
		return http.StatusBadGateway, []byte(agent + " was not reached: " + err.Error())
	}
	return answer.Status, answer.Body
}

// relay passes the message of a referee on to an agent with a mailbox.
func (m *mailboxes) relay(w http.ResponseWriter, r *http.Request, l *League, agent string) {
	if r.Method != http.MethodPost {
		http.Error(w, "referees POST their messages here", http.StatusMethodNotAllowed)
		return
	}
	limit := bodyLimit(l)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		http.Error(w, fmt.Sprintf("a request has at most %d bytes", limit), http.StatusRequestEntityTooLarge)
		return
	}
	status, text := m.passOn(r.Context(), l, l.Manager.Node.FromOf(r), agent, body)
	kind := "application/json"
	if status != http.StatusOK {
		kind = "text/plain; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// bodyLimit returns the maximum size of a referee's message in bytes.
func bodyLimit(l *League) int64 { return cmp.Or(l.opts.MaxBody, 1<<20) }

// calledAs returns the endpoint of a league by the name that a client called it by. The host has been checked.
func (m *mailboxes) calledAs(r *http.Request, l *League) string {
	if m.isPublic(r.Host) {
		return m.outside(l.opts.Endpoint)
	}
	scheme := "http://"
	if isSecure(r) {
		scheme = "https://"
	}
	return scheme + r.Host + strings.TrimPrefix(l.opts.Endpoint, m.base)
}

// isSecure reports whether the client called the manager that it reached over https.
func isSecure(r *http.Request) bool {
	return r.TLS != nil || strings.HasPrefix(rpc.Via(r.Context()), "https://")
}

// isPublic reports whether a host is that of the public address.
func (m *mailboxes) isPublic(host string) bool {
	u, err := url.Parse(m.public)
	return m.public != "" && err == nil && strings.EqualFold(u.Host, host)
}
