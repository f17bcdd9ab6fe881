package referee

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// A START_MATCH order of a third-party manager may lack the addresses of the players. The referee then looks for them,
// in this order:
//
//	directory of the manager ─▶ port 8100 + N on its host ─▶ ping ─▶ invitation ─▶ GAME_JOIN_ACK shows the id
//
// If the agent at a port shows the id of another player, the match is cancelled and the other ports are tried.

// A locator finds the endpoints of the players of a third-party manager.
type locator struct {
	node    *rpc.Node
	base    context.Context
	manager *managerClient
	shown   shownIDs

	mu          sync.Mutex // held while the manager is asked
	noDirectory bool       // it does not answer that
}

// unlocated reports whether a START_MATCH order has the ids of two players but lacks the endpoint of at least one of
// them.
func unlocated(start *protocol.StartMatch) bool {
	return start.PlayerA.ID != "" && start.PlayerB.ID != "" &&
		(start.PlayerA.Endpoint == "" || start.PlayerB.Endpoint == "")
}

// locate fills in the missing endpoints of an order's players: from the manager's directory, or else by probing the
// ports that correspond to their ids. It returns a MissingField error if a player is not found.
func (l *locator) locate(start *protocol.StartMatch) error {
	if !unlocated(start) {
		return nil
	}
	known := l.directory()
	manager, _ := l.manager.at()
	for _, c := range []*protocol.Contender{&start.PlayerA, &start.PlayerB} {
		if c.Endpoint = cmp.Or(c.Endpoint, known[c.ID]); c.Endpoint != "" {
			continue
		}
		if err := l.assume(c, manager); err != nil {
			return protocol.Errorf(protocol.MissingField,
				"the manager does not say where %s is: neither its order for %s nor its answers to %s and %s have an address, and %v",
				c.ID, start.MatchID, protocol.QueryPlayerDirectory, protocol.QueryRegistrations, err).With("player_id", c.ID)
		}
	}
	return nil
}

// directory queries a third-party manager for its players' endpoints, by player id. It tries both supported queries; if
// neither returns an address, later calls return nil at once.
func (l *locator) directory() (known map[string]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, query := range []string{protocol.QueryPlayerDirectory, protocol.QueryRegistrations} {
		if l.noDirectory {
			break
		}
		if known = l.manager.query(l.base, query).Addresses(); len(known) > 0 {
			return known
		}
	}
	l.noDirectory = true
	return nil
}

// pingTimeout is the total time limit for pinging the ports of the players.
const pingTimeout = 10 * time.Second

// assume sets a player's endpoint by pinging the players' ports on the manager's host, starting with the port of the
// player's id. If the agent at that port answers without an id, it is assumed to be the player. Otherwise an agent
// that shows the player's id is preferred to the first one that answers without an id. The GAME_JOIN_ACK of an
// assumed player must show the id.
func (l *locator) assume(c *protocol.Contender, manager string) error {
	ctx, cancel := context.WithTimeout(l.base, pingTimeout)
	defer cancel()
	for i, endpoint := range portsBeside(manager, c.ID) {
		id, alive := l.playerAt(ctx, endpoint)
		switch {
		case id == c.ID:
			c.Endpoint, c.Assumed = endpoint, false
		case alive && id == "" && c.Endpoint == "":
			c.Endpoint, c.Assumed = endpoint, true
		}
		if c.Endpoint != "" && (i == 0 || !c.Assumed) {
			break
		}
	}
	if c.Endpoint == "" {
		return fmt.Errorf("no agent at the ports of players beside the manager shows the id %s", c.ID)
	}
	l.node.Logger.Info("the address of a player follows from its id", slog.String("player_id", c.ID),
		slog.String("endpoint", c.Endpoint), slog.Bool("shows_id", !c.Assumed))
	return nil
}

// playerAt pings an endpoint. It returns the player id that the agent there shows, or "", and whether any agent
// answers.
func (l *locator) playerAt(ctx context.Context, endpoint string) (id string, alive bool) {
	if id = l.shown.at(endpoint); id != "" {
		return id, true
	}
	reply, err := l.node.Call(ctx, rpc.Peer{Endpoint: endpoint}, &protocol.Tool{Envelope: protocol.Envelope{
		MessageType: protocol.TypePing, ConversationID: "conv-ping-player",
	}})
	if pong, ok := reply.(*protocol.Pong); ok {
		id = shownID(pong.Agent, pong.Sender)
		l.shown.note(endpoint, id)
	}
	return id, err == nil || errors.As(err, new(*protocol.Refusal)) || protocol.Is(err, protocol.InvalidMessage)
}

// shownIDs caches the player id that each endpoint has shown.
type shownIDs struct {
	mu  sync.Mutex
	ids map[string]string
}

func (s *shownIDs) at(endpoint string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[endpoint]
}

// note stores the player id that an endpoint has shown, and reports whether the id differs from the one stored before.
func (s *shownIDs) note(endpoint, id string) (news bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" || s.ids[endpoint] == id {
		return false
	}
	if s.ids == nil {
		s.ids = map[string]string{}
	}
	s.ids[endpoint] = id
	return true
}

// playerPorts is the number of ports to search for players, starting with the port of P01.
const playerPorts = 16

// portsBeside lists the players' endpoints on the manager's host, that of player id first. It returns nil if the id has
// no assigned port.
func portsBeside(manager, id string) (endpoints []string) {
	host, err := url.Parse(manager)
	own, err2 := url.Parse(protocol.Home(protocol.RolePlayer, id))
	if err != nil || err2 != nil || own.Host == "" || host.Hostname() == "" {
		return nil
	}
	for n := range playerPorts + 1 {
		home := own
		if n > 0 {
			home, _ = url.Parse(protocol.Home(protocol.RolePlayer, protocol.AgentID(protocol.RolePlayer, n)))
		}
		at := url.URL{Scheme: host.Scheme, Host: net.JoinHostPort(host.Hostname(), home.Port()), Path: home.Path}
		if endpoint := at.String(); !slices.Contains(endpoints, endpoint) {
			endpoints = append(endpoints, endpoint)
		}
	}
	return endpoints
}

// shownID returns the first player id in a list of an agent's names, such as player:P01 and P01, or "".
func shownID(names ...string) string {
	for _, name := range names {
		role, id := protocol.ParseSender(name)
		if role == protocol.RolePlayer && id != "" {
			return id
		}
		if protocol.ValidID(protocol.RolePlayer, name) {
			return name
		}
	}
	return ""
}

// An elsewhereError reports that the agent at an assumed port is not the expected player. It ends the match.
type elsewhereError struct{ endpoint, id, shown string }

func (e *elsewhereError) Error() string {
	return fmt.Sprintf("the agent at %s was taken for %s and says that it is %q", e.endpoint, e.id, protocol.Plain(e.shown))
}
