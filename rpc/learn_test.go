package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// onStreet runs f in virtual time with a node that calls strangers.
func onStreet(t *testing.T, lag time.Duration, f func(t *testing.T, s *street, n *rpc.Node)) {
	t.Helper()
	inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
		p := w.Boot("R", "http://R/mcp")
		w.procs = append(w.procs, p)
		s := newStreet(p, lag)
		n := rpc.NewNode("referee:REF01", rpc.Options{Network: s})
		p.Serve(n)
		f(t, s, n)
	})
}

var peer = rpc.Peer{Endpoint: "http://peer:1/mcp"}

const unknown = `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`

func TestDialectIsLearnedWithTheRealMessage(t *testing.T) {
	onStreet(t, time.Millisecond, func(t *testing.T, s *street, n *rpc.Node) {
		s.move("peer:1", manner{"tool", "receive_parity_call"}.refuses(refusals[0], said[protocol.TypeChooseParityCall]))
		for range 2 {
			if got := outcome(n.Call(t.Context(), peer,
				message(protocol.TypeChooseParityCall))); got != "CHOOSE_PARITY_RESPONSE" {
				t.Fatalf("got %s", got)
			}
		}
		bodies := s.bodies("peer:1")
		for _, b := range bodies {
			if !strings.Contains(b, `"match_id":"R1M1"`) || !strings.Contains(b, "conv-1") {
				t.Errorf("not the real message: %s", b)
			}
		}
		last, before := bodies[len(bodies)-1], bodies[len(bodies)-2]
		if len(bodies) > dialect.MaxCandidates+1 || withoutID(last) != withoutID(before) {
			t.Errorf("%d calls; the second call went out as %s, want %s", len(bodies), last, before)
		}
		if got, want := n.Dialect(peer), "? CHOOSE_PARITY_CALL=tool:receive_parity_call"; got != want {
			t.Errorf("learned %q, want %q", got, want)
		}
	})
}

func TestWhatWasLearnedSavesOthersTheProbing(t *testing.T) {
	onStreet(t, 0, func(t *testing.T, s *street, n *rpc.Node) {
		s.move("peer:1", manner{"bare", "GAME_INVITATION"}.refuses(refusals[1], said[protocol.TypeGameInvitation]))
		if _, err := n.Call(t.Context(), peer, message(protocol.TypeGameInvitation)); err != nil {
			t.Fatal(err)
		}
		known, before := peer, len(s.bodies("peer:1"))
		known.Dialect = n.Dialect(peer)
		other := rpc.NewNode("referee:REF02", rpc.Options{Network: s})
		if _, err := other.Call(t.Context(), known, message(protocol.TypeGameInvitation)); err != nil {
			t.Fatal(err)
		}
		if calls := len(s.bodies("peer:1")) - before; calls != 1 {
			t.Errorf("the second node called %d times, want once", calls)
		}
	})
}

func TestUnderstoodFormIsNotGivenUpForOneError(t *testing.T) {
	for _, failing := range append(refusals, refusing{503, ""}, refusing{
		200, `{"error":{"code":-32602,"message":"Invalid params"}}`,
	}) {
		onStreet(t, 0, func(t *testing.T, s *street, n *rpc.Node) {
			right := manner{"call", "game_invitation"}
			s.move("peer:1", right.refuses(refusals[0], said[protocol.TypeGameInvitation]))
			if _, err := n.Call(t.Context(), peer, message(protocol.TypeGameInvitation)); err != nil {
				t.Fatal(err)
			}
			known, before := n.Dialect(peer), len(s.bodies("peer:1"))
			s.move("peer:1", func(string, []byte) (int, string, error) { return failing.status, failing.body, nil })
			if _, err := n.Call(t.Context(), peer, message(protocol.TypeGameInvitation)); err == nil {
				t.Errorf("%v: want an error", failing)
			}
			if calls := len(s.bodies("peer:1")) - before; calls != 1 || n.Dialect(peer) != known {
				t.Errorf("%v: %d calls, then %q, want one and %q", failing, calls, n.Dialect(peer), known)
			}
		})
	}
}

