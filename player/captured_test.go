package player_test

import (
	"encoding/hex"
	"testing"
	"time"

	"agentleague/player"
	"agentleague/protocol"
)

// falseEnds are forged ends of a match, by an attacker that has read its token, but not its draw key.
var falseEnds = map[string]func(o *protocol.GameOver){
	"without a key": func(o *protocol.GameOver) { o.Result, o.Fairness = protocol.Loss, nil },
	"with its promise for a key": func(o *protocol.GameOver) {
		o.Result, o.Fairness.Key = protocol.Loss, o.Fairness.Commitment
	},
	"with a key of its own": func(o *protocol.GameOver) {
		mine := []byte("fedcba9876543210fedcba9876543210")
		o.Result = protocol.Loss
		o.Fairness = &protocol.Fairness{Commitment: protocol.KeyCommitment(mine), Key: hex.EncodeToString(mine)}
	},
	"by a forfeit": func(o *protocol.GameOver) {
		o.Result, o.GameResult.Status, o.Fairness = protocol.TechnicalLoss, protocol.TechnicalLoss, nil
		o.GameResult.Forfeits = map[string]string{"P01": "E001"}
	},
}

func TestFalseEndDoesNotEndAMatch(t *testing.T) {
	for name, lie := range falseEnds {
		t.Run(name, func(t *testing.T) {
			var dropped []string
			drop := func(match string, _ int) { dropped = append(dropped, match) }
			o := player.Options{Identity: identity(t), DropAnswers: drop}
			atNativeTable(t, player.Alternate(), o, func(w *table) {
				w.calls("R1M1", 1)
				w.end("R1M1", lie) // before it was asked
				first, err := w.move("R1M1", 0, "v", "0", "8")
				if err != nil {
					t.Fatalf("after a false end the player does not go on: %v", err)
				}
				w.end("R1M1", lie) // and after that
				again, err := w.move("R1M1", 0, "v", "0", "8")
				if err != nil || again.Proof.Signature != first.Proof.Signature {
					t.Fatalf("asked again: got %+v, %v; want the same answer", again, err)
				}
				next, err := w.move("R1M1", 2, "w", "0", "8")
				if err != nil {
					t.Fatal(err)
				}
				signed := protocol.SignedAnswers{Signature: next.Proof.Signature, Answers: []protocol.SignedAnswer{
					{Turn: 0, View: protocol.ViewHash("v"), Move: first.Proof.Move},
					{Turn: 2, View: protocol.ViewHash("w"), Move: next.Proof.Move},
				}}
				if err := signed.Check(bout("R1M1", ""), protocol.PublicKey(identity(t).Key)); err != nil || len(dropped) > 0 {
					t.Errorf("the chain: %v; dropped %q", err, dropped)
				}
				w.end("R1M1", func(o *protocol.GameOver) {
					o.YourChoice, o.GameResult.Choices = nil, nil
					o.GameResult.DrawnNumber = protocol.Optional[int]{}
				})
				if h := w.agent.History(); len(h) != 1 || h[0].Result != protocol.Win || len(dropped) != 1 {
					t.Errorf("the player remembers %+v and dropped %q, want the true end", h, dropped)
				}
				if p := w.protest(); p == nil {
					t.Error("the manager is not told that somebody told another end")
				}
			})
		})
	}
}

// A guest's forfeit has no draw key. The player does not wait for it, and drops the match with its round.
func TestEndThatProvesNothingIsNotWaitedFor(t *testing.T) {
	var dropped []string
	o := player.Options{DropAnswers: func(match string, _ int) { dropped = append(dropped, match) }}
	atNativeTable(t, player.Alternate(), o, func(w *table) {
		w.calls("R1M1", 1)
		w.end("R1M1", func(o *protocol.GameOver) {
			o.Fairness, o.YourChoice = nil, nil
			o.GameResult.Forfeits, o.GameResult.Choices = map[string]string{"P02": "E001"}, nil
		})
		start := time.Now()
		w.agent.Drain(w.ctx)
		if d := time.Since(start); d > time.Second || len(dropped) > 0 {
			t.Errorf("the player left after %v and dropped %q, want it to leave at once", d, dropped)
		}
		if _, err := w.tell(protocol.TypeRoundCompleted, 1, &protocol.RoundCompleted{}); err != nil || len(dropped) != 1 {
			t.Errorf("at the end of the round: %v, dropped %q", err, dropped)
		}
	})
}
