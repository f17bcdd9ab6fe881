package referee_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"agentleague/game"
	"agentleague/protocol"
	"agentleague/referee"
)

// whispers is a game of two turns: each seat has a secret, both move simultaneously, and then the first alone.
type whispers struct{}

func (whispers) Info() game.Info {
	return game.Info{
		Type: "hidden", Name: "Hidden", Module: "hidden", MoveTypes: []string{"say"}, MinSeats: 2, MaxSeats: 2, MaxTurns: 2,
	}
}

func (whispers) Start(int, *rand.Rand) (game.State, error) { return &whisperState{}, nil }

type whisperState struct {
	said [2][]string
	turn int
}

func (s *whisperState) ToMove() []game.Seat {
	return [][]game.Seat{{0, 1}, {0}, nil}[s.turn]
}

// View shows a seat its secret and its own moves, and all viewers the number of turns.
func (s *whisperState) View(seat game.Seat) game.View {
	v := game.View{Seat: seat, Turn: s.turn, Context: json.RawMessage(fmt.Sprintf(`{"turns":%d}`, s.turn))}
	if seat < 0 || seat > 1 {
		return v
	}
	v.Context = json.RawMessage(fmt.Sprintf(`{"secret":"ace%d","turns":%d,"words":%d}`, seat, s.turn, len(s.said[seat])))
	if len(s.ToMove()) > int(seat) {
		v.Ask, v.Options = "say", []game.Move{game.Move(`"bluff"`), game.Move(`"truth"`)}
	}
	return v
}

func (s *whisperState) Check(seat game.Seat, m game.Move) error {
	if len(s.ToMove()) <= int(seat) || string(m) != `"bluff"` && string(m) != `"truth"` {
		return &game.IllegalMove{Seat: seat, Move: m, Why: "say bluff or truth"}
	}
	return nil
}

func (s *whisperState) Apply(moves map[game.Seat]game.Move) error {
	if err := game.CheckMoves(s, moves); err != nil {
		return err
	}
	for seat, m := range moves {
		s.said[seat] = append(s.said[seat], string(m))
	}
	s.turn++
	return nil
}

func (s *whisperState) Outcome() (game.Outcome, bool) {
	return game.Outcome{Scores: []int{1, 0}, Reason: "{0} had the last word"}, s.turn == 2
}

// During a match all clients may see the spectator's view and the seats that move next, and never a secret or a move:
// not while both are asked, not when one has answered, and not afterwards until the match is over.
func TestSpectatorsSeeAMatchInPlayAndNoSecret(t *testing.T) {
	lookup := func(string) (game.Game, error) { return whispers{}, nil }
	withReferee(t, setting{games: lookup, opts: referee.Options{GameTypes: []string{"hidden"}}}, func(h *harness) {
		var seen []string
		look := func() {
			answer := h.ask("get_match_state", `{"match_id":"R1M1"}`)
			for _, never := range []string{"ace0", "ace1", "bluff", "truth", "words"} {
				if strings.Contains(answer, never) {
					t.Errorf("a spectator is told %q: %s", never, answer)
				}
			}
			var told struct{ Result protocol.MatchState }
			if err := json.Unmarshal([]byte(answer), &told); err != nil {
				t.Errorf("%s: %v", answer, err)
			}
			line := fmt.Sprint(told.Result.Turn, " ", string(told.Result.Spectator))
			for _, p := range told.Result.Players {
				line += fmt.Sprintf(" %s:%v:%v", p.PlayerID, p.ToMove, p.Answered)
			}
			seen = append(seen, line)
		}
		a, b := h.players["P01"], h.players["P02"]
		a.toMove = func(_ context.Context, m *protocol.GameMoveCall) (protocol.Message, error) {
			pass(2 * time.Second) // the other has answered by then
			look()
			return a.move(m.MoveRequest.ValidOptions[0]), nil
		}
		b.toMove = func(_ context.Context, m *protocol.GameMoveCall) (protocol.Message, error) {
			look()
			return b.move(m.MoveRequest.ValidOptions[1]), nil
		}
		m := order()
		m.GameType = "hidden"
		h.play(m)
		want := []string{
			`0 {"turns":0} P01:true:false P02:true:false`,
			`0 {"turns":0} P01:true:false P02:true:true`,
			`1 {"turns":1} P01:true:false P02:false:false`,
		}
		if fmt.Sprint(seen) != fmt.Sprint(want) {
			t.Errorf("got %q, want %q", seen, want)
		}
		if over := h.ask("get_match_state", `{"match_id":"R1M1"}`); strings.Contains(over, "spectator") ||
			!strings.Contains(over, "had the last word") {
			t.Errorf("when it is over: got %s, want its result alone", over)
		}
	})
}
