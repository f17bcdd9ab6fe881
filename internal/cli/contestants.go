package cli

import (
	"math/rand/v2"
	"net/url"
	"strings"

	"agentleague/duel"
	"agentleague/internal/cli/usage"
	"agentleague/player"
	"agentleague/protocol"
)

// A strategyMaker creates the strategy of a spec. The strategy draws from chance; nil means the system's random source.
type strategyMaker func(spec string, chance *rand.Rand) (player.Strategy, error)

// contestants parses the two players of a match. With a seed, the random numbers of built-in players are reproducible.
func contestants(args []string, seed string, strategy strategyMaker) (out [2]*duel.Contestant, err error) {
	for i, arg := range args {
		s := &duel.Contestant{ID: protocol.AgentID(protocol.RolePlayer, i+1), Name: arg}
		if isEndpoint(arg) {
			s.Endpoint, err = endpoint(arg)
		} else if s.Strategy, err = strategy(arg, chanceOf(seed, i)); err != nil {
			err = usage.Wrong("use the endpoint of a player, such as http://localhost:8101/mcp, or a strategy: %w"+whereStrategies, err)
		}
		if err != nil {
			return out, err
		}
		out[i] = s
	}
	if out[0].Endpoint != "" && out[0].Endpoint == out[1].Endpoint {
		return out, usage.Wrong("%s cannot play against itself; give two players", out[0].Endpoint)
	}
	return out, nil
}

// chanceOf returns the random source of the built-in player on a side; nil, the system's source, without a seed.
func chanceOf(seed string, side int) *rand.Rand {
	if seed == "" {
		return nil
	}
	return duel.Chance(seed, side, 0)
}

// isEndpoint reports whether an argument is a URL. A strategy such as llm:http://… is not one.
func isEndpoint(arg string) bool {
	scheme, _, found := strings.Cut(arg, "://")
	return found && !strings.Contains(scheme, ":")
}

// endpoint parses the URL of a player. An omitted path becomes /mcp.
func endpoint(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", usage.Wrong("want an endpoint such as http://localhost:8101/mcp, got %q", text)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/mcp"
	}
	return u.String(), nil
}