func TestErrorOfTheProtocolShowsThatTheFormWasUnderstood(t *testing.T) {
	onStreet(t, 0, func(t *testing.T, s *street, n *rpc.Node) {
		s.move("peer:1", func(string, []byte) (int, string, error) {
			return 200, `{"error":{"code":4001,"message":"AUTH_TOKEN_INVALID"}}`, nil
		})
		var refusal *protocol.Refusal
		if _, err := n.Call(t.Context(), peer, message(protocol.TypeGameInvitation)); !errors.As(err, &refusal) ||
			refusal.Name != "AUTH_TOKEN_INVALID" {
			t.Errorf("got %v", err)
		}
		if len(s.bodies("peer:1")) != 1 || n.Dialect(peer) != "? GAME_INVITATION=call:handle_game_invitation" {
			t.Errorf("%d calls, learned %q", len(s.bodies("peer:1")), n.Dialect(peer))
		}
	})
}

func TestPeerWithoutTimeIsNotOfferedOtherForms(t *testing.T) {
	for _, status := range []int{429, 502, 503} {
		onStreet(t, 0, func(t *testing.T, s *street, n *rpc.Node) {
			s.move("peer:1", func(string, []byte) (int, string, error) { return status, "", nil })
			_, _ = n.Call(t.Context(), peer, message(protocol.TypeGameInvitation))
			if len(s.bodies("peer:1")) != 1 || n.Dialect(peer) != "" {
				t.Errorf("%d: %d calls, learned %q; want one and nothing", status, len(s.bodies("peer:1")), n.Dialect(peer))
			}
		})
	}
}

func TestPeerThatIsDownGetsTheSameFormAgain(t *testing.T) {
	onStreet(t, 0, func(t *testing.T, s *street, n *rpc.Node) {
		s.move("peer:1", func(string, []byte) (int, string, error) { return 0, "", errors.New("connection refused") })
		for range 3 {
			if got := outcome(n.Call(t.Context(), peer, message(protocol.TypeGameInvitation))); got != "E009" {
				t.Errorf("got %s, want E009", got)
			}
		}
		bodies := s.bodies("peer:1")
		if len(bodies) != 3 || withoutID(bodies[0]) != withoutID(bodies[2]) {
			t.Errorf("got %q", bodies)
		}
	})
}

// nodding is a peer that acknowledges an invitation and supports nothing else.
func nodding(_ string, body []byte) (int, string, error) {
	if !strings.Contains(string(body), "GAME_INVITATION") {
		return 200, unknown, nil
	}
	return 200, `{"status":"received"}`, nil
}

// invitations are those that came, without the question of which nothing is to be understood.
func invitations(s *street) []string {
	return slices.DeleteFunc(s.bodies("peer:1"), func(b string) bool { return !strings.Contains(b, "GAME_INVITATION") })
}

