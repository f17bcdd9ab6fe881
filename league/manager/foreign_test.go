package manager_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/dialect/notation"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// A foreigner is a third-party agent. It answers requests with its own words, and sends its own requests to the
// manager.
type foreigner struct {
	w       *world
	process *rpctest.Process
	url     string
	answer  func(method string, params map[string]json.RawMessage) (status int, body string)
	whole   func(body []byte) (status int, answer string) // replaces answer, for agents without JSON-RPC

	mu    sync.Mutex
	heard []string // methods, with the match that they are about
	token string
	away  bool // it does not answer

	rested bool
}

func (f *foreigner) setAway(away bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.away = away
}

// so that pings reach it
func (f *foreigner) since(first int) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.heard[first:]...)
}

const notFound = `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`

// abroad is a network on which some agents are of another make.
type abroad struct {
	*rpctest.Process
	foreign map[string]*foreigner
}

func (a abroad) Post(ctx context.Context, url, label string, body []byte) (int, []byte, error) {
	f := a.foreign[url]
	if f == nil {
		return a.Process.Post(ctx, url, label, body)
	}
	if err := a.Sleep(ctx, "abroad "+label, time.Millisecond); err != nil {
		return 0, nil, err
	}
	var m struct {
		Method string                     `json:"method"`
		Params map[string]json.RawMessage `json:"params"`
	}
	_ = json.Unmarshal(body, &m)
	f.mu.Lock()
	away := f.away
	f.heard = append(f.heard, strings.TrimSpace(m.Method+" "+strings.Trim(string(m.Params["match_id"]), `"`)))
	f.mu.Unlock()
	if away {
		return 0, nil, errors.New("connection refused")
	}
	if f.whole != nil {
		status, answer := f.whole(body)
		return status, []byte(answer), nil
	}
	status, answer := f.answer(m.Method, m.Params)
	if status == 0 { // it lets us wait
		return 0, nil, a.Sleep(ctx, "silence", time.Hour)
	}
	return status, []byte(answer), nil
}

// settle starts a foreigner that answers by a script.
func (w *world) settle(name string, port int,
	answer func(method string, params map[string]json.RawMessage) (int, string)) *foreigner {
	p, url := w.boot(name, port)
	p.Serve(rpc.NewNode(name, rpc.Options{Network: p})) // since returns the requests after the first n.
	f := &foreigner{w: w, process: p, url: url, answer: answer}
	w.foreign[url] = f
	return f
}

// post sends a request to the manager, with retries.
func (f *foreigner) post(method, params string) json.RawMessage {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s,"id":1}`, method, params)
	for {
		_, answer, err := f.process.Post(f.process.Context(), managerURL, method, []byte(body))
		if err == nil {
			var m struct{ Result json.RawMessage }
			_ = json.Unmarshal(answer, &m)
			return m.Result
		}
		_ = f.process.Sleep(f.process.Context(), "again", time.Second)
	}
}

// register asks for a place and keeps the token.
func (f *foreigner) register(method, member, name string) {
	var got struct {
		Token string `json:"auth_token"`
	}
	_ = json.Unmarshal(f.post(method, fmt.Sprintf(`{%q:{"display_name":%q,"contact_endpoint":%q}}`, member, name, f.url)),
		&got)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.token = got.Token
}

// report reports to the manager that P01 has won a match.
func (f *foreigner) report(match string) {
	f.mu.Lock()
	token := f.token
	f.mu.Unlock()
	f.post("match_result_report",
		fmt.Sprintf(
			`{"sender":"referee:REF01","auth_token":%q,"match_id":%q,"result":{"winner":"P01","score":{"P01":3,"P02":0}}}`,
			token, match))
}

// tells reports a result in a foreign form, and returns the code of the refusal, or "" if it is accepted.
func (f *foreigner) tells(members string) string {
	f.mu.Lock()
	token := f.token
	f.mu.Unlock()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","method":"report_match_result","params":{"sender":"referee:REF01","auth_token":%q,%s},"id":1}`,
		token, members)
	_, answer, err := f.process.Post(f.process.Context(), managerURL, "report", []byte(body))
	var m struct {
		Error *struct {
			Code string `json:"error_code"`
		}
	}
	if err == nil {
		err = json.Unmarshal(answer, &m)
	}
	switch {
	case err != nil:
		return err.Error()
	case m.Error != nil:
		return m.Error.Code
	}
	return ""
}

