package referee_test

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/game/draw"
	"agentleague/protocol"
	"agentleague/referee"
)

// signedTruth is truth with answers that both players signed, each move after an illegal one.
func signedTruth(t *testing.T, gameType string, seed uint64) *protocol.MatchResultReport {
	t.Helper()
	r := truth(t, gameType, seed)
	signAnswers(t, r)
	return r
}

// signAnswers adds the players' signatures to a report.
func signAnswers(t *testing.T, r *protocol.MatchResultReport) {
	t.Helper()
	rules, _ := catalog.Lookup(r.GameType)
	key, _ := hex.DecodeString(r.Fairness.Key)
	state, err := rules.Start(2, draw.New(key))
	if err != nil {
		t.Fatal(err)
	}
	seats := map[string]game.Seat{"P01": 0, "P02": 1}
	answers := map[string][]protocol.SignedAnswer{}
	for moves := r.Moves; len(moves) > 0; {
		step, turn := map[game.Seat]game.Move{}, moves[0].Turn
		for ; len(moves) > 0 && moves[0].Turn == turn; moves = moves[1:] {
			mv := moves[0]
			view := ""
			if r.GameType != "even_odd" {
				view = protocol.ViewHash(state.View(seats[mv.PlayerID]).Text())
			}
			answers[mv.PlayerID] = append(answers[mv.PlayerID],
				protocol.SignedAnswer{Turn: turn, View: view, Move: `"banana"`}, protocol.SignedAnswer{
					Turn: turn, View: view, Move: string(mv.Move),
				})
			step[seats[mv.PlayerID]] = mv.Move
		}
		if err := state.Apply(step); err != nil {
			t.Fatal(err)
		}
	}
	r.Signed = map[string]protocol.SignedAnswers{}
	for id, list := range answers {
		r.Signed[id] = resigned(id, r.Fairness.Key, list)
	}
}

// resigned signs a list of answers.
func resigned(id, key string, list []protocol.SignedAnswer) protocol.SignedAnswers {
	w := newPen(id)
	w.bout.Commitment = commitmentOf(key)
	chain := sha(w.bout)
	for _, a := range list {
		chain = then(chain, a)
	}
	return protocol.SignedAnswers{Head: w.bout.Head, Answers: list, Signature: protocol.Sign(w.key, chain)}
}

// sha and then are the formula of the chain, written again.
func sha(b protocol.AnswerContext) string {
	return protocol.SHA256(
		strings.Join([]string{"league.moves.v1", b.Seal, b.Match, "1", b.Referee, b.Player, b.Commitment, b.Head}, "\n"))
}

func then(chain string, a protocol.SignedAnswer) string {
	view := a.View
	if view == "" {
		view = protocol.SHA256("")
	}
	turn, _ := json.Marshal(a.Turn)
	return protocol.SHA256(strings.Join([]string{chain, string(turn), view, a.Move}, "\n"))
}

func TestTrueReportsWithSignaturesPass(t *testing.T) {
	for _, gameType := range catalog.Types() {
		for seed := range uint64(15) {
			r := signedTruth(t, gameType, seed)
			if err := referee.Verify(catalog.Lookup, r, "P01", "P02"); err != nil {
				t.Errorf("%s, seed %d: %v", gameType, seed, err)
			}
			if err := referee.VerifyLogged(catalog.Lookup, r, "P01", "P02"); err != nil {
				t.Errorf("%s, seed %d: logged: %v", gameType, seed, err)
			}
			delete(r.Signed, "P02") // a player that does not sign
			if err := referee.Verify(catalog.Lookup, r, "P01", "P02"); err != nil {
				t.Errorf("%s, seed %d: one signs: %v", gameType, seed, err)
			}
		}
	}
}

// change replaces a player's answers.
func change(id string, f func(list []protocol.SignedAnswer) []protocol.SignedAnswer) func(*protocol.MatchResultReport) {
	return func(r *protocol.MatchResultReport) {
		s := r.Signed[id]
		s.Answers = f(s.Answers)
		r.Signed[id] = s
	}
}

