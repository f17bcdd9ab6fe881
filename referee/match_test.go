package referee_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc/rpctest"
)

// drawn is the number from 1 to 10 that a key draws first, by the formula of the protocol.
func drawn(t *testing.T, key string) int {
	t.Helper()
	raw, err := hex.DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, raw)
	mac.Write([]byte{0, 0, 0, 0})
	w := binary.BigEndian.Uint64(mac.Sum(nil))
	if w >= math.MaxUint64/10*10 {
		t.Fatalf("the first word of %s is one to skip: choose another key", key)
	}
	return 1 + int(w%10)
}

func parity(n int) string { return []string{"even", "odd"}[n%2] }

// A diary is a Recorder that logs its calls in the harness, and fails a given number of times.
type diary struct {
	referee.Memory
	h     *harness
	fails int
	then  func() // called when a record has been kept
}

func (d *diary) Record(ctx context.Context, f *referee.Finished) error {
	d.h.note(&d.h.sent, "disk", &protocol.Tool{Envelope: protocol.Envelope{MessageType: "RECORD"}})
	if d.fails > 0 {
		d.fails--
		return errors.New("no space left on device")
	}
	err := d.Memory.Record(ctx, f)
	if d.then != nil {
		d.then()
	}
	return err
}

func TestEvenOddIsInvitedAskedDrawnRecordedToldAndReported(t *testing.T) {
	d := &diary{}
	withReferee(t, setting{recorder: d}, func(h *harness) {
		d.h = h
		h.play(order())
		var got []string
		for _, e := range h.sentTo("") {
			got = append(got, fmt.Sprint(e.at, " ", e.typ, " ", e.to))
		}
		want := []string{
			"0s GAME_INVITATION P01", "0s GAME_INVITATION P02", "0s CHOOSE_PARITY_CALL P01", "0s CHOOSE_PARITY_CALL P02",
			"0s RECORD disk", "0s GAME_OVER P01", "0s GAME_OVER P02", "0s MATCH_RESULT_REPORT LM",
		}
		for _, pair := range []int{0, 2, 5} { // both of a pair go out at once, in either order
			slices.Sort(got[pair : pair+2])
		}
		if !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

func TestBothPlayersAreAskedAtTheSameInstant(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		for _, p := range h.players {
			p.invited = func(context.Context, *protocol.GameInvitation) (protocol.Message, error) {
				pass(3 * time.Second)
				return p.join(true), nil
			}
			p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
				pass(7 * time.Second)
				return p.parity(quoted("odd")), nil
			}
		}
		h.play(order())
		for typ, want := range map[protocol.Type]time.Duration{
			protocol.TypeGameInvitation: 0, protocol.TypeChooseParityCall: 3 * time.Second,
			protocol.TypeGameOver: 10 * time.Second,
		} {
			if got := offsets(h.heardBy("", typ)); !slices.Equal(got, []time.Duration{want, want}) {
				t.Errorf("%s heard at %v, want both at %v", typ, got, want)
			}
		}
	})
}