// count returns how often a request was received.
func (f *foreigner) count(request string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, h := range f.heard {
		if h == request {
			n++
		}
	}
	return n
}

// inForeignWorld runs a league of two players of ours with a foreign referee,
// which takes run_match alone and answers it by play.
func inForeignWorld(t *testing.T, o manager.Options, play func(f *foreigner, match string) (int, string),
	f func(w *world, ref *foreigner)) {
	t.Helper()
	o.StartPlayers, o.StartReferees = 2, 1
	inWorld(t, 1, rpctest.Faults{}, o, func(w *world) {
		w.foreign = map[string]*foreigner{}
		var ref *foreigner
		ref = w.settle("REF01", 8001, func(method string, params map[string]json.RawMessage) (int, string) {
			if method != "run_match" {
				return 200, notFound
			}
			return play(ref, strings.Trim(string(params["match_id"]), `"`))
		})
		w.bootManager()
		ref.register("register_referee", "referee_meta", "Judge")
		w.bootPlayer(1)
		w.bootPlayer(2)
		f(w, ref)
	})
}

// plays reports the result after a while.
func plays(f *foreigner, match string) (int, string) {
	go func() {
		if f.process.Sleep(f.process.Context(), "play "+match, 20*time.Second) == nil {
			f.report(match)
		}
	}()
	return 200, `{"jsonrpc":"2.0","id":1,"result":{"status":"started"}}`
}

func TestForeignRefereeIsOrderedOnce(t *testing.T) {
	for name, play := range map[string]func(f *foreigner, match string) (int, string){
		"it answers at once": plays,
		"it plays and says that it failed": func(f *foreigner, match string) (int, string) {
			plays(f, match)
			return 500, "Internal Server Error"
		},
		"it has no time at first": func(f *foreigner, match string) (int, string) {
			f.mu.Lock()
			defer f.mu.Unlock()
			if !f.rested { // it does not play while it is busy
				f.rested, f.heard = true, nil
				return 503, ""
			}
			return plays(f, match)
		},
		"it answers when it has played": func(f *foreigner, match string) (int, string) {
			plays(f, match)
			return 0, ""
		},
		"it says that no winner is known yet": func(f *foreigner, match string) (int, string) {
			plays(f, match) // P01 wins
			return 200, `{"jsonrpc":"2.0","id":1,"result":{"status":"started","winner":null,"score":{"P01":0,"P02":0}}}`
		},
		"it tells the result in its answer alone, long after the time of an answer": func(f *foreigner, match string) (int, string) {
			_ = f.process.Sleep(f.process.Context(), "play "+match, time.Minute)
			return 200, `{"jsonrpc":"2.0","id":1,"result":{"status":"completed","winner":"P01","score":{"P01":3,"P02":0}}}`
		},
	} {
		t.Run(name, func(t *testing.T) {
			inForeignWorld(t, manager.Options{}, play, func(w *world, ref *foreigner) {
				if w.finish(5*time.Minute) && ref.count("run_match R1M1") != 1 {
					t.Errorf("ordered %d times, want once: %q", ref.count("run_match R1M1"), ref.since(0))
				}
				if r := w.state().Matches["R1M1"].Outcome; r != nil && r.Result.Winner != "P01" {
					t.Errorf("the winner is %q, want P01", r.Result.Winner)
				}
				if got := w.state().Agents["REF01"].Dialect; name == "it answers at once" &&
					!strings.Contains(got, "START_MATCH=call:run_match+wide") {
					t.Errorf("learned %q", got)
				}
			})
		})
	}
}

