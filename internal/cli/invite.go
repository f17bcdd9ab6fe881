package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/engine/journal"
	"agentleague/internal/cli/show"
	"agentleague/internal/cli/usage"
	"agentleague/internal/roster"
	"agentleague/internal/term"
	"agentleague/protocol"
	"agentleague/server"
)

// An inviting holds the flags of `league invite`.
type inviting struct {
	role             protocol.Role
	roster, out      string
	address, usually string // the public address of the manager; the default name of a referee
}

// inviteCommand is `league invite`. It is idempotent: a name that was already invited keeps its key.
func inviteCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "invite", Short: "Make join keys for agents that will join",
		Long: "Make join keys for agents that will join. An agent that shows its key plays under its name from any port or\n" +
			"machine: start it with the printed address as its manager's. Inviting the same name again gives the same key.\n" +
			"If no manager answers, the keys are made in the root itself, and work once its manager is started.",
		Example: "  league invite player \"Agent Alpha\"\n  league invite player --roster class.csv --out " +
			"addresses.csv\n  league invite referee",
		RunE: func(*cobra.Command, []string) error {
			return usage.Wrong("say whom to invite: player or referee")
		}}
	player := &inviting{role: protocol.RolePlayer}
	referee := &inviting{role: protocol.RoleReferee, usually: "Guest Referee"}
	cmd.AddCommand(
		inviteRole(a, player, &cobra.Command{Use: "player [NAME]", Short: "Invite a player, or everyone in a roster",
			Example: "  league invite player \"Agent Alpha\"\n  league invite player --roster class.csv --out " +
				"addresses.csv --address http://192.168.1.10:8000/mcp"}),
		inviteRole(a, referee, &cobra.Command{Use: "referee [NAME]", Short: "Invite a referee that someone else runs",
			Example: "  league invite referee\n  league invite referee \"Referee of the other class\" --json"}),
	)
	return cmd
}

// inviteRole adds the flags that invitations of players and of referees share.
func inviteRole(a *app, v *inviting, cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&v.roster, "roster", "", "a CSV file of names: the column headed name, or else the first")
	cmd.Flags().StringVar(&v.out, "out", "", "the CSV file to write names, keys and addresses to, readable only by "+
		"you (default: standard output)")
	cmd.Flags().StringVar(&v.address, "address", "", "where agents will reach the manager, if it is not running "+
		"yet (default: http://localhost:8000/mcp)")
	a.admin.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		names, err := v.names(args)
		if err != nil {
			return err
		}
		id, list, err := sendInvitations(cmd.Context(), a, v, names)
		if err != nil {
			return err
		}
		return printInvited(a, id, v, list)
	}
	return a.withManager(cmd)
}

// names are the invited agents.
func (v *inviting) names(args []string) ([]string, error) {
	switch {
	case v.roster != "" && len(args) > 0:
		return nil, usage.Wrong("give a NAME or --roster, not both")
	case v.roster != "":
		r, err := roster.Read(v.roster)
		if err != nil {
			return nil, fmt.Errorf("--roster: %w", err)
		}
		return r.Names(), nil
	case len(args) > 0:
		name, err := roster.Name(args[0])
		if err != nil {
			return nil, usage.Wrong("NAME: %w", err)
		}
		return []string{name}, nil
	case v.usually != "":
		return []string{v.usually}, nil
	}
	return nil, usage.Wrong("missing NAME; usage: league invite %s NAME, or league invite %s --roster FILE.csv", v.role, v.role)
}

// sendInvitations requests keys from the manager. If none answers and none was given, it creates the keys in the data
// directory.
func sendInvitations(ctx context.Context, a *app, v *inviting, names []string) (leagueID string, list []protocol.Invitation, err error) {
	reply, err := a.client().Call(ctx, &protocol.InviteAgents{Envelope: protocol.Envelope{MessageType: protocol.TypeInviteAgents}, Role: v.role, Names: names})
	if errors.Is(err, client.ErrNoManager) && !a.chosen {
		if _, nowhere := os.Stat(filepath.Join(a.root, "config")); nowhere != nil && !a.rooted {
			return "", nil, fmt.Errorf("%w; there is no league in %s either; to create one there, give --root %s", err, a.root, a.root)
		}
		return inviteHere(ctx, a, v, names)
	}
	if err != nil {
		return "", nil, err
	}
	answer, ok := reply.(*protocol.Invitations)
	if !ok {
		return "", nil, fmt.Errorf("%s answered %s instead of the invitations; is it a manager of this version?", a.manager, reply.Head().MessageType)
	}
	if v.address != "" {
		return "", nil, usage.Wrong("--address: the manager is running and gives its address itself; leave the flag out")
	}
	return answer.LeagueID, answer.Invitations, nil
}