func TestInvitationAndChoiceCallSayWhatTheProtocolWants(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		pass(1500 * time.Millisecond) // a deadline that is no whole second is rounded up
		h.play(order())
		inv := h.heardBy("P02", protocol.TypeGameInvitation)[0]
		i := as[protocol.GameInvitation](t, inv)
		key, _ := hex.DecodeString(drawKey)
		want := protocol.GameInvitation{
			Envelope: protocol.Envelope{
				Protocol: protocol.Version, MessageType: protocol.TypeGameInvitation, Sender: "referee:REF01",
				Timestamp:      "2000-01-01T00:00:01Z",
				ConversationID: i.ConversationID, AuthToken: "tok_match_of_P02", LeagueID: leagueID, RoundID: 1, MatchID: "R1M1",
			},
			GameType: "even_odd", RoleInMatch: "PLAYER_B", Role: "PLAYER_B", PlayerID: "P02", OpponentID: "P01", Attempt: 1,
			Fairness: protocol.Fairness{Commitment: protocol.KeyCommitment(key)},
		}
		if !reflect.DeepEqual(i, want) {
			t.Errorf("invitation: got\n%+v\nwant\n%+v", i, want)
		}
		c := as[protocol.ChooseParityCall](t, h.heardBy("P02", protocol.TypeChooseParityCall)[0])
		if c.Deadline != "2000-01-01T00:00:32Z" || c.Context.OpponentID != "P01" || c.Context.RoundID != 1 ||
			c.Attempt != 1 ||
			c.PlayerID != "P02" || c.AuthToken != "tok_match_of_P02" || c.GameType != "even_odd" ||
			c.Context.YourStandings != (protocol.Tally{Wins: 2, Losses: 1, Draws: 1, Points: 7}) {
			t.Errorf("choice call: got %+v", c)
		}
		if c.ConversationID != i.ConversationID || !strings.HasPrefix(c.ConversationID, "conv-r1m1-001-") ||
			len(c.ConversationID) < len("conv-r1m1-001-")+12 {
			t.Errorf("conversations: got %q and %q, want one, conv-r1m1-001- and a long random suffix", i.ConversationID,
				c.ConversationID)
		}
		other := as[protocol.GameInvitation](t, h.heardBy("P01", protocol.TypeGameInvitation)[0])
		if other.ConversationID == i.ConversationID {
			t.Errorf("both players are in conversation %q, want one each", i.ConversationID)
		}
		if strings.Contains(string(inv.body), drawKey) {
			t.Error("the invitation holds the draw key")
		}
	})
}

func TestGameOverIsToldFromEachSide(t *testing.T) {
	number := drawn(t, drawKey)
	tests := []struct {
		name       string
		a, b       string // choices
		status     string
		heardA     string
		heardB     string
		winner     string
		pointsA    int
		pointsB    int
		scoring    *protocol.Scoring
		wantReason string
	}{
		{name: "A right", a: parity(number), b: parity(number + 1), status: "WIN", heardA: "WIN", heardB: "LOSS",
			winner: "P01", pointsA: 3,
			wantReason: fmt.Sprintf("P01 chose %s, number was %d (%s)", parity(number), number, parity(number))},
		{name: "B right", a: parity(number + 1), b: parity(number), status: "WIN", heardA: "LOSS", heardB: "WIN",
			winner: "P02", pointsB: 3,
			wantReason: fmt.Sprintf("P02 chose %s, number was %d (%s)", parity(number), number, parity(number))},
		{name: "both right", a: parity(number), b: parity(number), status: "DRAW", heardA: "DRAW", heardB: "DRAW",
			pointsA: 1, pointsB: 1,
			wantReason: fmt.Sprintf("both chose %s, number was %d (%s)", parity(number), number, parity(number))},
		{name: "own scoring", a: parity(number), b: parity(number + 1), status: "WIN", heardA: "WIN", heardB: "LOSS",
			winner: "P01", pointsA: 5, pointsB: -1,
			scoring:    &protocol.Scoring{Win: 5, Draw: 2, Loss: -1},
			wantReason: fmt.Sprintf("P01 chose %s, number was %d (%s)", parity(number), number, parity(number))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				h.players["P01"].choice, h.players["P02"].choice = tt.a, tt.b
				m := order()
				m.Scoring = tt.scoring
				h.play(m)
				var winner *string
				if tt.winner != "" {
					winner = &tt.winner
				}
				even := parity(number)
				for _, side := range []struct {
					id, opponent, result, mine, theirs string
					points                             int
				}{
					{"P01", "P02", tt.heardA, tt.a, tt.b, tt.pointsA},
					{"P02", "P01", tt.heardB, tt.b, tt.a, tt.pointsB},
				} {
					over := h.over(side.id)
					want := protocol.GameOver{
						Envelope: over.Envelope, GameType: "even_odd", PlayerID: side.id, OpponentID: side.opponent,
						GameResult: protocol.GameResult{
							Status: tt.status, WinnerPlayerID: winner, DrawnNumber: protocol.Present(number), NumberParity: protocol.Present(even),
							Choices: map[string]json.RawMessage{"P01": quoted(tt.a), "P02": quoted(tt.b)}, Reason: tt.wantReason,
						},
						Result: side.result, Winner: winner, DrawnNumber: protocol.Present(number), YourChoice: quoted(side.mine),
						OpponentChoice: quoted(side.theirs),
						PointsEarned:   side.points, Attempt: 1, Fairness: over.Fairness,
					}
					want.Score, want.Details = want.GameResult.Choices, want.GameResult.Ending("P01")
					if !reflect.DeepEqual(over, want) {
						t.Errorf("%s: got\n%+v\nwant\n%+v", side.id, over, want)
					}
					if over.AuthToken != "tok_match_of_"+side.id || over.Fairness == nil || over.Fairness.Key != drawKey {
						t.Errorf("%s: token %q, fairness %v, want its own token and the key", side.id, over.AuthToken, over.Fairness)
					}
				}
				r := h.report()
				score := map[string]json.RawMessage{
					"P01": json.RawMessage(fmt.Sprint(tt.pointsA)), "P02": json.RawMessage(fmt.Sprint(tt.pointsB)),
				}
				if !reflect.DeepEqual(r.Result.Winner, winner) || !reflect.DeepEqual(r.Result.Score, score) ||
					r.Result.Details.Status != tt.status {
					t.Errorf("report: got %+v", r.Result)
				}
			})
		})
	}
}

