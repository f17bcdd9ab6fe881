package manager_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/dialect/profile"
	"agentleague/engine"
	"agentleague/engine/sim"
	"agentleague/game/catalog"
	"agentleague/league"
	"agentleague/league/keyring"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
	"agentleague/rpc/native"
	"agentleague/rpc/rpctest"
)

const (
	leagueID   = "league_2025_even_odd"
	managerURL = "http://localhost:8000/mcp"
	adminToken = "tok_admin_test"
)

// A world is a whole league in virtual time: the packages of the product,
// with nothing replaced but engine, network, time and chance.
type world struct {
	t     *testing.T
	net   *rpctest.Network
	disk  *sim.Store
	opts  manager.Options
	ctx   context.Context
	logs  *strings.Builder
	logMu sync.Mutex

	mu        sync.Mutex // guards manager and procs where machines are booted by the plan
	manager   *manager.Manager
	procs     map[string]*rpctest.Process
	recorders map[string]*referee.Memory
	players   map[string]*player.Agent
	referees  map[string]*referee.Referee
	strategy  func(id string) player.Strategy
	memories  map[string]player.Past
	tokens    map[string]string
	refOpts   referee.Options
	tap       func(request, answer []byte) // sees everything that goes over the wire
	foreign   map[string]*foreigner        // agents of other makes, by endpoint
	gameTypes []string
	masked    map[string]bool // agents that pass for ones of another make
	guests    map[string]bool // referees that do not have the root's secret

	identities map[string]native.Identity // that agents have kept, by name
	answers    map[string][]player.Answer // that players have kept
	fetches    bool                       // and referees among them ask for their matches

	managers   []string       // the names of the managers that were booted, the newest last
	writers    map[uint64]int // which of them wrote each entry of the log
	fault      func(key string) sim.Fault
	supervised bool // a manager that ends is started again
	wounds     []*wound
}

// inWorld runs f in a bubble of virtual time.
func inWorld(t *testing.T, seed uint64, faults rpctest.Faults, o manager.Options, f func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		w := &world{
			t: t, net: rpctest.NewNetwork(seed, synctest.Wait, faults), disk: sim.New(seed), opts: o, ctx: ctx,
			logs:  &strings.Builder{},
			procs: map[string]*rpctest.Process{}, recorders: map[string]*referee.Memory{}, players: map[string]*player.Agent{},
			referees: map[string]*referee.Referee{}, memories: map[string]player.Past{}, tokens: map[string]string{},
			gameTypes: []string{"even_odd"}, masked: map[string]bool{}, guests: map[string]bool{}, writers: map[uint64]int{},
			identities: map[string]native.Identity{}, answers: map[string][]player.Answer{},
		}
		w.strategy = func(id string) player.Strategy {
			return player.Random(rand.New(rand.NewPCG(seed, uint64(len(id)+int(id[len(id)-1])))))
		}
		finished := make(chan struct{})
		go func() {
			defer close(finished)
			f(w)
			w.mu.Lock()
			defer w.mu.Unlock()
			for _, p := range w.procs {
				p.Crash()
			}
			stop()
		}()
		w.net.Drive(ctx)
		<-finished
	})
}

// Write collects log lines.
func (w *world) Write(b []byte) (int, error) {
	w.logMu.Lock()
	defer w.logMu.Unlock()
	return w.logs.Write(b)
}

func (w *world) logger(name string) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug})).With("agent", name)
}

func (w *world) boot(name string, port int) (*rpctest.Process, string) {
	url := fmt.Sprintf("http://localhost:%d/mcp", port)
	p := w.net.Boot(name, url)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.procs[name] = p
	return p, url
}

// crash kills the process of a machine.
func (w *world) crash(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.procs[name].Crash()
}

// tapped is a process whose calls are recorded.
type tapped struct {
	rpc.Network
	hear func(request, answer []byte)
}

func (p tapped) Post(ctx context.Context, url, label string, body []byte) (int, []byte, error) {
	status, answer, err := p.Network.Post(ctx, url, label, body)
	p.hear(body, answer)
	return status, answer, err
}

// A mask makes an agent of ours imitate a third-party one: its messages lack match_tokens, and so do the manager's
// messages to it.
type mask struct {
	rpc.Network
	fetches bool // it asks for its matches
}

func (p mask) Post(ctx context.Context, url, label string, body []byte) (int, []byte, error) {
	switch {
	case bytes.Contains(body, []byte(protocol.TypeAssignedMatches)) && !p.fetches:
		return http.StatusNotFound, nil, nil
	case !bytes.Contains(body, []byte("_REGISTER_REQUEST")):
		return p.Network.Post(ctx, url, label, body)
	}
	knows, not := []byte(`"match_tokens":true`), []byte(`"match_tokens":false`)
	body = publicKey.ReplaceAll(bytes.ReplaceAll(body, knows, not), nil)
	status, answer, err := p.Network.Post(ctx, url, label, body)
	return status, bytes.ReplaceAll(answer, knows, not), err
}

