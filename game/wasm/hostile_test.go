package wasm

import (
	"strings"
	"testing"
	"time"

	"agentleague/game"
	"agentleague/game/draw"
)

// goodInfo is a game that everybody knows how to describe.
const goodInfo = `{"info":{"type":"odd","name":"Odd","rules":"Play.","move_types":["go"],"valid_choices":{"go":["1"]},` +
	`"min_seats":2,"max_seats":2,"max_turns":3}}`

// goodStart is a position in which seat 0 has one move.
const goodStart = `{"state":1,"to_move":[0],"views":[{"move_type":"go","valid_options":[1],"context":{}},{"context":{}}],"watch":{}}`

// trap is code that stops with an error; endless is code that never does.
var (
	trap    = []byte{opUnreachable}
	endless = []byte{opLoop, 0x40, 0x0c, 0, opEnd}
)

// onApply is code that is run for apply alone, which it knows by the first letter of the operation.
func onApply(what ...byte) []byte {
	code := []byte{0x20, 0, 0x2d, 0, 7, 0x41} // local.get 0, i32.load8_u offset 7, i32.const
	code = append(appendInt(code, 'a'), 0x46, opIf, 0x40)
	return append(append(code, what...), opEnd)
}

func TestModuleThatMisbehavesInAMatchEndsItAsADraw(t *testing.T) {
	grow := []byte{opLoop, 0x40, 0x41, 1, opMemoryGrow, 0, 0x1a, 0x0c, 0, opEnd} // a page, again and again
	fill := []byte{opLoop, 0x40, 0x41, 0, 0x41, 0, 0x41, 0x80, 0x80, 4, opPrefix, 11, 0, 0x0c, 0, opEnd}
	deep := []byte{0x20, 0, 0x20, 1, 0x10, 1, 0x1a} // handle calls itself
	for name, tt := range map[string]struct {
		code []byte
		want string
	}{
		"loops":               {endless, "it ran for more than 10000000 steps or went too deep"},
		"allocates endlessly": {grow, "it ran for more than 10000000 steps or went too deep"},
		"fills endlessly":     {fill, "it ran for more than 10000000 steps or went too deep"},
		"calls itself":        {deep, "it ran for more than 10000000 steps or went too deep"},
		"traps":               {trap, "it broke off with an error of its own"},
		"reads beyond its memory": {append(constant(0x41, -8), 0x28, 0, 0, 0x1a),
			"it broke off with an error of its own"},
		"divides by zero": {[]byte{0x41, 1, 0x41, 0, 0x6d, 0x1a}, "it broke off with an error of its own"},
		"answers too much": {append(constant(opI64Const, 1<<30), 0x0f),
			"its answer has more than 262144 bytes"},
		"answers from nowhere": {append(constant(opI64Const, -1<<32|5), 0x0f), "its answer is outside of its memory"},
		"answers nothing":      {append(constant(opI64Const, 0), 0x0f), "its answer is not JSON"},
		"answers bytes":        {append(constant(opI64Const, 1<<32|8), 0x0f), "its answer is not JSON"},
		"plays on for ever":    {nil, "the match is not over after 3 turns, the most that info says"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mustStart(t, scripted(goodInfo, goodStart, onApply(tt.code...)...))
			began := time.Now()
			for len(s.ToMove()) > 0 {
				if err := s.Apply(map[game.Seat]game.Move{0: game.Move("1")}); err != nil {
					t.Fatal(err)
				}
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("it took %v", took)
			}
			wantBroken(t, s, tt.want)
		})
	}
}

// mustStart starts a match of a guest that can.
func mustStart(t *testing.T, g guest) game.State {
	t.Helper()
	rules, err := New("config/games/guest.wasm", g.bytes())
	if err != nil {
		t.Fatal(err)
	}
	s, err := rules.Start(2, draw.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wantBroken wants a match that its module broke off to be over for everyone, for that reason, and a draw.
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
		"garbage":          {`{"state":`, "start: its answer is not JSON"},
		"two answers":      {goodStart + goodStart, "start: its answer is not JSON"},
		"unknown member":   {`{"stat":1}`, "start: its answer is not as the guide to games says: json: unknown field"},
		"wrong type":       {`{"to_move":0}`, "start: its answer is not as the guide to games says"},
		"its own words":    {`{"error":"no\nchocolate"}`, `start: it says "no chocolate"`},
		"no state":         {`{"to_move":[0]}`, "start: state: want JSON"},
		"no views":         {`{"state":1,"to_move":[0]}`, "start: views: want 2, one for each seat, got 0"},
		"a seat too far":   {`{"state":1,"to_move":[2]}`, "start: to_move: want each seat from 0 to 1 at most once, got 2"},
		"a seat twice":     {`{"state":1,"to_move":[1,1]}`, "start: to_move: want each seat from 0 to 1 at most once, got 1"},
		"no context":       {changed(`"watch":{}`, `"watch":7`), "start: context of seat -1: want an object"},
		"unknown move":     {changed(`"go"`, `"stop"`), `start: move_type of seat 0: want one of info's move_types, got "stop"`},
		"no options":       {changed(`[1]`, `[]`), "start: valid_options of seat 0: want 1 to 1000, got 0"},
		"an option twice":  {changed(`[1]`, `[1, 1 ]`), "start: valid_options of seat 0: want each once"},
		"asks the other":   {changed(`,{"context"`, `,{"move_type":"go","context"`), "start: view of seat 1: it is not to move"},
		"over too early":   {changed(`"watch"`, `"outcome":{"scores":[0,0],"reason":"x"},"watch"`), "start: outcome: want one when"},
		"never over":       {changed(`{"move_type":"go","valid_options":[1],"context":{}}`, `{"context":{}}`, `[0]`, `[]`), "start: outcome: want one when"},
		"draws of nothing": {`{"draw":[0]}`, "start: draw: want numbers of 1 or more, got 0"},
		"draws for ever":   {`{"draw":[6]}`, "start: it asks for chance more than 16 times in one step"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantRefused(t, scripted(goodInfo, tt.start).bytes(), tt.want)
		})
	}
}

// changed is goodStart with texts replaced by others.
func changed(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(goodStart) }

// wantRefused wants a module to be refused for a reason.
func wantRefused(t *testing.T, code []byte, want string) {
	t.Helper()
	if _, err := New("config/games/guest.wasm", code); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got error %v, want %q", err, want)
	}
}
