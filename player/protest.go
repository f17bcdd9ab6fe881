package player

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"agentleague/protocol"
)

// A protest is tried so long, with such a pause between two tries.
const (
	protestFor   = 30 * time.Second
	protestPause = 5 * time.Second
)

// protest reports contradictions to the manager in the background. The caller holds the lock.
func (a *Agent) protest(ctx context.Context, m *protocol.MatchProtest) {
	a.Node.Logger.Warn("the end of a match is wrong; the manager is informed", slog.String("match_id", m.MatchID),
		slog.String("what", m.What), slog.String("detail", m.Detail))
	a.protests++
	manager := a.peer(a.manager)
	go func() { // Drain waits for it
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), protestFor)
		defer cancel()
		_, err := a.Node.CallUntil(ctx, manager, protestPause, m)
		for errors.Is(err, protocol.ErrUnauthenticated) && a.Node.Sleep(ctx, "protest again", protestPause) == nil {
			_, err = a.Node.CallUntil(ctx, manager, protestPause, m)
		}
		if err != nil {
			a.Node.Logger.Error("the manager could not be informed of what is wrong in a match", slog.String("match_id", m.MatchID),
				slog.Any("error", err))
		}
		a.mu.Lock()
		a.protests--
		a.mu.Unlock()
	}()
}