func TestReportSaysWhatTheManagerNeeds(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.play(order())
		_, doc := h.record()
		number := drawn(t, drawKey)
		even := parity(number)
		r := h.report()
		want := protocol.MatchResultReport{
			Envelope: protocol.Envelope{
				Protocol: protocol.Version, MessageType: protocol.TypeMatchResultReport, Sender: "referee:REF01",
				Timestamp:      "2000-01-01T00:00:00Z",
				ConversationID: "conv-r1m1-report", AuthToken: r.AuthToken, LeagueID: leagueID, RoundID: 1, MatchID: "R1M1",
			},
			GameType: "even_odd", Attempt: 1,
			Result: protocol.ReportedResult{
				Winner: r.Result.Winner, Score: r.Result.Score,
				Details: protocol.ReportDetails{
					DrawnNumber: protocol.Present(number), NumberParity: protocol.Present(even), Status: protocol.Win, Reason: r.Result.Details.Reason,
					Choices: map[string]json.RawMessage{"P01": quoted("even"), "P02": quoted("odd")},
					Parity:  protocol.Present(even), Outcome: r.Result.Details.Outcome,
				},
			},
			Moves:    []protocol.PlayedMove{{PlayerID: "P01", Move: quoted("even")}, {PlayerID: "P02", Move: quoted("odd")}},
			Fairness: &protocol.Fairness{Key: drawKey}, RecordSHA256: protocol.RecordHash(doc),
			AgentTiming: map[string]protocol.Timing{"P01": {Tries: 2}, "P02": {Tries: 2}}, // in no time at all
		}
		if !strings.HasPrefix(r.AuthToken, "tok_agent_REF01_") {
			t.Errorf("it is authenticated by %q", r.AuthToken)
		}
		if !reflect.DeepEqual(r, want) {
			t.Errorf("got\n%+v\nwant\n%+v", r, want)
		}
	})
}