// The manager's memory of its orders is lost in a restart; its log is not.
func TestForeignRefereeIsNotOrderedAgainByAManagerThatRestarts(t *testing.T) {
	inForeignWorld(t, manager.Options{}, plays, func(w *world, ref *foreigner) {
		w.await(time.Minute, "the match is ordered", func(*league.State) bool { return ref.count("run_match R1M1") == 1 })
		before := len(ref.since(0))
		w.crash("LM")
		time.Sleep(2 * time.Second)
		w.bootManager()
		if !w.finish(5 * time.Minute) {
			return
		}
		for _, h := range ref.since(before) {
			if strings.Contains(h, "R1M1") {
				t.Errorf("after the restart: %q", h)
			}
		}
	})
}

func TestForeignRefereeThatWasSilentIsNotOrderedAgain(t *testing.T) {
	inForeignWorld(t, manager.Options{}, func(f *foreigner, match string) (int, string) {
		go func() {
			if f.process.Sleep(f.process.Context(), "play", 90*time.Second) == nil {
				f.report(match)
			}
		}()
		return 200, `{"result":{"status":"ok"}}`
	}, func(w *world, ref *foreigner) {
		w.await(time.Minute, "the match is ordered", func(*league.State) bool { return ref.count("run_match R1M1") == 1 })
		ref.setAway(true)
		w.await(time.Minute, "it is suspended", func(s *league.State) bool {
			return s.Agents["REF01"].State == protocol.AgentSuspended
		})
		ref.setAway(false)
		if w.finish(10*time.Minute) && ref.count("run_match R1M1") != 1 {
			t.Errorf("ordered %d times, want once", ref.count("run_match R1M1"))
		}
	})
}

func TestDialectIsInTheLogAndNobodyIsProbedTwice(t *testing.T) {
	o := manager.Options{StartPlayers: 2, StartReferees: 1}
	inWorld(t, 1, rpctest.Faults{}, o, func(w *world) {
		w.foreign = map[string]*foreigner{}
		w.bootManager()
		p := w.settle("P01", 8101, func(method string, params map[string]json.RawMessage) (int, string) {
			switch method {
			case "receive_game_invitation":
				return 200, `{"jsonrpc":"2.0","id":1,"result":{"accept":true}}`
			case "receive_parity_call":
				return 200, `{"jsonrpc":"2.0","id":1,"result":{"choice":"even"}}`
			case "receive_game_over", "receive_round_announcement":
				return 200, `{"jsonrpc":"2.0","id":1,"result":{"status":"ok"}}`
			}
			return 200, notFound
		})
		p.register("register_player", "player_meta", "Stranger")
		w.bootPlayer(2)
		w.await(time.Minute, "both are there", func(s *league.State) bool { return len(s.Agents) == 2 })
		w.bootReferee(1)
		w.await(time.Minute, "round 1 is announced", func(s *league.State) bool {
			return s.Announced[league.Announced{What: "round", Round: 1}]
		})
		before := len(p.since(0))
		w.crash("LM")
		w.bootManager()
		if !w.finish(10 * time.Minute) {
			return
		}
		s := w.state()
		got, err := notation.Parse(s.Agents["P01"].Dialect)
		for typ, want := range map[protocol.Type]string{
			protocol.TypeRoundAnnouncement: "call:receive_round_announcement",
			protocol.TypeGameInvitation:    "call:receive_game_invitation", // learned by the referee
			protocol.TypeChooseParityCall:  "call:receive_parity_call",
			protocol.TypeGameOver:          "call:receive_game_over",
		} {
			if form := got.Forms[typ].String(); err != nil || form != want {
				t.Errorf("%s: learned %s, want %s", typ, form, want)
			}
		}
		probes := map[string]int{}
		for _, h := range p.since(before) {
			probes[h]++
		}
		if n := probes["notify_round"] + probes["announce_round"]; n != 0 {
			t.Errorf("%d more probes of what was known before the restart", n)
		}
		for h, n := range probes {
			if method, _, _ := strings.Cut(h, " "); n > 1 && method != "tools/call" && !strings.HasPrefix(method, "receive_") &&
				method != "ping" && method != "" {
				t.Errorf("%s was offered %d times", h, n)
			}
		}
		for _, id := range []string{"P02", "REF01"} {
			if d := s.Agents[id].Dialect; d != protocol.Canonical {
				t.Errorf("%s is ours and speaks %q", id, d)
			}
		}
		if s.Matches["R1M1"].Outcome == nil {
			t.Error("the match has no outcome")
		}
	})
}

