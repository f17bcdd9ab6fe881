package interop_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/dialect/profile"
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
)

// patience is how long nothing may happen on a busy machine. Nothing that a league promises is measured with it.
const patience = time.Minute

// policy is a referee's policy with short pauses between tries. The timeouts are long enough for a busy machine: every
// player of these leagues answers, and a late answer would forfeit.
var policy = referee.Policy{
	JoinTimeout: patience / 2, MoveTimeout: patience / 2, GameOverTimeout: patience / 2, MaxRetries: 1,
	Delay: 50 * time.Millisecond,
}

// A testLeague is a league of ours: a manager and its referees over real HTTP, on a
// log that outlives them, so that they can be started again.
type testLeague struct {
	t        testing.TB
	opts     manager.Options
	referees int // of ours
	disk     *sim.Store
	records  []*referee.Memory
	who      []native.Identity // of those referees

	manager *manager.Manager
	url     string
	stop    context.CancelFunc
	running sync.WaitGroup
}

// newTestLeague opens a league with that number of our referees.
func newTestLeague(t testing.TB, o manager.Options, referees int) *testLeague {
	h := &testLeague{t: t, opts: o, referees: referees, disk: sim.New(1)}
	for range referees {
		h.records, h.who = append(h.records, &referee.Memory{}), append(h.who, native.Identity{})
	}
	h.open()
	t.Cleanup(func() { h.close() })
	return h
}

// open starts manager and referees at their addresses in the log.
func (h *testLeague) open() {
	h.t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(h.t.Context()))
	h.stop = stop
	s := take(h.t)
	h.url = s.URL()
	o := h.opts
	o.Window, o.Endpoint, o.Holder, o.Hold = -1, s.URL(), s.URL(), true
	o.CheckResult = func(r *protocol.MatchResultReport, a, b string) error {
		return referee.Verify(catalog.Lookup, r, a, b)
	}
	o.Plausible = func(r *protocol.MatchResultReport, a, b string) error {
		return referee.Plausible(catalog.Lookup, r, a, b)
	}
	m, err := manager.Open(ctx, h.disk.Open(sim.Options{}), o)
	if err != nil {
		h.t.Fatal(err)
	}
	secret, err := h.disk.Open(sim.Options{}).Secret(ctx, keyring.RefereeSecret)
	if err != nil {
		h.t.Fatal(err)
	}
	h.manager = m
	h.serve(ctx, s, m.Node)
	h.running.Go(m.Wait)
	for n := range h.referees {
		r := referee.New(ctx, fmt.Sprintf("Referee %d", n+1), catalog.Lookup, referee.Options{
			Options: rpc.Options{Observe: o.Observe, Logger: o.Logger, Profile: h.speaker(), Strict: o.Strict && o.Profile != nil},
			Policy:  policy, Recorder: h.records[n], MaxMatches: 8, Secret: secret,
			Identity: h.who[n], KeepIdentity: func(i native.Identity) error { h.who[n] = i; return nil },
		})
		at := take(h.t)
		h.serve(ctx, at, r.Node)
		h.running.Go(func() {
			<-ctx.Done()
			r.Wait()
		})
		if err := r.Register(ctx, h.url, at.URL()); err != nil {
			h.t.Fatal(err)
		}
	}
	m.Orders.Release()
}

// speaker returns the profile of the league for one agent; nil: the default.
func (h *testLeague) speaker() *profile.Speaker { return profile.New(h.opts.Profile.Rules().Name, "") }

// close ends manager and referees and waits for them.
func (h *testLeague) close() {
	h.stop()
	h.running.Wait()
}

// seatOurs adds a player of ours that lives until the test ends.
func (h *testLeague) seatOurs(name string) *player.Agent {
	h.t.Helper()
	a := player.New(name, player.Random(nil), player.Options{Options: rpc.Options{Logger: h.opts.Logger, Profile: h.speaker()}})
	ctx, stop := context.WithCancel(context.WithoutCancel(h.t.Context()))
	s, ended := take(h.t), make(chan error, 1)
	go func() { ended <- s.Serve(ctx, a.Node) }()
	h.t.Cleanup(func() {
		h.close() // first: a port that is free again may be another league's next
		stop()
		<-ended
	})
	if err := a.Register(ctx, h.url, s.URL()); err != nil {
		h.t.Fatal(err)
	}
	return a
}

func (h *testLeague) serve(ctx context.Context, s *rpc.Server, n *rpc.Node) {
	h.running.Go(func() { _ = s.Serve(ctx, n) })
}

func take(t testing.TB) *rpc.Server {
	t.Helper()
	s, err := rpc.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// await waits until the league is as wanted; it reports whether that came to pass.
func (h *testLeague) await(what string, ok func(s *league.State) bool) bool {
	h.t.Helper()
	seen, end := h.manager.Sequence(), time.Now().Add(patience)
	for ; ; time.Sleep(5 * time.Millisecond) {
		if grown := h.manager.Sequence(); grown != seen {
			seen, end = grown, time.Now().Add(patience)
		}
		var now bool
		h.manager.Read(func(s *league.State) { now = ok(s) })
		if now {
			return true
		}
		if time.Now().After(end) {
			h.t.Errorf("waited %s in vain until %s: %s", patience, what, h.story())
			return false
		}
	}
}

// forfeits returns a line for every match that was not played to a proper end.
func (h *testLeague) forfeits() (out []string) {
	h.manager.Read(func(s *league.State) {
		for _, m := range s.Matches {
			if m.Outcome != nil && m.Outcome.Result.Status == protocol.TechnicalLoss {
				out = append(out, fmt.Sprintf("%s: %s against %s: %+v", m.ID, s.Agents[m.A].Name, s.Agents[m.B].Name,
					m.Outcome.Result))
			}
		}
	})
	return out
}

// story describes the progress of the league in one line.
func (h *testLeague) story() string {
	var out []string
	h.manager.Read(func(s *league.State) {
		out = append(out, fmt.Sprintf("round %d, %d results", s.Round, s.Recorded))
		for _, a := range s.Agents {
			out = append(out, fmt.Sprintf("%s %q %s %s", a.ID, a.Name, a.State, a.Why))
		}
		for _, m := range s.Open() {
			out = append(out, fmt.Sprintf("%s is open with %+v", m.ID, m.Attempt()))
		}
	})
	return strings.Join(out, "; ")
}

func completed(s *league.State) bool { return s.Completed() }