func TestRecordHasTheWholeStoryAndNoToken(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		p := h.players["P01"]
		p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
			pass(3 * time.Second)
			answer := p.parity(quoted("even"))
			answer.AuthToken = "tok_player_P01_its-own-secret"
			return answer, nil
		}
		h.players["P02"].asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
			answer := h.players["P02"].parity(quoted("odd"))
			answer.AuthToken = "sesame" // a foreign manager's tokens have any form
			return answer, nil
		}
		h.play(order())
		rec, doc := h.record()
		for _, token := range []string{"tok_match_of", "its-own-secret", "sesame", refereeToken} {
			if bytes.Contains(doc, []byte(token)) {
				t.Errorf("the record holds %s:\n%s", token, doc)
			}
		}
		var transitions []string
		for _, tr := range rec.Lifecycle.Transitions {
			transitions = append(transitions, tr.State+" "+tr.Timestamp[len("2000-01-01T"):])
		}
		if want := []string{
			"WAITING_FOR_PLAYERS 00:00:00Z", "COLLECTING_CHOICES 00:00:00Z", "DRAWING_NUMBER 00:00:03Z", "FINISHED 00:00:03Z",
		}; !slices.Equal(transitions, want) {
			t.Errorf("transitions: got %q, want %q", transitions, want)
		}
		l := rec.Lifecycle
		if l.State != "FINISHED" || l.CreatedAt != "2000-01-01T00:00:00Z" || l.StartedAt != "2000-01-01T00:00:00Z" ||
			l.CompletedAt != "2000-01-01T00:00:03Z" {
			t.Errorf("lifecycle: got %+v", l)
		}
		var story []string
		for i, e := range rec.Transcript {
			if e.Seq != i+1 {
				t.Errorf("entry %d has seq %d", i, e.Seq)
			}
			story = append(story, fmt.Sprintf("%s %s>%s", e.MessageType, e.From, e.To))
		}
		slices.Sort(story[2:4])
		want := []string{
			"GAME_INVITATION referee:REF01>player:P01", "GAME_INVITATION referee:REF01>player:P02",
			"GAME_JOIN_ACK player:P01>referee:REF01", "GAME_JOIN_ACK player:P02>referee:REF01",
			"CHOOSE_PARITY_CALL referee:REF01>player:P01", "CHOOSE_PARITY_CALL referee:REF01>player:P02",
			"CHOOSE_PARITY_RESPONSE player:P02>referee:REF01", "CHOOSE_PARITY_RESPONSE player:P01>referee:REF01",
			"GAME_OVER referee:REF01>player:P01", "GAME_OVER referee:REF01>player:P02",
		}
		if !slices.Equal(story, want) {
			t.Errorf("transcript: got\n%s\nwant\n%s", strings.Join(story, "\n"), strings.Join(want, "\n"))
		}
		var shape map[string]any
		if err := json.Unmarshal(doc, &shape); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"schema_version", "match_id", "league_id", "round_id", "game_type", "referee_id",
			"player_A_id",
			"player_B_id", "last_updated", "lifecycle", "transcript", "result"} { // samples/match_R1M1.json
			if shape[name] == nil {
				t.Errorf("the record has no %s", name)
			}
		}
		if rec.RefereeID != "REF01" || rec.PlayerAID != "P01" || rec.PlayerBID != "P02" || rec.RoundID != 1 ||
			!rec.TranscriptComplete ||
			rec.Attempt != 1 || rec.Fairness.Key != drawKey || len(rec.Moves) != 2 || rec.LastUpdated != l.CompletedAt {
			t.Errorf("record: got %+v", rec)
		}
		if sum := rec.Result.Score["P01"] + rec.Result.Score["P02"]; sum != 3 {
			t.Errorf("score: got %v, want 3 points in all", rec.Result.Score)
		}
	})
}

