package cli

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"agentleague/host"
	"agentleague/player"
	"agentleague/protocol"
)

// A side is one player of a single match: one that runs somewhere, or a mind
// that is hosted here.
type side struct {
	id       string
	name     string // as it was asked for
	endpoint string
	mind     player.Strategy // nil: it runs somewhere
}

// newSides reads who is to play.
func newSides(args []string) (out [2]*side, err error) {
	for i, arg := range args {
		s := &side{id: protocol.AgentID(protocol.RolePlayer, i+1), name: arg}
		if strings.Contains(arg, "://") {
			s.endpoint, err = endpoint(arg)
		} else if s.mind, err = strategyNamed(arg); err != nil {
			err = wrongUsage("want the endpoint of a player, such as http://localhost:8101/mcp, or one of %s; got %q", known(), arg)
		}
		if err != nil {
			return out, err
		}
		out[i] = s
	}
	if out[0].endpoint != "" && out[0].endpoint == out[1].endpoint {
		return out, wrongUsage("%s cannot play against itself; give two players", out[0].endpoint)
	}
	return out, nil
}

// endpoint reads the address of a player. The path may be left out.
func endpoint(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", wrongUsage("want an endpoint such as http://localhost:8101/mcp, got %q", text)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/mcp"
	}
	return u.String(), nil
}

// known lists the built-in host.Strategies.
func known() string { return strings.Join(slices.Sorted(maps.Keys(host.Strategies)), ", ") }
