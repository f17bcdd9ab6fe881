package referee_test

import (
	"context"
	"testing"

	"agentleague/protocol"
)

// One player declines before the invitation of the other has arrived. The other has won, and hears of it.
func TestWhoWasNotInvitedInTimeHearsThatItHasWon(t *testing.T) {
	t.Parallel()
	withReferee(t, setting{}, func(h *harness) {
		late, no := h.players["P01"], h.players["P02"]
		calls, knows := 0, false
		late.invited = func(ctx context.Context, _ *protocol.GameInvitation) (protocol.Message, error) {
			if calls++; calls == 1 { // as if it had never come
				<-ctx.Done()
				return nil, ctx.Err()
			}
			knows = true
			return late.join(true), nil
		}
		over := late.over
		late.over = func(ctx context.Context, m *protocol.GameOver) (protocol.Message, error) {
			if !knows {
				return nil, protocol.Errorf(protocol.MatchNotFound, "this player was not invited to match %q", m.MatchID)
			}
			return over(ctx, m)
		}
		no.invited = func(context.Context, *protocol.GameInvitation) (protocol.Message, error) { return no.join(false), nil }
		h.play(order())
		h.checkForfeits(map[string]string{"P02": protocol.Declined})
		if calls != 2 || !knows {
			t.Errorf("P01 was invited %d times, want twice", calls)
		}
		heard := h.heardBy("P01", protocol.TypeGameOver)
		if last := as[protocol.GameOver](t, heard[len(heard)-1]); !knows || last.PointsEarned != 3 {
			t.Errorf("P01 heard %+v, want that it has won", last)
		}
	})
}