func TestOddAnswerWaitsForTheCallback(t *testing.T) {
	onStreet(t, 0, func(t *testing.T, s *street, n *rpc.Node) {
		s.move("peer:1", nodding)
		want := rpc.Want{Type: protocol.TypeGameJoinAck, Peer: peer, PlayerID: "P01", MatchID: "R1M1", Conversation: "conv-1"}
		ctx, e, err := n.Expect(within(t, 5*time.Second), want)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		go func() {
			time.Sleep(2 * time.Second)
			n.Answer(context.Background(), rpc.From{Addr: "peer"}, []byte(`{"jsonrpc":"2.0","method":"join_ack","params":{"message_type":"GAME_JOIN_ACK","match_id":"R1M1","conversation_id":"conv-1","accept":true},"id":1}`))
		}()
		start := time.Now()
		_, err = n.Call(ctx, peer, message(protocol.TypeGameInvitation))
		if !errors.Is(err, rpc.ErrAnswered) || time.Since(start) != 2*time.Second || e.Answer() == nil {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		if len(invitations(s)) != 1 || n.Dialect(peer) != "? GAME_INVITATION=call:handle_game_invitation" {
			t.Errorf("%d calls, learned %q", len(invitations(s)), n.Dialect(peer))
		}
	})
}

func TestOddAnswerIsNotSentAgainBeforeTheDeadline(t *testing.T) {
	onStreet(t, 0, func(t *testing.T, s *street, n *rpc.Node) {
		s.move("peer:1", nodding)
		for try := 1; try <= 2; try++ {
			ctx, e, err := n.Expect(within(t, 5*time.Second), rpc.Want{
				Type: protocol.TypeGameJoinAck, Peer: peer, MatchID: "R1M1", Conversation: "conv-1",
			})
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			got := outcome(n.Call(ctx, peer, message(protocol.TypeGameInvitation)))
			e.Close()
			if got != "E001" || time.Since(start) != 5*time.Second || len(invitations(s)) != try {
				t.Errorf("try %d: got %s after %v and %d calls", try, got, time.Since(start), len(invitations(s)))
			}
		}
		if b := invitations(s); withoutID(b[0]) == withoutID(b[1]) {
			t.Error("the second try is in the form that did not help")
		}
	})
}

// The time of slow refusals does not count as the peer's, and a refused form is not offered again.
func TestTimeSpentOnLearningIsNotThePeers(t *testing.T) {
	onStreet(t, 2*time.Second, func(t *testing.T, s *street, n *rpc.Node) {
		s.move("peer:1", manner{"tool", "receive_parity_call"}.refuses(refusals[0], said[protocol.TypeChooseParityCall]))
		var err error
		for try := 1; try <= 6; try++ {
			if _, err = n.Call(within(t, 5*time.Second), peer, message(protocol.TypeChooseParityCall)); err == nil {
				break
			}
			if !errors.Is(err, rpc.ErrLearning) || !protocol.Is(err, protocol.Timeout) {
				t.Fatalf("try %d: got %v, want E001 and ErrLearning", try, err)
			}
		}
		if err != nil {
			t.Error("it was never understood")
		}
		counts := map[string]int{}
		for _, b := range s.bodies("peer:1") {
			counts[withoutID(b)]++
		}
		if len(counts) > dialect.MaxCandidates {
			t.Errorf("%d forms, want at most %d", len(counts), dialect.MaxCandidates)
		}
		for b, k := range counts {
			if k > 2 { // one that was cut off by the deadline is offered again
				t.Errorf("offered %d times: %s", k, b)
			}
		}
	})
}

func TestFirstTimeoutIsThePeers(t *testing.T) {
	onStreet(t, 10*time.Second, func(t *testing.T, s *street, n *rpc.Node) {
		s.move("peer:1", manner{"call", "x"}.refuses(refusals[0], "{}"))
		_, err := n.Call(within(t, 5*time.Second), peer, message(protocol.TypeGameInvitation))
		if errors.Is(err, rpc.ErrLearning) || !protocol.Is(err, protocol.Timeout) {
			t.Errorf("got %v, want E001 alone", err)
		}
	})
}

func TestNewsThatNobodyTakesAreNotOfferedAgain(t *testing.T) {
	onStreet(t, 0, func(t *testing.T, s *street, n *rpc.Node) {
		s.move("peer:1", func(string, []byte) (int, string, error) { return 200, unknown, nil })
		for range 3 {
			if _, err := n.Call(t.Context(), peer, message(protocol.TypeRoundCompleted)); err == nil {
				t.Error("want an error")
			}
		}
		if calls := len(s.bodies("peer:1")); calls > dialect.MaxCandidates {
			t.Errorf("%d calls, want at most %d", calls, dialect.MaxCandidates)
		}
		if got := n.Dialect(peer); got != "? ROUND_COMPLETED=-" {
			t.Errorf("learned %q, want that it is ignored", got)
		}
	})
}

func TestNewsThatAPeerFailedAtAreOfferedInTheFormThatDidBest(t *testing.T) {
	onStreet(t, 0, func(t *testing.T, s *street, n *rpc.Node) {
		s.move("peer:1", func(_ string, body []byte) (int, string, error) {
			if (manner{"call", "round_completed"}).understands(body) {
				return 500, "Internal Server Error", nil
			}
			return 200, unknown, nil
		})
		_, _ = n.Call(t.Context(), peer, message(protocol.TypeRoundCompleted))
		before := len(s.bodies("peer:1"))
		_, _ = n.Call(t.Context(), peer, message(protocol.TypeRoundCompleted))
		after := s.bodies("peer:1")[before:]
		if before > dialect.MaxCandidates || len(after) != 1 || !strings.Contains(after[0], `"method":"round_completed"`) {
			t.Errorf("%d calls, then %q", before, after)
		}
	})
}

func TestQuestionThatNobodyTakesIsAskedTwelveTimes(t *testing.T) {
	onStreet(t, 0, func(t *testing.T, s *street, n *rpc.Node) {
		s.move("peer:1", func(string, []byte) (int, string, error) { return 404, "", nil })
		for range 2 {
			var refusal *protocol.Refusal
			if _, err := n.Call(t.Context(), peer, message(protocol.TypeGameInvitation)); !errors.As(err, &refusal) ||
				refusal.HTTPStatus != 404 {
				t.Errorf("got %v, want the first refusal", err)
			}
		}
		if calls := len(s.bodies("peer:1")); calls != dialect.MaxCandidates+1 {
			t.Errorf("%d calls, want %d and one more in the best form", calls, dialect.MaxCandidates)
		}
	})
}

func TestAnotherPathIsFound(t *testing.T) {
	for _, c := range []struct{ endpoint, path string }{
		{"http://peer:1/mcp", "/"}, {"http://peer:1/", "/mcp"}, {"http://peer:1", "/mcp"},
	} {
		onStreet(t, 0, func(t *testing.T, s *street, n *rpc.Node) {
			right := manner{"bare", "GAME_INVITATION"}
			s.move("peer:1", func(path string, body []byte) (int, string, error) {
				if path != c.path {
					return 404, `{"detail":"Not Found"}`, nil
				}
				return right.refuses(refusing{422, `{"detail":[]}`}, said[protocol.TypeGameInvitation])(path, body)
			})
			to := rpc.Peer{Endpoint: c.endpoint}
			if _, err := n.Call(t.Context(), to, message(protocol.TypeGameInvitation)); err != nil {
				t.Fatal(err)
			}
			if got, want := n.Dialect(to), "? GAME_INVITATION=bare:GAME_INVITATION@"+c.path; got != want {
				t.Errorf("learned %q, want %q", got, want)
			}
			before := len(s.bodies("peer:1"))
			_, _ = n.Call(t.Context(), to, message(protocol.TypeGameOver))
			if next := s.bodies("peer:1")[before]; !strings.HasPrefix(next, c.path+" ") {
				t.Errorf("the next message went to %s", next)
			}
		})
	}
}

func TestMembersAreArrangedOtherwiseForAPeerThatKnowsTheMethod(t *testing.T) {
	for shape, demands := range map[string]func(params map[string]json.RawMessage) bool{
		"rounds": func(p map[string]json.RawMessage) bool { return string(p["round_id"]) == `"ROUND_1"` },
		"wide":   func(p map[string]json.RawMessage) bool { return p["opponent"] != nil },
		"spare":  func(p map[string]json.RawMessage) bool { return p["attempt"] == nil },
		"full":   func(p map[string]json.RawMessage) bool { return p["odd"] == nil && p["fairness"] != nil },
	} {
		onStreet(t, 0, func(t *testing.T, s *street, n *rpc.Node) {
			s.move("peer:1", func(_ string, body []byte) (int, string, error) {
				var f map[string]json.RawMessage
				_ = json.Unmarshal(body, &f)
				if demands(under(f, "params")) && len(s.bodies("peer:1")) > 1 {
					return 200, manner{}.replies(said[protocol.TypeGameInvitation]), nil
				}
				return 200, `{"error":{"code":-32602,"message":"Invalid params"}}`, nil
			})
			m := message(protocol.TypeGameInvitation).(*protocol.GameInvitation)
			m.OpponentID, m.Attempt = "P02", 1
			if _, err := n.Call(t.Context(), peer, m); err != nil {
				t.Fatalf("%s: %v", shape, err)
			}
			if got := n.Dialect(peer); !strings.HasPrefix(got, "? GAME_INVITATION=call:handle_game_invitation+"+shape) {
				t.Errorf("%s: learned %q", shape, got)
			}
		})
	}
}

func TestNewsFromOthersAboutAPeer(t *testing.T) {
	onStreet(t, 0, func(t *testing.T, s *street, n *rpc.Node) {
		s.move("peer:1", manner{"call", "game_over"}.refuses(refusals[0], "{}"))
		if _, err := n.Call(t.Context(), peer, message(protocol.TypeGameOver)); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ told, want string }{
			{"? GAME_INVITATION=bare:GAME_INVITATION", "? GAME_INVITATION=bare:GAME_INVITATION GAME_OVER=call:game_over"},
			// entries that this node learned itself count
			{"? GAME_OVER=bare:GAME_OVER", "? GAME_INVITATION=bare:GAME_INVITATION GAME_OVER=call:game_over"},
			{"no dialect", "? GAME_INVITATION=bare:GAME_INVITATION GAME_OVER=call:game_over"},
			{"B", "B"}, // it has registered again, with another dialect
			{protocol.Canonical, protocol.Canonical},
		} {
			if got := n.Dialect(rpc.Peer{Endpoint: peer.Endpoint, Dialect: c.told}); got != c.want {
				t.Errorf("told %q: got %q, want %q", c.told, got, c.want)
			}
		}
	})
}

