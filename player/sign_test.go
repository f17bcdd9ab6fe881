package player_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"

	"agentleague/game"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/native"
)

// promise is the commitment of these matches, and drawKey its key.
var (
	drawKey = []byte("0123456789abcdef0123456789abcdef")
	promise = protocol.KeyCommitment(drawKey)
)

// calls invites to a match as the manager's referee, with its promise.
func (w *table) calls(match string, attempt int) {
	w.t.Helper()
	_, err := w.from(w.referee, &protocol.GameInvitation{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeGameInvitation, MatchID: match, AuthToken: w.matchToken(match, attempt),
			LeagueID: "L", RoundID: 1,
		},
		GameType: "tictactoe", OpponentID: "P02", Attempt: attempt, Fairness: protocol.Fairness{Commitment: promise},
	})
	if err != nil {
		w.t.Fatalf("invite to %s: %v", match, err)
	}
}

// parity asks for a choice and returns the answer with its proof.
func (w *table) parity(match string, attempt int) (*protocol.ChooseParityResponse, error) {
	reply, err := w.from(w.referee, &protocol.ChooseParityCall{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeChooseParityCall, MatchID: match, AuthToken: w.matchToken(match, attempt),
		}, PlayerID: "P01", Attempt: attempt,
	})
	answer, _ := reply.(*protocol.ChooseParityResponse)
	return answer, err
}

// move asks for a move among cells and returns the answer with its proof.
func (w *table) move(match string, turn int, view string, cells ...string) (*protocol.GameMoveResponse, error) {
	call := &protocol.GameMoveCall{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeGameMoveCall, MatchID: match, AuthToken: w.matchToken(match, 1),
		}, PlayerID: "P01", Attempt: 1,
		GameType: "tictactoe", Turn: turn, View: view, MoveRequest: protocol.MoveRequest{MoveType: "place_mark"},
	}
	for _, c := range cells {
		call.MoveRequest.ValidOptions = append(call.MoveRequest.ValidOptions, json.RawMessage(c))
	}
	reply, err := w.from(w.referee, call)
	answer, _ := reply.(*protocol.GameMoveResponse)
	return answer, err
}

// refuses sends E004 for the player's newest choice.
func (w *table) refuses(match string) {
	w.t.Helper()
	kind := protocol.InvalidChoice
	_, err := w.from(w.referee, &protocol.GameError{
		Envelope:  protocol.Envelope{MessageType: protocol.TypeGameError, MatchID: match, AuthToken: w.matchToken(match, 1)},
		ErrorCode: kind.Code, ErrorName: kind.Name, ErrorDescription: kind.Name, AffectedPlayer: "P01", Attempt: 1,
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// bout is the start of the player's chain in a match of this table.
func bout(match, head string) protocol.AnswerContext {
	return protocol.AnswerContext{
		Seal: seal, Match: match, Attempt: 1, Referee: "REF01", Player: "P01", Commitment: promise, Head: head,
	}
}

func TestNativePlayerSignsEveryAnswer(t *testing.T) {
	atNativeTable(t, player.Alternate(), player.Options{Identity: identity(t)}, func(w *table) {
		if _, err := w.announce(&protocol.RoundAnnouncement{
			Matches: []protocol.AnnouncedMatch{}, Seal: seal, LogHead: "4ead",
		}); err != nil {
			t.Fatal(err)
		}
		w.calls("R1M1", 1)
		views := map[int]string{2: "board one", 4: "board two"}
		var signed protocol.SignedAnswers
		for _, turn := range []int{2, 4} {
			a, err := w.move("R1M1", turn, views[turn], "0", "4")
			if err != nil || a.Proof == nil {
				t.Fatalf("turn %d: %+v, %v; want a proof", turn, a, err)
			}
			if a.Proof.Move != protocol.MoveText(a.MoveData.Choice) || a.Proof.Head != "4ead" {
				t.Errorf("turn %d: the proof is of %s under %s, want of %s under 4ead", turn, a.Proof.Move, a.Proof.Head,
					a.MoveData.Choice)
			}
			signed.Head, signed.Signature = a.Proof.Head, a.Proof.Signature
			signed.Answers = append(signed.Answers, protocol.SignedAnswer{
				Turn: turn, View: protocol.ViewHash(views[turn]), Move: a.Proof.Move,
			})
			if err := signed.Check(bout("R1M1", ""), protocol.PublicKey(identity(t).Key)); err != nil {
				t.Errorf("turn %d: %v", turn, err)
			}
			if _, err := w.tell(protocol.TypeRoundCompleted, 1, &protocol.RoundCompleted{LogHead: "c105ed"}); err != nil {
				// received during the bout: the chain keeps its head
				t.Fatal(err)
			}
		}
		w.calls("R2M1", 1)
		if a, err := w.parity("R2M1", 1); err != nil || a.Proof == nil || a.Proof.Head != "c105ed" {
			t.Errorf("the next bout: %+v, %v; want the newest head", a, err)
		}
	})
}

func TestPlayerWithoutAKeySignsNothing(t *testing.T) {
	atTable(t, player.Alternate(), player.Options{Unsigned: true}, true, func(w *table) {
		w.calls("R1M1", 1)
		if a, err := w.parity("R1M1", 1); err != nil || a.Proof != nil {
			t.Errorf("got %+v, %v; want an answer without a proof", a, err)
		}
	})
}

func TestFalseRefusalGetsTheSameMove(t *testing.T) {
	for _, native := range []bool{true, false} {
		var n atomic.Int32
		flip := player.StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) {
			return v.Options[int(n.Add(1))%len(v.Options)], nil
		})
		atTable(t, flip, player.Options{Unsigned: !native}, true, func(w *table) {
			w.calls("R1M1", 1)
			first, err := w.parity("R1M1", 1)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				w.refuses("R1M1")
				again, err := w.parity("R1M1", 1)
				if err != nil || string(again.ParityChoice) != string(first.ParityChoice) ||
					(native && *again.Proof != *first.Proof) {
					t.Errorf("native %v: after a false E004 the player says %+v, %v; want %s again", native, again, err,
						first.ParityChoice)
				}
			}
			if n.Load() != 1 {
				t.Errorf("native %v: the strategy was asked %d times, want once", native, n.Load())
			}
		})
	}
}

