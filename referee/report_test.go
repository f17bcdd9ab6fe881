package referee_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/referee"
)

// unreported lists the results that the referee would announce after a restart.
func (h *harness) unreported() (ids []string) {
	for f, err := range h.recorder.Unreported(context.Background()) {
		if err != nil {
			h.t.Errorf("unreported: %v", err)
		}
		ids = append(ids, fmt.Sprint(f.Record.MatchID, " ", f.Record.Attempt))
	}
	return ids
}

// state asks the referee how far a match is.
func (h *harness) state(match string) *protocol.MatchState {
	h.t.Helper()
	reply, err := h.manager.call(&protocol.Tool{
		Envelope: protocol.Envelope{MessageType: protocol.TypeGetMatchState, MatchID: match},
	})
	if err != nil {
		h.t.Errorf("get_match_state: %v", err)
		return &protocol.MatchState{}
	}
	return reply.(*protocol.MatchState)
}

func TestReportIsRepeatedWhileTheManagerIsAway(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		p := h.players["P01"]
		p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
			h.manager.process.Crash()
			return p.parity(quoted("odd")), nil
		}
		if _, err := h.start(order()); err != nil {
			t.Error(err)
		}
		pass(3*time.Minute - time.Second)
		if got := h.unreported(); !slices.Equal(got, []string{"R1M1 1"}) {
			t.Errorf("unreported: got %q, want R1M1 1", got)
		}
		h.checkTimes("P01", protocol.TypeGameOver, 0) // the players are informed at once
		h.bootManager()
		h.referee.Wait()
		sent := offsets(h.sentTo("LM", protocol.TypeMatchResultReport))
		for i, at := range sent {
			if at != time.Duration(2*i)*time.Second {
				t.Fatalf("report %d at %v, want one every 2 s", i, at)
			}
		}
		if len(sent) != 91 {
			t.Errorf("reported %d times, want 91: in vain for 3 minutes, and then once", len(sent))
		}
		if r := h.report(); r.MatchID != "R1M1" {
			t.Errorf("reported %s", r.MatchID)
		}
		if got := h.unreported(); got != nil {
			t.Errorf("unreported: got %q, want none", got)
		}
		if s := h.state("R1M1"); !s.Reported || s.State != protocol.Finished {
			t.Errorf("state: got %+v, want it finished and reported", s)
		}
	})
}

func TestReportIsRepeatedWhileTheManagerIsSilentOrFails(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		n := 0
		h.manager.reported = func(r *protocol.MatchResultReport) (protocol.Message, error) {
			switch n++; n {
			case 1:
				return never(h.manager.process.Context())
			case 2:
				return nil, fmt.Errorf("disk full") // INTERNAL_ERROR
			}
			return h.manager.counted(r), nil
		}
		h.play(order())
		h.checkTimes("LM", protocol.TypeMatchResultReport, 0, 12, 14)
	})
}

func TestReportThatIsRefusedForGoodIsNotRepeated(t *testing.T) {
	for _, kind := range []*protocol.Kind{
		protocol.DuplicateReport, protocol.MatchNotFound, protocol.InvalidMessage, protocol.LeagueAlreadyComplete,
	} {
		t.Run(kind.Name, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				h.manager.reported = func(*protocol.MatchResultReport) (protocol.Message, error) {
					return nil, protocol.Errorf(kind, "no")
				}
				h.play(order())
				h.checkTimes("LM", protocol.TypeMatchResultReport, 0)
				if got := h.unreported(); got != nil {
					t.Errorf("unreported: got %q, want none", got)
				}
				if !strings.Contains(h.logged(), kind.Name) {
					t.Error("the log does not say that the result was refused")
				}
			})
		})
	}
}