func TestAnswersThatDoNotFitTheMovesAreNamed(t *testing.T) {
	type answers = []protocol.SignedAnswer
	tests := []struct {
		name, game string
		lie        func(r *protocol.MatchResultReport)
		want       string
	}{
		{"another move was signed", "tic_tac_toe", change("P01", func(l answers) answers {
			l[1].Move = `"x"`
			return l
		}), `signed.P01: turn 0: it did not sign the move`},
		{"a move was not signed", "tic_tac_toe", change("P02", func(l answers) answers {
			return l[2:]
		}), `signed.P02: turn 1: it did not sign the move`},
		{"the last was not signed", "tic_tac_toe", change("P01", func(l answers) answers {
			return l[:len(l)-2]
		}), `signed.P01: turn`},
		{"one more was signed", "tic_tac_toe", change("P01", func(l answers) answers {
			return append(l, protocol.SignedAnswer{Turn: 99, Move: "1"})
		}), `signed.P01: answer`},
		{"another position", "tic_tac_toe", change("P01", func(l answers) answers {
			l[3].View = protocol.SHA256("elsewhere")
			return l
		}), `signed.P01: turn 2: it signed`},
		{"no position", "tic_tac_toe", change("P01", func(l answers) answers {
			l[3].View = ""
			return l
		}), `signed.P01: turn 2: it signed`},
		{"a position where none is", "even_odd", change("P01", func(l answers) answers {
			l[1].View = protocol.SHA256("x")
			return l
		}), `signed.P01: turn 0: it signed`},
		{"another turn", "tic_tac_toe", change("P02", func(l answers) answers {
			l[0].Turn = 0
			return l
		}), `signed.P02: turn 1: it did not sign`},
		{"out of order", "tic_tac_toe", change("P02", func(l answers) answers {
			l[0], l[2], l[1], l[3] = l[2], l[0], l[3], l[1]
			return l
		}), `signed.P02: turn 1: it did not sign`},
		{"a legal answer was passed over", "even_odd", change("P01", func(l answers) answers {
			l[0].Move = `"odd"`
			return l
		}), `signed.P01: turn 0: it signed "\"odd\"", which is legal and was not played`},
		{"nothing in it", "even_odd", change("P01", func(answers) answers { return nil }), `signed.P01: no answer is there`},
		{"a stranger signs", "even_odd", func(r *protocol.MatchResultReport) {
			r.Signed["P99"] = r.Signed["P01"]
		}, `signed: "P99" does not play in this match`},
		{"the moves are swapped", "even_odd", func(r *protocol.MatchResultReport) {
			r.Moves[0].Move, r.Moves[1].Move = r.Moves[1].Move, r.Moves[0].Move
			c := r.Result.Details.Choices
			c["P01"], c["P02"] = c["P02"], c["P01"]
			other := map[string]string{"P01": "P02", "P02": "P01"}[*r.Result.Winner]
			r.Result.Winner = &other // all of it follows from the moves, which are not theirs
		}, `signed.P01: turn 0: it did not sign the move`},
	}
	for _, tt := range tests {
		seed := uint64(0)
		for truth(t, tt.game, seed).Result.Winner == nil {
			seed++
		}
		r := signedTruth(t, tt.game, seed)
		tt.lie(r)
		for name, verify := range map[string]func(func(string) (game.Game, error), *protocol.MatchResultReport, string,
			string) error{
			"Verify": referee.Verify, "VerifyLogged": referee.VerifyLogged,
		} {
			if err := verify(catalog.Lookup, r, "P01", "P02"); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%s: %s: got %v, want %s", tt.name, name, err, tt.want)
			}
		}
	}
}

