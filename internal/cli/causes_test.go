package cli

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/check"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// flaskPage is Flask's answer to a request whose handler fails.
const flaskPage = `<!doctype html>
<html lang=en>
<title>500 Internal Server Error</title>
<h1>Internal Server Error</h1>
<p>The server encountered an internal error and was unable to complete your request. Either the server is overloaded or there is an error in the application.</p>
`

// A brokenAgent fails in one way when it is asked to choose. It joins matches, and acknowledges every other method,
// each time in other words.
type brokenAgent struct {
	kind   string
	choose func(w http.ResponseWriter, id json.RawMessage, match string)
	class  string // the sentence that every reader sees
	said   string // additional text for the organizer, the owner and the agent; "": nothing
	check  string // the class that a check reports; "": the class of this row
	breaks func() // at the start of the league; nil: it is as it was

	name, url string
	server    *httptest.Server
	mu        sync.Mutex
	errors    []string // the texts of the GAME_ERRORs that it got
}

// rpcResult writes a JSON-RPC answer.
func rpcResult(w io.Writer, id json.RawMessage, result string) {
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// httpStatus fails with a status and a body.
func httpStatus(status int, kind, body string) func(http.ResponseWriter, json.RawMessage, string) {
	return func(w http.ResponseWriter, _ json.RawMessage, _ string) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// moveTimeout is how long the league of the test waits for a choice.
const moveTimeout = 2

// brokenAgents are one for each kind of failure.
func brokenAgents() []*brokenAgent {
	return []*brokenAgent{
		{kind: "connection refused", class: "does not answer: connection refused", check: "connection refused"},
		{kind: "TLS error", class: "it speaks TLS: write its address with https://"},
		{kind: "HTTP 500, HTML", choose: httpStatus(500, "text/html", flaskPage), class: "answered HTTP 500 to choose_parity",
			said: "500 Internal Server Error Internal Server Error The server encountered an internal error"},
		{kind: "HTTP 500, plain text", choose: httpStatus(500, "text/plain", "KeyError: 'context'"),
			class: "answered HTTP 500 to choose_parity", said: "KeyError: 'context'"},
		{kind: "HTTP 500, JSON", choose: httpStatus(500, "application/json", `{"detail":"strategy exploded"}`),
			class: "answered HTTP 500 to choose_parity", said: `{"detail":"strategy exploded"}`},
		{kind: "HTTP 404", choose: httpStatus(404, "text/plain", "no route for that"), class: "answered HTTP 404 to choose_parity",
			said: "no route for that"},
		{kind: "invalid JSON", choose: httpStatus(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"parity_choice":}}`),
			class: "answered invalid JSON to choose_parity: invalid character '}' looking for beginning of value at line 1, column 51",
			said:  `{"parity_choice":}}`},
		{kind: "JSON-RPC error", class: "answered with the JSON-RPC error -32000 to choose_parity", said: "no strategy today",
			choose: httpStatus(200, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no strategy today"}}`)},
		{kind: "wrong field", class: "the answer has no parity_choice", check: "as parity_choice, got none", choose: func(w http.ResponseWriter, id json.RawMessage, match string) {
			rpcResult(w, id, fmt.Sprintf(`{"protocol":"league.v2","message_type":"CHOOSE_PARITY_RESPONSE","match_id":%q,"pick":[]}`, match))
		}},
		{kind: "illegal move", class: `"banana" is not a choice`, check: `as parity_choice, got "banana"`, choose: func(w http.ResponseWriter, id json.RawMessage, match string) {
			rpcResult(w, id, fmt.Sprintf(`{"protocol":"league.v2","message_type":"CHOOSE_PARITY_RESPONSE","match_id":%q,"parity_choice":"banana"}`, match))
		}},
		{kind: "slow answer", class: fmt.Sprintf("no CHOOSE_PARITY_RESPONSE within %d seconds", moveTimeout),
			check: fmt.Sprintf("the answer to CHOOSE_PARITY_CALL took %d", moveTimeout+1),
			choose: func(w http.ResponseWriter, id json.RawMessage, match string) {
				time.Sleep((moveTimeout + 1) * time.Second)
				rpcResult(w, id, fmt.Sprintf(`{"protocol":"league.v2","message_type":"CHOOSE_PARITY_RESPONSE","match_id":%q,"parity_choice":"odd"}`, match))
			}},
	}
}

// serve starts the agent on a free port. Those that cannot be reached are there until the league starts.
func (a *brokenAgent) serve(t *testing.T) {
	a.name, a.server = "Agent "+a.kind, httptest.NewUnstartedServer(a)
	l := &turning{Listener: a.server.Listener}
	a.server.Listener, a.server.Config.ErrorLog = l, log.New(io.Discard, "", 0)
	a.server.Start()
	a.url = a.server.URL + "/mcp"
	t.Cleanup(func() { a.server.Close() })
	switch a.kind {
	case "connection refused":
		a.breaks = a.server.Close
	case "TLS error":
		a.breaks = func() {
			l.turn()
			a.server.CloseClientConnections()
		}
	}
}

