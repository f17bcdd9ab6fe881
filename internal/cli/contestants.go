package cli

import (
	"math/rand/v2"
	"net/url"
	"strings"

	"agentleague/duel"
	"agentleague/player"
	"agentleague/protocol"
)

// A strategyMaker makes a strategy from its spec. It draws from chance; nil is the machine's own.
type strategyMaker func(spec string, chance *rand.Rand) (player.Strategy, error)

// contestants reads the players of a match. The randomness of built-in players follows from the seed, if there is
// one.
func contestants(args []string, seed string, strategy strategyMaker) (out [2]*duel.Contestant, err error) {
	for i, arg := range args {
		s := &duel.Contestant{ID: protocol.AgentID(protocol.RolePlayer, i+1), Name: arg}
		if isEndpoint(arg) {
			s.Endpoint, err = endpoint(arg)
		} else if s.Strategy, err = strategy(arg, chanceOf(seed, i)); err != nil {
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

// chanceOf is the random source of the built-in player of a side.
func chanceOf(seed string, side int) *rand.Rand {
	if seed == "" {
		return nil
	}
	return duel.Chance(seed, side, 0)
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
