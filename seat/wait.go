package seat

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/player"
)

// waitWithProgress waits for news, and sends progress to a host that requested it.
func (t *Seat) waitWithProgress(ctx context.Context, req *mcp.CallToolRequest, most time.Duration) (
	player.Update, error) {
	enough, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	var telling sync.WaitGroup
	defer func() { cancel(); telling.Wait() }()
	if token := req.Params.GetProgressToken(); token != nil {
		telling.Go(func() {
			every(enough, 5*time.Second, func(passed time.Duration) {
				u := t.Player.Look(newsAside)
				_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: token, Progress: passed.Seconds(), Total: most.Seconds(), Message: t.expects(t.PlayerID(), u),
				})
			})
		})
	}
	u, err := t.wait(enough)
	switch {
	case t.Trouble() != nil:
		return u, fmt.Errorf("your player is not in the league: %w", t.Trouble())
	case ctx.Err() != nil:
		return u, context.Cause(ctx)
	case enough.Err() != nil:
		return u, nil
	}
	return u, err
}

// every calls f again and again until ctx ends.
func every(ctx context.Context, d time.Duration, f func(passed time.Duration)) {
	start, tick := time.Now(), time.NewTicker(d)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			f(now.Sub(start))
		case <-ctx.Done():
			return
		}
	}
}
