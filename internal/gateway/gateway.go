// Package gateway lets an unmodified agent play that its manager cannot call. It is the agent's manager and referee on
// the agent's own machine, and passes messages on through a mailbox.
//
//	agent ── registrations, reports, queries ─▶ Gateway ── link ─▶ manager
//	agent ◀─ letters ────────────────────────── Gateway ◀─ link ── manager, also for referees
//	agent ── callbacks ───────────────────────▶ Gateway: the answers of its open letters
package gateway

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"agentleague/dialect"
	"agentleague/mailbox"
	"agentleague/protocol"
	"agentleague/rpc"
)

// maxBody limits messages in both directions, in bytes.
const maxBody = 1 << 20

// A Gateway passes messages between one agent and its manager. It is an [http.Handler] for the agent, and safe for
// concurrent use.
type Gateway struct {
	Agent string // the endpoint of the agent
	Own   string // the endpoint of the gateway, which the agent knows as its manager's and referees'

	// Send passes a message of the agent on to the manager. Mailbox is the endpoint to register with.
	Send    func(ctx context.Context, body []byte) (mailbox.Answer, error)
	Mailbox string

	client *http.Client

	mu      sync.Mutex
	open    []*letter
	patient map[protocol.Type]bool // kinds of messages that the agent answers by callback, or not, once that is known
}

// A letter is a message of a referee or the manager that waits for the agent's answer.
type letter struct {
	rpc.Summary
	want     protocol.Type
	callback chan []byte // receives the body of the agent's callback
}

// New returns a gateway for the agent at an endpoint. Own, Send and Mailbox must be set before its use.
func New(agent string) *Gateway {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Gateway{
		Agent: agent, patient: map[protocol.Type]bool{},
		client: &http.Client{Transport: &http.Transport{}, CheckRedirect: stay}, // no proxy of the environment
	}
}

// anAddress matches a JSON string that is a URL.
var anAddress = regexp.MustCompile(`"https?:(?:[^"\\\s]|\\/)*"`)

// withAddress returns a message in which each member that is an address has another one.
func withAddress(body []byte, address string) []byte {
	if !bytes.Contains(body, []byte("http")) {
		return body
	}
	text, _ := json.Marshal(address) // a string
	return anAddress.ReplaceAllLiteral(body, text)
}

// ServeHTTP answers a request of the agent.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") == "cross-site":
		http.Error(w, "pages in a browser may not call the manager through `league connect`", http.StatusForbidden)
		return
	case r.Method != http.MethodPost && strings.HasSuffix(r.URL.Path, "/health"):
		writeJSON(w, http.StatusOK, []byte(`{"status":"healthy","agent":"league_manager"}`))
		return
	case r.Method != http.MethodPost:
		http.Error(w, "`league connect` accepts POSTs of the agent's messages to its manager", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "a message has at most 1 MiB", http.StatusRequestEntityTooLarge)
		return
	}
	s, ok := rpc.Summarize(body)
	spec, known := protocol.Spec{}, false
	if ok {
		spec, known = protocol.Lookup(s.Types[0])
	}
	switch {
	case known && g.callback(s, body):
		refuseOrAck(w, body, nil)
	case !known || !upward(spec):
		refuseOrAck(w, body, protocol.Errorf(protocol.InvalidMessage, "`league connect` passes on registrations, reports and queries of the agent, and its answers to open requests"))
	case s.Native:
		refuseOrAck(w, body, protocol.Errorf(protocol.InvalidMessage, "this agent has a key of its own: start it with the "+
			"address of the manager in place of `league connect`; it opens its own connection"))
	default:
		g.pass(w, r, s, spec, body)
	}
}

// upward reports whether an agent sends a message to its manager.
func upward(s protocol.Spec) bool {
	return s.Method != "" && s.To == "manager" && s.From != "admin"
}

func isRegistration(t protocol.Type) bool {
	return t == protocol.TypeLeagueRegisterRequest || t == protocol.TypeRefereeRegisterRequest
}

// pass passes a message on to the manager, and its answer back. A message without JSON-RPC is passed on as one with it.
func (g *Gateway) pass(w http.ResponseWriter, r *http.Request, s rpc.Summary, spec protocol.Spec, body []byte) {
	if isRegistration(spec.Type) {
		body = withAddress(body, g.Mailbox)
	}
	if s.Bare {
		body, _ = json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": spec.Method, "params": json.RawMessage(body)})
	}
	ctx, cancel := context.WithTimeout(r.Context(), cmp.Or(spec.Deadline, 10*time.Second))
	defer cancel()
	a, err := g.Send(ctx, body)
	switch {
	case err != nil:
		http.Error(w, "the manager does not answer: "+rpc.Unreached(err), http.StatusBadGateway)
		return
	case a.Error != "":
		http.Error(w, a.Error, cmp.Or(a.Status, http.StatusBadGateway))
		return
	}
	answer := withAddress(a.Body, g.Own)
	if s.Bare {
		answer = inside(answer)
	}
	writeJSON(w, cmp.Or(a.Status, http.StatusOK), answer)
}

