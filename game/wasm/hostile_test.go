package wasm

import (
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/game/wasm/wasmtest"
)

func TestModuleThatMisbehavesInAMatchEndsItAsADraw(t *testing.T) {
	const long, own = "it ran for more than 10000000 steps or went too deep", "it broke off with an error of its own"
	fill := wasmtest.Code([]byte{0x03, 0x40}, wasmtest.I32(0), wasmtest.I32(0), wasmtest.I32(1<<16), []byte{0xfc, 11, 0, 0x0c, 0, 0x0b})
	answer := func(at, size int64) []byte { return wasmtest.Code(wasmtest.I64(at<<32|size), []byte{0x0f}) }
	for name, tt := range map[string]struct {
		code []byte
		want string
	}{
		"loops":                   {wasmtest.Endless, long},
		"allocates endlessly":     {wasmtest.Grow, long},
		"fills endlessly":         {fill, long},
		"calls itself":            {wasmtest.Deep, long},
		"traps":                   {wasmtest.Trap, own},
		"reads beyond its memory": {wasmtest.Code(wasmtest.I32(-8), []byte{0x28, 0, 0, 0x1a}), own},
		"divides by zero":         {wasmtest.Code(wasmtest.I32(1), wasmtest.I32(0), []byte{0x6d, 0x1a}), own},
		"answers too much":        {answer(0, 1<<30), "its answer has more than 262144 bytes"},
		"answers from nowhere":    {answer(-1, 5), "its answer is outside of its memory"},
		"answers nothing":         {answer(0, 0), "its answer is not JSON"},
		"answers bytes":           {answer(1, 8), "its answer is not JSON"},
		"plays on for ever":       {nil, "the match is not over after 3 turns, the most that info says"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mustStart(t, wasmtest.Broken("odd", tt.code))
			for len(s.ToMove()) > 0 {
				if err := s.Apply(map[game.Seat]game.Move{0: game.Move("1")}); err != nil {
					t.Fatal(err)
				}
			}
			wantBroken(t, s, tt.want)
		})
	}
}

// mustStart starts a match of a module that can.
func mustStart(t *testing.T, code []byte) game.State {
	t.Helper()
	rules, err := New(t.Context(), "config/games/guest.wasm", code)
	if err != nil {
		t.Fatal(err)
	}
	s, err := rules.Start(2, draw.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wantBroken checks that a match which its module has aborted is over for both seats, with that reason, and a draw.
func wantBroken(t *testing.T, s game.State, want string) {
	t.Helper()
	end, over := s.Outcome()
	if want = "the rules of the game failed: " + want; !over || end.Reason != want {
		t.Errorf("got %q, over is %v, want %q", end.Reason, over, want)
	}
	if _, won := end.Winner(); won || len(end.Scores) != 2 {
		t.Errorf("got scores %v, want a draw", end.Scores)
	}
	if s.(game.Failing).Failed() == nil {
		t.Error("it does not say that it failed")
	}
	for seat := range game.Seat(2) {
		if v := s.View(seat); v.Ask != "" || len(v.Options) > 0 || string(v.Context) != "{}" {
			t.Errorf("seat %d still sees %s", seat, v.Text())
		}
		if err := s.Check(seat, game.Move("1")); err == nil {
			t.Errorf("seat %d may still move", seat)
		}
	}
	if err := s.Apply(map[game.Seat]game.Move{0: game.Move("1")}); err == nil {
		t.Error("it is played on")
	}
}

func TestModuleThatCannotStartAMatchIsRefused(t *testing.T) {
	for name, tt := range map[string]struct{ start, want string }{
		"garbage":         {`{"state":`, "start: its answer is not JSON"},
		"two answers":     {wasmtest.Turn + wasmtest.Turn, "start: its answer is not JSON"},
		"unknown member":  {`{"stat":1}`, "start: its answer is not as the guide to games says: json: unknown field"},
		"wrong type":      {`{"to_move":0}`, "start: its answer is not as the guide to games says"},
		"its own words":   {`{"error":"no\nchocolate"}`, `start: it says "no chocolate"`},
		"no state":        {`{"to_move":[0]}`, "start: state: want JSON"},
		"no views":        {`{"state":1,"to_move":[0]}`, "start: views: want 2, one for each seat, got 0"},
		"a seat too far":  {`{"state":1,"to_move":[2]}`, "start: to_move: want each seat from 0 to 1 at most once, got 2"},
		"a seat twice":    {`{"state":1,"to_move":[1,1]}`, "start: to_move: want each seat from 0 to 1 at most once, got 1"},
		"no context":      {changed(`"watch":{}`, `"watch":7`), "start: context of seat -1: want an object"},
		"unknown move":    {changed(`"go"`, `"stop"`), `start: move_type of seat 0: want one of info's move_types, got "stop"`},
		"no options":      {changed(`[1]`, `[]`), "start: valid_options of seat 0: want 1 to 1000, got 0"},
		"an option twice": {changed(`[1]`, `[1, 1 ]`), "start: valid_options of seat 0: want each once"},
		"asks the other":  {changed(`,{"context"`, `,{"move_type":"go","context"`), "start: view of seat 1: it is not to move"},
		"over too early":  {changed(`"watch"`, `"outcome":{"scores":[0,0],"reason":"x"},"watch"`), "start: outcome: want one when"},
		"never over": {changed(`{"move_type":"go","valid_options":[1],"context":{}}`, `{"context":{}}`, `[0]`, `[]`),
			"start: outcome: want one when"},
		"draws of nothing": {`{"draw":[0]}`, "start: draw: want numbers of 1 or more, got 0"},
		"draws for ever":   {`{"draw":[6]}`, "start: it asks for chance more than 16 times in one step"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantRefused(t, wasmtest.Scripted(wasmtest.Info("odd", 3), tt.start).Bytes(), tt.want)
		})
	}
}

// changed is a good position with texts replaced by others.
func changed(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(wasmtest.Turn) }

// wantRefused wants a module to be refused for a reason.
func wantRefused(t *testing.T, code []byte, want string) {
	t.Helper()
	if _, err := New(t.Context(), "config/games/guest.wasm", code); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got error %v, want %q", err, want)
	}
}
