package host

import (
	"cmp"
	"context"
	"errors"

	"agentleague/engine/journal"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/store"
)

// SecretName is the name of the referee secret in data/secrets of a data directory. A referee that presents it is the
// organizer's.
const SecretName = "referee"

// A Referee is the configuration of a referee.
type Referee struct {
	Agent
	MaxMatches int // 0: from the configuration
	// the referee secret of the manager's data directory; nil: this data directory's own
	Secret   []byte
	Recorder func(kept referee.Recorder) referee.Recorder // wraps the recorder; may be nil
	Slots    *referee.Slots                               // shared with referees of other leagues; nil: not shared
	Pulse    *referee.Pulse                               // a running pulse; nil: a new one
}

// RunReferee serves a referee and registers it. ready is called after the registration in every season. It returns when
// ctx has ended and open matches are finished or, if the referee leaves, when its league is over.
func (h *Env) RunReferee(ctx context.Context, f Referee, manager string, ready func(id, at string)) error {
	return h.everySeason(f.Agent, func(h *Env, agent Agent) (next, id string, err error) {
		f.Agent = agent
		return h.judgeSeason(ctx, f, manager, ready)
	})
}

// judgeSeason is one season of a referee.
func (h *Env) judgeSeason(ctx context.Context, f Referee, manager string, ready func(id, at string)) (
	next, id string, err error) {
	started, err := h.Config().StartReferee(f.ID)
	if err != nil {
		return "", "", errors.Join(err, f.giveBack())
	}
	policy, err := h.Policy()
	if err != nil {
		return "", "", errors.Join(err, f.giveBack())
	}
	d, err := h.setUp(protocol.RoleReferee, &f.Agent)
	if err != nil {
		return "", "", err
	}
	defer d.close()
	secret := f.Secret
	if secret == nil {
		if secret, err = journal.SharedSecret(h.DataDir(), SecretName); err != nil {
			return "", "", errors.Join(err, d.closeListener())
		}
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var r *referee.Referee
	matches := store.Recorder{Records: h.RecordsOf(func() string { return r.Granted().ID })}
	var recorder referee.Recorder = matches
	if f.Recorder != nil {
		recorder = f.Recorder(matches)
	}
	records := &handover{Recorder: recorder, reported: map[protocol.RecordRef]bool{}, has: func(ref protocol.RecordRef) bool {
		_, err := h.Matches(ref.LeagueID).Load(ref.MatchID)
		return err == nil
	}}
	if f.Leaves {
		recorder = records
	}
	pulse, still := f.pulse(life)
	defer func() { stop(); still() }()
	over, ended := f.leaving()
	wire, mailbox := d.viaMailbox(d.options())
	r = referee.New(life, f.Name, h.Rules.Lookup, referee.Options{
		Options: wire, Mailbox: mailbox, ID: f.ID, OnlyID: f.OnlyID, LeagueID: f.LeagueID, Version: cmp.Or(started.Version, Version()),
		GameTypes: f.plays(started.GameTypes), MaxMatches: cmp.Or(f.MaxMatches, started.MaxMatches), Policy: policy,
		Slots: f.Slots, Over: ended,
		Recorder: recorder, Meter: d.figures.Referee(), Suspended: pulse.Suspended, Longest: pulse.Longest, Undecided: matches,
		Identity: d.who.at(manager, f.Own), KeepIdentity: d.who.keep, Secret: secret, JoinKey: f.JoinKey,
	})
	at := Serve(life, d.listener, r.Node)
	err = f.admitted(d.who.refused(r.Register(ctx, manager, d.endpoint(manager))))
	if err == nil {
		err = d.registered(protocol.RoleReferee, r.Granted().ID)
	}
	if err == nil {
		ready(r.Granted().ID, d.endpoint(manager))
		next = f.await(ctx, r, over, records)
	}
	stop()
	r.Wait()
	return next, r.Granted().ID, errors.Join(NotCancelled(err), <-at.Ended, matches.Close())
}

// leaving returns a channel and the function that closes it, which is called at the end of the league. Both are nil for
// a referee that stays.
func (f Referee) leaving() (over chan struct{}, ended func()) {
	if !f.Leaves {
		return nil, nil
	}
	over = make(chan struct{})
	return over, func() { close(over) }
}

// pulse returns the shared pulse of the process, or starts one that beats until life ends. Still waits until that has
// stopped.
func (f Referee) pulse(life context.Context) (p *referee.Pulse, still func()) {
	if f.Pulse != nil {
		return f.Pulse, func() {}
	}
	p = &referee.Pulse{}
	beating := make(chan struct{})
	go func() { defer close(beating); p.Beat(life) }()
	return p, func() { <-beating }
}

// await waits until the referee must end, or continues in another league, and finishes its open work. next is that
// league, or "".
func (f Referee) await(ctx context.Context, r *referee.Referee, over <-chan struct{}, records *handover) (next string) {
	select {
	case <-r.GoesOn():
		if next = f.goesOn(r.Next()); next != "" {
			within, cancel := context.WithTimeout(ctx, drainTimeout)
			defer cancel()
			r.Drain(within)
			return next
		}
		<-ctx.Done()
	case <-over:
		records.wait(ctx)
		within, cancel := context.WithTimeout(ctx, drainTimeout)
		defer cancel()
		r.Drain(within)
		return f.goesOn(r.Next())
	case <-ctx.Done():
	}
	f.left(ctx, r.Drain)
	return ""
}
