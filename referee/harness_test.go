package referee_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

const (
	leagueID   = "league_2025_even_odd"
	managerURL = "http://localhost:8000/mcp"
	refereeURL = "http://localhost:8001/mcp"
	drawKey    = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
)

// instant is a network on which everything arrives at the moment it is sent.
var instant = rpctest.Faults{Delay: time.Nanosecond}

// A harness is one real referee between a scripted manager and scripted players, in virtual time. It stores all
// messages that are sent and received.
type harness struct {
	meddles func(url, label string, answer []byte, err error) ([]byte, error) // of the referee's next start; nil: no change

	t        *testing.T
	net      *rpctest.Network
	zero     time.Time // offsets count from here
	opts     referee.Options
	recorder referee.Recorder
	shelf    referee.Shelf
	games    func(gameType string) (game.Game, error)
	referee  *referee.Referee
	manager  *fakeManager
	players  map[string]*fakePlayer
	procs    map[string]*rpctest.Process

	mu    sync.Mutex
	sent  []event // by the referee
	heard []event // by the manager and the players

	answers []string // of the referee to its manager
	logs    strings.Builder
	news    chan struct{} // closed at the next event
}

// An event is one message, with its time and its receiver.
type event struct {
	at   time.Duration
	to   string
	typ  protocol.Type
	body json.RawMessage
}

// as reads the message of an event.
func as[T any](t *testing.T, e event) (m T) {
	t.Helper()
	if err := json.Unmarshal(e.body, &m); err != nil {
		t.Errorf("%s to %s: %v", e.typ, e.to, err)
	}
	return m
}

// A setting is a test's change of a harness.
type setting struct {
	seed     uint64
	faults   rpctest.Faults
	opts     referee.Options
	recorder referee.Recorder
	games    func(gameType string) (game.Game, error) // default: the catalog
}

// withReferee runs f in a bubble of virtual time, with P01 and P02 and a manager at
// their places and the referee registered.
func withReferee(t *testing.T, s setting, f func(h *harness)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		if s.faults == (rpctest.Faults{}) {
			s.faults = instant
		}
		h := &harness{
			t: t, net: rpctest.NewNetwork(s.seed, synctest.Wait, s.faults), zero: time.Now(), opts: s.opts,
			recorder: s.recorder, games: s.games,
			players: map[string]*fakePlayer{}, procs: map[string]*rpctest.Process{}, news: make(chan struct{}),
		}
		if h.recorder == nil {
			h.recorder = &referee.Memory{}
		}
		h.shelf = &referee.MemoryShelf{}
		if h.games == nil {
			h.games = catalog.Lookup
		}
		finished := make(chan struct{})
		go func() {
			defer close(finished)
			defer stop()
			defer h.close()
			h.bootManager()
			h.bootPlayer("P01", 8101)
			h.bootPlayer("P02", 8102)
			if err := h.bootReferee(); err != nil {
				t.Errorf("register: %v", err)
				return
			}
			h.reset()
			f(h)
		}()
		h.net.Drive(ctx)
		<-finished
		pass(time.Hour) // for scripts that are still asleep
	})
}

func (h *harness) close() {
	for _, p := range h.procs {
		p.Crash()
	}
}

// reset clears the stored messages and restarts the clock for offsets.
func (h *harness) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.zero, h.sent, h.heard = time.Now(), nil, nil
}

func (h *harness) boot(name, url string) *rpctest.Process {
	p := h.net.Boot(name, url)
	h.procs[name] = p
	return p
}

