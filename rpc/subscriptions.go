package rpc

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK stores every subscribed address, existing or not. To bound the memory, a session has a maximum number of
// subscriptions, and all nonexistent resources share one.
const maxSubscriptions = 1024

// nowhere stands for all nonexistent resources. It is never updated.
const nowhere = "league://nothing"

// boundSubscriptions checks subscriptions before the SDK does.
func (g *gateway) boundSubscriptions(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch p := req.GetParams().(type) {
		case *mcp.SubscribeParams:
			g.subscribed.Store(true)
			if !g.sessions.subscribe(req.GetSession().ID(), 1) {
				return nil, tooMuch("a session has at most %d subscriptions", maxSubscriptions)
			}
			p.URI = g.existing(p.URI)
		case *mcp.UnsubscribeParams:
			g.sessions.subscribe(req.GetSession().ID(), -1)
			p.URI = g.existing(p.URI)
		case *mcp.SubscriptionsListenParams:
			g.subscribed.Store(true)
			if p.Notifications != nil && len(p.Notifications.ResourceSubscriptions) > maxSubscriptions {
				return nil, tooMuch("a request has at most %d subscriptions", maxSubscriptions)
			}
		}
		return next(ctx, method, req)
	}
}

// existing returns the address of a resource that there is, and nowhere for any other.
func (g *gateway) existing(uri string) string {
	g.mu.Lock()
	known := g.known
	g.mu.Unlock()
	if known != nil && known(uri) {
		return uri
	}
	return nowhere
}

func tooMuch(form string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(form, args...)}
}

// subscribe counts the subscriptions of a session, and reports whether it may have them.
func (s *sessions) subscribe(id string, more int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	place := s.known[id]
	if place == nil { // it is as short as its request
		return true
	}
	one := place.Value.(*session)
	if one.subscribed+more > maxSubscriptions {
		return false
	}
	one.subscribed = max(one.subscribed+more, 0)
	return true
}
