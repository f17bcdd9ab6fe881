package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/config"
	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
	"agentleague/server"
	"agentleague/store"
)

// The probes that observe the effects of a setting from outside.

// A command is a verb that runs in this process.
type command struct {
	t         *testing.T
	out, errs text
	stop      context.CancelFunc
	ended     chan struct{}
	status    int
}

// begin runs a verb on a root until the test or the command ends.
func begin(t *testing.T, root string, args ...string) *command {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	c := &command{t: t, stop: stop, ended: make(chan struct{})}
	go func() {
		defer close(c.ended)
		c.status = run(ctx, append(args, "--root", root), &c.out, &c.errs)
	}()
	t.Cleanup(c.end)
	return c
}

func (c *command) end() {
	c.stop()
	<-c.ended
}

func (c *command) over() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// finish waits for the end and returns the output.
func (c *command) finish() string {
	c.t.Helper()
	rpctest.Eventually(c.t, "the end of a command", c.over)
	return fmt.Sprintf("status %d\n%s%s", c.status, c.out.String(), c.errs.String())
}

// startManager starts a manager on a free port; "" means that it refused to start and printed the reason.
func startManager(t *testing.T, root string, args ...string) (c *command, url string) {
	t.Helper()
	c = begin(t, root, append([]string{"manager", "--port", "0", "--json"}, args...)...)
	rpctest.Eventually(t, "the manager", func() bool {
		var up struct{ Endpoint string }
		if json.Unmarshal([]byte(c.out.String()), &up) == nil {
			url = up.Endpoint
		}
		return url != "" || c.over()
	})
	return c, url
}