func TestForfeitsAreHeldAgainstWhatWasSigned(t *testing.T) {
	report := func(code string, lost, won []string, choice string) *protocol.MatchResultReport {
		r := truth(t, "even_odd", 1)
		r.Moves, r.Signed = nil, map[string]protocol.SignedAnswers{}
		r.Result = protocol.ReportedResult{Winner: ptr("P02"), Details: protocol.ReportDetails{
			Status: protocol.TechnicalLoss, Forfeits: map[string]string{"P01": code},
			Choices: map[string]json.RawMessage{"P01": json.RawMessage("null"), "P02": json.RawMessage(choice)},
		}}
		for id, moves := range map[string][]string{"P01": lost, "P02": won} {
			var list []protocol.SignedAnswer
			for _, m := range moves {
				list = append(list, protocol.SignedAnswer{Move: m})
			}
			if list != nil {
				r.Signed[id] = resigned(id, r.Fairness.Key, list)
			}
		}
		return r
	}
	for _, tt := range []struct {
		name      string
		code      string
		lost, won []string
		choice    string
		want      string
	}{
		{"illegal, and signed", "E004", []string{`"x"`}, []string{`"odd"`}, `"odd"`, ""},
		{"illegal twice", "E004", []string{`"x"`, `1`}, nil, `null`, ""},
		{"the other was illegal before", "E001", nil, []string{`"y"`, `"odd"`}, `"odd"`, ""},
		{"the other was illegal, and then it was over", "E001", nil, []string{`"y"`}, `null`, ""},
		{"silent after an illegal one", "E001", []string{`"x"`}, nil, `null`, ""},
		{"legal, and forfeited", "E004", []string{`"odd"`}, nil, `null`, "signed.P01: turn 0: it signed"},
		{"legal, and said to be silent", "E001", []string{`"odd"`}, nil, `null`, "signed.P01: turn 0: it signed"},
		{"another choice than was signed", "E001", nil, []string{`"odd"`}, `"even"`, "result.details.choices"},
		{"a choice that was not signed", "E001", nil, []string{`"y"`}, `"even"`, "result.details.choices"},
		{"a choice left out", "E001", nil, []string{`"odd"`}, `null`, "result.details.choices"},
		{"two legal ones", "E001", nil, []string{`"even"`, `"odd"`}, `"odd"`, "signed.P02: turn 0: it signed"},
	} {
		r := report(tt.code, tt.lost, tt.won, tt.choice)
		err := referee.Verify(catalog.Lookup, r, "P01", "P02")
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestForfeitByAnIllegalMoveNeedsTheSignedMove(t *testing.T) {
	r := signedTruth(t, "tic_tac_toe", 1)
	r.Moves = r.Moves[:3]
	r.Signed["P01"] = protocol.SignedAnswers{Answers: r.Signed["P01"].Answers[:4]}
	r.Signed["P02"] = protocol.SignedAnswers{Answers: r.Signed["P02"].Answers[:2]}
	list := func(moves ...json.RawMessage) json.RawMessage { b, _ := json.Marshal(moves); return b }
	r.Result = protocol.ReportedResult{Winner: ptr("P01"), Details: protocol.ReportDetails{
		Status: protocol.TechnicalLoss, Forfeits: map[string]string{"P02": "E004"},
		Choices: map[string]json.RawMessage{"P01": list(r.Moves[0].Move, r.Moves[2].Move), "P02": list(r.Moves[1].Move)},
	}}
	want := "signed.P02: it forfeited by an illegal move (E004), but signed none in turn 3"
	if err := referee.Verify(catalog.Lookup, r, "P01", "P02"); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	r.Result.Details.Forfeits["P02"] = "E001"
	if err := referee.Verify(catalog.Lookup, r, "P01", "P02"); err != nil {
		t.Errorf("a forfeit by silence: got %v", err)
	}
}

func TestSignaturesOfARecordAreCheckedByTheKeys(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.players["P01"].signs(`"banana"`, `"even"`)
		h.players["P02"].signs(`"odd"`)
		h.play(nativeOrder())
		rec, _ := h.record()
		if err := referee.VerifyRecord(catalog.Lookup, &rec, protocol.DefaultScoring); err != nil {
			t.Error(err)
		}
		keys := map[string]string{"P01": protocol.PublicKey(keyOf("P01")), "P02": protocol.PublicKey(keyOf("P02"))}
		if err := referee.CheckSigned(&rec, keys, sealOfLeague); err != nil {
			t.Error(err)
		}
		for name, tt := range map[string]struct {
			lie  func(rec *protocol.MatchRecord, keys map[string]string)
			want string
		}{
			"unsigned": {func(rec *protocol.MatchRecord, _ map[string]string) {
				delete(rec.Signed, "P02")
			}, `signed.P02: missing, although it moved "odd" in turn 0`},
			"another key": {func(_ *protocol.MatchRecord, k map[string]string) { k["P01"] = k["P02"] }, "signed.P01: "},
			"no key": {func(_ *protocol.MatchRecord, k map[string]string) {
				delete(k, "P01")
			}, "signed.P01: this player has no key"},
			"another match": {func(rec *protocol.MatchRecord, _ map[string]string) { rec.MatchID = "R2M1" }, "signed.P01: "},
			"another try":   {func(rec *protocol.MatchRecord, _ map[string]string) { rec.Attempt = 2 }, "signed.P01: "},
			"another judge": {func(rec *protocol.MatchRecord, _ map[string]string) { rec.RefereeID = "REF02" }, "signed.P01: "},
			"another draw": {func(rec *protocol.MatchRecord, _ map[string]string) {
				rec.Fairness.Commitment = commitmentOf("00")
			}, "signed.P01: "},
			"another answer": {func(rec *protocol.MatchRecord, _ map[string]string) {
				rec.Signed["P01"].Answers[0].Move = `"apple"`
			}, "signed.P01: "},
			"one left out": {func(rec *protocol.MatchRecord, _ map[string]string) {
				s := rec.Signed["P01"]
				s.Answers = s.Answers[1:]
				rec.Signed["P01"] = s
			}, "signed.P01: "},
			"an illegal move that nobody signed": {func(rec *protocol.MatchRecord, _ map[string]string) {
				rec.Moves, rec.Result.Forfeits = nil, map[string]string{"P02": "E004"}
				delete(rec.Signed, "P02")
			}, "signed.P02: missing, although it forfeited by an illegal move"},
		} {
			again, _ := h.record()
			k := map[string]string{"P01": keys["P01"], "P02": keys["P02"]}
			tt.lie(&again, k)
			if err := referee.CheckSigned(&again, k, sealOfLeague); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%s: got %v, want %s", name, err, tt.want)
			}
		}
		if err := referee.CheckSigned(&rec, keys, strings.Repeat("0", 64)); err == nil {
			t.Error("the seal of another league passes")
		}
		again, _ := h.record()
		again.Moves[0].Move = quoted("odd")
		if err := referee.VerifyRecord(catalog.Lookup, &again, protocol.DefaultScoring); err == nil ||
			!strings.Contains(err.Error(), "signed.P01") {
			t.Errorf("a changed move: got %v", err)
		}
	})
}