// printInvited prints the keys, or writes them to a private file.
func printInvited(a *app, leagueID string, v *inviting, list []protocol.Invitation) error {
	var text bytes.Buffer
	if err := roster.Write(&text, list); err != nil {
		return err
	}
	if v.out != "" {
		if err := writeSecret(v.out, text.Bytes()); err != nil {
			return fmt.Errorf("the invitations cannot be written: %w; choose another file with --out", err)
		}
		fmt.Fprintf(a.err, "%s: name, key and address are in %s, which only you can read.\n", show.Amount(len(list), "invitation", "made"), v.out)
	}
	switch {
	case a.json:
		return a.print(map[string]any{"league_id": leagueID, "invitations": list})
	case v.out != "":
		return nil
	case v.roster != "":
		_, err := a.out.Write(text.Bytes())
		return err
	}
	for _, i := range list {
		fmt.Fprintf(a.out, "%s is invited to %s.\n  key      %s\n  address  %s\n", term.Brief(i.DisplayName), term.Brief(leagueID), term.Plain(i.Key), term.Plain(i.Address))
		fmt.Fprintf(a.err, "Give the address to whoever runs the agent: `league %s --manager ADDRESS`. Anyone who has it can join as %s.\n", i.Role, term.Brief(i.DisplayName))
	}
	return nil
}

// writeSecret writes a file with mode 0600, and tightens the mode of an existing file.
func writeSecret(file string, text []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	err = f.Chmod(0o600)
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.Write(text)
	}
	return errors.Join(err, f.Close())
}

// inviteHere creates the keys in the root while no manager has it open.
func inviteHere(ctx context.Context, a *app, v *inviting, names []string) (leagueID string, list []protocol.Invitation, err error) {
	if _, err := v.endpoint(""); err != nil {
		return "", nil, err
	}
	h, err := a.open(a.leagueID)
	if err != nil {
		return "", nil, err
	}
	at, err := v.endpoint(h.System.Network.PublicURL)
	if err != nil {
		return "", nil, err
	}
	id := h.League.LeagueID
	list, err = server.InviteClosed(ctx, h, at, v.role, names, "admin via cli "+currentUser())
	used := (*journal.InUseError)(nil)
	switch {
	case errors.As(err, &used):
		err = fmt.Errorf("no manager answers at %s, but %s is in use; give its address with --manager: %w", a.manager, a.root, err)
	case errors.Is(err, server.ErrOver):
		err = fmt.Errorf("%s is over; choose another league with --league-id", id)
	case errors.Is(err, server.ErrStarted):
		err = fmt.Errorf("%s has started; start its manager with `league manager --league-id %s` and try again", id, id)
	case err == nil:
		fmt.Fprintf(a.err, "No manager answers at %s; the keys were made in %s and work once its manager is started: `league manager%s`.\n", a.manager, a.root, managerFlags(a, h))
	}
	return id, list, err
}

// endpoint returns the address at which the manager will run: the public one if it is not empty.
func (v *inviting) endpoint(public string) (string, error) {
	text := cmp.Or(v.address, public, "http://localhost:8000/mcp")
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", usage.Wrong("--address: use an address such as http://192.168.1.10:8000/mcp, got %q", text)
	}
	if !strings.HasSuffix(u.Path, "/mcp") {
		u.Path = strings.TrimSuffix(u.Path, "/") + "/mcp"
	}
	return u.String(), nil
}

// currentUser returns the name of the logged-in user, which the log records as the actor.
func currentUser() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}