// asked posts a request and returns the answer.
func asked(t *testing.T, url, method, params string) string {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s,"id":1}`, method, params)
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

func got(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// part returns the parenthesized match of a pattern.
func part(text, pattern string) string {
	if found := regexp.MustCompile(pattern).FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// seeNote is a value as `league config` shows it, of a key that is for people.
func seeNote(file, key string) func(t *testing.T, root string) string {
	return func(t *testing.T, root string) string {
		var shown struct{ Settings []setting }
		if err := json.Unmarshal([]byte(said(t, root, "config", "--json")), &shown); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(shown.Settings, func(s setting) bool { return s.File == configFiles[file].path && s.Key == key })
		return fmt.Sprint(shown.Settings[i].Value)
	}
}

// said returns the standard output of a command that succeeds.
func said(t *testing.T, root string, args ...string) string {
	t.Helper()
	c := begin(t, root, args...)
	if all := c.finish(); c.status != 0 {
		t.Fatal(all)
	}
	return c.out.String()
}

// seeManager returns a manager's output before any agent has joined: the missing agents, its warnings, /health, the
// page's title, the games, and its files.
func seeManager(t *testing.T, root string) string {
	c, url := startManager(t, root)
	if url == "" {
		return c.finish()
	}
	base := strings.TrimSuffix(url, "/mcp")
	id := part(c.out.String(), `"league_id":"([^"]*)"`)
	var agents config.Agents
	rpctest.Eventually(t, "agents.json", func() bool {
		text, err := os.ReadFile(filepath.Join(root, "data/leagues", id, "agents.json"))
		return err == nil && json.Unmarshal(text, &agents) == nil
	})
	log, err := os.ReadFile(filepath.Join(root, "data/leagues", id, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	created, _, _ := strings.Cut(string(log), "\n")
	status := asked(t, url, "get_league_status", "{}")
	return strings.Join([]string{
		id, c.errs.String(), got(t, base+"/health"), part(got(t, base+"/"), `<title>([^<]*)</title>`),
		part(asked(t, url, "get_games", "{}"), `"game_registry":(.*)"`), part(status, `"missing":"([^"]*)"`), agents.LeagueManager.Version,
		part(created, `("league_id".*"max_consecutive_forfeits":[-\d]+)`), part(created, `("by":"[^"]*")`),
		part(created, `("schedule":\{.*\})`),
	}, "\n")
}

// seeOutside returns the public address that a manager announces, and the token issuers that it accepts.
func seeOutside(t *testing.T, root string) string {
	c, url := startManager(t, root)
	if url == "" {
		return c.finish()
	}
	base := strings.TrimSuffix(url, "/mcp")
	return strings.Join([]string{
		part(c.out.String(), `"public_endpoint":"([^"]*)"`),
		part(got(t, base+"/.well-known/oauth-protected-resource/mcp"), `"authorization_servers":(.*)`),
	}, "\n")
}

// seeStrangers returns the manager's answers to the registrations of three players and two referees of third parties
// and of one with a wrong token, and the dialect of its calls.
func seeStrangers(t *testing.T, root string) string {
	c, url := startManager(t, root)
	if url == "" {
		return c.finish()
	}
	var seen []string
	for _, who := range []struct{ role, id string }{
		{"referee", "REF01"}, {"referee", "REF02"}, {"player", "P01"}, {"player", "P02"}, {"player", "P03"},
	} {
		at := foreignPlayer(t, nil)
		answer := asked(t, url, "register_"+who.role, fmt.Sprintf(
			`{"protocol":"league.v2","sender":"%s:%s","%s_meta":{"display_name":%q,"version":"1.0.0","game_types":["even_odd"],"contact_endpoint":%q,"max_concurrent_matches":1}}`,
			who.role, who.id, who.role, who.id, at))
		seen = append(seen, part(answer, `"status":"([^"]*)"`), fmt.Sprint(len(part(answer, `"auth_token":"([^"]*)"`))))
	}
	wrong := asked(t, url, "league_query", `{"protocol":"league.v2","message_type":"LEAGUE_QUERY","sender":"player:P01","auth_token":"tok_player_P01_x","query_type":"GET_STANDINGS"}`)
	seen = append(seen, part(wrong, `(E0\d\d)`))
	var status struct {
		Players, Referees []struct{ Dialect string }
	}
	if err := json.Unmarshal([]byte(said(t, root, "status", "--json", "--manager", url)), &status); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(seen, status)
}

// seeSeats is what one address gets that takes two seats.
func seeSeats(t *testing.T, root string) string {
	_, url := startManager(t, root)
	g := overHTTP(t, url, "", "", nil)
	_, first := g.try("take_seat", map[string]any{"name": "One"})
	_, second := g.try("take_seat", map[string]any{"name": "Two"})
	return first + "\n" + second
}

// seeMailboxes is how many mailboxes a client may open and wait at, and whether it may send an answer of 8,000 bytes.
func seeMailboxes(t *testing.T, root string) (seen string) {
	_, url := startManager(t, root)
	do := func(ctx context.Context, method, address, secret, body string) (string, []byte) {
		r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+secret)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return "waits", nil
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return resp.Status, text
	}
	var boxes []struct{ Secret, Next, Answer string }
	for range 3 {
		status, text := do(t.Context(), http.MethodPost, strings.TrimSuffix(url, "/mcp")+"/mailboxes", "", "")
		seen += status + "\n"
		var box struct{ Secret, Next, Answer string }
		if json.Unmarshal(text, &box) == nil {
			boxes = append(boxes, box)
		}
	}
	status, _ := do(t.Context(), http.MethodPost, boxes[0].Answer+"x", boxes[0].Secret, strings.Repeat("x", 8000))
	seen += status + "\n"
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	var answers [2]string
	var waiting sync.WaitGroup
	for i := range answers {
		waiting.Go(func() { answers[i], _ = do(ctx, http.MethodGet, boxes[i].Next, boxes[i].Secret, "") })
	}
	waiting.Wait()
	slices.Sort(answers[:])
	return seen + strings.Join(answers[:], "\n")
}

// seeMetrics is the answers to a scraper that calls the manager by a name that the manager does not have.
func seeMetrics(t *testing.T, root string) (seen string) {
	_, url := startManager(t, root)
	for _, path := range []string{"/metrics", "/metrics/leagues", "/leagues/" + theLeague + "/metrics"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(url, "/mcp")+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "league.example"
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		seen += resp.Status + "\n"
	}
	return seen
}