// turning is a listener whose connections use TLS after turn. It keeps its port.
type turning struct {
	net.Listener
	secure atomic.Pointer[tls.Config]
}

func (l *turning) turn() {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	l.secure.Store(s.TLS)
}

func (l *turning) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if config := l.secure.Load(); err == nil && config != nil {
		c = tls.Server(c, config)
	}
	return c, err
}

// ServeHTTP answers as the agent does.
func (a *brokenAgent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		_, _ = io.WriteString(w, `{"status":"healthy"}`)
		return
	}
	var call struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			MatchID    string `json:"match_id"`
			Detail     string `json:"detail"`
			Suggestion string `json:"suggestion"`
		} `json:"params"`
	}
	_ = json.NewDecoder(r.Body).Decode(&call)
	if call.ID == nil {
		call.ID = json.RawMessage("null")
	}
	switch call.Method {
	case "handle_game_invitation":
		rpcResult(w, call.ID, fmt.Sprintf(`{"protocol":"league.v2","message_type":"GAME_JOIN_ACK","match_id":%q,"accept":true,
			"arrival_timestamp":"2026-01-02T03:04:05Z"}`, call.Params.MatchID))
	case "choose_parity":
		a.choose(w, call.ID, call.Params.MatchID)
	case "notify_game_error":
		a.mu.Lock()
		a.errors = append(a.errors, call.Params.Detail+". What to do: "+call.Params.Suggestion)
		a.mu.Unlock()
		fallthrough
	default:
		rpcResult(w, call.ID, fmt.Sprintf(`{"status":"ok","received":%q}`, call.Method))
	}
}

// told returns the errors that the agent received.
func (a *brokenAgent) told() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.errors, "\n")
}

