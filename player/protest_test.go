package player_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"testing"
	"time"

	"agentleague/game"
	"agentleague/player"
	"agentleague/protocol"
)

// end sends a result as the manager's referee, after a change to the correct one.
func (w *table) end(match string, change func(o *protocol.GameOver)) {
	w.t.Helper()
	eight, me := 8, "P01"
	o := &protocol.GameOver{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeGameOver, MatchID: match, AuthToken: w.matchToken(match, 1), RoundID: 1,
		},
		GameResult: protocol.GameResult{
			DrawnNumber: protocol.Present(eight), Status: protocol.Win, WinnerPlayerID: &me,
			Choices: map[string]json.RawMessage{"P01": json.RawMessage(`"even"`), "P02": json.RawMessage(`"odd"`)},
		},
		Result: protocol.Win, DrawnNumber: protocol.Present(eight), Attempt: 1, OpponentID: "P02", YourChoice: json.RawMessage(`"even"`),
		OpponentChoice: json.RawMessage(`"odd"`),
		Fairness:       &protocol.Fairness{Commitment: promise, Key: hex.EncodeToString(drawKey)},
	}
	change(o)
	start := time.Now()
	if _, err := w.from(w.referee, o); err != nil {
		w.t.Fatal(err)
	}
	if time.Since(start) > time.Second {
		w.t.Errorf("the result was acknowledged after %s", time.Since(start))
	}
}

// protest returns the protest that the manager receives within a minute, or nil.
func (w *table) protest() *protocol.MatchProtest {
	select {
	case p := <-w.protests:
		w.agent.Drain(w.ctx) // until it is acknowledged
		return p
	case <-time.After(time.Minute):
		return nil
	}
}

func TestPlayerProtestsAgainstWhatItKnowsToBeWrong(t *testing.T) {
	odd := json.RawMessage(`"odd"`)
	loser := "P02"
	for _, tt := range []struct {
		name   string
		change func(o *protocol.GameOver)
		want   string
	}{
		{"nothing", func(*protocol.GameOver) {}, ""},
		{"no key is told", func(o *protocol.GameOver) { o.Fairness = nil }, ""},
		{"its choice", func(o *protocol.GameOver) { o.YourChoice = odd }, protocol.ProtestMoves},
		{"its choice among all", func(o *protocol.GameOver) { o.GameResult.Choices["P01"] = odd }, protocol.ProtestMoves},
		{"no choice", func(o *protocol.GameOver) { o.YourChoice = json.RawMessage(`null`) }, protocol.ProtestMoves},
		{"more choices", func(o *protocol.GameOver) {
			o.YourChoice = json.RawMessage(`["even","odd"]`)
		}, protocol.ProtestMoves},
		{"the other's choice", func(o *protocol.GameOver) { o.OpponentChoice = json.RawMessage(`"even"`) }, ""},
		{"the key", func(o *protocol.GameOver) {
			o.Fairness.Key = hex.EncodeToString([]byte("another"))
		}, protocol.ProtestDraw},
		{"a key that is none", func(o *protocol.GameOver) { o.Fairness.Key = "xyz" }, protocol.ProtestDraw},
		{"a forfeit", func(o *protocol.GameOver) {
			o.Result, o.GameResult.Status, o.GameResult.WinnerPlayerID = protocol.TechnicalLoss, protocol.TechnicalLoss, &loser
			o.GameResult.Forfeits, o.GameResult.Choices, o.YourChoice = map[string]string{"P01": "E001"}, nil,
				json.RawMessage(`null`)
		}, protocol.ProtestForfeit},
		{"the other's forfeit", func(o *protocol.GameOver) {
			o.GameResult.Forfeits, o.GameResult.Choices, o.YourChoice = map[string]string{"P02": "E001"}, nil,
				json.RawMessage(`null`)
		}, ""},
		{"the winner", func(o *protocol.GameOver) { o.GameResult.WinnerPlayerID = &loser }, protocol.ProtestResult},
	} {
		t.Run(tt.name, func(t *testing.T) {
			atNativeTable(t, player.Alternate(), player.Options{Identity: identity(t)}, func(w *table) {
				w.calls("R1M1", 1)
				if _, err := w.parity("R1M1", 1); err != nil {
					t.Fatal(err)
				}
				w.end("R1M1", tt.change)
				got := w.protest()
				switch {
				case tt.want == "" && got != nil:
					t.Errorf("the player protests: %s: %s", got.What, got.Detail)
				case tt.want != "" && (got == nil || got.What != tt.want || !w.agreed.Requested(got) || got.PlayerID != "P01" ||
					got.Attempt != 1):
					t.Errorf("got %+v, want %s from P01", got, tt.want)
				case tt.want != "":
					if err := got.Signed.Check(bout("R1M1", ""), protocol.PublicKey(identity(t).Key)); err != nil {
						t.Errorf("what goes with the protest: %v", err)
					}
				}
			})
		})
	}
}