// seeBursts is which of many requests in a moment are too many.
func seeBursts(t *testing.T, root string) string {
	_, url := startManager(t, root)
	answer := asked(t, url, "register_player", fmt.Sprintf(
		`{"protocol":"league.v2","sender":"player:P01","player_meta":{"display_name":"A","contact_endpoint":%q}}`, foreignPlayer(t, nil)))
	token := part(answer, `"auth_token":"([^"]*)"`)
	var seen []bool
	for _, m := range [][2]string{
		{"league_query", fmt.Sprintf(`{"protocol":"league.v2","sender":"player:P01","auth_token":%q,"query_type":"GET_STANDINGS"}`, token)},
		{"ping", "{}"}, {"nonsense", "{}"},
	} {
		limited := false
		for range 20 {
			limited = strings.Contains(asked(t, url, m[0], m[1]), protocol.RateLimited.Code) || limited
		}
		seen = append(seen, limited)
	}
	return fmt.Sprint(seen)
}

// seeAnHourLater returns a manager's answer to a player more than an hour after its registration, and its log.
func seeAnHourLater(t *testing.T, root string) (seen string) {
	synctest.Test(t, func(t *testing.T) {
		var shown bytes.Buffer
		h, err := (&app{out: io.Discard, err: io.Discard, root: root, level: "error"}).open("")
		if err != nil {
			t.Fatal(err)
		}
		h.Net = &host.Net{Host: "localhost"}
		o, err := server.ManagerOptions(h)
		if err != nil {
			t.Fatal(err)
		}
		o.Logger = slog.New(slog.NewTextHandler(&shown, nil))
		disk, err := journal.Open(h.DataDir(), journal.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		m, err := manager.Open(ctx, disk, o)
		if err != nil {
			t.Fatal(err)
		}
		ask := func(method, params string) string {
			return string(m.Node.Answer(ctx, rpc.From{Addr: "127.0.0.1"}, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":%s,"id":1}`, method, params)))
		}
		token := part(ask("register_player", `{"protocol":"league.v2","sender":"player:P01","player_meta":{"display_name":"A","contact_endpoint":"http://127.0.0.1:1/mcp"}}`), `"auth_token":"([^"]*)"`)
		time.Sleep(61 * time.Minute)
		answer := ask("league_query", fmt.Sprintf(`{"protocol":"league.v2","sender":"player:P01","auth_token":%q,"query_type":"GET_STANDINGS"}`, token))
		stop()
		m.Wait()
		seen = fmt.Sprint(part(answer, `(E0\d\d)`), strings.Contains(shown.String(), "too few agents when the window closed"))
		if err := disk.Close(); err != nil {
			t.Error(err)
		}
	})
	return seen
}

// seeAddress is where a command looks for the manager.
func seeAddress(t *testing.T, root string) string {
	c := begin(t, root, "standings")
	return part(c.finish(), `(http://\S+/mcp)`)
}

func seePlayer(t *testing.T, root string) string {
	return introduced(t, root, "player", "--port", "0", "--name", "A")
}

func seeReferee(t *testing.T, root string) string {
	return introduced(t, root, "referee", "--port", "0", "--name", "A")
}

func seePlayer01(t *testing.T, root string) string {
	return introduced(t, root, "player", "--port", "0", "--id", "P01")
}

func seeReferee01(t *testing.T, root string) string {
	return introduced(t, root, "referee", "--port", "0", "--id", "REF01")
}

func seePlayerPort(t *testing.T, root string) string {
	return introduced(t, root, "player", "--name", "A", "--id", "P01")
}

func seeRefereePort(t *testing.T, root string) string {
	return introduced(t, root, "referee", "--name", "A", "--id", "REF01")
}

// introduced is how an agent introduces itself to a manager, or why it does not.
func introduced(t *testing.T, root string, args ...string) string {
	t.Helper()
	requests := make(chan string, 100)
	m := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		select {
		case requests <- string(body):
		default:
		}
		fmt.Fprint(w, `{"jsonrpc":"2.0","result":{"status":"REJECTED","reason":"go away"},"id":1}`)
	}))
	t.Cleanup(m.Close)
	c := begin(t, root, append(args, "--manager", m.URL+"/mcp", "--json")...)
	all := c.finish()
	select {
	case text := <-requests:
		var request struct {
			Params struct {
				LeagueID    string             `json:"league_id"`
				PlayerMeta  protocol.AgentMeta `json:"player_meta"`
				RefereeMeta protocol.AgentMeta `json:"referee_meta"`
			}
		}
		if err := json.Unmarshal([]byte(text), &request); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		meta := request.Params.PlayerMeta
		if args[0] == "referee" {
			meta = request.Params.RefereeMeta
		}
		meta.PublicKey, meta.Nonce = "", "" // another each time
		if at, err := url.Parse(meta.ContactEndpoint); err == nil && slices.Contains(args, "--port") {
			meta.ContactEndpoint = at.Hostname()
		}
		return fmt.Sprintf("%s %+v", request.Params.LeagueID, meta)
	default:
		return all
	}
}