// bootReferee starts the referee, or restarts it with its records.
func (h *harness) bootReferee() error {
	p := h.boot("REF01", refereeURL)
	o := h.opts
	if o.Identity.Key == nil {
		o.Identity.Key = identity().Key
	}
	o.Options.Network, o.Options.Observe = &meddler{p, h.meddles}, h.observe
	o.Options.Logger = slog.New(slog.NewJSONHandler(h, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o.ID, o.Recorder, o.Undecided = "REF01", h.recorder, h.shelf
	h.referee = referee.New(p.Context(), "Referee One", h.games, o)
	p.Serve(h.referee.Node)
	ctx, cancel := context.WithTimeout(p.Context(), time.Hour) // a registration without an answer is cancelled
	defer cancel()
	return h.referee.Register(ctx, managerURL, refereeURL)
}

// A spy is the manager's network. It stores the referee's answers.
type spy struct {
	*rpctest.Process
	h *harness
}

func (s *spy) Post(ctx context.Context, url, label string, body []byte) (int, []byte, error) {
	status, answer, err := s.Process.Post(ctx, url, label, body)
	s.h.set(func() { s.h.answers = append(s.h.answers, string(answer)) })
	return status, answer, err
}

// A meddler is a network that changes the answers that the referee gets. A nil meddle changes none.
type meddler struct {
	*rpctest.Process
	meddle func(url, label string, answer []byte, err error) ([]byte, error)
}

func (m *meddler) Post(ctx context.Context, url, label string, body []byte) (int, []byte, error) {
	status, answer, err := m.Process.Post(ctx, url, label, body)
	if m.meddle != nil {
		answer, err = m.meddle(url, label, answer, err)
	}
	return status, answer, err
}

// Random leaves out the jitter of retries, which takes one byte, so that tests can state their times.
func (m *meddler) Random(b []byte) {
	if len(b) == 1 {
		b[0] = 1 << 7
		return
	}
	m.Process.Random(b)
}

// meddle lets f change the answers that the referee receives from now on.
func (h *harness) meddle(f func(url, label string, answer []byte, err error) ([]byte, error)) {
	h.referee.Node.Network = &meddler{h.procs["REF01"], f}
}

// abroadMeddling is abroad with a network that changes the answers to the referee, from its registration on.
func (h *harness) abroadMeddling(f func(answer []byte) []byte) {
	h.meddles = func(_, _ string, answer []byte, err error) ([]byte, error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		return f(answer), err
	}
	h.abroad()
}

// Write collects log lines.
func (h *harness) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.logs.Write(b)
}

func (h *harness) logged() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.logs.String()
}

// observe notes the calls that the referee makes, and logs every message as an agent does.
func (h *harness) observe(m rpc.Message) {
	if m.Message != nil {
		e := m.Message.Head()
		fmt.Fprintln(h, m.Sent, m.Peer, e.MessageType, e.MatchID, e.ConversationID, e.Sender, m.Elapsed, m.Err,
			m.Warnings, m.ErrorCode)
	}
	if !m.Sent || m.Reply {
		return
	}
	h.note(&h.sent, h.nameOf(m.Peer), m.Message)
}

// nameOf returns the name of the agent at an endpoint.
func (h *harness) nameOf(endpoint string) string {
	switch {
	case endpoint == managerURL:
		return "LM"
	case strings.HasPrefix(endpoint, "http://localhost:81"):
		return "P" + endpoint[len("http://localhost:81"):len("http://localhost:8101")]
	}
	return endpoint
}