var publicKey = regexp.MustCompile(`,"public_key":"[0-9a-f]*"`)

func (w *world) network(p *rpctest.Process) rpc.Network {
	var n rpc.Network = p
	if w.foreign != nil {
		n = abroad{p, w.foreign}
	}
	if w.tap != nil {
		n = tapped{n, w.tap}
	}
	if w.masked[p.Name] {
		n = mask{n, w.fetches}
	}
	return n
}

// bootManager starts the manager, or starts it again on the same disk.
func (w *world) bootManager() { w.bootManagerAs("LM") }

// bootManagerAs starts a manager at the manager's address, on a machine of that name. The previous manager becomes
// unreachable, and still considers itself the owner.
func (w *world) bootManagerAs(name string) {
	p, url := w.boot(name, 8000)
	w.mu.Lock()
	w.managers = append(w.managers, name)
	life := len(w.managers)
	w.mu.Unlock()
	o := w.opts
	o.Options = rpc.Options{Network: w.network(p), Logger: w.logger(name), Strict: w.opts.Strict, Profile: w.speaker()}
	o.Endpoint, o.LeagueID, o.AdminToken, o.Holder = url, leagueID, adminToken, fmt.Sprint(name, " ", life)
	o.CheckResult = func(r *protocol.MatchResultReport, a, b string) error {
		return referee.Verify(catalog.Lookup, r, a, b)
	}
	o.Plausible = func(r *protocol.MatchResultReport, a, b string) error {
		return referee.Plausible(catalog.Lookup, r, a, b)
	}
	o.Decide = func(r *protocol.MatchMovesReport, key, a, b string) (protocol.ReportedResult, error) {
		return referee.Decide(catalog.Lookup, r.GameType, r.Moves, unhex(w.t, key), a, b, protocol.DefaultScoring)
	}
	m, err := manager.Open(p.Context(), w.disk.Open(sim.Options{Await: w.signed(p, life), Fault: w.fault}), o)
	if err != nil && (w.supervised || errors.Is(err, engine.ErrFenced)) {
		// the operator restarts a manager that loses the race for a log
		p.Crash()
		w.net.At(2*time.Second, "boot "+name, func() { go w.bootManagerAs(name) })
		return
	}
	if err != nil {
		w.t.Errorf("manager: %v", err)
		return
	}
	w.mu.Lock()
	w.manager = m
	w.mu.Unlock()
	p.Serve(m.Node)
	if w.supervised {
		go w.supervise(p, m)
	}
}

// supervise starts a manager again that has ended by itself.
func (w *world) supervise(p *rpctest.Process, m *manager.Manager) {
	<-m.Ended()
	if p.Context().Err() == nil {
		p.Crash()
		w.net.At(2*time.Second, "boot "+p.Name, func() { go w.bootManagerAs(p.Name) })
	}
}

// signed notes which manager wrote each entry of the log.
func (w *world) signed(p *rpctest.Process, life int) func(ctx context.Context, key string) error {
	var before int // entries, when its turn to write has come
	return func(ctx context.Context, key string) error {
		if !strings.HasPrefix(key, "append ") {
			return p.Await(ctx, key)
		}
		if seq := before + 1; key == fmt.Sprintf("append %s %d after", leagueID, seq) &&
			w.disk.Len(leagueID) == seq {
			w.mu.Lock()
			w.writers[uint64(seq)] = life
			w.mu.Unlock()
		}
		err := p.Await(ctx, key)
		before = w.disk.Len(leagueID)
		return err
	}
}

// A shelf is a referee's durable store of records. A write takes time, and a crash may happen before or after it.
type shelf struct {
	*referee.Memory
	p *rpctest.Process
}

func (s shelf) Record(ctx context.Context, f *referee.Finished) error {
	return s.write(ctx, fmt.Sprintf("record %s#%d", f.Record.MatchID, f.Record.Attempt), func() error {
		return s.Memory.Record(ctx, f)
	})
}

func (s shelf) Reported(ctx context.Context, ref protocol.RecordRef) error {
	return s.write(ctx, fmt.Sprintf("reported %s#%d", ref.MatchID, ref.Attempt), func() error {
		return s.Memory.Reported(ctx, ref)
	})
}

func (s shelf) write(ctx context.Context, what string, effect func() error) error {
	if err := s.p.Await(ctx, what+" before"); err != nil {
		return err
	}
	err := effect()
	if wait := s.p.Await(ctx, what+" after"); wait != nil {
		return wait
	}
	return err
}