func TestPlayerProtestsAgainstASecondResult(t *testing.T) {
	atNativeTable(t, player.Alternate(), player.Options{}, func(w *table) {
		w.calls("R1M1", 1)
		if _, err := w.parity("R1M1", 1); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the same twice is nothing
			w.end("R1M1", func(*protocol.GameOver) {})
		}
		if p := w.protest(); p != nil {
			t.Fatalf("the player protests against what it knows: %+v", p)
		}
		seven, loser := 7, "P02"
		other := &protocol.GameOver{
			GameResult: protocol.GameResult{DrawnNumber: protocol.Present(seven), Status: protocol.Win, WinnerPlayerID: &loser},
			Result:     protocol.Loss, Attempt: 1,
		}
		other.MatchID = "R1M1"
		if _, err := w.tell(protocol.TypeGameOver, 1, other); err != nil {
			t.Fatal(err)
		}
		if p := w.protest(); p == nil || p.What != protocol.ProtestResult {
			t.Errorf("got %+v, want a protest against the second result", p)
		}
		if h := w.agent.History(); len(h) != 1 || h[0].Result != protocol.Loss {
			t.Errorf("history = %+v, want what the manager said", h)
		}
	})
}

// A choice that may not be played, or came too late, can be refused.
func TestPlayerDoesNotProtestAgainstAForfeitOfItsOwn(t *testing.T) {
	bad := player.StrategyFunc(func(context.Context, game.View) (game.Move, error) { return game.Move(`"seven"`), nil })
	atNativeTable(t, bad, player.Options{}, func(w *table) {
		w.calls("R1M1", 1)
		if _, err := w.parity("R1M1", 1); err != nil {
			t.Fatal(err)
		}
		loser := "P02"
		w.end("R1M1", func(o *protocol.GameOver) {
			o.Result, o.GameResult.Status, o.GameResult.WinnerPlayerID = protocol.TechnicalLoss, protocol.TechnicalLoss, &loser
			o.GameResult.Forfeits, o.GameResult.Choices, o.YourChoice = map[string]string{"P01": "E004"}, nil,
				json.RawMessage(`null`)
		})
		if p := w.protest(); p != nil {
			t.Errorf("the player protests: %+v", p)
		}
	})
}

// The list of moves of a longer game is compared move by move.
func TestPlayerKnowsAllItsMoves(t *testing.T) {
	for told, want := range map[string]string{
		`[0,8]`: "", `[0]`: protocol.ProtestMoves, `[8,0]`: protocol.ProtestMoves, `[0,8,2]`: protocol.ProtestMoves,
	} {
		atNativeTable(t, player.StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) {
			return v.Options[v.Turn/2], nil
		}), player.Options{}, func(w *table) {
			w.calls("R1M1", 1)
			for _, turn := range []int{0, 2} {
				if _, err := w.move("R1M1", turn, "v", "0", "8"); err != nil {
					t.Fatal(err)
				}
			}
			w.end("R1M1", func(o *protocol.GameOver) {
				o.YourChoice, o.GameResult.Choices = json.RawMessage(told), nil
				o.GameResult.DrawnNumber = protocol.Optional[int]{}
			})
			if p := w.protest(); (p == nil) != (want == "") || p != nil && p.What != want {
				t.Errorf("told %s: got %+v, want %q", told, p, want)
			}
		})
	}
}

// A result that the manager sends before a slow referee does not prevent a protest.
func TestPlayerProtestsAlthoughItHeardTheResultOfItsManagerFirst(t *testing.T) {
	atNativeTable(t, player.Alternate(), player.Options{Identity: identity(t)}, func(w *table) {
		w.calls("R1M1", 1)
		if _, err := w.parity("R1M1", 1); err != nil {
			t.Fatal(err)
		}
		w.knows("R1M1")
		table := []protocol.Standing{{PlayerID: "P01", Played: 1}}
		if _, err := w.tell(protocol.TypeLeagueStandingsUpdate, 1, &protocol.StandingsUpdate{Standings: table}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(patience) // in virtual time
		if got := w.remembers(); got != "R1M1 TECHNICAL_LOSS;" {
			t.Fatalf("it remembers %q", got)
		}
		loser := "P02"
		w.end("R1M1", func(o *protocol.GameOver) {
			o.Result, o.GameResult.Status, o.GameResult.WinnerPlayerID = protocol.TechnicalLoss, protocol.TechnicalLoss, &loser
			o.GameResult.Forfeits, o.GameResult.Choices, o.YourChoice = map[string]string{"P01": "E001"}, nil,
				json.RawMessage(`null`)
		})
		if p := w.protest(); p == nil || p.What != protocol.ProtestForfeit {
			t.Errorf("got %+v, want a protest against the forfeit", p)
		}
	})
}
