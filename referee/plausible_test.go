package referee_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"agentleague/game/catalog"
	"agentleague/protocol"
	"agentleague/referee"
)

// claimed is a foreign report of Even/Odd; "" and 0 leave something out.
func claimed(winner, a, b string, number int, parity string) *protocol.MatchResultReport {
	r := &protocol.MatchResultReport{GameType: "even_odd"}
	d := &r.Result.Details
	if winner != "" {
		r.Result.Winner = &winner
	}
	d.Choices = map[string]json.RawMessage{}
	for id, choice := range map[string]string{"P01": a, "P02": b} {
		if choice != "" {
			d.Choices[id] = quoted(choice)
		}
	}
	if number != 0 {
		d.DrawnNumber = protocol.Present(number)
	}
	if parity != "" {
		d.NumberParity = protocol.Present(parity)
	}
	return r
}

func TestFiguresThatContradictEachOtherAreFound(t *testing.T) {
	for _, tt := range []struct {
		winner, a, b string
		number       int
		parity       string
		want         string // "": nothing is wrong
	}{
		{"P01", "even", "odd", 8, "even", ""},
		{"P02", "even", "odd", 7, "odd", ""},
		{"", "even", "even", 8, "even", ""},
		{"", "even", "even", 7, "odd", ""},
		{"DRAW", "odd", "odd", 7, "odd", ""},
		{"player:P01", "EVEN", "Odd", 8, "Even", ""},
		{"PLAYER_B", "even", "odd", 7, "", ""},

		// absent fields
		{"P01", "", "", 0, "", ""},
		{"P01", "", "", 8, "", ""},
		{"P01", "even", "", 8, "", ""},
		{"P02", "even", "", 7, "odd", ""},
		{"", "even", "", 7, "odd", ""},
		{"P01", "even", "odd", 0, "", ""},
		{"P01", "even", "odd", 0, "even", ""},
		{"", "odd", "odd", 0, "", ""},

		// numbers
		{"P01", "even", "odd", 12, "even", "result.details.drawn_number: 12 was reported; Even/Odd draws from 1 to 10"},
		{"P02", "even", "odd", -1, "", "result.details.drawn_number: -1 was reported; Even/Odd draws from 1 to 10"},
		{"P01", "", "", 11, "", "result.details.drawn_number: 11 was reported"},
		{"P01", "even", "odd", 7, "even",
			`result.details.number_parity: "even" was reported with the number 7, which is odd`},
		{"P01", "even", "odd", 8, "odd", `result.details.number_parity: "odd" was reported with the number 8, which is even`},
		{"P01", "even", "odd", 0, "prime", `result.details.number_parity: "prime" was reported; a number is even or odd`},

		// winners
		{"P01", "even", "odd", 7, "odd",
			`result.winner: a win of P01 was reported; but P01 chose "even", P02 chose "odd", the number was 7 (odd): the match would be a win of P02`},
		{"P01", "even", "odd", 0, "odd",
			`result.winner: a win of P01 was reported; but P01 chose "even", P02 chose "odd", the number was odd: the match would be a win of P02`},
		{"P01", "even", "even", 8, "",
			`result.winner: a win of P01 was reported; but P01 chose "even", P02 chose "even", the number was 8 (even): the match would be a draw`},
		{"P02", "even", "even", 7, "",
			`result.winner: a win of P02 was reported; but P01 chose "even", P02 chose "even", the number was 7 (odd): the match would be a draw`},
		{"P02", "odd", "odd", 0, "",
			`result.winner: a win of P02 was reported; but P01 chose "odd", P02 chose "odd": the match would be a draw`},
		{"", "even", "odd", 7, "",
			`result.winner: a draw was reported; but P01 chose "even", P02 chose "odd", the number was 7 (odd): the match would be a win of P02`},
		{"DRAW", "even", "odd", 0, "",
			`result.winner: a draw was reported; but P01 chose "even", P02 chose "odd": the match would be a win of P01 or a win of P02`},
		{"P01", "even", "", 7, "",
			`result.winner: a win of P01 was reported; but P01 chose "even", the number was 7 (odd): the match would be a draw or a win of P02`},
		{"P99", "even", "odd", 7, "", `result.winner: "P99" was reported; only P01 and P02 play`},

		// choices
		{"P01", "banana", "odd", 8, "", `result.details.choices: "banana" was reported for P01: use "even" or "odd"`},
		{"P01", "even", "both", 8, "", `result.details.choices: "both" was reported for P02`},
		{"", "", "", 8, "even", `result.details.choices: a draw was reported without any choices`},
		{"", "", "", 0, "", `result.details.choices: a draw was reported without any choices, although nobody forfeited`},
		{"TIE", "", "", 0, "", `result.details.choices: a draw was reported without any choices`},
	} {
		err := referee.Plausible(catalog.Lookup, claimed(tt.winner, tt.a, tt.b, tt.number, tt.parity), "P01", "P02")
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
			t.Errorf("%q, %q and %q, %d %q: got\n%v, want\n%s", tt.winner, tt.a, tt.b, tt.number, tt.parity, err, tt.want)
		}
	}
}