// readAs reads a page as its text, with a token if there is one.
func readAs(t *testing.T, url, token string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?s)<script.*?</script>|<[^>]*>`).ReplaceAllString(string(body), "")
	return html.UnescapeString(text)
}

// lineWith returns the part of a line that follows some words.
func lineWith(text string, words ...string) string {
	for line := range strings.Lines(text) {
		all := true
		for _, w := range words {
			all = all && strings.Contains(line, w)
		}
		if all {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// TestEachFailureKeepsItsCause plays a league with an agent for each kind of failure, and looks for the cause wherever
// a person looks for it: on the pages of the match and of the player, in the status, in the warnings, in a check, and in
// the GAME_ERROR that the agent gets.
func TestEachFailureKeepsItsCause(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "SHARED")
	said(t, root, "init")
	rewrite(t, filepath.Join(root, "config/system.json"), map[string]string{
		`"move_timeout_sec": 30`: fmt.Sprintf(`"move_timeout_sec": %d`, moveTimeout), `"max_retries": 3`: `"max_retries": 1`,
		`"initial_delay_sec": 2.0`: `"initial_delay_sec": 0.1`, `"game_join_ack_timeout_sec": 5`: `"game_join_ack_timeout_sec": 2`,
	})
	c, url := startManager(t, root, "--start-after", "1h")
	referee := begin(t, root, "referee", "--port", "0", "--manager", url)
	begin(t, root, "player", "--name", "Good", "--port", "0", "--manager", url)
	token, err := os.ReadFile(filepath.Join(root, "data/admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	l := &brokenLeague{t: t, root: root, url: url, admin: strings.TrimSpace(string(token)), seen: map[string]*[6]string{},
		warnings: func() string { return c.errs.String() + referee.errs.String() }}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s\n%s", l.status(), l.warnings())
		}
	})
	agents := brokenAgents()
	var enlisted []*command
	for _, a := range agents {
		a.serve(t)
		l.seen[a.kind] = &[6]string{}
		enlisted = append(enlisted, begin(t, root, "enlist", a.url, "--name", a.name, "--manager", url, "--no-practice"))
	}
	for _, c := range enlisted {
		if all := c.finish(); c.status != 0 {
			t.Fatal(all)
		}
	}
	dead := httptest.NewServer(nil)
	dead.Close()
	said(t, root, "enlist", dead.URL+"/mcp", "--name", "Nobody", "--manager", url, "--no-practice")
	rpctest.Eventually(t, "the agent that does not run, as such", func() bool {
		status := l.status()
		return strings.Contains(status, "Good") && strings.Contains(lineWith(status, "Nobody"), "cannot reach "+dead.URL+"/mcp: connection refused")
	})
	began := time.Now()
	said(t, root, "start", "--manager", url)
	for _, a := range agents {
		if a.breaks != nil {
			a.breaks()
		}
	}
	for _, a := range agents {
		t.Cleanup(func() {
			if t.Failed() && !l.done(a) {
				t.Logf("of %s there is %q", a.kind, *l.seen[a.kind])
			}
		})
		rpctest.Eventually(t, "the cause of "+a.kind, func() bool {
			status := l.status()
			for _, a := range agents {
				l.look(a, status)
			}
			if !l.done(a) {
				time.Sleep(200 * time.Millisecond)
			}
			return l.done(a)
		})
	}
	t.Logf("the league took %s", time.Since(began).Round(time.Second))
	var checks sync.WaitGroup
	for _, a := range agents {
		checks.Go(func() { l.check(a) })
	}
	checks.Wait()
	l.print(agents)
}

// The places where a cause appears.
var causePlaces = [6]string{"match page", "player page", "status", "WARN line", "check", "GAME_ERROR"}

// A brokenLeague is a league in which agents fail.
type brokenLeague struct {
	t                *testing.T
	root, url, admin string
	warnings         func() string
	seen             map[string]*[6]string // by the kind of failure: the text at each place
}

func (l *brokenLeague) status() string { return said(l.t, l.root, "status", "--manager", l.url) }

// done reports whether the cause of an agent was found everywhere but in its check.
func (l *brokenLeague) done(a *brokenAgent) bool {
	found := l.seen[a.kind]
	told := found[5] != "" || a.breaks != nil // such an agent receives nothing
	return found[0] != "" && found[1] != "" && found[2] != "" && found[3] != "" && told
}

// look looks for the cause of an agent.
func (l *brokenLeague) look(a *brokenAgent, status string) {
	line, found := lineWith(status, a.name+"  "), l.seen[a.kind]
	id, _, _ := strings.Cut(line, " ")
	whole := a.class
	if a.said != "" {
		whole += " (it said: “" // with the answer
	}
	if strings.Contains(line, a.class) {
		found[2] = line
	}
	found[3] = lineWith(l.warnings(), id+" ", escaped(whole), escaped(a.said))
	found[5] = lineWith(a.told(), whole, a.said, "What to do: ")
	if id == "" || found[3] == "" {
		return
	}
	base := strings.TrimSuffix(l.url, "/mcp") + "/leagues/" + theLeague
	var v struct {
		Results []struct {
			MatchID string `json:"match_id"`
			Code    string `json:"error_code"`
		} `json:"results"`
	}
	_ = json.Unmarshal([]byte(readAs(l.t, strings.Replace(base, "/leagues", "/api/v1/leagues", 1)+"/players/"+id, "")), &v)
	for _, r := range v.Results {
		if r.Code != "" && r.Code != "SHUTDOWN" {
			found[0] = l.onPage(a, base+"/matches/"+r.MatchID, whole, "lost by forfeit")
		}
	}
	found[1] = l.onPage(a, base+"/players/"+id, whole, "What happened")
}

// onPage returns the line of a page with the cause, as the organizer reads it. Others read the class alone.
func (l *brokenLeague) onPage(a *brokenAgent, page, whole, words string) string {
	line := lineWith(readAs(l.t, page, l.admin), words, whole, a.said)
	public := readAs(l.t, page, "") // afterwards: the record may have come in between
	if a.said != "" && (strings.Contains(public, a.said) || strings.Contains(public, "it said")) {
		l.t.Errorf("%s shows everybody what the agent answered", page)
	}
	if line != "" && lineWith(public, words, a.class) == "" {
		l.t.Errorf("%s does not show everybody that the agent %s:\n%s", page, a.class, public)
	}
	return line
}

// check looks for the cause in a check of the agent, and for the exchange that shows it.
func (l *brokenLeague) check(a *brokenAgent) {
	r, err := check.Run(l.t.Context(), a.url, check.Options{Role: protocol.RolePlayer, Deadlines: map[protocol.Type]time.Duration{
		protocol.TypeChooseParityCall: moveTimeout * time.Second, protocol.TypeGameMoveCall: moveTimeout * time.Second,
	}})
	all := fmt.Sprint(err)
	for _, s := range r.Steps {
		if s.ID == "P25" {
			all = fmt.Sprintf("%s\nsent: %s\nreceived: %s", s.Detail, s.Sent, s.Received)
			if !strings.Contains(s.Sent, `"method":"choose_parity"`) {
				l.t.Errorf("the evidence of %s is another exchange: %s", a.kind, all)
			}
		}
	}
	if l.seen[a.kind][4] = lineWith(all, cmp.Or(a.check, a.class)); l.seen[a.kind][4] == "" {
		l.t.Errorf("the check of %s says:\n%s", a.kind, all)
	}
}

// print shows all that was found, as a table.
func (l *brokenLeague) print(agents []*brokenAgent) {
	var out strings.Builder
	for _, a := range agents {
		fmt.Fprintf(&out, "\n%s\n", a.kind)
		for i, place := range causePlaces {
			fmt.Fprintf(&out, "  %-12s %s\n", place, l.seen[a.kind][i])
		}
	}
	l.t.Log(out.String())
}

// escaped is a text as a line of the log has it.
func escaped(text string) string { return strings.ReplaceAll(text, `"`, `\"`) }

// rewrite replaces texts in a file.
func rewrite(t *testing.T, file string, texts map[string]string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for was, is := range texts {
		if !bytes.Contains(b, []byte(was)) {
			t.Fatalf("%s has no %s", file, was)
		}
		b = bytes.ReplaceAll(b, []byte(was), []byte(is))
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