// bootReferee starts a referee that registers as n.
func (w *world) bootReferee(n int) {
	name := protocol.AgentID(protocol.RoleReferee, n)
	p, url := w.boot(name, 8000+n)
	if w.recorders[name] == nil {
		w.recorders[name] = &referee.Memory{}
	}
	o := w.refOpts
	o.Options = rpc.Options{Network: w.network(p), Logger: w.logger(name), Strict: w.opts.Strict, Profile: w.speaker()}
	o.ID, o.Recorder, o.GameTypes = name, shelf{w.recorders[name], p}, w.gameTypes
	o.Identity, o.KeepIdentity = w.identity(name)
	if !w.guests[name] {
		o.Secret, _ = w.disk.Open(sim.Options{}).Secret(w.ctx, keyring.RefereeSecret)
	}
	r := referee.New(p.Context(), "Referee "+name, catalog.Lookup, o)
	w.referees[name] = r
	p.Serve(r.Node)
	go func() { _ = r.Register(p.Context(), managerURL, url) }()
}

// speaker returns the profile of the league for one agent; nil: the default.
func (w *world) speaker() *profile.Speaker { return profile.New(w.opts.Profile.Rules().Name, leagueID) }

// identity returns an agent's earlier identity, and the function that stores a new one.
func (w *world) identity(name string) (native.Identity, func(native.Identity) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.identities[name], func(i native.Identity) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.identities[name] = i
		return nil
	}
}

// bootPlayer starts a player that registers as n.
func (w *world) bootPlayer(n int) { w.bootPlayerAt(n, 8100+n) }

// bootPlayerAt starts a player at a port.
func (w *world) bootPlayerAt(n, port int) {
	name := protocol.AgentID(protocol.RolePlayer, n)
	p, url := w.boot(name, port)
	who, keep := w.identity(name)
	w.mu.Lock()
	kept := w.answers[name]
	w.mu.Unlock()
	a := player.New("Agent "+name, w.strategy(name), player.Options{
		Identity: who, KeepIdentity: keep, Answers: kept,
		KeepAnswer: func(a player.Answer) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.answers[name] = append(w.answers[name], a)
			return nil
		},
		Options: rpc.Options{Network: w.network(p), Logger: w.logger(name), Profile: w.speaker()}, ID: name, GameTypes: w.gameTypes,
		Recall:   func(string) (player.Past, error) { return w.memories[name], nil },
		Remember: func(_ string, h player.Past) error { w.memories[name] = h; return nil },
	})
	w.players[name] = a
	p.Serve(a.Node)
	go func() {
		_ = a.Register(p.Context(), managerURL, url)
		w.healed(name)
	}()
}

// bootAll starts a league of that number of agents.
func (w *world) bootAll(referees, players int) {
	w.bootManager()
	for n := range referees {
		w.bootReferee(n + 1)
	}
	for n := range players {
		w.bootPlayer(n + 1)
	}
}

// finish waits until the league is over and announced to all agents.
func (w *world) finish(within time.Duration) bool {
	end := time.NewTimer(within)
	defer end.Stop()
	for {
		w.mu.Lock()
		m := w.manager
		w.mu.Unlock()
		again := time.NewTimer(time.Second)
		var done <-chan struct{}
		if m != nil {
			done = m.Done()
		}
		select {
		case <-done:
			again.Stop()
			return true
		case <-end.C:
			w.t.Errorf("the league is not over after %v", within)
			w.t.Log(w.logs.String())
			if m == nil {
				return false
			}
			m.Read(func(s *league.State) {
				w.t.Logf("round %d of %d, %d recorded, open %v", s.Round, s.Schedule.Rounds(), s.Recorded, len(s.Open()))
			})
			return false
		case <-again.C:
		}
	}
}

// state folds the log from the disk.
func (w *world) state() *league.State {
	s, err := league.Fold(func(yield func(engine.Entry, error) bool) {
		for _, e := range w.disk.Entries(leagueID) {
			if !yield(e, nil) {
				return
			}
		}
	})
	if err != nil {
		w.t.Fatalf("fold: %v", err)
	}
	return s
}

// fingerprint is a hash of everything that happened and everything that is on disk.
func (w *world) fingerprint() string {
	h := sha256.New()
	for _, line := range w.net.Trace() {
		fmt.Fprintln(h, line)
	}
	for _, e := range w.disk.Entries(leagueID) {
		fmt.Fprintln(h, e.Seq, string(e.Data))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// simOptions open the disk without waiting.
var simOptions = sim.Options{}

func TestLeagueCompletes(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 2}, func(w *world) {
		w.bootAll(2, 4)
		if !w.finish(10 * time.Minute) {
			t.Log(w.logs.String())
			return
		}
		s := w.state()
		if s.Recorded != 6 || !s.Completed() {
			t.Errorf("recorded %d matches, completed %v; want 6, true", s.Recorded, s.Completed())
		}
		for _, row := range s.Standings() {
			t.Log(row)
		}
		t.Log(len(w.net.Trace()), w.fingerprint())
	})
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatalf("not hexadecimal: %v", err)
	}
	return b
}
