package manager_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/engine"
	"agentleague/engine/sim"
	"agentleague/game/catalog"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// bootFaulty starts a manager whose disk operations fail according to fault.
func (w *world) bootFaulty(name string, port int, fault func(key string) sim.Fault) (*manager.Manager, error) {
	p, url := w.boot(name, port)
	o := w.opts
	o.Options = rpc.Options{Network: p, Logger: w.logger(name)}
	o.Endpoint, o.LeagueID, o.AdminToken, o.Holder = url, leagueID, adminToken, name
	o.CheckResult = func(r *protocol.MatchResultReport, a, b string) error {
		return referee.Verify(catalog.Lookup, r, a, b)
	}
	m, err := manager.Open(p.Context(), w.disk.Open(sim.Options{Await: p.Await, Fault: fault}), o)
	if err == nil {
		p.Serve(m.Node)
	}
	return m, err
}

func TestSecondManagerStopsTheFirst(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, manager.Options{Window: -1}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(time.Second)
		first, token := w.manager, w.token("P01")
		second, err := w.bootFaulty("LM2", 7999, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.order(protocol.TypePauseLeague, ""); refusal(err) != "INTERNAL_ERROR -32603" {
			t.Errorf("an order to the first manager: got %v", err)
		}
		first.Wait()
		if _, err := w.order(protocol.TypePauseLeague, ""); refusal(err) != "INTERNAL_ERROR -32603" {
			t.Errorf("a further order to the first manager: got %v", err)
		}
		if _, err := w.query(protocol.TypeLeagueQuery, "player:P01", token, protocol.QueryStatus,
			protocol.QueryParams{}); refusal(err) != "INTERNAL_ERROR -32603" {
			t.Errorf("a query to the first manager: got %v", err)
		}
		if _, err := w.order(protocol.TypePauseLeague, ""); err == nil || !strings.Contains(err.Error(), "another manager has taken over the league; try again") {
			t.Errorf("the first manager does not say who has the league: %v", err)
		}
		if !w.logged("fenced") {
			t.Error("the log does not say why the first manager stopped")
		}
		if w.logged(`"level":"ERROR"`) {
			t.Error("the log calls that an error")
		}
		second.Read(func(s *league.State) {
			if s.Epoch != 2 || s.Paused || len(s.Agents) != 3 {
				t.Errorf("the second manager has epoch %d, paused %v, %d agents", s.Epoch, s.Paused, len(s.Agents))
			}
		})
	})
}

func TestLongFailingDiskCountsNothingTwice(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inWorld(t, seed, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 2}, func(w *world) {
				var mu sync.Mutex
				failures := map[sim.Fault]int{}
				m, err := w.bootFaulty("LM", 8000, func(key string) sim.Fault {
					mu.Lock()
					defer mu.Unlock()
					n := uint64(len(key))*31 + uint64(failures[sim.FailBefore]+2*failures[sim.FailAfter]) + uint64(key[len(key)-1])
					fault := []sim.Fault{sim.None, sim.FailBefore, sim.None, sim.FailAfter, sim.None}[(n+seed)%5]
					if !strings.HasPrefix(key, "append "+leagueID) || strings.HasSuffix(key, " 1") {
						fault = sim.None
					}
					failures[fault]++
					return fault
				})
				if err != nil {
					t.Fatal(err)
				}
				w.manager = m
				for n := range 2 {
					w.bootReferee(n + 1)
				}
				for n := range 4 {
					w.bootPlayer(n + 1)
				}
				if w.finish(time.Hour) {
					w.checkLaws()
				}
				if failures[sim.FailBefore] == 0 || failures[sim.FailAfter] == 0 {
					t.Errorf("the disk failed %d times before and %d times after writing: this shows nothing",
						failures[sim.FailBefore], failures[sim.FailAfter])
				}
				attempts := 0
				for _, m := range w.state().Matches {
					attempts = max(attempts, len(m.Assigned))
				}
				if got := w.repeated(4); len(got) > 0 && attempts == 1 {
					t.Errorf("told twice because the disk failed: %q", got)
				}
			})
		})
	}
}

func TestFailingDiskIsNotTriedWithoutEnd(t *testing.T) {
	inWorld(t, 2, rpctest.Faults{}, manager.Options{StartPlayers: 2}, func(w *world) {
		var mended atomic.Bool
		var tries atomic.Int64
		m, err := w.bootFaulty("LM", 8000, func(key string) sim.Fault {
			if mended.Load() || !strings.HasPrefix(key, "append") || w.registered() < 3 {
				return sim.None
			}
			tries.Add(1) // of starting the league
			return sim.FailBefore
		})
		if err != nil {
			t.Fatal(err)
		}
		w.manager = m
		w.bootReferee(1)
		w.bootPlayer(1)
		w.bootPlayer(2)
		time.Sleep(time.Minute)
		if n := tries.Load(); n < 30 || n > 61 {
			t.Errorf("a full disk was tried %d times in a minute, want about once a second", n)
		}
		mended.Store(true)
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
	})
}

