package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"agentleague/client"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// reach lets clients call the machines of the network.
var reach = rpc.Options{Guard: rpc.Anywhere}

// A historian records the operations of clients that send requests to all managers of a group.
type historian struct {
	*group
	token string
	begin time.Time
	names atomic.Int64 // registered so far

	mu      sync.Mutex
	history []porcupine.Operation
	ids     []string // of registered players of leftLeague
	lists   []listed
}

// TestLongReadsOfAClusterAreLinearizable has clients register, withdraw, annul, pause, resume and read at all managers,
// which are killed, or suspended for longer than their lease. The history must be linearizable, and lists at most one
// second old.
func TestLongReadsOfAClusterAreLinearizable(t *testing.T) {
	if !onOwnNetwork(t) {
		return
	}
	faults := 2
	if long() || os.Getenv("LEAGUE_LONG") != "" {
		faults = 20
	}
	const seed = 33
	rng := rand.New(rand.NewPCG(seed, 1))
	h := newHistorian(t)
	ctx, stop := context.WithCancel(t.Context())
	var crew, clients sync.WaitGroup
	defer crew.Wait()
	defer stop()
	h.seat(ctx, &crew, 200*time.Millisecond)
	rpctest.Eventually(t, "the first result", func() bool { return !h.owned(playedLeague).resultAfter(time.Time{}).IsZero() })
	orders, halt := context.WithCancel(ctx)
	for n := range 8 {
		own := rand.New(rand.NewPCG(seed, uint64(n+2)))
		clients.Go(func() { h.client(orders, n, own) })
	}
	clients.Go(func() { h.lister(orders, rand.New(rand.NewPCG(seed, 99))) })
	for n := range faults {
		id := []string{playedLeague, leftLeague, joinedLeague}[rng.IntN(3)]
		h.fault(id, n%2 == 1)
	}
	halt()
	clients.Wait()
	h.check()
	h.checkLists()
}

// newHistorian starts a cluster with the three leagues.
func newHistorian(t *testing.T) *historian {
	t.Helper()
	h := &historian{group: newGroup(t), begin: time.Now()}
	token, err := os.ReadFile(filepath.Join(h.roots[0], "data/admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	h.token = strings.TrimSpace(string(token))
	h.createEndless(playedLeague, 4)
	for n, id := range []string{leftLeague, joinedLeague} {
		if out, err := run("create", id, "--root", h.roots[0], "--manager", h.url(n+1)+"/mcp", "--players", "1000"); err != nil {
			t.Fatalf("create %s: %v: %s", id, err, out)
		}
	}
	return h
}

// fault kills the manager of a league, or suspends it for longer than its lease, and waits until a client has read the
// league at another manager.
func (h *historian) fault(id string, suspend bool) {
	h.t.Helper()
	n := h.owner(id)
	began := time.Now()
	if suspend {
		n, began = h.suspend(id)
	} else {
		h.managers[n].kill()
	}
	victim := h.managers[n]
	rpctest.Eventually(h.t, "a read at another manager", func() bool {
		_, err := h.view(h.t.Context(), id, n+1)
		return err == nil
	})
	h.t.Logf("%s: read at another manager %v after %s", id, time.Since(began).Round(10*time.Millisecond),
		map[bool]string{false: "the death of its manager", true: "the suspension of its manager"}[suspend])
	if suspend {
		time.Sleep(time.Until(began.Add(4 * time.Second))) // the clients write at the next manager
		signal(h.t, victim, syscall.SIGCONT)
	} else {
		victim.start()
		rpctest.Eventually(h.t, "its return", func() bool { return strings.Count(victim.said(), "Watch it at") == victim.lives })
	}
	rpctest.Eventually(h.t, "a manager that is ready", func() bool { return h.ready(h.t.Context(), n) })
	most := h.operations() + operationsAfter
	rpctest.Eventually(h.t, "further operations", func() bool { return h.operations() >= most })
}

// operationsAfter is the number of operations after each fault.
const operationsAfter = 40

// operations returns the number of operations so far.
func (h *historian) operations() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.history)
}

