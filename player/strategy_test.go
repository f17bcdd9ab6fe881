package player_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/game"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

var parity = game.View{Ask: "choose_parity", Options: []game.Move{game.Move(`"even"`), game.Move(`"odd"`)}}

func play(t *testing.T, s player.Strategy, v game.View) string {
	t.Helper()
	m, err := s.Choose(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return string(m)
}

func TestRandomPlaysEveryOption(t *testing.T) {
	for _, s := range []player.Strategy{player.Random(nil), player.Random(rand.New(rand.NewPCG(1, 2)))} {
		seen := map[string]int{}
		for range 200 {
			seen[play(t, s, parity)]++
		}
		if seen[`"even"`] < 50 || seen[`"odd"`] < 50 {
			t.Errorf("200 choices = %v, want about as many of each", seen)
		}
	}
}

func TestAlternateAlternates(t *testing.T) {
	s := player.Alternate()
	for _, want := range []string{`"even"`, `"odd"`, `"even"`} {
		if got := play(t, s, parity); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestHistoryPlaysWhatWasDrawnMost(t *testing.T) {
	s := player.FromHistory()
	if got := play(t, s, parity); got != `"even"` {
		t.Errorf("without a past got %s, want the first option", got)
	}
	for _, n := range []int{3, 5, 8} {
		s.(player.Learner).Learn(protocol.PlayerMatch{DrawnNumber: protocol.Present(n)})
	}
	s.(player.Learner).Learn(protocol.PlayerMatch{}) // a forfeit: nothing was drawn
	if got := play(t, s, parity); got != `"odd"` {
		t.Errorf("after 3, 5 and 8 got %s, want odd", got)
	}
	board := game.View{Ask: "place_mark", Options: []game.Move{game.Move(`4`), game.Move(`7`)}}
	if got := play(t, s, board); got != "4" {
		t.Errorf("on a board got %s, want the first option", got)
	}
}

func TestPastMatchesAreLearnedWhenTheIDIsGranted(t *testing.T) {
	seven := 7
	s := player.FromHistory()
	o := player.Options{Recall: func(id string) (player.Past, error) {
		return player.Past{Matches: []protocol.PlayerMatch{{MatchID: id, DrawnNumber: protocol.Present(seven)}}}, nil
	}}
	atTable(t, s, o, true, func(w *table) {
		if got := play(t, s, parity); got != `"odd"` {
			t.Errorf("got %s, want odd", got)
		}
		if h := w.agent.History(); len(h) != 1 || h[0].MatchID != "P01" {
			t.Errorf("history = %+v, want the one of P01", h)
		}
	})
}

func TestNothingToPlayIsAnError(t *testing.T) {
	for _, s := range []player.Strategy{player.Random(nil), player.Alternate(), player.FromHistory()} {
		if m, err := s.Choose(t.Context(), game.View{}); err == nil {
			t.Errorf("%T played %s out of nothing", s, m)
		}
	}
}

func TestSeatPlaysWhatItIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seat := player.NewSeat(nil, time.Second)
		got := make(chan string, 1)
		go func() { got <- play(t, seat, parity) }()
		turn, err := seat.Turn(t.Context())
		if err != nil || turn.View.Ask != "choose_parity" {
			t.Fatalf("Turn = %+v, %v", turn, err)
		}
		if err := seat.Play("99", game.Move(`"odd"`)); err != player.ErrNoTurn {
			t.Errorf("a move for another turn = %v, want ErrNoTurn", err)
		}
		if err := seat.Play(turn.ID, game.Move(`"odd"`)); err != nil {
			t.Fatal(err)
		}
		if g := <-got; g != `"odd"` {
			t.Errorf("got %s, want odd", g)
		}
		if err := seat.Play(turn.ID, game.Move(`"even"`)); err != player.ErrNoTurn {
			t.Errorf("a second move = %v, want ErrNoTurn", err)
		}
	})
}

func TestSeatFallsBackInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		m, err := player.NewSeat(player.Alternate(), 2*time.Second).Choose(ctx, parity)
		if err != nil || string(m) != `"even"` || time.Since(start) != 28*time.Second {
			t.Errorf("got %s, %v after %v; want even after 28s", m, err, time.Since(start))
		}
		if m, err := player.NewSeat(nil, 2*time.Second).Choose(ctx, parity); err == nil {
			t.Errorf("without a fallback got %s, want an error", m)
		}
	})
}

func TestWaitingForATurnEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := player.NewSeat(nil, 0).Turn(ctx); err == nil {
		t.Error("there was no turn, and no error")
	}
}

// synctestLate registers with a manager that comes up 21 seconds late.
func synctestLate(t *testing.T) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		net := rpctest.NewNetwork(1, synctest.Wait, rpctest.Faults{})
		p := net.Boot("P01", home)
		a := player.New("Agent Alpha", player.Alternate(), player.Options{Options: rpc.Options{Network: p}})
		p.Serve(a.Node)
		start := time.Now()
		net.At(21*time.Second, "manager up", func() {
			lm := net.Boot("LM", office)
			n := rpc.NewNode(protocol.Manager, rpc.Options{Network: lm})
			w := &table{t: t, ours: true, manager: n}
			n.Handle(protocol.TypeLeagueRegisterRequest, w.register)
			lm.Serve(n)
		})
		go func() {
			defer stop()
			ctx, cancel := context.WithTimeout(p.Context(), patience)
			defer cancel()
			if err := a.Register(ctx, office, home); err != nil {
				t.Errorf("register: %v", err)
			}
			if took := time.Since(start); took < 21*time.Second || took > 24*time.Second {
				t.Errorf("registered after %v, want within two seconds of the manager's start", took)
			}
		}()
		net.Drive(ctx)
	})
}

func TestHistoryIsJSONOfTheSample(t *testing.T) {
	b, err := json.Marshal(protocol.PlayerMatch{MatchID: "R1M1", RoundID: 1, MyChoice: json.RawMessage(`"even"`),
		DrawnNumber: protocol.DrawMember[int](protocol.EvenOdd, nil)})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"match_id", "round_id", "timestamp", "opponent_id", "result", "my_choice", "opponent_choice", "drawn_number",
		"points_earned",
	} {
		var m map[string]any
		_ = json.Unmarshal(b, &m)
		if _, ok := m[key]; !ok {
			t.Errorf("%s is missing in %s", key, b)
		}
	}
}
