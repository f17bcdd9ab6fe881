package referee_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"agentleague/game/catalog"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc/rpctest"
)

func TestEachPairOfKindsIsJudgedByTheProtocol(t *testing.T) {
	for _, a := range kinds {
		for _, b := range kinds {
			t.Run(a.name+" and "+b.name, func(t *testing.T) {
				withReferee(t, setting{}, func(h *harness) { meet(h, a, b, 0) })
			})
		}
	}
}

func TestEachPairOfKindsIsJudgedTheSameOnASlowNetwork(t *testing.T) {
	for i, a := range kinds {
		for j, b := range kinds {
			t.Run(a.name+" and "+b.name, func(t *testing.T) {
				s := setting{seed: uint64(10*i + j), faults: rpctest.Faults{Delay: 2 * time.Millisecond}}
				withReferee(t, s, func(h *harness) { meet(h, a, b, 250*time.Millisecond) })
			})
		}
	}
}

// meet plays a match of two kinds and compares the events with the protocol's requirements, each time within slack.
func meet(h *harness, a, b kind, slack time.Duration) {
	scripts := [2]kind{a, b}
	ids := [2]string{"P01", "P02"}
	for i, k := range scripts {
		p := h.players[ids[i]]
		p.choice = k.choice
		k.script(p)
	}
	h.reset()
	h.play(order())
	h.until("report", time.Minute, func() bool { return len(h.heardBy("LM", protocol.TypeMatchResultReport)) > 0 })
	pass(time.Minute) // for late callbacks, and for GAME_OVER to dead players
	want := expect(a, b)
	for i, id := range ids {
		h.checkCalls(id, want, i, slack)
		h.checkErrors(id, want, i, slack)
		h.checkOver(id, want, i, slack, scripts[i].dies == "before" || scripts[i].dies == "asked" &&
			len(want.choose[i].calls) > 0)
	}
	h.checkReport(want)
}

// A verdict is all that must come of a match.
type verdict struct {
	join, choose [2]course
	end          time.Duration
	choices      [2]string // "" is null
	forfeits     map[string]string
	status       string
	winner       *string
	results      [2]string
	drawn        bool
}

// expect works out the verdict from the protocol.
func expect(a, b kind) (v verdict) {
	ids := [2]string{"P01", "P02"}
	v.join, v.end = both(a.join, b.join, 0, true)
	last := v.join
	if last[0].code == "" && last[1].code == "" {
		v.choose, v.end = both(a.choose, b.choose, v.end, false)
		last = v.choose
		for i, k := range [2]kind{a, b} {
			if last[i].code == "" && !last[i].cut {
				v.choices[i] = k.choice
			}
		}
	}
	v.forfeits = map[string]string{}
	for i := range ids {
		if last[i].code != "" {
			v.forfeits[ids[i]] = last[i].code
		}
	}
	v.drawn = len(v.forfeits) == 0
	v.decide(ids)
	return v
}

func (v *verdict) decide(ids [2]string) {
	if v.drawn {
		v.status = protocol.Draw
		v.results = [2]string{protocol.Draw, protocol.Draw}
		if v.choices[0] != v.choices[1] {
			v.status = protocol.Win
		}
	} else {
		v.status = protocol.TechnicalLoss
	}
	for i, id := range ids {
		_, lost := v.forfeits[id]
		_, otherLost := v.forfeits[ids[1-i]]
		right := v.drawn && v.choices[i] == parityOfDraw && v.status == protocol.Win
		switch {
		case lost:
			v.results[i] = protocol.TechnicalLoss
		case otherLost, right:
			v.results[i], v.winner = protocol.Win, &ids[i]
		case v.status == protocol.Win:
			v.results[i] = protocol.Loss
		}
	}
}

// numberDrawn is the number drawn with drawKey; TestTheKeyOfTheseTestsDraws checks it.
const (
	numberDrawn  = 10
	parityOfDraw = "even"
)

