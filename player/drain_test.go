package player_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/player"
	"agentleague/protocol"
)

func TestDrainFinishesTheMatchesInHandAndJoinsNoMore(t *testing.T) {
	var n atomic.Int32
	atTable(t, asked(&n), player.Options{}, true, func(w *table) {
		if err := w.invite("R1M1", 1, w.matchToken("R1M1", 1)); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			w.agent.Drain(w.ctx)
			close(ended)
		}()
		time.Sleep(time.Second)
		refused(t, w.invite("R2M1", 1, w.matchToken("R2M1", 1)), protocol.Internal)
		if err := w.invite("R1M1", 1, w.matchToken("R1M1", 1)); err != nil {
			t.Errorf("invited again to the match in hand: %v", err)
		}
		if got, err := w.choose("R1M1", 1, w.matchToken("R1M1", 1)); err != nil || got != `"even"` {
			t.Errorf("asked in the match in hand: %s, %v", got, err)
		}
		select {
		case <-ended:
			t.Error("the drain has ended before the match")
		default:
		}
		if err := w.over("R1M1", 1, w.matchToken("R1M1", 1), protocol.Win, 8); err != nil {
			t.Fatal(err)
		}
		<-ended
	})
}

func TestDrainDoesNotWaitLongerThanItMay(t *testing.T) {
	var n atomic.Int32
	atTable(t, asked(&n), player.Options{}, true, func(w *table) {
		if err := w.invite("R1M1", 1, w.matchToken("R1M1", 1)); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
		defer cancel()
		begun := time.Now()
		w.agent.Drain(ctx)
		if took := time.Since(begun); took != time.Minute {
			t.Errorf("it took %v, want a minute", took)
		}
	})
}