// seeRun is how a league of built-in players goes.
func seeRun(t *testing.T, root string) string {
	var end struct {
		Losses    int `json:"technical_losses"`
		Standings []struct{ Wins int }
	}
	if err := json.Unmarshal([]byte(said(t, root, "run", "--port", "0", "--players", "6", "--cycles", "2", "--json")), &end); err != nil {
		t.Fatal(err)
	}
	won := 0
	for _, row := range end.Standings {
		won += row.Wins
	}
	past, err := os.ReadFile(filepath.Join(root, "data/players/P01/history.json"))
	if err != nil {
		t.Fatal(err)
	}
	var history store.History
	if err := json.Unmarshal(past, &history); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(end.Losses > 0, won > 0, len(history.Matches))
}

// seeBots returns the participants of a league with built-in agents in its settings.
func seeBots(t *testing.T, root string) string {
	text, err := os.ReadFile(filepath.Join(root, configFiles["league"].path))
	if err != nil {
		t.Fatal(err)
	}
	var wanted config.League
	if err := json.Unmarshal(text, &wanted); err != nil {
		t.Fatal(err)
	}
	players, referees := 0, 0
	if wanted.Bots != nil {
		players, referees = len(wanted.Bots.Players), wanted.Bots.Referees
	}
	_, _ = startManager(t, root)
	rpctest.Eventually(t, fmt.Sprintf("%d players and %d referees of the league's own", players, referees), func() bool {
		var agents config.Agents
		text, err := os.ReadFile(filepath.Join(root, "data/leagues", theLeague, "agents.json"))
		return err == nil && json.Unmarshal(text, &agents) == nil && len(agents.Players) == players && len(agents.Referees) == referees
	})
	return fmt.Sprint(players, referees)
}

// A peer is a third-party player that stores the requests it receives.
type peer struct {
	mu     sync.Mutex
	bodies map[string][]string // by method
	url    string
}

// newPeer answers each method with a result. Those that hang hold the request until the caller has gone.
func newPeer(t *testing.T, answers map[string]string, hangs string) *peer {
	t.Helper()
	p := &peer{bodies: map[string][]string{}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var req struct {
			Method string
			ID     json.RawMessage
		}
		_ = json.Unmarshal(body, &req)
		p.mu.Lock()
		p.bodies[req.Method] = append(p.bodies[req.Method], string(body))
		p.mu.Unlock()
		if req.Method == hangs && hangs != "" {
			<-r.Context().Done()
			p.mu.Lock()
			p.bodies["given up"] = append(p.bodies["given up"], req.Method)
			p.mu.Unlock()
			return
		}
		result := answers[req.Method]
		if result == "" {
			result = `{"status":"ok"}`
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","result":%s,"id":%s}`, result, req.ID)
	}))
	t.Cleanup(s.Close)
	p.url = s.URL + "/mcp"
	return p
}