// registered counts the agents in the log.
func (w *world) registered() (n int) {
	for _, e := range w.disk.Entries(leagueID) {
		n += strings.Count(string(e.Data), `"AgentRegistered"`)
	}
	return n
}

func TestManagerStopsWhenItCannotReadItsLogAgain(t *testing.T) {
	inWorld(t, 3, rpctest.Faults{}, manager.Options{Window: -1}, func(w *world) {
		var broken atomic.Bool
		m, err := w.bootFaulty("LM", 8000, func(string) sim.Fault {
			if broken.Load() {
				return sim.FailBefore
			}
			return sim.None
		})
		if err != nil {
			t.Fatal(err)
		}
		broken.Store(true)
		if _, err := w.order(protocol.TypePauseLeague, ""); refusal(err) != "INTERNAL_ERROR -32603" {
			t.Errorf("got %v", err)
		}
		m.Wait()
	})
}

func TestLeagueThatCannotBeReadIsNotOpened(t *testing.T) {
	for _, c := range []struct {
		name string
		key  string
		log  string
		want error
		says string
	}{
		{"no token key", "secret token.", "", sim.ErrFault, "league league_2025_even_odd: secret token"},
		{"no draw secret", "secret draw.", "", sim.ErrFault, "secret draw"},
		{"no log", "read ", "", sim.ErrFault, "read league_2025_even_odd"},
		{"not written", "append ", "", sim.ErrFault, "append league_2025_even_odd"},
		{"junk", "never", "junk", nil, "entry 1: log entry: invalid character"},
		{"contradiction", "never", `[{"kind":"Paused","at":"2025-01-01T00:00:00Z","event":{}}]`, nil,
			"entry 1: a league is created once, before all else"},
	} {
		inWorld(t, 4, rpctest.Faults{}, manager.Options{}, func(w *world) {
			if c.log != "" {
				if _, err := w.disk.Open(sim.Options{}).Append(w.ctx, leagueID, 0, []byte(c.log)); err != nil {
					t.Fatal(err)
				}
			}
			_, err := w.bootFaulty("LM", 8000, func(key string) sim.Fault {
				if strings.HasPrefix(key, c.key) {
					return sim.FailBefore
				}
				return sim.None
			})
			if err == nil || !strings.Contains(err.Error(), c.says) || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%s: got %v, want %q", c.name, err, c.says)
			}
		})
	}
}

func TestLostEntryIsRefused(t *testing.T) {
	inWorld(t, 5, rpctest.Faults{}, manager.Options{Window: -1}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(time.Second)
		w.procs["LM"].Crash()
		w.disk.Drop(leagueID, 2)
		if _, err := w.bootFaulty("LM", 8000, nil); !errors.Is(err, engine.ErrDamaged) {
			t.Errorf("got %v, want %v", err, engine.ErrDamaged)
		}
	})
}

func TestCommandsThatComeTogetherAreWrittenTogether(t *testing.T) {
	inWorld(t, 6, rpctest.Faults{}, manager.Options{Window: -1}, func(w *world) {
		w.bootManager()
		var wg sync.WaitGroup
		before := w.disk.Len(leagueID)
		nodes := make([]*rpc.Node, 50)
		for n := range nodes {
			p := w.net.Boot(fmt.Sprint("client ", n), fmt.Sprintf("http://localhost:%d/mcp", 20_000+n))
			nodes[n] = rpc.NewNode("player:x", rpc.Options{Network: p})
		}
		for n, node := range nodes {
			wg.Go(func() {
				reply, err := node.Call(w.ctx, rpc.Peer{Endpoint: managerURL}, &protocol.LeagueRegisterRequest{
					Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueRegisterRequest, ConversationID: "c"},
					Meta:     named(fmt.Sprint("player ", n), fmt.Sprintf("http://localhost:%d/mcp", 20_000+n)),
				})
				if r, ok := reply.(*protocol.LeagueRegisterResponse); err != nil || !ok || r.Status != protocol.Accepted {
					t.Errorf("player %d: %+v, %v", n, reply, err)
				}
			})
		}
		wg.Wait()
		if got := w.disk.Len(leagueID) - before; got >= 50 {
			t.Errorf("50 registrations took %d entries, want fewer", got)
		}
		if got := len(w.state().Agents); got != 50 {
			t.Errorf("%d of 50 are registered", got)
		}
	})
}

func TestFencedManagerRegistersNobody(t *testing.T) {
	inWorld(t, 7, rpctest.Faults{}, manager.Options{Window: -1}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(time.Second)
		if _, err := w.bootFaulty("LM2", 7999, nil); err != nil {
			t.Fatal(err)
		}
		r, err := w.call("player:P09", "", &protocol.LeagueRegisterRequest{
			Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueRegisterRequest, ConversationID: "c"},
			Meta:     named("nine", "http://localhost:8109/mcp"),
		})
		if refusal(err) != "INTERNAL_ERROR -32603" {
			t.Errorf("registration at a fenced manager: got %+v, %v", r, err)
		}
		if len(w.state().Agents) != 3 {
			t.Error("a fenced manager has written to the log")
		}
	})
}