func (h *harness) note(list *[]event, to string, m protocol.Message) {
	body, err := protocol.Encode(m)
	if err != nil {
		h.t.Errorf("note: %v", err)
	}
	if source := m.Head().Source(); source != nil && list == &h.heard {
		body = source // as it came
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	*list = append(*list, event{at: time.Since(h.zero), to: to, typ: m.Head().MessageType, body: body})
	close(h.news)
	h.news = make(chan struct{})
}

// selected returns the events of a list that went to one agent and have one of the types; "" is any agent.
func (h *harness) selected(list *[]event, to string, types ...protocol.Type) (out []event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range *list {
		if to != "" && e.to != to {
			continue
		}
		for _, typ := range types {
			if e.typ == typ {
				out = append(out, e)
			}
		}
		if len(types) == 0 {
			out = append(out, e)
		}
	}
	return out
}

func (h *harness) sentTo(to string, types ...protocol.Type) []event {
	return h.selected(&h.sent, to, types...)
}

func (h *harness) heardBy(who string, types ...protocol.Type) []event {
	return h.selected(&h.heard, who, types...)
}

// offsets are the times of events.
func offsets(events []event) (out []time.Duration) {
	for _, e := range events {
		out = append(out, e.at)
	}
	return out
}

// until waits until cond holds and complains if it does not.
func (h *harness) until(what string, within time.Duration, cond func() bool) bool {
	h.t.Helper()
	end := time.NewTimer(within)
	defer end.Stop()
	for {
		h.mu.Lock()
		news := h.news
		h.mu.Unlock()
		if cond() {
			return true
		}
		select {
		case <-news:
		case <-end.C:
			h.t.Errorf("%s: not within %v", what, within)
			return false
		}
	}
}

// pass lets time pass.
func pass(d time.Duration) { time.Sleep(d) }

// order is START_MATCH for the first attempt at R1M1.
func order() *protocol.StartMatch {
	return &protocol.StartMatch{
		Envelope: protocol.Envelope{MessageType: protocol.TypeStartMatch, LeagueID: leagueID, RoundID: 1, MatchID: "R1M1"},
		GameType: "even_odd", Attempt: 1, DrawKey: drawKey, ReportTo: managerURL,
		PlayerA: contenderOf("P01", 8101), PlayerB: contenderOf("P02", 8102),
	}
}

func contenderOf(id string, port int) protocol.Contender {
	return protocol.Contender{
		ID: id, Endpoint: fmt.Sprintf("http://localhost:%d/mcp", port), Dialect: protocol.Canonical,
		Token: "tok_match_of_" + id, State: protocol.AgentActive,
		RegisteredAt: "2000-01-01T00:00:00Z", Standings: protocol.Tally{Wins: 2, Losses: 1, Draws: 1, Points: 7},
	}
}

// start sends an order to the referee and returns its answer.
func (h *harness) start(m *protocol.StartMatch) (status string, err error) {
	reply, err := h.manager.call(m)
	if ack, ok := reply.(*protocol.StartMatchAck); ok {
		status = ack.Status
	}
	return status, err
}

// play has a match played to its end: recorded, announced and reported.
func (h *harness) play(m *protocol.StartMatch) {
	h.t.Helper()
	if status, err := h.start(m); status != protocol.Accepted || err != nil {
		h.t.Errorf("START_MATCH: got %q, %v, want ACCEPTED", status, err)
		return
	}
	h.referee.Wait()
}

// report returns the one report that the manager has of the match.
func (h *harness) report() protocol.MatchResultReport {
	h.t.Helper()
	got := h.heardBy("LM", protocol.TypeMatchResultReport)
	if len(got) != 1 {
		h.t.Errorf("got %d reports, want 1", len(got))
		return protocol.MatchResultReport{}
	}
	return as[protocol.MatchResultReport](h.t, got[0])
}

// over returns the one GAME_OVER that a player has received.
func (h *harness) over(player string) protocol.GameOver {
	h.t.Helper()
	got := h.heardBy(player, protocol.TypeGameOver)
	if len(got) != 1 {
		h.t.Errorf("%s: got %d GAME_OVER, want 1", player, len(got))
		return protocol.GameOver{}
	}
	return as[protocol.GameOver](h.t, got[0])
}

// record returns the record of the first attempt at R1M1 and its bytes.
func (h *harness) record() (protocol.MatchRecord, []byte) {
	h.t.Helper()
	doc, err := h.recorder.Document(context.Background(), protocol.RecordRef{
		LeagueID: leagueID, MatchID: "R1M1", Attempt: 1,
	})
	if err != nil {
		h.t.Errorf("record: %v", err)
		return protocol.MatchRecord{}, nil
	}
	rec, err := protocol.ParseRecord(doc)
	if err != nil {
		h.t.Errorf("record: %v", err)
	}
	return rec, doc
}