// heard returns the requests of a method so far.
func (p *peer) heard(method string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.bodies[method])
}

// manners of a player that plays by the rules.
var plays = map[string]string{
	"handle_game_invitation": `{"message_type":"GAME_JOIN_ACK","accept":true}`,
	"choose_parity":          `{"message_type":"CHOOSE_PARITY_RESPONSE","parity_choice":"even"}`,
}

// illegal is a player that plays by no rules.
var illegal = map[string]string{
	"handle_game_invitation": plays["handle_game_invitation"],
	"choose_parity":          `{"message_type":"CHOOSE_PARITY_RESPONSE","parity_choice":"neither"}`,
}

// held starts two commands against peers that do not answer a method, and waits until the first has given up: the second
// has not then.
func held(t *testing.T, method string, first, second func(p *peer)) {
	t.Helper()
	hasty, patient := newPeer(t, plays, method), newPeer(t, plays, method)
	second(patient)
	rpctest.Eventually(t, method+" of the patient one", func() bool { return len(patient.heard(method)) > 0 })
	first(hasty)
	rpctest.Eventually(t, "the hasty one to give up "+method, func() bool { return len(hasty.heard("given up")) > 0 })
	if n := len(patient.heard("given up")); n > 0 {
		t.Errorf("%s: the patient one has given up %d times", method, n)
	}
}

// gaveUp is about how long a command waits for a manager's answer to a method.
func gaveUp(method, verb string) func(t *testing.T, a, b string) {
	return func(t *testing.T, a, b string) {
		ask := func(root string) func(*peer) {
			return func(p *peer) {
				args := []string{verb, "--manager", p.url}
				if verb == "player" || verb == "referee" {
					args = append(args, "--port", "0")
				}
				begin(t, root, args...)
			}
		}
		held(t, method, ask(a), ask(b))
	}
}

// gaveUpPlaying is about how long a referee waits for a player.
func gaveUpPlaying(method string) func(t *testing.T, a, b string) {
	return func(t *testing.T, a, b string) {
		play := func(root string) func(*peer) {
			return func(p *peer) { begin(t, root, "play", p.url, "random", "--json") }
		}
		held(t, method, play(a), play(b))
	}
}

// reportGivenUp is about how long a referee waits for the manager to take a result.
func reportGivenUp(t *testing.T, a, b string) {
	report := func(root string) func(*peer) {
		return func(p *peer) {
			h, err := (&app{out: io.Discard, err: io.Discard, root: root, level: "error"}).open("")
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(context.Background())
			ended := make(chan struct{})
			t.Cleanup(func() { stop(); <-ended })
			go func() {
				defer close(ended)
				_, _ = rpc.NewNode("referee:REF01", h.Wire()).CallUntil(ctx, rpc.Peer{Endpoint: p.url, Dialect: protocol.Canonical},
					100*time.Millisecond, &protocol.MatchResultReport{Envelope: protocol.Envelope{MessageType: protocol.TypeMatchResultReport}})
			}()
		}
	}
	held(t, "report_match_result", report(a), report(b))
}

// matchEnds is about how long a whole match may take.
func matchEnds(t *testing.T, a, b string) {
	long := begin(t, b, "play", newPeer(t, plays, "choose_parity").url, "random", "--json")
	begin(t, a, "play", newPeer(t, plays, "choose_parity").url, "random", "--json").finish()
	if long.over() {
		t.Errorf("a match without a bound has ended: %s", long.finish())
	}
}

// seeIllegal is how often a player is asked that makes no legal move.
func seeIllegal(t *testing.T, root string) string {
	p := newPeer(t, illegal, "")
	said(t, root, "play", p.url, "random", "--json")
	return fmt.Sprint(len(p.heard("choose_parity")))
}

