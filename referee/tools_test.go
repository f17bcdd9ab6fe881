package referee_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"agentleague/game/catalog"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
)

// stateTools are the tools that return the state of a match, under all their names.
var stateTools = []string{"get_match_state", "collect_choices", "draw_number", "finalize_match"}

// ask calls one of the referee's tools without a token, and returns its answer.
func (h *harness) ask(method, params string) string {
	h.t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s,"id":1}`, method, params)
	_, answer, err := h.manager.process.Post(h.manager.process.Context(), refereeURL, method, []byte(body))
	if err != nil {
		h.t.Errorf("%s: %v", method, err)
	}
	return string(answer)
}

func TestStateToolsTellHowFarAMatchIs(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		a, b := h.players["P01"], h.players["P02"]
		a.invited = func(context.Context, *protocol.GameInvitation) (protocol.Message, error) {
			pass(2 * time.Second)
			return a.join(true), nil
		}
		n := 0
		b.asked = func(ctx context.Context, _ *protocol.ChooseParityCall) (protocol.Message, error) {
			if n++; n == 1 {
				return never(ctx)
			}
			pass(10 * time.Second)
			return b.parity(quoted("odd")), nil
		}
		if _, err := h.start(order()); err != nil {
			t.Error(err)
		}
		seat := func(id string, joined, answered bool, tries int) protocol.SeatState {
			return protocol.SeatState{PlayerID: id, Joined: joined, Answered: answered, Tries: tries}
		}
		toMove := func(s protocol.SeatState) protocol.SeatState { s.ToMove = true; return s }
		for _, step := range []struct {
			wait    time.Duration
			state   string
			turn    int
			players []protocol.SeatState
		}{
			{time.Second, protocol.WaitingForPlayers, 0, []protocol.SeatState{
				seat("P01", false, false, 1), seat("P02", true, false, 1),
			}},
			{9 * time.Second, protocol.CollectingChoices, 0, []protocol.SeatState{
				toMove(seat("P01", true, true, 1)), toMove(seat("P02", true, false, 1)),
			}},
			{30 * time.Second, protocol.CollectingChoices, 0, []protocol.SeatState{
				toMove(seat("P01", true, true, 1)), toMove(seat("P02", true, false, 2)),
			}},
			{60 * time.Second, protocol.Finished, 1, []protocol.SeatState{
				seat("P01", true, false, 1), seat("P02", true, false, 2),
			}},
		} {
			pass(step.wait)
			got := h.state("R1M1")
			if got.State != step.state || got.Turn != step.turn || !reflect.DeepEqual(got.Players, step.players) ||
				got.GameType != "even_odd" || got.Attempt != 1 {
				t.Errorf("at %v: got %s, want %s with %+v", time.Since(h.zero), shown(got), step.state, step.players)
			}
			if over := step.state == protocol.Finished; (got.GameResult != nil) != over || got.Reported != over {
				t.Errorf("at %v: result %v, reported %v", time.Since(h.zero), got.GameResult, got.Reported)
			}
			for _, tool := range stateTools {
				if answer := h.ask(tool, `{"match_id":"R1M1"}`); !strings.Contains(answer, `"state":"`+step.state+`"`) ||
					!strings.Contains(answer, "MATCH_STATE") {
					t.Errorf("at %v: %s tells %s, want %s", time.Since(h.zero), tool, answer, step.state)
				}
			}
		}
		h.checkTimes("P01", protocol.TypeGameInvitation, 0)    // asking has not changed the course
		h.checkTimes("LM", protocol.TypeMatchResultReport, 44) // 2 + 30 + 2 + 10
		for _, tool := range stateTools {
			if answer := h.ask(tool, `{"match_id":"R9M9"}`); !strings.Contains(answer, "MATCH_NOT_FOUND") {
				t.Errorf("%s of an unknown match tells %s, want MATCH_NOT_FOUND", tool, answer)
			}
		}
	})
}

func TestRecordsAreHandedToTheManagerByTheirBytes(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.play(order())
		_, doc := h.record()
		ref := protocol.RecordRef{LeagueID: leagueID, MatchID: "R1M1", Attempt: 1}
		got := h.fetch(ref, protocol.RecordRef{LeagueID: leagueID, MatchID: "R9M9", Attempt: 1})
		if len(got) != 1 || got[0].RecordRef != ref || got[0].Document != string(doc) ||
			protocol.RecordHash([]byte(got[0].Document)) != h.report().RecordSHA256 {
			t.Errorf("got %d records, want the one that there is", len(got))
		}
		ask := func(n int, token string) string {
			m := &protocol.GetMatchRecords{
				Envelope: protocol.Envelope{MessageType: protocol.TypeGetMatchRecords}, Records: make([]protocol.RecordRef, n),
			}
			_, err := h.manager.node.Call(h.manager.process.Context(), rpc.Peer{Endpoint: refereeURL, Token: token}, m)
			return refusal(err)
		}
		managers := protocol.ManagerToken(refereeToken, leagueID, protocol.TypeGetMatchRecords, 0)
		for _, tt := range []struct {
			n           int
			token, want string
		}{
			{64, managers, ""}, {65, managers, "INVALID_MESSAGE"}, {1, "", "AUTH_TOKEN_MISSING"},
			{1, "tok_match_of_P01", "AUTH_TOKEN_INVALID"},
		} {
			if got := ask(tt.n, tt.token); got != tt.want {
				t.Errorf("%d records with token %q: got %q, want %q", tt.n, tt.token, got, tt.want)
			}
		}
	})
}

func TestAnswerWithRecordsIsNoLargerThanAManagerReads(t *testing.T) {
	const room = 64 << 10
	withReferee(t, setting{opts: referee.Options{Options: rpc.Options{MaxBody: room}}}, func(h *harness) {
		var refs []protocol.RecordRef
		for n := range 20 {
			m := order()
			m.MatchID = fmt.Sprint("R1M", n+1)
			h.play(m)
			refs = append(refs, protocol.RecordRef{LeagueID: leagueID, MatchID: m.MatchID, Attempt: 1})
		}
		for calls := 0; len(refs) > 0; calls++ {
			got := h.fetch(refs...)
			size := 0
			for i, r := range got {
				if r.RecordRef != refs[i] {
					t.Errorf("got %v, want %v: the first ones asked for", r.RecordRef, refs[i])
				}
				size += len(r.Document)
			}
			if len(got) == 0 || 2*size > room || calls > 10 {
				t.Fatalf("call %d: got %d records of %d bytes in all", calls, len(got), size)
			}
			refs = refs[len(got):]
		}
	})
}

// A record that is too large for an answer is returned in parts, at the offsets that the manager requests.
func TestLargeRecordIsToldInParts(t *testing.T) {
	const room = 4 << 10
	withReferee(t, setting{opts: referee.Options{Options: rpc.Options{MaxBody: room}}}, func(h *harness) {
		h.play(order())
		_, doc := h.record()
		ref := protocol.RecordRef{LeagueID: leagueID, MatchID: "R1M1", Attempt: 1}
		ask := func(offset int, refs ...protocol.RecordRef) (protocol.RecordDocument, error) {
			reply, err := h.manager.call(&protocol.GetMatchRecords{
				Envelope: protocol.Envelope{MessageType: protocol.TypeGetMatchRecords}, Records: refs, Offset: offset,
			})
			if err != nil {
				return protocol.RecordDocument{}, err
			}
			return reply.(*protocol.MatchRecords).Records[0], nil
		}
		var got string
		for len(got) < len(doc) {
			part, err := ask(len(got), ref)
			if err != nil || part.RecordRef != ref || part.Size != len(doc) || part.Document == "" || 2*len(part.Document) > room {
				t.Fatalf("from %d of %d on: got %d bytes of %d, %v", len(got), len(doc), len(part.Document), part.Size, err)
			}
			got += part.Document
		}
		if got != string(doc) {
			t.Error("the parts are not the record")
		}
		for _, tt := range []struct {
			offset int
			refs   []protocol.RecordRef
		}{{-1, []protocol.RecordRef{ref}}, {len(doc), []protocol.RecordRef{ref}}, {1, []protocol.RecordRef{ref, ref}}} {
			if _, err := ask(tt.offset, tt.refs...); refusal(err) != "INVALID_MESSAGE" {
				t.Errorf("%d records from %d on: got %v, want INVALID_MESSAGE", len(tt.refs), tt.offset, err)
			}
		}
	})
}

func TestPingAndLeagueCompletedAreAnswered(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		if answer := h.ask("ping", `{}`); !strings.Contains(answer, "referee:REF01") {
			t.Errorf("ping: got %s", answer)
		}
		done := func() *protocol.LeagueCompleted {
			return &protocol.LeagueCompleted{
				Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueCompleted, LeagueID: leagueID},
			}
		}
		reply, err := h.manager.call(done())
		ack, ok := reply.(*protocol.Ack)
		if err != nil || !ok || ack.Status != protocol.Acknowledged || ack.RefereeID != "REF01" || ack.LeagueID != leagueID {
			t.Errorf("LEAGUE_COMPLETED: got %s, %v", shown(reply), err)
		}
		_, err = h.manager.node.Call(h.manager.process.Context(), rpc.Peer{
			Endpoint: refereeURL, Token: "tok_match_of_P01",
		}, done())
		if refusal(err) != "AUTH_TOKEN_INVALID" {
			t.Errorf("LEAGUE_COMPLETED from somebody else: got %v, want AUTH_TOKEN_INVALID", err)
		}
	})
}

func TestRegisterToLeagueRegistersAgainAndKeepsTheTokenToItself(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		for _, params := range []string{`{}`, `{"league_endpoint":"` + managerURL + `"}`} {
			answer := h.ask("register_to_league", params)
			if !strings.Contains(answer, `"status":"ACCEPTED"`) || !strings.Contains(answer, `"referee_id":"REF01"`) ||
				strings.Contains(answer, "tok_") {
				t.Errorf("%s: got %s, want ACCEPTED and no token", params, answer)
			}
		}
		if answer := h.ask("register_to_league", `{"league_endpoint":"http://localhost:6666/mcp"}`); !strings.Contains(
			answer, "OUT_OF_TURN") {
			t.Errorf("another manager: got %s, want OUT_OF_TURN", answer)
		}
		h.checkTimes("LM", protocol.TypeRefereeRegisterRequest, 0, 0)
		h.manager.admitted = func(r *protocol.RefereeRegisterRequest) (protocol.Message, error) {
			a := h.manager.rejection(r, "the league is full")
			a.ErrorCode = "E020"
			return a, nil
		}
		if answer := h.ask("register_to_league", `{}`); !strings.Contains(answer, `"status":"REJECTED"`) ||
			!strings.Contains(answer, "the league is full") {
			t.Errorf("refused: got %s, want the manager's own words", answer)
		}
		h.play(order()) // and it still serves
	})
}

func TestRefereeWithoutAManagerWaitsToBeTold(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.manager.reported = func(*protocol.MatchResultReport) (protocol.Message, error) {
			h.procs["REF01"].Crash() // a result stays unreported
			return never(h.manager.process.Context())
		}
		if _, err := h.start(order()); err != nil {
			t.Error(err)
		}
		pass(time.Minute)
		h.set(func() {
			h.manager.reported = nil
			h.manager.admitted = func(*protocol.RefereeRegisterRequest) (protocol.Message, error) {
				return h.manager.foreign(), nil // a native manager would call the referee, which does not know its own address
			}
		})
		h.reset()
		p := h.boot("REF01", refereeURL)
		h.referee = referee.New(p.Context(), "Referee One", catalog.Lookup, referee.Options{
			Options: rpc.Options{Network: p, Observe: h.observe}, Recorder: h.recorder,
		})
		p.Serve(h.referee.Node)
		if answer := h.ask("register_to_league", `{}`); !strings.Contains(answer, "MISSING_REQUIRED_FIELD") ||
			!strings.Contains(answer, "league_endpoint") {
			t.Errorf("no manager: got %s, want MISSING_REQUIRED_FIELD of league_endpoint", answer)
		}
		if answer := h.ask("register_to_league", `{"league_endpoint":"http://localhost:6666/mcp"}`); !strings.Contains(
			answer, "CONNECTION_ERROR") {
			t.Errorf("a manager that is not there: got %s, want CONNECTION_ERROR", answer)
		}
		if at := time.Since(h.zero); at != 10*time.Second {
			t.Errorf("answered after %v, want 10s", at)
		}
		if answer := h.ask("register_to_league", `{"league_endpoint":"`+managerURL+`"}`); !strings.Contains(answer,
			`"status":"ACCEPTED"`) {
			t.Errorf("the right one: got %s, want ACCEPTED", answer)
		}
		h.referee.Wait()
		h.report() // the result of an earlier run
		request := as[protocol.RefereeRegisterRequest](t, h.heardBy("LM", protocol.TypeRefereeRegisterRequest)[0])
		if request.Sender != "referee:referee-one" || request.Meta.DisplayName != "Referee One" ||
			request.Meta.Version != "1.0.0" ||
			request.Meta.MaxConcurrentMatches != 2 || !request.Meta.Native || len(request.Meta.GameTypes) != 1 {
			t.Errorf("it registers as %s", shown(request))
		}
	})
}

func TestRegistrationIsRepeatedUntilTheManagerIsThere(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.manager.process.Crash()
		h.net.At(5*time.Second, "the manager starts", func() { h.bootManager() })
		h.reset()
		if err := h.bootReferee(); err != nil {
			t.Errorf("register: %v", err)
		}
		h.checkTimes("LM", protocol.TypeRefereeRegisterRequest, 0, 2, 4, 6)
		if g := h.referee.Granted(); g.ID != "REF01" || g.Token != refereeToken || g.League != leagueID || !g.Native {
			t.Errorf("granted %+v", g)
		}
	})
}

func TestRegisterToLeagueDoesNotWaitForARegistrationUnderWay(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.set(func() {
			h.manager.admitted = func(*protocol.RefereeRegisterRequest) (protocol.Message, error) {
				return never(h.manager.process.Context())
			}
		})
		done := make(chan error, 1)
		ctx, stop := context.WithCancel(context.Background())
		go func() { done <- h.referee.Register(ctx, managerURL, refereeURL) }()
		pass(time.Second)
		if answer := h.ask("register_to_league", `{}`); !strings.Contains(answer, "CONNECTION_ERROR") {
			t.Errorf("got %s, want CONNECTION_ERROR", answer)
		}
		if at := time.Since(h.zero); at != 11*time.Second {
			t.Errorf("answered after %v, want 11s", at)
		}
		stop()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("the registration that was given up: got %v, want context.Canceled", err)
		}
	})
}

func TestRegistrationThatIsRefusedIsAnErrorWithItsReason(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.manager.admitted = func(*protocol.RefereeRegisterRequest) (protocol.Message, error) {
			why := "the window is closed"
			a := h.manager.admission()
			a.Status, a.RefereeID, a.Reason, a.AuthToken = protocol.Rejected, nil, &why, nil
			return a, nil
		}
		if err := h.bootReferee(); err == nil || !strings.Contains(err.Error(), "the window is closed") {
			t.Errorf("got %v, want the manager's reason", err)
		}
		h.manager.admitted = func(*protocol.RefereeRegisterRequest) (protocol.Message, error) {
			return nil, protocol.Errorf(protocol.VersionMismatch, "protocol_version: want 2")
		}
		if err := h.bootReferee(); err == nil || !strings.Contains(err.Error(), "register with "+managerURL) {
			t.Errorf("got %v, want an error that says with whom", err)
		}
	})
}
