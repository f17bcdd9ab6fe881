package cli

import (
	"context"

	"agentleague/server"
)

// runMember runs one manager of a cluster until it is interrupted. The other managers then continue its leagues.
func runMember(ctx context.Context, a *app, c *server.Server, stop func()) error {
	told := map[string]string{"endpoint": c.At.URL}
	if at := c.Endpoint(); at != c.At.URL {
		told["public_endpoint"] = at
	}
	a.say(told, "manager of a cluster at %s", c.At.URL)
	watchAt(a, c.Endpoint())
	<-ctx.Done()
	a.shutdownServer(c)
	stop()
	err := c.Wait()
	if err == nil {
		a.left()
	}
	return err
}
