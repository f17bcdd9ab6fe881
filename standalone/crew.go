package standalone

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"

	"agentleague/config"
	"agentleague/host"
	"agentleague/internal/collector"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/connlimit"
)

// maxPorts is the number of players up to which each agent of a run has a separate port. Above it, all of them share
// the manager's.
const maxPorts = 256

// AsConfigured is the port of a run without a given port: all agents listen on their configured ports.
const AsConfigured = -1

// Options describe a run.
type Options struct {
	Players, Referees int
	Port              int  // of the manager; the referees follow it, the players are 100 above; 0: free ports for all
	Stay              bool // the agents keep running when the league is over

	// Strategy returns the strategy of a player, counted from 0, and the games that it plays.
	Strategy func(n int, started config.Started) (mind player.Strategy, plays []string, err error)
}

// A crew is the agents of a run, and their addresses.
type crew struct {
	port     int           // the manager's
	shared   *host.PathMux // the shared port; nil: each agent has a separate one
	referees []host.Referee
	players  []host.Player
}

// planned returns the agents of a run: ids in their order without those that the configuration calls inactive, with
// their configured names and ports. With too few configured ports the agents share the manager's.
func planned(h *host.Env, o Options) (c crew, err error) {
	settings := h.Config()
	referees, err := active(settings.StartReferee, protocol.RoleReferee, o.Referees)
	if err != nil {
		return c, err
	}
	players, err := active(settings.StartPlayer, protocol.RolePlayer, o.Players)
	if err != nil {
		return c, err
	}
	network := h.System.Network
	lowest, above := network.DefaultRefereePortRange, network.DefaultPlayerPortRange
	switch c.port = o.Port; {
	case o.Port == AsConfigured:
		if c.port, err = settings.ManagerPort(); err != nil {
			return c, err
		}
	case o.Port > 0: // consecutive ports
		lowest, above = [2]int{o.Port + 1, o.Port + len(referees)}, [2]int{o.Port + 101, o.Port + 100 + len(players)}
	}
	ports := newPorts(c.port, o.Port == AsConfigured, append(referees, players...))
	most := matchesOfACore * runtime.GOMAXPROCS(0)
	for i, m := range players {
		mind, plays, err := o.Strategy(i, m.Started)
		if err != nil {
			return c, err
		}
		if host.Waits(mind) {
			most = len(players)
		}
		c.players = append(c.players, host.Player{
			Strategy: mind, Plays: plays, Stay: o.Stay, Agent: agent(h, m, "Agent", ports.next(m, &above)),
		})
	}
	atOnce := matchesAtOnce(len(players), len(referees), connlimit.FileLimit(), most)
	for _, m := range referees {
		c.referees = append(c.referees, host.Referee{
			MaxMatches: max(m.MaxMatches, atOnce), Agent: agent(h, m, "Referee", ports.next(m, &lowest)),
		})
	}
	if o.Players > maxPorts || ports.short {
		c.shared = host.NewPathMux()
	}
	return c, nil
}

// checkFileLimit returns an error if the open-file limit of this process is too low for the run. It is called before
// an agent starts. The figures were measured with leagues of 4 to 300 players: below them agents cannot open their
// logs, or lose connections in a match.
func (r crew) checkFileLimit(files int) error {
	need := 32 + 8*len(r.players) // a listener, files and connections for each
	if r.shared != nil {
		need = 64 + 2*len(r.players)
	}
	if files >= need {
		return nil
	}
	enough := 256
	for enough < need {
		enough *= 2
	}
	return fmt.Errorf("%d players in one process need %d open files, and this process may have %d; allow more with \"ulimit -n %d\" "+
		"in this terminal, then run the same command again", len(r.players), need, files, enough)
}

// filesOfAMatch is the number of open files of a match in progress when all agents are in one process: both ends of
// the connections to its two players, to its referee and to the manager.
const filesOfAMatch = 8

// matchesOfACore is the number of concurrent matches per core of players that compute in this process. More of them
// take memory, wait for each other, and are not played sooner.
const matchesOfACore = 128