func TestTicTacToeIsPlayedInTurns(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		for _, p := range h.players {
			p.toMove = func(_ context.Context, m *protocol.GameMoveCall) (protocol.Message, error) {
				pass(time.Second)
				return p.move(m.MoveRequest.ValidOptions[0]), nil // both take the first free cell
			}
		}
		m := order()
		m.GameType = "tic_tac_toe"
		h.play(m)
		for i, e := range h.heardBy("", protocol.TypeGameMoveCall) {
			call := as[protocol.GameMoveCall](t, e)
			mover := []string{"P01", "P02"}[i%2]
			if e.to != mover || e.at != time.Duration(i)*time.Second || call.Turn != i ||
				len(call.MoveRequest.ValidOptions) != 9-i ||
				call.MoveRequest.MoveType != "place_mark" || call.PlayerID != mover {
				t.Errorf("move %d: %s at %v is asked %+v", i, e.to, e.at, call)
			}
			var seen struct {
				Board []string `json:"board"`
				Mark  string   `json:"mark"`
			}
			if err := json.Unmarshal(call.MoveRequest.Context, &seen); err != nil || len(seen.Board) != 9 ||
				seen.Mark != []string{"X", "O"}[i%2] {
				t.Errorf("move %d: sees %s, %v", i, call.MoveRequest.Context, err)
			}
		}
		// X: 0 2 4 6, O: 1 3 5; X has the diagonal 2 4 6
		for id, want := range map[string]string{"P01": "WIN", "P02": "LOSS"} {
			over := h.over(id)
			if over.Result != want || over.GameResult.Status != "WIN" || *over.Winner != "P01" || over.DrawnNumber.Value != nil ||
				string(over.GameResult.Choices["P01"]) != "[0,2,4,6]" || string(over.GameResult.Choices["P02"]) != "[1,3,5]" ||
				string(over.GameResult.Details["line"]) != "[2,4,6]" {
				t.Errorf("%s hears %+v", id, over)
			}
		}
		r := h.report()
		if len(r.Moves) != 7 || r.Moves[6].Turn != 6 || string(r.Moves[6].Move) != "6" || r.Moves[6].PlayerID != "P01" ||
			*r.Result.Winner != "P01" {
			t.Errorf("report: got %+v", r)
		}
	})
}

func TestMessagesThatArriveTwiceChangeNothing(t *testing.T) {
	for seed := range uint64(5) {
		withReferee(t, setting{seed: seed, faults: rpctest.Faults{Duplicate: 1}}, func(h *harness) {
			h.play(order())
			pass(time.Minute)
			for typ, want := range map[protocol.Type]int{
				protocol.TypeGameInvitation: 2, protocol.TypeChooseParityCall: 2, protocol.TypeGameError: 0,
				protocol.TypeGameOver: 2,
			} {
				if got := len(h.sentTo("", typ)); got != want {
					t.Errorf("seed %d: %d %s sent, want %d", seed, got, typ, want)
				}
			}
			for _, e := range h.heardBy("LM", protocol.TypeMatchResultReport) {
				if r := as[protocol.MatchResultReport](t, e); len(r.Moves) != 2 ||
					r.Result.Details.Status == protocol.TechnicalLoss {
					t.Errorf("seed %d: reported %s", seed, e.body)
				}
			}
		})
	}
}

func TestNobodyHearsAResultThatIsNotOnRecord(t *testing.T) {
	d := &diary{fails: 2}
	withReferee(t, setting{recorder: d}, func(h *harness) {
		d.h = h
		h.play(order())
		writes := offsets(h.sentTo("disk"))
		if want := []time.Duration{0, 2 * time.Second, 4 * time.Second}; !slices.Equal(writes, want) {
			t.Errorf("written at %v, want %v: again until it is on disk", writes, want)
		}
		for _, e := range h.heardBy("", protocol.TypeGameOver, protocol.TypeMatchResultReport) {
			if e.at != 4*time.Second {
				t.Errorf("%s to %s at %v, want it after the record at 4s", e.typ, e.to, e.at)
			}
		}
		h.report()
		if !strings.Contains(h.logged(), "no space left on device") {
			t.Error("the log does not say why the record was not written")
		}
	})
}