// owner returns the manager that has had a league for a second.
func (h *historian) owner(id string) int {
	h.t.Helper()
	is, since := -1, time.Now()
	rpctest.Eventually(h.t, "a manager that keeps "+id, func() bool {
		if now := h.owned(id).manager; now != is {
			is, since = now, time.Now()
		}
		return is >= 0 && time.Since(since) > time.Second
	})
	return is
}

// suspend stops the process of the manager of a league, so that no other manager can read the league there.
func (h *historian) suspend(id string) (n int, began time.Time) {
	h.t.Helper()
	rpctest.Eventually(h.t, "the manager of "+id, func() bool {
		n, began = h.owner(id), time.Now()
		signal(h.t, h.managers[n], syscall.SIGSTOP)
		ctx, cancel := context.WithTimeout(h.t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err := h.view(ctx, id, n+1)
		if err == nil { // the league has been handed on meanwhile
			signal(h.t, h.managers[n], syscall.SIGCONT)
		}
		return err != nil
	})
	return n, began
}

// signal sends a signal to the process of an agent.
func signal(t *testing.T, a *agent, s syscall.Signal) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// ready reports whether a manager answers /readyz with 200.
func (h *historian) ready(ctx context.Context, n int) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url(n)+"/readyz", nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// client gives orders and reads until ctx ends.
func (h *historian) client(ctx context.Context, n int, rng *rand.Rand) {
	for ctx.Err() == nil {
		a, at := h.choose(rng), rng.IntN(3)
		if a.kind == "" {
			continue
		}
		sent := time.Since(h.begin)
		r, counts := h.do(ctx, a, at)
		came := time.Since(h.begin)
		if r.lost {
			came = 24 * time.Hour
		}
		if counts {
			h.mu.Lock()
			h.history = append(h.history, porcupine.Operation{
				ClientId: n, Input: a, Output: r, Call: sent.Nanoseconds(), Return: came.Nanoseconds()})
			h.mu.Unlock()
		}
		select {
		case <-time.After(time.Duration(10+rng.IntN(40)) * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// choose returns the next action of a client: a read in two of three cases.
func (h *historian) choose(rng *rand.Rand) action {
	id := []string{playedLeague, leftLeague, joinedLeague}[rng.IntN(3)]
	switch k := rng.IntN(12); {
	case k < 8:
		return action{id, "read", ""}
	case id == playedLeague && k < 10:
		return action{id, "annul", fmt.Sprintf("R%dM%d", 1+rng.IntN(8), 1+rng.IntN(2))}
	case id == playedLeague:
		return action{id, []string{"pause", "resume"}[k-10], ""}
	case id == leftLeague && k < 10:
		h.mu.Lock()
		defer h.mu.Unlock()
		if len(h.ids) > 0 {
			return action{id, "withdraw", h.ids[rng.IntN(len(h.ids))]}
		}
		return action{}
	}
	return action{id, "register", fmt.Sprintf("name%04d", h.names.Add(1))}
}

// do carries out an action at a manager. counts is false if it did not happen.
func (h *historian) do(ctx context.Context, a action, at int) (r response, counts bool) {
	if a.kind == "read" {
		v, err := h.view(ctx, a.league, at)
		return response{read: v}, err == nil
	}
	ctx, cancel := context.WithTimeout(ctx, 12*time.Second)
	defer cancel()
	m, sender := h.message(a)
	reply, err := rpc.NewNode(sender, reach).Call(ctx, rpc.Peer{Endpoint: h.url(at) + "/mcp", Dialect: protocol.Canonical}, m)
	no := (*protocol.Refusal)(nil)
	switch {
	case err == nil:
		if joined, ok := reply.(*protocol.LeagueRegisterResponse); ok {
			return response{}, h.joined(a, joined)
		}
		return response{}, true
	case rpc.Unsent(err):
		return r, false
	case errors.As(err, &no) && no.Name == protocol.MatchNotFound.Name:
		return response{refused: true}, true
	case errors.As(err, &no) && no.Name == protocol.RateLimited.Name:
		return r, false
	}
	return response{lost: true}, true
}

// joined notes the id of a player that has registered. It returns false for a refusal, which changes nothing.
func (h *historian) joined(a action, r *protocol.LeagueRegisterResponse) bool {
	if r.Status != protocol.Accepted || r.PlayerID == nil {
		h.t.Errorf("%s was refused: %+v", a.object, r)
		return false
	}
	if a.league == leftLeague {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.ids = append(h.ids, *r.PlayerID)
	}
	return true
}

// message returns the message for an order, and its sender.
func (h *historian) message(a action) (protocol.Message, string) {
	of := protocol.Envelope{LeagueID: a.league, AuthToken: h.token, ConversationID: "conv-history"}
	tool := func(t protocol.Type) protocol.Message {
		of.MessageType = t
		return &protocol.Tool{Envelope: of, PlayerID: a.object}
	}
	switch a.kind {
	case "register":
		var port int
		_, _ = fmt.Sscanf(a.object, "name%d", &port)
		of.MessageType, of.AuthToken = protocol.TypeLeagueRegisterRequest, ""
		return &protocol.LeagueRegisterRequest{Envelope: of, Meta: protocol.AgentMeta{
			DisplayName: a.object, Version: "1.0.0", ProtocolVersion: protocol.Release, GameTypes: []string{"even_odd"},
			ContactEndpoint: fmt.Sprintf("http://%s:%d/mcp", h.lan.address(1), 20000+port),
		}}, protocol.Sender(protocol.RolePlayer, a.object)
	case "annul":
		of.MessageType, of.MatchID = protocol.TypeAnnulMatch, a.object
		return &protocol.AnnulMatch{Envelope: of}, protocol.Sender(protocol.RoleAdmin, "history")
	case "withdraw":
		return tool(protocol.TypeWithdrawPlayer), protocol.Sender(protocol.RoleAdmin, "history")
	case "pause":
		return tool(protocol.TypePauseLeague), protocol.Sender(protocol.RoleAdmin, "history")
	}
	return tool(protocol.TypeResumeLeague), protocol.Sender(protocol.RoleAdmin, "history")
}

// view reads a league at a manager. It fails the test if the answer contradicts itself.
func (h *historian) view(ctx context.Context, id string, at int) (v leagueView, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	d, err := client.Who(ctx, &client.Client{Manager: h.url(at) + "/mcp", LeagueID: id, Token: h.token, Options: reach})
	if err != nil {
		return v, err
	}
	withdrawn := 0
	for _, o := range d.Orders {
		switch o.Order {
		case "withdraw", "annul", "pause", "resume":
			v.orders += "\n" + o.Order + " " + o.AgentID
		}
	}
	var names []string
	for _, a := range d.Agents {
		if a.Role != protocol.RolePlayer {
			continue
		}
		if names = append(names, a.DisplayName); a.State == protocol.AgentShutdown {
			withdrawn++
		}
	}
	if id == playedLeague {
		return v, nil
	}
	if n := strings.Count(v.orders, "withdraw"); n != withdrawn {
		h.t.Errorf("%s at manager %d: %d players are withdrawn, with %d orders", id, at+1, withdrawn, n)
	}
	slices.Sort(names)
	v.players = strings.Join(names, " ")
	return v, nil
}

// check fails the test unless the history is linearizable. It keeps a picture of a history that is not.
func (h *historian) check() {
	h.t.Helper()
	kinds := map[string]int{}
	for _, o := range h.history {
		kinds[o.Input.(action).kind]++
		if o.Output.(response).lost {
			kinds["lost"]++
		}
	}
	h.t.Logf("%d operations: %v", len(h.history), kinds)
	model := readModel.ToModel()
	result, info := porcupine.CheckOperationsVerbose(model, h.history, time.Minute)
	if result == porcupine.Ok {
		return
	}
	h.t.Errorf("the history is %v, want linearizable", result)
	if file, err := os.CreateTemp("", "history-*.html"); err == nil {
		defer file.Close()
		h.t.Logf("picture: %s, %v", file.Name(), porcupine.Visualize(model, info, file))
	}
}
