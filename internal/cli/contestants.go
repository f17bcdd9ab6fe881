package cli

import (
	"net/url"
	"strings"

	"agentleague/duel"
	"agentleague/player"
	"agentleague/protocol"
)

// contestants reads who is to play. Strategy makes one from its spec.
func contestants(args []string, strategy func(spec string) (player.Strategy, error)) (out [2]*duel.Contestant, err error) {
	for i, arg := range args {
		s := &duel.Contestant{ID: protocol.AgentID(protocol.RolePlayer, i+1), Name: arg}
		if isEndpoint(arg) {
			s.Endpoint, err = endpoint(arg)
		} else if s.Strategy, err = strategy(arg); err != nil {
			err = wrongUsage("use the endpoint of a player, such as http://localhost:8101/mcp, or a strategy: %w"+whereStrategies, err)
		}
		if err != nil {
			return out, err
		}
		out[i] = s
	}
	if out[0].Endpoint != "" && out[0].Endpoint == out[1].Endpoint {
		return out, wrongUsage("%s cannot play against itself; give two players", out[0].Endpoint)
	}
	return out, nil
}

// isEndpoint reports whether a word is meant as an address, and not as a strategy that may have one in its argument.
func isEndpoint(arg string) bool {
	scheme, _, found := strings.Cut(arg, "://")
	return found && !strings.Contains(scheme, ":")
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
