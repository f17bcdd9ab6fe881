package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"agentleague/internal/term"
	"agentleague/protocol"
	"agentleague/rpc"
)

// remoteCommands are the verbs that talk to a running manager.
func (a *app) remoteCommands() []*cobra.Command {
	orders := []struct {
		use, short string
		order      protocol.Type
		done       string
		example    string
	}{
		{"start", "Start the league with the agents that have registered", protocol.TypeStartLeague, "the league starts",
			"  league start\n  league start --manager http://localhost:8000/mcp --admin-token-file admin.token"},
		{"pause", "Let no further match start", protocol.TypePauseLeague, "the league is paused; matches in play are finished",
			"  league pause\n  league pause --manager http://localhost:8000/mcp --admin-token-file admin.token"},
		{"resume", "Go on after a pause", protocol.TypeResumeLeague, "the league goes on",
			"  league resume\n  league resume --manager http://localhost:8000/mcp --admin-token-file admin.token"},
		{"drain", "Let no further match start until the league is resumed or its manager started again", protocol.TypeDrainLeague, "the league is drained; matches in play are finished",
			"  league drain\n  league drain --league-id spring --admin-token-file admin.token"},
		{"withdraw PLAYER", "Take a player out of the league", protocol.TypeWithdrawPlayer, "the player is out; what it has played stands",
			"  league withdraw P03\n  league withdraw P03 --manager http://localhost:8000/mcp --admin-token-file admin.token"},
	}
	var out []*cobra.Command
	for _, o := range orders {
		cmd := &cobra.Command{Use: o.use, Short: o.short, Example: o.example}
		a.adminFlags(cmd)
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			return a.order(cmd.Context(), o.order, o.done, args)
		}
		out = append(out, a.withManager(cmd))
	}
	status := &cobra.Command{Use: "status", Short: "Tell how the league stands and who is in it", Example: "  league status\n  league status --json --manager http://localhost:8000/mcp",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.status(cmd.Context()) }}
	standings := &cobra.Command{Use: "standings", Short: "Show the table", Example: "  league standings\n  league standings --json --manager http://localhost:8000/mcp",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.standings(cmd.Context()) }}
	schedule := &cobra.Command{Use: "schedule", Short: "Show who meets whom", Example: "  league schedule\n  league schedule --json --manager http://localhost:8000/mcp",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.schedule(cmd.Context()) }}
	a.adminFlags(status)
	return append(out, a.inviteCommand(), a.readmitCommand(), a.annulCommand(), a.withManager(status), a.withManager(standings), a.withManager(schedule), a.watchCommand(), a.enlistCommand(), a.createCommand())
}

// withManager adds the flags of a verb that asks a manager about one of its leagues.
func (a *app) withManager(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&a.leagueID, "league-id", "", "which of the manager's leagues (default: the one at its endpoint)")
	return a.withAnyManager(cmd)
}

// withAnyManager adds the flags of a verb that asks a manager.
func (a *app) withAnyManager(cmd *cobra.Command) *cobra.Command {
	a.trustFlag(cmd)
	return a.managedBy(cmd)
}

// managedBy adds the flag that says where the manager is.
func (a *app) managedBy(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&a.manager, "manager", "http://localhost:8000/mcp", "the endpoint of the manager")
	return cmd
}

// call sends one message to the manager as its admin.
func (a *app) call(ctx context.Context, m protocol.Message) (protocol.Message, error) {
	n := rpc.NewNode(protocol.Sender(protocol.RoleAdmin, "cli"), a.caller())
	m.Head().ConversationID, m.Head().AuthToken = "conv-admin-"+n.Nonce(4), a.adminToken()
	if a.leagueID != "" {
		m.Head().LeagueID = a.leagueID
	}
	reply, err := n.Call(ctx, rpc.Peer{Endpoint: a.manager, Dialect: ownWords[m.Head().MessageType]}, m)
	var refusal *protocol.Refusal
	switch lasting := rpc.Hopeless(err); {
	case lasting != nil:
		return nil, fmt.Errorf("%s: %s", a.manager, protocol.AsError(lasting).Detail)
	case protocol.Is(err, protocol.Connection):
		return nil, fmt.Errorf("%w at %s; start one with `league manager`, or say where it is with --manager", errNoManager, a.manager)
	case errors.As(err, &refusal) && refusal.Name == protocol.AuthTokenMissing.Name, errors.As(err, &refusal) && refusal.Name == protocol.AuthTokenInvalid.Name:
		return nil, fmt.Errorf("the manager wants its admin token: give --admin-token-file, set LEAGUE_ADMIN_TOKEN, or run this where --root is the manager's own folder")
	case errors.As(err, &refusal) && refusal.Name == protocol.RateLimited.Name:
		return nil, fmt.Errorf("the manager is asked too often; wait a moment, or change security.open_requests_per_second_per_address in its config/system.json")
	case errors.As(err, &refusal):
		return nil, errors.New(refusal.Message)
	}
	return reply, err
}