func TestForfeitsArePlausibleUnlessTheWinnerForfeited(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(r *protocol.MatchResultReport)
		want string
	}{
		{"one forfeits", func(r *protocol.MatchResultReport) {
			r.Result.Details.Forfeits = map[string]string{"P02": "E001"}
		}, ""},
		{"it is said in a word", func(r *protocol.MatchResultReport) { r.Result.Details.Status = "technical_loss" }, ""},
		{"the winner forfeits", func(r *protocol.MatchResultReport) {
			r.Result.Details.Forfeits = map[string]string{"P01": "E001"}
		}, "result.winner: P01 was reported to win and to have forfeited"},
		{"both forfeit", func(r *protocol.MatchResultReport) {
			r.Result.Winner, r.Result.Details.Status = nil, protocol.TechnicalLoss
		}, ""},
		{"nobody has a point, and nothing was drawn", func(r *protocol.MatchResultReport) {
			r.Result.Winner = nil
			r.Result.Score = map[string]json.RawMessage{"P01": json.RawMessage("0"), "P02": json.RawMessage("0")}
		}, ""},
		{"the same, called a draw", func(r *protocol.MatchResultReport) {
			r.Result.Winner, r.Result.Details.Status = nil, protocol.Draw
			r.Result.Score = map[string]json.RawMessage{"P01": json.RawMessage("0"), "P02": json.RawMessage("0")}
		}, "result.details.choices: a draw was reported without any choices"},
	} {
		r := claimed("P01", "", "", 0, "")
		tt.edit(r)
		err := referee.Plausible(catalog.Lookup, r, "P01", "P02")
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestLongerGamesAreHeldAgainstTheirMoves(t *testing.T) {
	report := func(winner, a, b string) *protocol.MatchResultReport {
		r := &protocol.MatchResultReport{GameType: "tic_tac_toe"}
		r.Result.Details.Choices = map[string]json.RawMessage{"P01": json.RawMessage(a), "P02": json.RawMessage(b)}
		if winner != "" {
			r.Result.Winner = &winner
		}
		return r
	}
	for _, tt := range []struct{ winner, a, b, want string }{
		{"P01", "[0, 1, 2]", "[3, 4]", ""},
		{"P02", "[0, 1, 8]", "[3, 4, 5]", ""},
		{"P01", "[0, 1]", "[3, 4]", ""}, // not all of them
		{"P01", "null", "null", ""},
		{"P01", `"top left"`, `"center"`, ""}, // in its own words
		{"P02", "[0, 1, 2]", "[3, 4]", "result.winner: a win of P02 was reported"},
		{"", "[0, 1, 2]", "[3, 4]", "result.winner: a draw was reported"},
		{"P01", "[0, 0, 2]", "[3, 4]", "result.details.choices: 0 was reported for P01"},
		{"P01", "[0, 1, 2]", "[3, 9]", "result.details.choices: 9 was reported for P02"},
		{"P01", "[0, 1, 2, 8]", "[3, 4]", "result.details.choices: 1 more moves were reported"},
		{"", "null", "null", "result.details.choices: a draw was reported without any choices"},
	} {
		err := referee.Plausible(catalog.Lookup, report(tt.winner, tt.a, tt.b), "P01", "P02")
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
			t.Errorf("%q, %s and %s: got %v, want %q", tt.winner, tt.a, tt.b, err, tt.want)
		}
	}
}

// Every true report is plausible, also with absent fields.
func TestTrueReportsArePlausible(t *testing.T) {
	for _, gameType := range catalog.Types() {
		for seed := range uint64(3) {
			for left := range 8 {
				r := truth(t, gameType, seed)
				d := &r.Result.Details
				if left&1 != 0 {
					d.DrawnNumber = protocol.Optional[int]{}
				}
				if left&2 != 0 {
					d.NumberParity = protocol.Optional[string]{}
				}
				if left&4 != 0 {
					delete(d.Choices, "P01")
				}
				if err := referee.Plausible(catalog.Lookup, r, "P01", "P02"); err != nil {
					t.Errorf("%s, seed %d: %v in %s", gameType, seed, err, shown(r.Result))
				}
			}
		}
	}
	if err := referee.Plausible(catalog.Lookup, &protocol.MatchResultReport{GameType: "chess"}, "P01",
		"P02"); err == nil ||
		!strings.HasPrefix(err.Error(), "game_type: ") {
		t.Errorf("an unknown game: got %v", err)
	}
}

// Every false combination of all figures is found, and every true one passes.
func TestEveryCombinationOfFiguresIsJudgedRightly(t *testing.T) {
	for number := 1; number <= 10; number++ {
		for n := range 4 {
			choices := [2]string{[]string{"even", "odd"}[n%2], []string{"even", "odd"}[n/2]}
			want := ""
			for seat, c := range choices {
				if c == parity(number) && choices[1-seat] != c {
					want = fmt.Sprint("P0", seat+1)
				}
			}
			for _, winner := range []string{"", "P01", "P02"} {
				err := referee.Plausible(catalog.Lookup, claimed(winner, choices[0], choices[1], number, parity(number)), "P01",
					"P02")
				if (err == nil) != (winner == want) {
					t.Errorf("%v, %d, winner %q: got %v", choices, number, winner, err)
				}
			}
		}
	}
}