func TestTheKeyOfTheseTestsDraws(t *testing.T) {
	if n := drawn(t, drawKey); n != numberDrawn || parity(n) != parityOfDraw {
		t.Errorf("got %d (%s), want %d (%s)", n, parity(n), numberDrawn, parityOfDraw)
	}
}

func near(got, want []time.Duration, slack time.Duration) bool {
	return slices.EqualFunc(got, want, func(g, w time.Duration) bool { return (g - w).Abs() <= slack })
}

func (h *harness) checkCalls(id string, v verdict, i int, slack time.Duration) {
	h.t.Helper()
	for typ, want := range map[protocol.Type][]time.Duration{
		protocol.TypeGameInvitation: v.join[i].calls, protocol.TypeChooseParityCall: v.choose[i].calls,
	} {
		if got := offsets(h.sentTo(id, typ)); !near(got, want, slack) {
			h.t.Errorf("%s to %s: got calls at %v, want %v", typ, id, got, want)
		}
	}
}

func (h *harness) checkErrors(id string, v verdict, i int, slack time.Duration) {
	h.t.Helper()
	got := h.sentTo(id, protocol.TypeGameError)
	for _, stage := range []struct {
		course
		phase, action string
	}{{v.join[i], "WAITING_FOR_PLAYERS", "GAME_JOIN_ACK"}, {v.choose[i], "COLLECTING_CHOICES", "CHOOSE_PARITY_RESPONSE"}} {
		for _, want := range stage.errors {
			if len(got) == 0 || (got[0].at-want.at).Abs() > slack {
				if !want.maybe {
					h.t.Errorf("%s: no GAME_ERROR at %v, got %v", id, want.at, offsets(got))
				}
				continue
			}
			h.checkError(id, got[0], want, stage.phase, stage.action)
			got = got[1:]
		}
	}
	if len(got) > 0 {
		h.t.Errorf("%s: further GAME_ERRORs at %v", id, offsets(got))
	}
}

func (h *harness) checkError(id string, e event, want complaint, phase, action string) {
	h.t.Helper()
	name := map[string]string{
		"E001": "TIMEOUT_ERROR", "E004": "INVALID_PARITY_CHOICE", "E009": "CONNECTION_ERROR",
	}[want.code]
	got := as[protocol.GameError](h.t, e)
	kind, _ := protocol.KindNamed(name)
	said, _ := got.Context["detail"].(string)
	waited := 0.0
	if want.code == "E001" {
		waited = 30
		if action == string(protocol.TypeGameJoinAck) {
			waited = 5
		}
		said = fmt.Sprintf("no %s within %v seconds", action, waited)
	}
	w := protocol.GameError{
		Envelope: got.Envelope, PlayerID: id, AffectedPlayer: id, ErrorCode: want.code, ErrorName: name,
		ErrorDescription: name, ErrorMessage: name,
		GameState: phase, ActionRequired: action, Retryable: !want.last, RetryCount: want.count,
		MaxRetries: 3, Attempt: 1,
		RetryInfo: &protocol.RetryInfo{RetryCount: want.count, MaxRetries: 3}, Consequence: got.Consequence,
		Context: got.Context, Detail: said, Suggestion: kind.Suggestion, TimeoutSeconds: waited,
	}
	if !want.last {
		next := protocol.StampUp(h.zero.Add(e.at + retry))
		w.RetryInfo.NextRetryAt = &next
	}
	if !reflect.DeepEqual(got, w) {
		h.t.Errorf("%s, GAME_ERROR at %v: got\n%s\nwant\n%s", id, e.at, shown(got), shown(w))
	}
	if want.last != (got.Consequence == protocol.TechnicalLoss) || got.AuthToken != "tok_match_of_"+id ||
		got.MatchID != "R1M1" || got.Context["detail"] == "" {
		h.t.Errorf("%s, GAME_ERROR at %v: got %s", id, e.at, shown(got))
	}
}

