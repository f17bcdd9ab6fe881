package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/user"
	"strings"

	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/server"
	"agentleague/store"
)

// inviteHere creates the keys in the root, while no manager has it open: its league is opened only to write the
// invitations. It makes no calls and opens no port.
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
	disk, err := journal.Open(h.DataDir(), journal.Options{})
	if used := (*journal.InUseError)(nil); errors.As(err, &used) {
		return "", nil, fmt.Errorf("no manager answers at %s, but %s is in use; give its address with --manager: %w", a.manager, a.root, err)
	}
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, disk.Close()) }()
	past, err := league.Fold(store.Entries(journal.Path(h.DataDir(), id)))
	if err != nil {
		return "", nil, err
	}
	if past.Completed() {
		return "", nil, fmt.Errorf("%s is over; choose another league with --league-id", id)
	}
	if past.Ordered || past.Started() {
		return "", nil, fmt.Errorf("%s has started; start its manager with `league manager --league-id %s` and try again", id, id)
	}
	o, err := server.ManagerOptions(h)
	if err != nil {
		return "", nil, err
	}
	o.Endpoint, o.Holder, o.Version, o.Projector = at, at, host.Version(), store.NewProjector(h.Root)
	o.Hold, o.Window, o.StartPlayers, o.Records, o.Room = true, -1, 0, nil, nil
	life, end := context.WithCancel(ctx)
	m, err := manager.Open(life, disk, o)
	if err != nil {
		end()
		return "", nil, err
	}
	list, err = m.Invite(ctx, v.role, names, "admin via cli "+currentUser())
	end()
	m.Wait()
	if err == nil {
		fmt.Fprintf(a.err, "No manager answers at %s; the keys were made in %s and work once its manager is started: `league manager%s`.\n", a.manager, a.root, managerFlags(a, h))
	}
	return id, list, err
}

// endpoint is the future address of the manager, whose public address is given if it has one.
func (v *inviting) endpoint(public string) (string, error) {
	text := cmp.Or(v.address, public, "http://localhost:8000/mcp")
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", wrongUsage("--address: use an address such as http://192.168.1.10:8000/mcp, got %q", text)
	}
	if !strings.HasSuffix(u.Path, "/mcp") {
		u.Path = strings.TrimSuffix(u.Path, "/") + "/mcp"
	}
	return u.String(), nil
}

// currentUser is the logged-in user, for the log.
func currentUser() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}
