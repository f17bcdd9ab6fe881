package referee_test

import (
	"context"
	"encoding/json"

	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/protocol"
)

// rigged is a game with fixed randomness: [draw.Number] gets these words one by one.
type rigged struct {
	game.Game
	words []uint64
}

func (g rigged) Start(seats int, _ *rand.Rand) (game.State, error) {
	return g.Game.Start(seats, rand.New(&words{g.words}))
}

// words is a source of given words, and then of zeros.
type words struct{ left []uint64 }

func (w *words) Uint64() (next uint64) {
	if len(w.left) > 0 {
		next, w.left = w.left[0], w.left[1:]
	}
	return next
}

// A hidden is two matches that differ only in information hidden from P01 and spectators.
type hidden struct {
	game       string
	one, other []uint64                                                   // chance
	choose     func(player string, options []string, turn int) (i string) // played in both
}

var hiddenGames = []hidden{
	{
		game:  "kuhn_poker", // P01 has Q in all hands, P02 J or K
		one:   []uint64{2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0},
		other: []uint64{3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5},
		choose: func(_ string, options []string, turn int) string {
			for _, move := range []string{`"fold"`, []string{`"bet"`, `"check"`, `"bet"`}[turn%3]} {
				if slices.Contains(options, move) {
					return move
				}
			}
			return options[0]
		},
	},
	{
		game:   "memory", // cells 0 and 2 are A and B; cells 8 and 15 change places
		one:    []uint64{15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1},
		other:  []uint64{8, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1},
		choose: func(_ string, _ []string, turn int) string { return []string{"0", "2"}[turn%2] },
	},
	{
		game:  "twenty_one_questions", // duck or eagle: P02 asks the question that distinguishes them
		one:   []uint64{16},
		other: []uint64{17},
		choose: func(player string, options []string, _ int) string {
			for _, move := range options {
				apart := move == `"ask:lives_in_water"` || move == `"ask:is_edible"`
				right := move == `"guess:duck"` || move == `"guess:eagle"`
				if !right && !(apart && player == "P01") {
					return move
				}
			}
			return ""
		},
	},
}

// Hidden information makes no difference before the end in any data for a player or a spectator: the messages to the
// player, the referee's public state of the match, and its log.
func TestHiddenThingsMakeNoDifferenceBeforeTheEnd(t *testing.T) {
	for _, g := range hiddenGames {
		t.Run(g.game, func(t *testing.T) {
			one, oneEnd := g.watch(t, g.one)
			other, otherEnd := g.watch(t, g.other)
			if len(one) != len(other) {
				t.Fatalf("%d things reach them in one match, %d in the other", len(one), len(other))
			}
			for i := range one {
				if one[i] != other[i] {
					t.Fatalf("a difference:\n%s\n%s", one[i], other[i])
				}
			}
			if reflect.DeepEqual(oneEnd, otherEnd) || len(one) < 20 {
				t.Errorf("%d things were compared, and the ends are %v and %v: want the ends to reveal a difference", len(one),
					oneEnd, otherEnd)
			}
		})
	}
}

// watch plays a match and returns all data that P01 or a spectator receives before its end, and the data that the end
// reveals.
func (g hidden) watch(t *testing.T, chance []uint64) (before []string, end map[string]json.RawMessage) {
	games := func(gameType string) (game.Game, error) {
		rules, err := catalog.Lookup(gameType)
		return rigged{rules, chance}, err
	}
	withReferee(t, setting{games: games}, func(h *harness) {
		for _, p := range h.players {
			p.toMove = func(_ context.Context, m *protocol.GameMoveCall) (protocol.Message, error) {
				var options []string
				for _, o := range m.MoveRequest.ValidOptions {
					options = append(options, string(o))
				}
				if p.id == "P01" {
					before = append(before, h.ask("get_match_state", `{"match_id":"R1M1"}`))
				}
				return p.move(json.RawMessage(g.choose(p.id, options, m.Turn))), nil
			}
		}
		m := order()
		m.GameType = g.game
		h.play(m)
		for _, e := range slices.Concat(h.heardBy("P01"), h.heardBy("LM")) {
			if e.typ != protocol.TypeGameOver && e.typ != protocol.TypeMatchResultReport {
				before = append(before, e.to+" hears "+string(e.body))
			}
		}
		end = h.over("P01").GameResult.Details
		lines := strings.Split(h.logged(), "\n") // those of one moment come in any order
		slices.Sort(lines)
		before = append(before, lines...)
	})
	return before, end
}