func TestIgnoredAndPolledAreNotCalled(t *testing.T) {
	onStreet(t, 0, func(t *testing.T, s *street, n *rpc.Node) {
		s.move("peer:1", func(string, []byte) (int, string, error) { return 200, "{}", nil })
		for _, dialect := range []string{"A START_MATCH=poll", "A START_MATCH=-"} {
			_, err := n.Call(t.Context(), rpc.Peer{Endpoint: "http://peer:1/" + dialect[len(dialect)-1:], Dialect: dialect},
				message(protocol.TypeStartMatch))
			var refusal *protocol.Refusal
			if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, "takes no START_MATCH") {
				t.Errorf("%s: got %v", dialect, err)
			}
		}
		if calls := s.bodies("peer:1"); len(calls) != 0 {
			t.Errorf("called: %q", calls)
		}
	})
}

func TestOwnAgentsAreNotProbed(t *testing.T) {
	onStreet(t, 0, func(t *testing.T, s *street, n *rpc.Node) {
		s.move("peer:1", func(string, []byte) (int, string, error) { return 404, "", nil })
		to := rpc.Peer{Endpoint: peer.Endpoint, Dialect: protocol.Canonical}
		_, _ = n.Call(t.Context(), to, message(protocol.TypeGameInvitation))
		_, _ = n.Call(t.Context(), peer, ping())
		if calls := s.bodies("peer:1"); len(calls) != 2 {
			t.Errorf("%d calls, want one each", len(calls))
		}
	})
}