// inside returns the result in a JSON-RPC answer, or its error.
func inside(answer []byte) []byte {
	var a struct{ Result, Error json.RawMessage }
	if json.Unmarshal(answer, &a) != nil || a.Result == nil && a.Error == nil {
		return answer
	}
	if a.Result == nil {
		return a.Error
	}
	return a.Result
}

// callback passes a message that answers an open letter on as its answer. A callback names the letter by its
// conversation, or by match and type if only one letter fits. It returns false for other messages.
func (g *Gateway) callback(s rpc.Summary, body []byte) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	var found []*letter
	for _, l := range g.open {
		if !slices.Contains(s.Types, l.want) {
			continue
		}
		if s.ConversationID != "" && s.ConversationID == l.ConversationID {
			found = []*letter{l}
			break
		}
		if s.MatchID == "" || s.MatchID == l.MatchID {
			found = append(found, l)
		}
	}
	if len(found) == 1 {
		g.patient[found[0].want] = true
		select {
		case found[0].callback <- body:
		default: // it is answered already
		}
		return true
	}
	return slices.ContainsFunc(s.Types, answerable) // a late or repeated answer has no effect
}

// answerable reports whether t is the type of an answer that an agent may send later, in a request to a callback address.
func answerable(t protocol.Type) bool {
	return t == protocol.TypeGameJoinAck || t == protocol.TypeChooseParityResponse || t == protocol.TypeGameMoveResponse
}

// Deliver passes a letter on to the agent, and is a [mailbox.Config].Deliver. If the agent acknowledges a question
// without an answer, Deliver waits for a callback.
func (g *Gateway) Deliver(ctx context.Context, body []byte) mailbox.Answer {
	l := &letter{callback: make(chan []byte, 1)}
	if s, ok := rpc.Summarize(body); ok {
		spec, _ := protocol.Lookup(s.Types[0])
		l.Summary, l.want = s, spec.Reply
	}
	if answerable(l.want) {
		g.mu.Lock()
		g.open = append(g.open, l)
		g.mu.Unlock()
		defer func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.open = slices.DeleteFunc(g.open, func(o *letter) bool { return o == l })
		}()
	}
	a := g.post(ctx, withAddress(body, g.Own))
	if a.Error != "" || !answerable(l.want) {
		return a
	}
	if m, _, err := dialect.Unframe(a.Status, bytes.Clone(a.Body), l.want, protocol.Reading{}); m != nil || err != nil {
		return a
	}
	return g.await(ctx, l, body, a)
}

// await waits for the callback of a letter, and returns it in place of the agent's direct answer. An agent that did not
// call back once is believed that its direct answer is all.
func (g *Gateway) await(ctx context.Context, l *letter, body []byte, direct mailbox.Answer) mailbox.Answer {
	g.mu.Lock()
	patient, known := g.patient[l.want]
	g.mu.Unlock()
	wait := time.Until(deadlineOf(ctx)) * 9 / 10
	if !known {
		wait /= 2
	}
	if known && !patient {
		wait = 0
	}
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case answer := <-l.callback:
		return mailbox.Answer{Body: framed(body, answer)}
	case <-late.C:
		g.mu.Lock()
		defer g.mu.Unlock()
		if _, known := g.patient[l.want]; !known {
			g.patient[l.want] = false
		}
	case <-ctx.Done():
	}
	return direct
}

// deadlineOf returns the deadline of a letter.
func deadlineOf(ctx context.Context) time.Time {
	if at, ok := ctx.Deadline(); ok {
		return at
	}
	return time.Now().Add(10 * time.Second)
}

// framed returns a callback as the answer to the request in a letter. The message may be anywhere in the result.
func framed(request, callback []byte) []byte {
	var r struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(request, &r) != nil || r.ID == nil {
		return callback
	}
	out, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": r.ID, "result": json.RawMessage(callback)})
	if err != nil {
		return callback
	}
	return out
}

// post sends a message to the agent.
func (g *Gateway) post(ctx context.Context, body []byte) mailbox.Answer {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.Agent, bytes.NewReader(body))
	if err != nil {
		return mailbox.Answer{Error: err.Error()}
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := g.client.Do(r)
	if err != nil {
		return mailbox.Answer{Error: "the agent at " + g.Agent + " does not answer: " + rpc.Unreached(err)}
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxBody+1))
	switch {
	case err != nil:
		return mailbox.Answer{Error: "the agent at " + g.Agent + " does not answer: " + rpc.Unreached(err)}
	case len(text) > maxBody:
		return mailbox.Answer{Error: "the agent's answer has more than 1 MiB"}
	}
	return mailbox.Answer{Status: answer.StatusCode, Body: text}
}

// refuseOrAck answers a request of the agent with an error, or acknowledges it if err is nil.
func refuseOrAck(w http.ResponseWriter, request []byte, err *protocol.Error) {
	var r struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(request, &r) // without an id the answer has null
	answer := map[string]any{"jsonrpc": "2.0", "id": r.ID}
	if err == nil {
		answer["result"] = map[string]string{"status": protocol.Acknowledged}
	} else {
		answer["error"] = map[string]any{"code": protocol.InvalidRequest, "message": err.Detail}
	}
	text, _ := json.Marshal(answer)
	writeJSON(w, http.StatusOK, text)
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