func TestReportIsRepeatedWhenSomethingElseAnswers(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		n := 0
		h.meddle(func(_, label string, answer []byte, err error) ([]byte, error) {
			if strings.HasPrefix(label, "MATCH_RESULT_REPORT") {
				if n++; n < 4 {
					return []byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`), nil
				}
			}
			return answer, err
		})
		h.play(order())
		h.checkTimes("LM", protocol.TypeMatchResultReport, 0, 0, 2, 4)
	})
}

// A manager that has readmitted the referee has another epoch for it, and cannot authenticate its refusals.
func TestRefereeThatIsRefusedRegistersAgain(t *testing.T) {
	for _, kind := range []*protocol.Kind{protocol.AuthTokenInvalid, protocol.RefereeNotRegistered, nil} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				h.manager.epoch = 2
				if kind != nil { // a refusal that is authenticated
					h.manager.reported = func(r *protocol.MatchResultReport) (protocol.Message, error) {
						pass(time.Second)
						if scripted(h, &h.manager.token) == refereeToken {
							return nil, protocol.Errorf(kind, "who are you?")
						}
						return h.manager.counted(r), nil
					}
				} else {
					h.manager.forgets = func() error {
						pass(time.Second)
						return protocol.Errorf(protocol.RefereeNotRegistered, "who are you?")
					}
				}
				h.manager.admitted = func(r *protocol.RefereeRegisterRequest) (protocol.Message, error) {
					pass(time.Second)
					h.set(func() { h.manager.forgets = nil })
					return h.manager.admit(r)
				}
				first, second := order(), order()
				second.MatchID = "R1M2"
				for _, m := range []*protocol.StartMatch{first, second} {
					if status, err := h.start(m); status != protocol.Accepted || err != nil {
						t.Errorf("START_MATCH: got %q, %v, want ACCEPTED", status, err)
					}
				}
				h.referee.Wait()
				h.checkTimes("LM", protocol.TypeRefereeRegisterRequest, 1) // once for both
				h.checkTimes("LM", protocol.TypeMatchResultReport, 0, 0, 2, 2)
				again := as[protocol.RefereeRegisterRequest](t, h.heardBy("LM", protocol.TypeRefereeRegisterRequest)[0])
				if again.AuthToken != "" || again.Meta.ContactEndpoint != refereeURL || again.Sender != "referee:REF01" {
					t.Errorf("registers again as %s", shown(again))
				}
				if got := h.referee.Granted().Token; got != h.manager.token || got == refereeToken {
					t.Errorf("the referee holds %q, want the token of the new epoch", got)
				}
				if got := h.unreported(); got != nil {
					t.Errorf("unreported: got %q, want none", got)
				}
			})
		})
	}
}

func TestManagerThatTakesNobodyBackIsAskedInPeace(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.manager.reported = func(*protocol.MatchResultReport) (protocol.Message, error) {
			return nil, protocol.Errorf(protocol.AuthTokenInvalid, "who are you?")
		}
		h.manager.admitted = func(r *protocol.RefereeRegisterRequest) (protocol.Message, error) {
			return h.manager.rejection(r, "the name is taken"), nil
		}
		if _, err := h.start(order()); err != nil {
			t.Error(err)
		}
		pass(9 * time.Second)
		h.checkTimes("LM", protocol.TypeMatchResultReport, 0, 0, 2, 4, 6, 8)
		h.checkTimes("LM", protocol.TypeRefereeRegisterRequest, 0, 0, 2, 4, 6, 8)
		if !strings.Contains(h.logged(), "the name is taken") {
			t.Error("the log does not say why the referee is not taken back")
		}
		h.set(func() { h.manager.reported = nil })
		h.referee.Wait()
		if got := h.unreported(); got != nil {
			t.Errorf("unreported: got %q, want none", got)
		}
	})
}

// An acknowledgement or a refusal that is not authenticated is no answer: the referee proves itself once more, and
// reports until its manager answers.
func TestReportIsNotSettledByAnImpostor(t *testing.T) {
	ack := `"result":{"protocol":"league.v2","message_type":"MATCH_RESULT_ACK","status":"ACCEPTED","league_id":"` + leagueID +
		`","match_id":"R1M1","auth_token":"tok_manager_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}`
	for name, answer := range map[string]string{
		"an acknowledgement": ack,
		"a refusal": `"error":{"code":-32003,"message":"MATCH_NOT_FOUND","data":{"message_type":"LEAGUE_ERROR",` +
			`"error_code":"E006","error_name":"MATCH_NOT_FOUND","detail":"there is no such match"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				n := 0
				h.meddle(func(_, label string, own []byte, err error) ([]byte, error) {
					if strings.HasPrefix(label, "MATCH_RESULT_REPORT") {
						if n++; n < 3 {
							return []byte(`{"jsonrpc":"2.0","id":1,` + answer + `}`), nil
						}
						if h.unreported() == nil {
							t.Error("the result counts as reported before the manager has answered")
						}
					}
					return own, err
				})
				h.play(order())
				if n != 3 || h.unreported() != nil {
					t.Errorf("reported %d times, unreported %q; want 3 times", n, h.unreported())
				}
			})
		})
	}
}

func TestManagerThatHasMovedGetsTheReportAtItsNewAddress(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		p := h.players["P01"]
		p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
			h.manager.process.Crash()
			return p.parity(quoted("odd")), nil
		}
		if _, err := h.start(order()); err != nil {
			t.Error(err)
		}
		pass(9 * time.Second)
		const elsewhere = "http://localhost:8009/mcp"
		h.manager.process = h.boot("LM2", elsewhere)
		h.manager.node.Network = h.manager.process
		h.manager.process.Serve(h.manager.node)
		m := order()
		m.ReportTo = elsewhere
		h.play(m)
		pass(time.Minute)
		h.checkTimes(elsewhere, protocol.TypeMatchResultReport, 9)
		h.checkTimes("LM", protocol.TypeMatchResultReport, 0, 2, 4, 6, 8) // without a wait at the old one
		h.report()
		if strings.Contains(h.logged(), "was not reported") {
			t.Error("the log says that the result was not reported")
		}
	})
}

func TestMemoryOfFinishedMatchesIsBounded(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.players["P01"].invited = func(context.Context, *protocol.GameInvitation) (protocol.Message, error) {
			return h.players["P01"].join(false), nil
		}
		const matches = 150
		for n := range matches {
			m := order()
			m.MatchID = fmt.Sprint("R1M", n+1)
			h.play(m)
		}
		known := 0
		for n := range matches {
			_, err := h.manager.call(&protocol.Tool{
				Envelope: protocol.Envelope{MessageType: protocol.TypeGetMatchState, MatchID: fmt.Sprint("R1M", n+1)},
			})
			if err == nil {
				known++
			} else if known > 0 || refusal(err) != "MATCH_NOT_FOUND" {
				t.Errorf("R1M%d: got %v, want the oldest forgotten", n+1, err)
			}
		}
		if known != 128 {
			t.Errorf("the referee knows %d of %d matches, want 128", known, matches)
		}
	})
}

var _ referee.Recorder = (*diary)(nil)