// seeNextTry is in how many seconds, to about ten, a player is asked again that made no legal move.
func seeNextTry(t *testing.T, root string) string {
	p := newPeer(t, illegal, "")
	begin(t, root, "play", p.url, "random", "--json")
	rpctest.Eventually(t, "GAME_ERROR", func() bool { return len(p.heard("notify_game_error")) > 0 })
	var e struct {
		Params struct {
			Timestamp string
			RetryInfo struct {
				Next string `json:"next_retry_at"`
			} `json:"retry_info"`
		}
	}
	body := p.heard("notify_game_error")[0]
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		t.Fatal(err)
	}
	sent, _, err := protocol.ParseTime(e.Params.Timestamp)
	next, _, err2 := protocol.ParseTime(e.Params.RetryInfo.Next)
	if err != nil || err2 != nil {
		t.Fatalf("no times in %s", body)
	}
	return fmt.Sprint(next.Sub(sent).Round(10 * time.Second))
}

// seeUnreachable returns how often a player is called whose connections fail.
func seeUnreachable(t *testing.T, root string) string {
	var calls atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			return
		}
		calls.Add(1)
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(s.Close)
	begin(t, root, "play", s.URL+"/mcp", "random", "--json").finish()
	return fmt.Sprint(calls.Load())
}

// seeNews is whether a player is sent the whole table.
func seeNews(t *testing.T, root string) string {
	c, url := startManager(t, root, "--start-when", "players=2,referees=1")
	if url == "" {
		return c.finish()
	}
	var players []*peer
	for _, name := range []string{"A", "B"} {
		p := newPeer(t, plays, "")
		asked(t, url, "register_player", fmt.Sprintf(
			`{"protocol":"league.v2","sender":"player:%s","player_meta":{"display_name":%q,"version":"1.0.0","game_types":["even_odd"],"contact_endpoint":%q}}`, name, name, p.url))
		players = append(players, p)
	}
	begin(t, root, "referee", "--port", "0", "--manager", url)
	rpctest.Eventually(t, "the table", func() bool { return len(players[0].heard("update_standings")) > 0 })
	return part(players[0].heard("update_standings")[0], `("truncated":true)`)
}

// withStrangers starts a manager with two players and a referee of third parties, and returns the agents that it lacks.
func withStrangers(t *testing.T, root string) (missing func() string) {
	t.Helper()
	_, url := startManager(t, root)
	for _, who := range []struct{ role, id string }{{"referee", "REF01"}, {"player", "P01"}, {"player", "P02"}} {
		asked(t, url, "register_"+who.role, fmt.Sprintf(
			`{"protocol":"league.v2","sender":"%s:%s","%s_meta":{"display_name":%q,"version":"1.0.0","game_types":["even_odd"],"contact_endpoint":%q,"max_concurrent_matches":1}}`,
			who.role, who.id, who.role, who.id, newPeer(t, plays, "").url))
	}
	return func() string {
		status := asked(t, url, "get_league_status", "{}")
		return part(status, `"state":"([^"]*)"`) + " " + part(status, `"missing":"([^"]*)"`)
	}
}

// seeMissing returns the agents that a league with two players and a referee lacks.
func seeMissing(t *testing.T, root string) (what string) {
	missing := withStrangers(t, root)
	rpctest.Eventually(t, "everybody to be found", func() bool {
		what = missing()
		return !strings.Contains(what, "player")
	})
	return strings.Trim(what, "01") // a referee may still be looked for
}

// startsByNumber compares a league that starts when two players and a referee have joined with one that does not.
func startsByNumber(t *testing.T, a, b string) {
	waiting, started := withStrangers(t, b), withStrangers(t, a)
	rpctest.Eventually(t, "the start", func() bool { return !strings.HasPrefix(started(), protocol.WaitingForRegistrations) })
	if now := waiting(); !strings.HasPrefix(now, protocol.WaitingForRegistrations) {
		t.Errorf("the league that waits for more is %s", now)
	}
}