// fetches polls for matches and plays the ones it receives.
func (f *foreigner) fetches(played map[string]int) {
	for f.process.Sleep(f.process.Context(), "poll", 3*time.Second) == nil {
		f.mu.Lock()
		token := f.token
		f.mu.Unlock()
		var got struct {
			Matches []struct {
				MatchID   string `json:"match_id"`
				Protocol  string `json:"protocol"`
				Token     string `json:"auth_token"`
				Player1ID string `json:"player1_id"`
				EndpointB string `json:"player_B_endpoint"`
			} `json:"matches"`
		}
		_ = json.Unmarshal(f.post("get_assigned_matches", fmt.Sprintf(`{"sender":"referee:REF01","auth_token":%q}`, token)),
			&got)
		for _, m := range got.Matches {
			if m.Protocol != protocol.Version || m.Token == "" {
				f.w.t.Errorf("fetched an order without an envelope: %+v", m)
			}
			f.mu.Lock()
			played[m.MatchID+" "+m.Player1ID+" "+m.EndpointB]++
			f.mu.Unlock()
			plays(f, m.MatchID)
		}
	}
}

func TestRefereeThatFetchesItsMatches(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprint("restart ", restart), func(t *testing.T) {
			inForeignWorld(t, manager.Options{}, func(*foreigner, string) (int, string) {
				return 200, notFound
			}, func(w *world, ref *foreigner) {
				played := map[string]int{}
				go ref.fetches(played)
				if restart {
					w.await(time.Minute, "the match is fetched", func(*league.State) bool {
						ref.mu.Lock()
						defer ref.mu.Unlock()
						return len(played) > 0
					})
					w.crash("LM")
					w.bootManager()
				}
				if !w.finish(10 * time.Minute) {
					return
				}
				ref.mu.Lock()
				defer ref.mu.Unlock()
				if want := "R1M1 P01 http://localhost:8102/mcp"; len(played) != 1 || played[want] != 1 {
					t.Errorf("fetched %v, want %s once", played, want)
				}
				if d := w.state().Agents["REF01"].Dialect; !notation.FetchesMatches(d) {
					t.Errorf("learned %q", d)
				}
			})
		})
	}
}

func TestOverdueForeignMatchIsReassigned(t *testing.T) {
	silent := func(*foreigner, string) (int, string) { return 200, `{"result":{"status":"started"}}` }
	inForeignWorld(t, manager.Options{}, silent, func(w *world, ref *foreigner) {
		w.await(time.Minute, "the match is ordered", func(*league.State) bool { return ref.count("run_match R1M1") == 1 })
		start := time.Now()
		w.bootReferee(2)
		w.await(10*time.Minute, "it is another's", func(s *league.State) bool {
			return s.Matches["R1M1"].Attempt().Referee == "REF02"
		})
		if took := time.Since(start); took < 5*time.Minute-2*time.Second || took > 5*time.Minute+10*time.Second {
			t.Errorf("reassigned after %v, want 5 minutes", took)
		}
		if w.finish(5*time.Minute) && w.state().Matches["R1M1"].Outcome == nil {
			t.Error("no outcome")
		}
	})
}

// Without another referee, the match is ordered from it again, as a new attempt.
func TestOverdueMatchOfTheOnlyRefereeIsOrderedAnew(t *testing.T) {
	forgetful := func(f *foreigner, match string) (int, string) {
		if f.count("run_match "+match) > 1 {
			return plays(f, match)
		}
		return 200, `{"result":{"status":"started"}}`
	}
	inForeignWorld(t, manager.Options{}, forgetful, func(w *world, ref *foreigner) {
		if !w.finish(20 * time.Minute) {
			return
		}
		if n, a := ref.count("run_match R1M1"), w.state().Matches["R1M1"].Attempt(); n != 2 || a.Attempt != 2 {
			t.Errorf("ordered %d times, attempt %d; want twice, the second time as attempt 2", n, a.Attempt)
		}
	})
}