// Two matches with one player at a time must not offer more than one would.
func TestManyCallsAtOnceLearnTogether(t *testing.T) {
	onStreet(t, 10*time.Millisecond, func(t *testing.T, s *street, n *rpc.Node) {
		s.move("peer:1", manner{"data", "GAME_INVITATION"}.refuses(refusals[2], said[protocol.TypeGameInvitation]))
		done := make(chan error)
		for k := range 5 {
			go func() {
				m := message(protocol.TypeGameInvitation)
				m.Head().MatchID = fmt.Sprint("R1M", k)
				_, err := n.Call(t.Context(), peer, m)
				done <- err
			}()
		}
		for range 5 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		byMatch := map[string][]string{}
		for _, b := range s.bodies("peer:1") {
			for k := range 5 {
				if id := fmt.Sprint("R1M", k); strings.Contains(b, `"`+id+`"`) {
					byMatch[id] = append(byMatch[id], withoutID(b))
				}
			}
		}
		for id, bodies := range byMatch {
			if slices.Sort(bodies); len(slices.Compact(bodies)) > dialect.MaxCandidates {
				t.Errorf("%s: %d calls", id, len(bodies))
			}
		}
	})
}

// A peer whose program fails at a message gets that error at every try, whatever it answers to other forms of the
// message, or if it does not answer them at all.
func TestAPeerThatFailsIsToldSo(t *testing.T) {
	const want = "the agent answered HTTP 500 to choose_parity (it said: “KeyError: 'match' File player.py”)"
	said := 0
	for name, others := range map[string]func() (int, string, error){
		"others are unknown":  func() (int, string, error) { return 200, unknown, nil },
		"others fail as well": func() (int, string, error) { return 500, "Internal Server Error", nil },
		"others are nodded at": func() (int, string, error) {
			return 200, `{"jsonrpc":"2.0","id":1,"result":{"status":"ok"}}`, nil
		},
		"others are acknowledged in other words each time": func() (int, string, error) {
			said++
			return 200, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"status":"ok","received":"message %d"}}`, said), nil
		},
		"others get an answer that is not JSON": func() (int, string, error) {
			return 200, `{"jsonrpc":"2.0","id":,"result":{"status":"ok"}}`, nil
		},
		"others get no answer": func() (int, string, error) {
			time.Sleep(time.Hour)
			return 0, "", context.DeadlineExceeded
		},
	} {
		t.Run(name, func(t *testing.T) {
			onStreet(t, 0, func(t *testing.T, s *street, n *rpc.Node) {
				first := true
				s.move("peer:1", func(string, []byte) (int, string, error) {
					if first {
						first = false
						return 500, "KeyError: 'match'\n  File player.py", nil
					}
					return others()
				})
				for try := range 4 {
					_, err := n.Call(within(t, 5*time.Second), peer, message(protocol.TypeChooseParityCall))
					var refusal *protocol.Refusal
					if !errors.As(err, &refusal) || refusal.Error() != want {
						t.Errorf("try %d: got %v\nwant %s", try, err, want)
					}
				}
			})
		})
	}
}