// seeLogs returns the files into which a manager rotates a large log and an old log of a league.
func seeLogs(t *testing.T, root string) string {
	var seen []string
	for _, first := range []string{
		`{"timestamp":"` + protocol.Stamp(time.Now()) + `","message":"` + strings.Repeat("x", 2<<20) + `"}`,
		`{"timestamp":"` + protocol.Stamp(time.Now().AddDate(0, 0, -40)) + `"}`,
	} {
		folder := filepath.Join(root, "logs/league", theLeague)
		if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755)); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"league.log.jsonl", "league.log.jsonl.20250101T000000Z", "league.log.jsonl.20250102T000000Z"} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(first+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		c, _ := startManager(t, root)
		c.end()
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, fmt.Sprint(len(files)))
	}
	return fmt.Sprint(seen)
}

// seeAllLogs is whether the log of an agent that has left is still there, beside a log of 2 MB.
func seeAllLogs(t *testing.T, root string) string {
	folder := filepath.Join(root, "logs/agents")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int{"P08": 2 << 20, "P09": 1} {
		path := filepath.Join(folder, name+".log.jsonl")
		written := time.Now().AddDate(0, 0, -1)
		if err := errors.Join(os.WriteFile(path, make([]byte, size), 0o644), os.Chtimes(path, written, written)); err != nil {
			t.Fatal(err)
		}
	}
	c, _ := startManager(t, root)
	c.end()
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	return fmt.Sprint(files, err)
}

// seeRecords is the records that a manager leaves of two leagues that ended days ago. The leagues verify, also from a
// backup.
func seeRecords(t *testing.T, root string) string {
	leagues := []string{"autumn", "spring"}
	for n, id := range leagues {
		said(t, root, "run", "--league-id", id, "--port", "0", "--players", "2")
		ended := time.Now().AddDate(0, 0, n-3)
		if err := os.Chtimes(filepath.Join(root, "data/leagues", id, "journal.jsonl"), ended, ended); err != nil {
			t.Fatal(err)
		}
	}
	c, _ := startManager(t, root)
	c.end()
	for _, id := range leagues {
		copied, file := t.TempDir(), filepath.Join(t.TempDir(), "backup.zip")
		said(t, root, "backup", id, "--to", file)
		said(t, copied, "restore", file)
		said(t, root, "verify", "--league-id", id)
		said(t, copied, "verify", "--league-id", id)
	}
	logs, err := filepath.Glob(filepath.Join(root, "data/referees/*/*/records.log"))
	shown, err2 := filepath.Glob(filepath.Join(root, "data/matches/*/*.json"))
	return strings.ReplaceAll(fmt.Sprint(logs, shown, err, err2), root, "")
}

// seeSeasons returns the number of the season, the number of seasons and the league, from the page.
func seeSeasons(t *testing.T, root string) string {
	c, url := startManager(t, root)
	if url == "" {
		return c.finish()
	}
	base, league := strings.TrimSuffix(url, "/mcp"), "/leagues/"+theLeague
	return part(got(t, base+league), `(Season \d+ of \d+)`) + part(got(t, base+"/api/v1"+league+"/seasons"), `("league_id": ?"[^"]*")`)
}

// seeDescription returns the values with which the manager and the referees of a league are started.
func seeDescription(t *testing.T, root string) string {
	a := &app{root: root, level: "error", err: io.Discard, ctx: t.Context()}
	h, err := a.open("")
	if err != nil {
		return err.Error()
	}
	o, err := server.ManagerOptions(h)
	if err != nil {
		return err.Error()
	}
	asks, err := h.Policy()
	return fmt.Sprint(o.Pace, o.Calendar, o.Strict, o.Profile.Rules().Name, o.StartAfter, o.StartAt, asks.MoveTimeout, asks.MaxRetries, err)
}

// seeInvited returns the invited agents when a manager is started.
func seeInvited(t *testing.T, root string) string {
	c, url := startManager(t, root)
	if url == "" {
		return c.finish()
	}
	id := part(c.out.String(), `"league_id":"([^"]*)"`)
	var last string
	for range 20 {
		log, err := os.ReadFile(filepath.Join(root, "data/leagues", id, "journal.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if last = part(string(log), `"kind":"AgentInvited".*?"name":"([^"]*)"`); last != "" {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return last
}