// ownWords are orders that managers of ours alone know. What is wrong with one is not mended by putting it in other words.
var ownWords = map[protocol.Type]string{
	protocol.TypeCreateLeague: protocol.Canonical, protocol.TypeEnlistAgent: protocol.Canonical, protocol.TypeDrainLeague: protocol.Canonical,
	protocol.TypeReadmitAgent: protocol.Canonical, protocol.TypeAnnulMatch: protocol.Canonical, protocol.TypeInviteAgents: protocol.Canonical,
}

// caller is how a verb calls those whose address was typed.
func (a *app) caller() rpc.Options { return rpc.Options{Guard: rpc.Anywhere, TLS: a.outside.net.Trust} }

func (a *app) order(ctx context.Context, t protocol.Type, done string, args []string) error {
	m := &protocol.Tool{Envelope: protocol.Envelope{MessageType: t}}
	if len(args) > 0 {
		m.PlayerID = args[0]
	}
	return a.carried(ctx, m, done)
}

// carried gives an order and says that it was carried out.
func (a *app) carried(ctx context.Context, m protocol.Message, done string) error {
	ack, err := a.give(ctx, m)
	if err != nil {
		return err
	}
	if a.json {
		return a.print(map[string]any{"league_id": ack.LeagueID, "status": ack.Status, "state": ack.State, "paused": ack.Paused})
	}
	fmt.Fprintln(a.out, done)
	return nil
}

// ask sends a query and decodes its data. What one answer does not hold is asked for from an offset.
func (a *app) ask(ctx context.Context, kind string, offset int, data any) (leagueID string, err error) {
	t := map[string]protocol.Type{protocol.QueryStandings: protocol.TypeGetStandings, protocol.QueryStatus: protocol.TypeGetLeagueStatus}[kind]
	if t == "" {
		t = protocol.TypeLeagueQuery
	}
	reply, err := a.call(ctx, &protocol.LeagueQuery{Envelope: protocol.Envelope{MessageType: t}, QueryType: kind, QueryParams: protocol.QueryParams{Offset: offset}})
	if err != nil {
		return "", err
	}
	r := reply.(*protocol.LeagueQueryResponse)
	if !r.Success && r.Error != nil {
		return "", errors.New(r.Error.ErrorDescription)
	}
	return r.LeagueID, json.Unmarshal(r.Data, data)
}

func (a *app) standings(ctx context.Context) error {
	var data struct {
		Standings []protocol.Standing `json:"standings"`
		Round     int                 `json:"current_round"`
		Total     int                 `json:"total"`
		Results   protocol.Basis      `json:"results"`
	}
	id, err := a.consult(ctx, protocol.QueryStandings, 0, &data)
	if err != nil {
		return err
	}
	if shown := len(data.Standings); shown < data.Total {
		fmt.Fprintf(a.err, "These are the first %d of %d.\n", shown, data.Total)
	}
	if a.json {
		return a.print(map[string]any{"league_id": id, "round": data.Round, "standings": data.Standings, "results": data.Results})
	}
	term.PrintTable(a.out, data.Standings)
	if words := basisWords(data.Results); words != "" {
		fmt.Fprintln(a.out, words)
	}
	return nil
}

func (a *app) schedule(ctx context.Context) error {
	id, all := "", []protocol.ScheduledRound{}
	for part, err := range a.rounds(ctx) {
		if err != nil {
			return err
		}
		if a.json {
			id, all = part.leagueID, append(all, part.Schedule...)
			continue
		}
		a.printRounds(part.Schedule)
	}
	if a.json {
		return a.print(map[string]any{"league_id": id, "schedule": all})
	}
	return nil
}

func (a *app) printRounds(rounds []protocol.ScheduledRound) {
	for _, round := range rounds {
		fmt.Fprintf(a.out, "Round %d\n", round.RoundID)
		for _, m := range round.Matches {
			winner := ""
			if m.Winner != nil {
				winner = *m.Winner
			}
			fmt.Fprintf(a.out, "  %-8s %s - %s  %s\n", term.Brief(m.MatchID), term.Brief(m.PlayerAID), term.Brief(m.PlayerBID), strings.Join(strings.Fields(term.Brief(strings.ToLower(m.Status))+" "+term.Brief(winner)+" "+term.Brief(m.Proof)), "  "))
		}
	}
}

// A part of a schedule is what one answer holds of it.
type part struct {
	leagueID string
	Schedule []protocol.ScheduledRound `json:"schedule"`
	Total    int                       `json:"total_rounds"`
}

// rounds asks for the schedule until it is whole. A manager that tells the same rounds again knows no offset and has no more.
func (a *app) rounds(ctx context.Context) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		for had, last := 0, 0; ; {
			var p part
			var err error
			p.leagueID, err = a.consult(ctx, protocol.QuerySchedule, had, &p)
			if err != nil || len(p.Schedule) == 0 {
				yield(p, err)
				return
			}
			if p.Schedule[0].RoundID <= last || !yield(p, nil) {
				return
			}
			had, last = had+len(p.Schedule), p.Schedule[len(p.Schedule)-1].RoundID
			if had >= p.Total {
				return
			}
		}
	}
}

// print writes one JSON object.
func (a *app) print(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := a.out.Write(protocol.PlainJSON(b.Bytes()))
	return err
}
