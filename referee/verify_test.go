package referee_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/game/draw"
	"agentleague/protocol"
	"agentleague/referee"
)

// truth is the report of a match of random moves, made from the rules alone.
func truth(t *testing.T, gameType string, seed uint64) *protocol.MatchResultReport {
	t.Helper()
	sum := sha256.Sum256(fmt.Append(nil, "key of ", seed))
	rules, err := catalog.Lookup(gameType)
	if err != nil {
		t.Fatal(err)
	}
	state, err := rules.Start(2, draw.New(sum[:]))
	if err != nil {
		t.Fatal(err)
	}
	rng, ids := rand.New(rand.NewPCG(seed, 7)), []string{"P01", "P02"}
	r := &protocol.MatchResultReport{GameType: gameType, Fairness: &protocol.Fairness{Key: hex.EncodeToString(sum[:])}}
	made := map[string][]json.RawMessage{}
	for turn := 0; len(state.ToMove()) > 0; turn++ {
		step := map[game.Seat]game.Move{}
		for _, seat := range state.ToMove() {
			options := state.View(seat).Options
			move := options[rng.IntN(len(options))]
			step[seat], made[ids[seat]] = move, append(made[ids[seat]], move)
			r.Moves = append(r.Moves, protocol.PlayedMove{Turn: turn, PlayerID: ids[seat], Move: move})
		}
		if err := state.Apply(step); err != nil {
			t.Fatal(err)
		}
	}
	end, _ := state.Outcome()
	r.Result.Details.Status = protocol.Draw
	if seat, won := end.Winner(); won {
		r.Result.Winner, r.Result.Details.Status = &ids[seat], protocol.Win
	}
	r.Result.Details.Choices = map[string]json.RawMessage{}
	for id, moves := range made {
		list, _ := json.Marshal(moves)
		if r.Result.Details.Choices[id] = list; gameType == "even_odd" {
			r.Result.Details.Choices[id] = moves[0]
		}
	}
	if n, ok := end.Details["drawn_number"].(int); ok {
		p := parity(n)
		r.Result.Details.DrawnNumber, r.Result.Details.NumberParity = protocol.Present(n), protocol.Present(p)
	}
	return r
}

func TestTrueReportsPass(t *testing.T) {
	for _, gameType := range catalog.Types() {
		for seed := range uint64(40) {
			r := truth(t, gameType, seed)
			if err := referee.Verify(catalog.Lookup, r, "P01", "P02"); err != nil {
				t.Errorf("%s, seed %d: %v in %s", gameType, seed, err, shown(r))
			}
		}
	}
}

func ptr[T any](v T) *T { return &v }

