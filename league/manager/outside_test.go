package manager

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

const (
	inside = "http://192.168.1.10:8000/mcp"
	abroad = "https://league.example.org/spring/mcp"
)

func TestAgentsAreToldTheAddressByWhichTheyCame(t *testing.T) {
	t.Parallel()
	behind := &core{opts: Options{Endpoint: inside, PublicEndpoint: abroad}}
	alone := &core{opts: Options{Endpoint: inside}}
	signed := func(manager string) league.Registered {
		return league.Registered{Endpoint: "http://localhost:8101/mcp", Key: "k", Welcome: &league.Welcomed{Manager: manager}}
	}
	for _, c := range []struct {
		at    *core
		agent league.Registered
		want  string
	}{
		{alone, league.Registered{Endpoint: "https://agent.example.com/mcp"}, inside},
		{alone, signed("http://192.168.1.10:7000/mcp"), inside}, // of a manager that has another port now
		{behind, league.Registered{Endpoint: "https://agent.example.com/mcp"}, abroad},
		{behind, league.Registered{Endpoint: "http://localhost:8101/mcp"}, inside},
		{behind, league.Registered{Endpoint: "http://127.0.0.2:8101/mcp"}, inside},
		{behind, league.Registered{Endpoint: "http://[::1]:8101/mcp"}, inside},
		{behind, league.Registered{Endpoint: "http://192.168.1.10:8000/p/P01/mcp"}, inside},
		{behind, signed("https://League.example.org/spring/leagues/cup/mcp"), abroad},
		{behind, signed("http://localhost:8000/mcp"), inside},
	} {
		if got := c.at.addressFor(c.agent); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.agent, got, c.want)
		}
	}
	if got := behind.addresses("https://agent.example.com/mcp"); !slices.Equal(got, []string{abroad, inside}) {
		t.Errorf("got %q", got)
	}
	if behind.outside() != abroad || alone.outside() != inside {
		t.Errorf("everybody is told %s and %s", behind.outside(), alone.outside())
	}
	if !behind.isPublic(abroad+"/") || behind.isPublic(inside) || alone.isPublic("") {
		t.Error("the manager does not know its own address")
	}
}

// An order needs the root's token or a grant for the bearer; for a grant, the token in the message does not count.
func TestOrdersCountByAGrant(t *testing.T) {
	t.Parallel()
	g := &authenticator{core: &core{opts: Options{AdminToken: "tok_admin_own", Grants: func(_ context.Context, token string) (string, error) {
		if token != "good" {
			return "", errors.New("it is from elsewhere")
		}
		return "ada\x1b[2J", nil
	}}}}
	ctx := t.Context()
	h := protocol.Envelope{MessageType: protocol.TypePauseLeague, AuthToken: "good", Sender: "player:P01"}
	if err := g.checkGrant(ctx, rpc.From{Token: "good", Addr: "10.0.0.1"}, &h); err != nil {
		t.Error(err)
	}
	by := orderedBy(rpc.From{Addr: "10.0.0.1"}, &h)
	if !strings.HasPrefix(by, "admin via oauth ada") || strings.Contains(by, "\x1b") || !strings.HasSuffix(by, " 10.0.0.1") {
		t.Errorf("the order is said to be of %q", by)
	}
	err := g.checkGrant(ctx, rpc.From{Token: "secret-of-somebody"}, &protocol.Envelope{})
	if !protocol.Is(err, protocol.AuthTokenInvalid) || !strings.Contains(err.Error(), "from elsewhere") || strings.Contains(err.Error(), "secret-of-somebody") {
		t.Errorf("got %v", err)
	}
	own := protocol.Envelope{AuthToken: "Bearer tok_admin_own", Sender: "admin:cli"}
	if err := g.checkOrder(ctx, rpc.From{Token: "bad"}, &own); err != nil || own.Sender != "admin:cli" {
		t.Errorf("the root's own token: %v, %q", err, own.Sender)
	}
}