// matchesAtOnce is the number of concurrent matches of each referee of a run: a whole round, unless the limit of open
// files or most is lower. Without a file for its connection a player would lose a match without a fault.
func matchesAtOnce(players, referees, files, most int) int {
	return min(players/2, files/filesOfAMatch, max(most, referees)) / max(referees, 1)
}

// agent is the configuration of a member of the crew.
func agent(h *host.Env, m member, kind string, port int) host.Agent {
	return host.Agent{
		Port: port, Name: cmp.Or(m.Name, host.NameOf(kind, m.number-1)), ID: m.id, LeagueID: h.League.LeagueID, Own: true,
		Strict: h.League.Strict, Profile: h.League.Profile, Game: h.League.GameType,
	}
}

// A member is an agent before its start.
type member struct {
	config.Started
	number int // of its id
	id     string
}

// active returns the first n active agents of a role.
func active(started func(id string) (config.Started, error), role protocol.Role, count int) (out []member, err error) {
	_, usual := started("") // of those that have no entry
	for n := 1; len(out) < count; n++ {
		m := member{number: n, id: protocol.AgentID(role, n)}
		m.Started, err = started(m.id)
		switch {
		case err == nil:
			out = append(out, m)
		case !errors.Is(err, config.ErrInactive):
			return nil, err
		case usual != nil && n > 10_000: // only entries make agents active, and there are no more of them
			return nil, usual
		}
	}
	return out, nil
}

// A portPlan hands out ports.
type portPlan struct {
	free  bool         // each agent takes a free one
	entry bool         // those that agents have in the configuration count
	taken map[int]bool // reserved by configured agents
	short bool         // there were not enough
}

// newPorts plans the ports of a run. Where entries of the configuration count, their ports are kept free for them.
func newPorts(manager int, entries bool, all []member) *portPlan {
	p := &portPlan{free: manager == 0, entry: entries, taken: map[int]bool{manager: true}}
	for _, m := range all {
		if entries && m.Port != 0 {
			p.taken[m.Port] = true
		}
	}
	return p
}

// next returns the port of an agent: its own, or the next of a range.
func (p *portPlan) next(m member, ports *[2]int) int {
	switch {
	case p.free:
		return 0
	case p.entry && m.Port != 0:
		return m.Port
	}
	for ; ports[0] <= ports[1]; ports[0]++ {
		if port := ports[0]; !p.taken[port] {
			ports[0]++
			return port
		}
	}
	p.short = true
	return 0
}

// start starts the referees and players of a run. They live as long as life, which is longer than ctx, to finish open
// work. In a league for invited agents they have join keys, by name.
func (r crew) start(ctx, life context.Context, h *host.Env, manager string, keys map[string]string, log *slog.Logger,
) *host.Crew {
	c := host.NewCrew(ctx)
	c.Log, c.Bounded = log, true
	if r.shared != nil { // there are many
		restore := collector.CollectOften()
		defer func() { c.Then(restore) }() // when all have been sent in
	}
	for _, f := range r.referees {
		f.Shared = r.shared
		c.Start(func(ready func(id, at string)) error {
			return suppressLeftOut(log, h.RunReferee(life, f, manager, ready))
		})
	}
	for _, f := range r.players {
		f.Shared, f.JoinKey = r.shared, keys[f.Name]
		c.Enter(func(ready func(id, at string), ended func(error)) {
			h.StartPlayer(life, f, manager, ready, func(err error) { ended(suppressLeftOut(log, err)) })
		})
	}
	return c
}

// suppressLeftOut logs a [host.LeftOutError] and returns nil for it: the next season is played without that agent, and
// the others continue. It returns other errors unchanged.
func suppressLeftOut(log *slog.Logger, err error) error {
	out := (*host.LeftOutError)(nil)
	if !errors.As(err, &out) {
		return err
	}
	log.Warn(out.Error(), slog.String("event_type", "AGENT_LEFT_OUT"), slog.String("league_id", out.LeagueID))
	return nil
}
