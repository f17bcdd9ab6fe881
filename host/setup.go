package host

import (
	"cmp"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"agentleague/dialect/profile"
	"agentleague/metrics"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/store"
	"agentleague/store/logs"
)

// An agentEnv holds the resources of an agent: log, identity, lock on its id, endpoint and metrics.
type agentEnv struct {
	env      *Env
	agent    *Agent // its configuration at the begin of the season; immutable
	log      *logs.Log
	who      *identity
	lock     *agentLock
	listener Listener
	figures  *metrics.Agent
	id       atomic.Value       // the granted id, a string
	broken   *store.Conformance // the rules that other agents break
	hide     func()             // removes the figures from those of the process
}

// setUp acquires the resources of an agent. It locks the id before it opens the endpoint, so that a second agent with
// the same id opens nothing. After an error nothing stays open.
func (h *Env) setUp(role protocol.Role, f *Agent) (*agentEnv, error) {
	log, err := h.Logs().Agent(role, h.League.LeagueID, cmp.Or(f.ID, f.Name), slog.LevelDebug)
	if err != nil {
		return nil, errors.Join(err, f.giveBack())
	}
	d := &agentEnv{env: h, agent: f, log: log, figures: metrics.New(), hide: func() {}}
	d.broken = h.NewConformance(h.League.LeagueID, d.observer, h.Logger(log, f.Name))
	d.show(role, cmp.Or(f.ID, f.Name))
	if d.listener = f.kept; f.kept.Listener == nil && f.Taken != nil {
		f.kept.Listener = f.Taken
	}
	if d.who, err = h.identity(role, *f); err == nil {
		d.lock, err = h.lock(*f, f.ID, "")
	}
	if err == nil {
		err = d.listen(role)
	}
	if err != nil {
		d.close()
		return nil, errors.Join(err, d.closeListener())
	}
	return d, nil
}

// closeListener closes an endpoint that was opened and is not served.
func (d *agentEnv) closeListener() error {
	return d.listener.Close()
}

// listen opens the agent's endpoint, passes its address to Listening and stores it in the lock.
func (d *agentEnv) listen(role protocol.Role) (err error) {
	first := d.agent.kept.Listener == nil || d.agent.Taken != nil
	if d.agent.kept.Listener == nil {
		if d.agent.kept.Listener, err = d.takeListener(role); err != nil {
			return err
		}
	}
	if first && d.agent.Listening != nil {
		d.agent.Listening(d.listener.URL())
	}
	if d.lock.held == nil {
		return nil
	}
	return d.lock.held.At(d.listener.URL())
}

// takeListener opens the agent's port, or reserves its path on a shared port.
func (d *agentEnv) takeListener(role protocol.Role) (Listener, error) {
	f := d.agent
	switch {
	case f.Shared != nil && strings.HasPrefix(f.Path, "/"):
		return f.Shared.takeAt(f.Path), nil
	case f.Shared != nil:
		return f.Shared.take(role, cmp.Or(f.Path, f.ID)), nil
	}
	server, err := d.env.Net.Listen(f.Port, f.Name)
	if err != nil {
		return nil, err
	}
	return server, nil
}

// options are the options of the agent's node.
func (d *agentEnv) options() rpc.Options {
	o := d.env.Wire()
	if d.agent.Shared != nil {
		o.Network = d.env.Net.network(o)
	}
	o.Logger, o.Observe, o.Strict = d.env.Logger(d.log, d.agent.Name), LogMessages(d.log, d.broken), d.agent.Strict
	o.Profile = profile.New(d.agent.Profile, d.env.League.LeagueID)
	return d.waits(d.figures.Watch(o))
}

// waits returns options that call Waiting at the first retry of a registration, and at each with another reason of the
// manager.
func (d *agentEnv) waits(o rpc.Options) rpc.Options {
	var mu sync.Mutex
	reasons := map[string]bool{}
	o.Retries = func(t protocol.Type, err error) {
		registers := t == protocol.TypeLeagueRegisterRequest || t == protocol.TypeRefereeRegisterRequest
		if !registers || d.agent.Waiting == nil {
			return
		}
		reason := ""
		if later := (*protocol.LaterError)(nil); errors.As(err, &later) {
			reason = later.Reason
		}
		mu.Lock()
		defer mu.Unlock()
		if !reasons[reason] && len(reasons) < maxReasons {
			reasons[reason] = true
			d.agent.Waiting(err)
		}
	}
	return o
}

// maxReasons limits the calls of Waiting for one agent.
const maxReasons = 20

// show adds a referee's metrics to those of the process. Players are left out, because there are too many.
func (d *agentEnv) show(role protocol.Role, name string) {
	d.hide()
	if role == protocol.RoleReferee {
		d.hide = d.env.Net.Figures.Add(d.env.League.LeagueID, name, d.figures)
	}
}

// registered locks the granted id and names the log file after it.
func (d *agentEnv) registered(role protocol.Role, id string) error {
	d.id.Store(id)
	d.show(role, id)
	if d.lock.held == nil || id != d.agent.ID {
		d.lock.release()
		var err error
		if d.lock, err = d.env.lock(*d.agent, id, d.listener.URL()); err != nil {
			return err
		}
	}
	return d.log.Registered(d.env.League.LeagueID, id)
}

// close releases the agent's resources, its lock first, so that it can be restarted at once.
func (d *agentEnv) close() {
	d.hide()
	if d.lock != nil {
		d.lock.release()
	}
	if d.who != nil {
		d.who.close()
	}
	d.broken.Close()
	_ = d.log.Close()
}

// observer returns the agent's id once it is granted, or "".
func (d *agentEnv) observer() string {
	id, _ := d.id.Load().(string)
	return id
}

// An agentLock prevents a second agent with the same id in this data directory.
type agentLock struct{ held *store.Lock }

// release ends the lock, if there is one.
func (l *agentLock) release() {
	if l.held != nil {
		_ = l.held.Release()
	}
}

// lock locks an id for an agent. Agents that share a port share one lock. Without an id it returns an empty lock.
func (h *Env) lock(f Agent, id, address string) (l *agentLock, err error) {
	l = &agentLock{}
	switch {
	case id == "":
	case f.Shared != nil:
		l.held, err = h.LockCrew(h.League.LeagueID, id, address)
	default:
		l.held, err = h.LockAgent(h.League.LeagueID, id, address)
	}
	return l, err
}
