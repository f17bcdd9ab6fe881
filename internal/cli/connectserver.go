package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"agentleague/host"
	"agentleague/internal/gateway"
	"agentleague/internal/term"
	"agentleague/mailbox"
	"agentleague/protocol"
	"agentleague/rpc"
)

// connectServer registers an MCP server, at a URL or as a program, as a player of the manager, and answers for it until
// ctx ends or another program takes over the mailbox.
func (a *app) connectServer(ctx context.Context, f connectFlags, args []string) (err error) {
	named, err := namedTools(f.tools)
	if err != nil {
		return err
	}
	a.manager = f.manager
	e := enlisting{app: a, order: &protocol.EnlistAgent{Role: protocol.RolePlayer, Endpoint: args[0], DisplayName: f.name, Tools: named}}
	leagueID, question, err := e.asked(ctx)
	if err != nil {
		return err
	}
	if f.stdio {
		e.order.DisplayName = programName(f.name, args)
		b, err := programFlags{env: f.env}.start(ctx, a, args, question.Head().MessageType, named)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, b.Close()) }()
		e.order.Endpoint = b.Endpoint
	}
	met, err := e.met(ctx, question)
	if err != nil {
		return enlistAdvice(err)
	}
	played, err := e.practise(ctx)
	if err != nil {
		return err
	}
	if f.key == "" {
		f.key = "league-connect-" + url.PathEscape(e.order.DisplayName) + ".key"
	}
	p := gateway.NewToolPlayer(a.network.caller(), e.order.Endpoint, met.Dialect)
	link, err := a.dial(ctx, f.manager, f.key, p.Deliver)
	if err != nil {
		return err
	}
	defer link.Close()
	answer, err := p.Register(ctx, link, e.order.DisplayName)
	switch {
	case err != nil:
		return fmt.Errorf("the manager at %s does not register the player: %w", f.manager, err)
	case answer.PlayerID == nil:
		return fmt.Errorf("the manager at %s does not register the player: %s", f.manager, reasonOf(&answer.Admission))
	}
	a.say(map[string]any{"league_id": leagueID, "id": *answer.PlayerID, "endpoint": link.Endpoint(), "calls": met.Calls},
		"%s is %s in %s, and plays as long as this command runs; end it with Ctrl-C.%s%s", term.Brief(e.order.DisplayName),
		*answer.PlayerID, leagueID, calledFor(&protocol.LeagueControlAck{Calls: met.Calls}), practiceWords(played))
	<-link.Done()
	return a.interrupt.ended(ctx, replaced(link, f.key))
}

// met determines which tools of the server are called for the messages of the game.
func (e enlisting) met(ctx context.Context, question protocol.Message) (*rpc.Meeting, error) {
	met, err := rpc.NewNode("player:tools", e.app.network.caller()).Meet(ctx, e.order.Endpoint, question, e.order.Tools)
	if err == nil && met == nil {
		err = fmt.Errorf("no MCP server answers at %s; start it first. An agent that registers itself needs no --name", e.order.Endpoint)
	}
	return met, err
}

// dial opens the mailbox of the key in a file, and prints each change of its connection.
func (a *app) dial(ctx context.Context, manager, keyFile string, deliver func(context.Context, []byte) mailbox.Answer) (*mailbox.Link, error) {
	key, err := gateway.Key(keyFile)
	if err != nil {
		return nil, fmt.Errorf("%w; give another file with --key", err)
	}
	link, err := mailbox.Dial(ctx, mailbox.Config{
		Manager: manager, Key: key, Deliver: deliver, Client: host.TunnelClient(a.network.net.Trust),
		Report: func(e mailbox.Event) { fmt.Fprintln(a.err, host.TunnelNote(manager, e)) },
	})
	if err != nil {
		return nil, noMailbox(manager, err)
	}
	return link, nil
}

// replaced returns an error with advice if another program took over the mailbox of the key in a file.
func replaced(link *mailbox.Link, keyFile string) error {
	if !errors.Is(link.Err(), mailbox.ErrReplaced) {
		return nil
	}
	return fmt.Errorf("%w; it has the key in %s: use another file with --key for another agent", mailbox.ErrReplaced, keyFile)
}

// reasonOf returns why a manager refused a registration.
func reasonOf(a *protocol.Admission) string {
	if a.Reason == nil {
		return "it gives no reason"
	}
	return protocol.Plain(*a.Reason)
}