// A refused answer stays in the chain: the next answer is signed after it.
func TestRefusedAnswerStaysInTheChain(t *testing.T) {
	moves := []string{"9", "4"}
	s := player.StrategyFunc(func(context.Context, game.View) (game.Move, error) {
		m := moves[0]
		moves = moves[1:]
		return game.Move(m), nil
	})
	atNativeTable(t, s, player.Options{Identity: identity(t)}, func(w *table) {
		w.calls("R1M1", 1)
		if _, err := w.move("R1M1", 1, "v", "0", "4"); err != nil {
			t.Fatal(err)
		}
		w.refuses("R1M1")
		a, err := w.move("R1M1", 1, "v", "0", "4")
		if err != nil {
			t.Fatal(err)
		}
		both := protocol.SignedAnswers{Signature: a.Proof.Signature, Answers: []protocol.SignedAnswer{
			{Turn: 1, View: protocol.ViewHash("v"), Move: "9"}, {Turn: 1, View: protocol.ViewHash("v"), Move: "4"},
		}}
		if err := both.Check(bout("R1M1", ""), protocol.PublicKey(identity(t).Key)); err != nil {
			t.Errorf("the chain with the refused answer: %v", err)
		}
		both.Answers = both.Answers[1:]
		if both.Check(bout("R1M1", ""), protocol.PublicKey(identity(t).Key)) == nil {
			t.Error("the refused answer can be left out of the chain")
		}
	})
}

func TestAnswerIsKeptBeforeItIsGiven(t *testing.T) {
	full := true
	var kept []player.Answer
	keep := func(a player.Answer) error {
		if full {
			return errors.New("no space left on device")
		}
		kept = append(kept, a)
		return nil
	}
	atNativeTable(t, player.Alternate(), player.Options{KeepAnswer: keep}, func(w *table) {
		w.calls("R1M1", 1)
		_, err := w.parity("R1M1", 1)
		refused(t, err, protocol.Internal)
		full = false
		a, err := w.parity("R1M1", 1)
		if err != nil || len(kept) != 1 || kept[0].Signature != a.Proof.Signature || kept[0].Number != 1 ||
			kept[0].Move != `"even"` {
			t.Errorf("got %+v, %v and kept %+v; want the first choice, kept", a, err, kept)
		}
	})
}

// A player that is killed and started again gives the same answers, and goes on with their chain.
func TestRestartedPlayerGoesOnWithItsChain(t *testing.T) {
	place := identity(t)
	var kept []player.Answer
	o := player.Options{
		Identity: place, KeepAnswer: func(a player.Answer) error { kept = append(kept, a); return nil },
		KeepIdentity: func(now native.Identity) error { place = now; return nil },
	}
	var first *protocol.GameMoveResponse
	atNativeTable(t, player.Alternate(), o, func(w *table) {
		w.calls("R1M1", 1)
		var err error
		if first, err = w.move("R1M1", 1, "v", "0", "4"); err != nil {
			t.Fatal(err)
		}
	})
	other := player.StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) { return v.Options[1], nil })
	o.Identity, o.Answers = place, kept
	for _, invited := range []bool{false, true} {
		atNativeTable(t, other, o, func(w *table) {
			if invited {
				w.calls("R1M1", 1)
			}
			again, err := w.move("R1M1", 1, "v", "0", "4")
			if err != nil || *again.Proof != *first.Proof || string(again.MoveData.Choice) != string(first.MoveData.Choice) {
				t.Fatalf("invited again %v: %+v, %v; want %+v", invited, again, err, first)
			}
			w.refuses("R1M1") // wrongly: the offered options are stored across a restart
			if again, err = w.move("R1M1", 1, "v", "0", "4"); err != nil || *again.Proof != *first.Proof {
				t.Errorf("after a false E004: %+v, %v; want the same", again, err)
			}
			next, err := w.move("R1M1", 3, "w", "0", "8")
			if err != nil {
				t.Fatal(err)
			}
			signed := protocol.SignedAnswers{Signature: next.Proof.Signature, Answers: []protocol.SignedAnswer{
				{Turn: 1, View: protocol.ViewHash("v"), Move: "0"}, {Turn: 3, View: protocol.ViewHash("w"), Move: "8"},
			}}
			if err := signed.Check(bout("R1M1", ""), protocol.PublicKey(place.Key)); err != nil {
				t.Errorf("the chain after a restart: %v", err)
			}
		})
	}
}

func TestAnswersOfAMatchThatIsOverAreDropped(t *testing.T) {
	var dropped []string
	o := player.Options{DropAnswers: func(match string, _ int) { dropped = append(dropped, match) }}
	atNativeTable(t, player.Alternate(), o, func(w *table) {
		w.calls("R1M1", 1)
		if _, err := w.parity("R1M1", 1); err != nil {
			t.Fatal(err)
		}
		w.end("R1M1", func(*protocol.GameOver) {})
		if len(dropped) != 1 || dropped[0] != "R1M1" {
			t.Errorf("dropped %v, want R1M1", dropped)
		}
	})
}
