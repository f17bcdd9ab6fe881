package referee_test

import (
	"context"
	"testing"
	"time"

	"agentleague/protocol"
)

// One player declines before the invitation of the other has arrived. The other has won, and is informed.
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

// A player that does not answer its invitations has lost: its answer to the end of the match causes no further
// invitation.
func TestWhoForfeitsIsNotInvitedAgain(t *testing.T) {
	t.Parallel()
	withReferee(t, setting{}, func(h *harness) {
		silent := h.players["P01"]
		told, again := 0, 0
		silent.invited = func(ctx context.Context, _ *protocol.GameInvitation) (protocol.Message, error) {
			if told > 0 {
				again++
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}
		silent.over = func(_ context.Context, m *protocol.GameOver) (protocol.Message, error) {
			told++
			return nil, protocol.Errorf(protocol.MatchNotFound, "this player was not invited to match %q", m.MatchID)
		}
		h.play(order())
		pass(time.Minute) // for all tries to announce it
		if _, lost := h.report().Result.Details.Forfeits["P01"]; !lost || told == 0 || again > 0 {
			t.Errorf("P01 has lost: %v; it was told %d times, and invited %d times after that", lost, told, again)
		}
	})
}
