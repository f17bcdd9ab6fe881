package cli

import (
	"context"
	"strings"

	"agentleague/client"
	"agentleague/dialect"
	"agentleague/duel"
	"agentleague/internal/term"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/server"
)

// practise plays one match with a player that is about to be enlisted. It returns nil without one: for a referee, for
// an address that no league accepts, and in a running league, whose matches the player may be in.
func (a *app) practise(ctx context.Context, order *protocol.EnlistAgent, bearer string) (*protocol.Practice, error) {
	if order.Role != protocol.RolePlayer || !league.Callable(order.Endpoint) {
		return nil, nil
	}
	_, now, err := client.Status(ctx, a.client())
	if err != nil || now.CurrentRound > 0 {
		return nil, nil // an order reports the manager's error
	}
	games, err := a.rules()
	if err != nil {
		return nil, err
	}
	rules, err := games.Lookup(now.GameType)
	if err != nil {
		return nil, nil // a practice match needs the rules, and only the manager has them
	}
	token, err := bearerIn(bearer)
	if err != nil {
		return nil, err
	}
	caller := a.caller()
	if token != "" {
		caller.Bearer = func(string) string { return token }
	}
	spoken := ""
	if byHand, err := dialect.TypesByHand(order.Tools, server.GameOf(rules).Asks); err == nil && len(byHand) > 0 {
		spoken = dialect.ToolDialect(byHand)
	}
	p, err := duel.Practise(ctx, games, now.GameType, order.Endpoint, spoken, caller)
	if err != nil && ctx.Err() == nil {
		p.Said, err = "No practice match could be played: "+err.Error()+".", nil
	}
	return &p, err
}

// practiceWords describe a practice match, on a separate line.
func practiceWords(p *protocol.Practice) string {
	switch {
	case p == nil:
		return ""
	case p.OK:
		return "\n" + term.Plain(p.Said)
	}
	advice := hint(p.Said)
	switch {
	case strings.HasPrefix(p.Said, duel.NotUnderstood):
		advice = "`league check --listen PORT` shows how, and plays with it so."
	case advice == "":
		advice = "`league check` tells more."
	}
	return "\n" + term.Plain(p.Said) + " " + advice
}