func (h *harness) checkOver(id string, v verdict, i int, slack time.Duration, dead bool) {
	h.t.Helper()
	sent := h.sentTo(id, protocol.TypeGameOver)
	want := []time.Duration{v.end}
	if dead {
		want = append(want, v.end+retry, v.end+2*retry, v.end+3*retry)
	}
	if got := offsets(sent); !near(got, want, slack) {
		h.t.Errorf("%s: GAME_OVER at %v, want %v", id, got, want)
		return
	}
	got := as[protocol.GameOver](h.t, sent[0])
	points := map[string]int{protocol.Win: 3, protocol.Draw: 1}[v.results[i]]
	w := protocol.GameOver{
		Envelope: got.Envelope, GameType: "even_odd", PlayerID: id, OpponentID: []string{"P02", "P01"}[i],
		GameResult: protocol.GameResult{
			Status: v.status, WinnerPlayerID: v.winner, Choices: v.choiceMap(), Forfeits: v.forfeits,
			Reason: got.GameResult.Reason, DrawnNumber: protocol.Optional[int]{Null: true}, NumberParity: protocol.Optional[string]{Null: true},
		},
		DrawnNumber: protocol.Optional[int]{Null: true},
		Result:      v.results[i], Winner: v.winner, YourChoice: nullable(v.choices[i]), OpponentChoice: nullable(v.choices[1-i]),
		PointsEarned: points, Attempt: 1, Fairness: got.Fairness,
	}
	if v.drawn {
		n, p := numberDrawn, parityOfDraw
		w.DrawnNumber, w.GameResult.DrawnNumber, w.GameResult.NumberParity, w.GameResult.Forfeits = protocol.Present(n), protocol.Present(n), protocol.Present(p), nil
	}
	w.Score, w.Details = w.GameResult.Choices, w.GameResult.Ending("P01")
	if !reflect.DeepEqual(got, w) || got.GameResult.Reason == "" {
		h.t.Errorf("%s, GAME_OVER: got\n%s\nwant\n%s", id, shown(got), shown(w))
	}
}

func (h *harness) checkReport(v verdict) {
	h.t.Helper()
	got := h.report()
	score := map[string]json.RawMessage{}
	for i, id := range []string{"P01", "P02"} {
		score[id] = json.RawMessage(fmt.Sprint(map[string]int{protocol.Win: 3, protocol.Draw: 1}[v.results[i]]))
	}
	want := protocol.ReportedResult{Winner: v.winner, Score: score, Details: protocol.ReportDetails{
		Choices: v.choiceMap(), Status: v.status, Reason: got.Result.Details.Reason, Forfeits: v.forfeits,
		DrawnNumber: protocol.Optional[int]{Null: true}, NumberParity: protocol.Optional[string]{Null: true},
	}}
	if v.drawn {
		n, p := numberDrawn, parityOfDraw
		want.Details.DrawnNumber, want.Details.NumberParity, want.Details.Forfeits = protocol.Present(n), protocol.Present(p), nil
	}
	want.Details.Parity = want.Details.NumberParity
	want.Details.Outcome = (&protocol.GameResult{Status: v.status, WinnerPlayerID: v.winner}).Ending("P01").Outcome
	if !reflect.DeepEqual(got.Result, want) {
		h.t.Errorf("report: got\n%s\nwant\n%s", shown(got.Result), shown(want))
	}
	if err := referee.Verify(catalog.Lookup, &got, "P01", "P02"); err != nil {
		h.t.Errorf("report: %v", err)
	}
}

func (v verdict) choiceMap() map[string]json.RawMessage {
	return map[string]json.RawMessage{"P01": nullable(v.choices[0]), "P02": nullable(v.choices[1])}
}

func nullable(choice string) json.RawMessage {
	if choice == "" {
		return json.RawMessage("null")
	}
	return quoted(choice)
}

func shown(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
