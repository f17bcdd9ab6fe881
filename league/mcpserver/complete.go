package mcpserver

import (
	"context"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/league"
	"agentleague/protocol"
)

// maxValues is the maximum number of values in a completion, by the MCP specification.
const maxValues = 100

// complete completes the ids of rounds, players and matches.
func (s *Show) complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	out := mcp.CompletionResultDetails{Values: []string{}}
	begun := strings.ToUpper(req.Params.Argument.Value)
	s.m.Read(func(l *league.State) {
		for value := range candidates(l, kindOf(req.Params)) {
			if !strings.HasPrefix(value, begun) {
				continue
			}
			if out.Total++; len(out.Values) < maxValues {
				out.Values = append(out.Values, value)
			}
		}
	})
	out.HasMore = out.Total > len(out.Values)
	return &mcp.CompleteResult{Completion: out}, nil
}

// kindOf returns the kind of object that an argument identifies.
func kindOf(p *mcp.CompleteParams) string {
	name := p.Argument.Name
	if p.Ref != nil && p.Ref.Type == "ref/resource" {
		rest, _ := strings.CutPrefix(p.Ref.URI, scheme)
		name, _, _ = strings.Cut(rest, "/")
	}
	switch name {
	case "rounds", "round", "round_id", "n":
		return "rounds"
	case "players", "player", "player_id":
		return "players"
	case "matches", "match", "match_id":
		return "matches"
	}
	return ""
}

// candidates lists all ids of a kind.
func candidates(l *league.State, kind string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		switch kind {
		case "rounds":
			for n := 1; n <= l.Schedule.Rounds() && yield(strconv.Itoa(n)); n++ {
			}
		case "players":
			for _, a := range l.Roster(protocol.RolePlayer) {
				if !yield(a.ID) {
					return
				}
			}
		case "matches": // of the opened rounds, which have something to show
			for n := 1; n <= l.Round; n++ {
				for _, m := range l.InRound(n) {
					if !yield(m.ID) {
						return
					}
				}
			}
		}
	}
}
