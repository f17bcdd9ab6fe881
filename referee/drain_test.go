package referee_test

import (
	"context"
	"testing"
	"time"

	"agentleague/protocol"
)

func TestDrainFinishesTheMatchesInHandAndTakesNoMore(t *testing.T) {
	d := &fullDisk{}
	withReferee(t, setting{recorder: d}, func(h *harness) {
		h.play(order())
		d.full.Store(true) // the next match takes long
		inPlay, further, told := order(), order(), order()
		inPlay.MatchID, further.MatchID = "R1M2", "R1M3"
		if status, err := h.start(inPlay); status != protocol.Accepted || err != nil {
			t.Errorf("got %q, %v, want ACCEPTED", status, err)
		}
		ended := make(chan time.Time, 1)
		go func() {
			h.referee.Drain(context.Background())
			ended <- time.Now()
		}()
		pass(time.Minute)
		for _, c := range []struct {
			what  string
			order *protocol.StartMatch
			want  string
		}{
			{"the match in hand", inPlay, protocol.Accepted},
			{"another match", further, protocol.Busy},
			{"a match that is over and told", told, protocol.Busy},
		} {
			if status, err := h.start(c.order); status != c.want || err != nil {
				t.Errorf("%s: got %q, %v, want %s", c.what, status, err, c.want)
			}
		}
		room := time.Now()
		d.full.Store(false)
		if end := <-ended; end.Before(room) || len(h.heardBy("LM", protocol.TypeMatchResultReport)) != 2 {
			t.Errorf("the drain ended %v after there was room, with %d results told", end.Sub(room),
				len(h.heardBy("LM", protocol.TypeMatchResultReport)))
		}
	})
}

func TestDrainDoesNotWaitLongerThanItMay(t *testing.T) {
	d := &fullDisk{}
	d.full.Store(true)
	withReferee(t, setting{recorder: d}, func(h *harness) {
		if _, err := h.start(order()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		begun := time.Now()
		h.referee.Drain(ctx)
		if took := time.Since(begun); took != time.Minute {
			t.Errorf("it took %v, want a minute", took)
		}
	})
}