func TestEachLieIsRefusedByItsField(t *testing.T) {
	// the players of these reports chose differently, so that one has won
	var seed uint64
	for truth(t, "even_odd", seed).Result.Winner == nil {
		seed++
	}
	winner := *truth(t, "even_odd", seed).Result.Winner
	loser := map[string]string{"P01": "P02", "P02": "P01"}[winner]
	d := func(r *protocol.MatchResultReport) *protocol.ReportDetails { return &r.Result.Details }
	forfeit := func(r *protocol.MatchResultReport, codes map[string]string, winner *string) {
		r.Moves, r.Result.Winner = nil, winner
		*d(r) = protocol.ReportDetails{Status: protocol.TechnicalLoss, Forfeits: codes, Choices: map[string]json.RawMessage{
			"P01": json.RawMessage("null"), "P02": json.RawMessage("null"),
		}}
	}
	tests := []struct {
		name string
		lie  func(r *protocol.MatchResultReport)
		want string
	}{
		{"no fairness", func(r *protocol.MatchResultReport) { r.Fairness = nil }, "fairness.key: missing"},
		{"no key", func(r *protocol.MatchResultReport) { r.Fairness.Key = "" }, "fairness.key: want 64 hexadecimal digits"},
		{"a key that is no hex", func(r *protocol.MatchResultReport) {
			r.Fairness.Key = strings.Repeat("g", 64)
		}, "fairness.key: want 64 hexadecimal digits"},
		{"a short key", func(r *protocol.MatchResultReport) {
			r.Fairness.Key = r.Fairness.Key[:62]
		}, "fairness.key: want 64 hexadecimal digits"},
		{"an unknown game", func(r *protocol.MatchResultReport) { r.GameType = "chess" }, "game_type: "},
		{"another winner", func(r *protocol.MatchResultReport) { r.Result.Winner = &loser }, "result.winner: got"},
		{"no winner", func(r *protocol.MatchResultReport) { r.Result.Winner = nil }, "result.winner: got null"},
		{"a stranger wins", func(r *protocol.MatchResultReport) { r.Result.Winner = ptr("P99") }, "result.winner: got"},
		{"a draw", func(r *protocol.MatchResultReport) {
			r.Result.Winner, d(r).Status = nil, protocol.Draw
		}, "result.details.status: got"},
		{"no status", func(r *protocol.MatchResultReport) { d(r).Status = "" }, "result.details.status: got"},
		{"another number", func(r *protocol.MatchResultReport) {
			*d(r).DrawnNumber.Value += 2
		}, "result.details.drawn_number: got"},
		{"no number", func(r *protocol.MatchResultReport) {
			d(r).DrawnNumber = protocol.Optional[int]{}
		}, "result.details.drawn_number: got null"},
		{"another parity", func(r *protocol.MatchResultReport) {
			d(r).NumberParity = protocol.Present(parity(*d(r).DrawnNumber.Value + 1))
		}, "result.details.number_parity: got"},
		{"no parity", func(r *protocol.MatchResultReport) {
			d(r).NumberParity = protocol.Optional[string]{}
		}, "result.details.number_parity: got null"},
		{"swapped choices", func(r *protocol.MatchResultReport) {
			c := d(r).Choices
			c["P01"], c["P02"] = c["P02"], c["P01"]
		}, "result.details.choices: got"},
		{"a choice missing", func(r *protocol.MatchResultReport) {
			delete(d(r).Choices, "P01")
		}, "result.details.choices: got"},
		{"a choice too many", func(r *protocol.MatchResultReport) {
			d(r).Choices["P99"] = quoted("even")
		}, "result.details.choices: got"},
		{"a choice that is no JSON", func(r *protocol.MatchResultReport) {
			d(r).Choices["P01"] = json.RawMessage("{")
		}, "result.details.choices: got ?"},
		{"a forfeit in a played match", func(r *protocol.MatchResultReport) {
			d(r).Forfeits = map[string]string{loser: "E001"}
		}, "result.details.forfeits: the match was played to its end"},
		{"no moves", func(r *protocol.MatchResultReport) { r.Moves = nil }, "moves: the match does not end"},
		{"a move missing", func(r *protocol.MatchResultReport) { r.Moves = r.Moves[:1] }, "moves: turn 0: seat 1: no move"},
		{"an illegal move", func(r *protocol.MatchResultReport) {
			r.Moves[0].Move = quoted("banana")
		}, "moves: turn 0: seat 0: illegal move"},
		{"a further move", func(r *protocol.MatchResultReport) {
			r.Moves = append(r.Moves, protocol.PlayedMove{Turn: 1, PlayerID: "P01", Move: quoted("even")})
		}, "moves: turn 1: the match is over"},
		{"two moves of one player", func(r *protocol.MatchResultReport) {
			r.Moves = append(r.Moves, protocol.PlayedMove{PlayerID: "P01", Move: r.Moves[0].Move})
		}, "moves: turn 0: P01 moves twice"},
		{"a stranger's move", func(r *protocol.MatchResultReport) {
			r.Moves[1].PlayerID = "P99"
		}, `moves: "P99" does not play in this match`},
		{"a turn missing", func(r *protocol.MatchResultReport) { r.Moves[0].Turn = 1 }, "moves: turn 0 is missing"},
		{"a turn before the first", func(r *protocol.MatchResultReport) { r.Moves[0].Turn = -1 }, "moves: turn 0 is missing"},

		{"a forfeit after the end", func(r *protocol.MatchResultReport) {
			d(r).Status, d(r).Forfeits = protocol.TechnicalLoss, map[string]string{loser: "E001"}
		}, "result.details.status: the moves end the match"},
		{"a forfeit with a draw", func(r *protocol.MatchResultReport) {
			forfeit(r, map[string]string{"P01": "E001"}, ptr("P02"))
			d(r).DrawnNumber = protocol.Present(4)
		}, "result.details.drawn_number: nothing is drawn"},
		{"a forfeit with a parity", func(r *protocol.MatchResultReport) {
			forfeit(r, map[string]string{"P01": "E001"}, ptr("P02"))
			d(r).NumberParity = protocol.Present("even")
		}, "result.details.number_parity: nothing is drawn"},
		{"a forfeit by nobody", func(r *protocol.MatchResultReport) {
			forfeit(r, nil, ptr("P02"))
		}, "result.details.forfeits: nobody forfeited"},
		{"a forfeit by a stranger", func(r *protocol.MatchResultReport) {
			forfeit(r, map[string]string{"P99": "E001"}, ptr("P02"))
		}, `result.details.forfeits: "P99" does not play`},
		{"the forfeiter wins", func(r *protocol.MatchResultReport) {
			forfeit(r, map[string]string{"P01": "E001"}, ptr("P01"))
		}, "result.winner: got \"P01\", want \"P02\""},
		{"a stranger wins by forfeit", func(r *protocol.MatchResultReport) {
			forfeit(r, map[string]string{"P01": "E001"}, ptr("P99"))
		}, "result.winner: got \"P99\", want \"P02\""},
		{"nobody wins by forfeit", func(r *protocol.MatchResultReport) {
			forfeit(r, map[string]string{"P01": "E001"}, nil)
		}, "result.winner: got null, want \"P02\""},
		{"one wins although both forfeited", func(r *protocol.MatchResultReport) {
			forfeit(r, map[string]string{"P01": "E001", "P02": "E009"}, ptr("P02"))
		}, "result.winner: got \"P02\", want null"},
		{"the forfeiter chose", func(r *protocol.MatchResultReport) {
			forfeit(r, map[string]string{"P01": "E001"}, ptr("P02"))
			d(r).Choices["P01"] = quoted("even")
		}, "result.details.choices: got"},
		{"the other chose what is illegal", func(r *protocol.MatchResultReport) {
			forfeit(r, map[string]string{"P01": "E001"}, ptr("P02"))
			d(r).Choices["P02"] = quoted("banana")
		}, "result.details.choices: got"},
		{"a choice is left out", func(r *protocol.MatchResultReport) {
			forfeit(r, map[string]string{"P01": "E001"}, ptr("P02"))
			delete(d(r).Choices, "P02")
		}, "result.details.choices: got"},
	}
	for _, tt := range tests {
		r := truth(t, "even_odd", seed)
		tt.lie(r)
		if err := referee.Verify(catalog.Lookup, r, "P01", "P02"); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestForfeitInALongerGameIsThePlayersToMove(t *testing.T) {
	report := func(lost, won string) *protocol.MatchResultReport {
		r := truth(t, "tic_tac_toe", 1)
		r.Moves = r.Moves[:3] // X O X, and O is to move
		r.Result = protocol.ReportedResult{Winner: &won, Details: protocol.ReportDetails{
			Status: protocol.TechnicalLoss, Forfeits: map[string]string{lost: "E001"}, Choices: map[string]json.RawMessage{
				"P01": fmt.Appendf(nil, "[%s, %s]", r.Moves[0].Move, r.Moves[2].Move),
				"P02": fmt.Appendf(nil, "[%s]", r.Moves[1].Move),
			},
		}}
		return r
	}
	if err := referee.Verify(catalog.Lookup, report("P02", "P01"), "P01", "P02"); err != nil {
		t.Errorf("the one to move forfeits: got %v", err)
	}
	want := "result.details.forfeits: P01 was not to move"
	if err := referee.Verify(catalog.Lookup, report("P01", "P02"), "P01", "P02"); err == nil || err.Error() != want {
		t.Errorf("the other forfeits: got %v, want %s", err, want)
	}
	r := report("P02", "P01")
	r.Result.Details.Choices["P02"] = json.RawMessage("null")
	if err := referee.Verify(catalog.Lookup, r, "P01", "P02"); err == nil ||
		!strings.HasPrefix(err.Error(), "result.details.choices") {
		t.Errorf("a played move is left out: got %v, want result.details.choices", err)
	}
}

func TestEveryChangeOfOneNumberOrWordIsNoticed(t *testing.T) {
	for seed := range uint64(100) {
		for name, lie := range map[string]func(r *protocol.MatchResultReport){
			"key": func(r *protocol.MatchResultReport) { r.Fairness.Key = drawKey },
			"moves": func(r *protocol.MatchResultReport) {
				r.Moves[0].Move, r.Moves[1].Move = r.Moves[1].Move, r.Moves[0].Move
			},
		} {
			r := truth(t, "even_odd", seed)
			before := shown(r)
			lie(r)
			changed := shown(r) != before
			if name == "key" { // another key may draw the same number
				changed = drawn(t, drawKey) != *r.Result.Details.DrawnNumber.Value
			}
			if err := referee.Verify(catalog.Lookup, r, "P01", "P02"); (err != nil) != changed {
				t.Errorf("seed %d, %s: got %v, changed %v", seed, name, err, changed)
			}
		}
	}
}
