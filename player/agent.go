package player

import (
	"strings"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// An Agent answers a manager and referees with the choices of a Strategy.
type Agent struct {
	Node     *rpc.Node
	name     string
	strategy Strategy
	opts     settings
	who      *rpc.Applicant

	mu sync.Mutex
	place
	memory     memory
	witness    witness
	answers    answers
	state      string
	agentState string
	announced  announcements
	table      []protocol.Standing // the newest from the manager
	asker      *asker              // queries of the strategy
	bouts      bouts
	told       map[bout]verdict // the verdict of our manager, or of its referee, on each bout
	protests   int              // under way
	manager    string           // where it registered
	draining   bool             // no further invitation is accepted
	done       chan struct{}    // closed when the league is over
	next       string           // then: the league in which the same agents play on; "": there is none
	over       sync.Once
	afterDone  []func()          // to be called then
	given      map[string]string // the tokens that managers gave in their answers, by where they are
}

// ID returns the id that the manager granted, or the one asked for before.
func (a *Agent) ID() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.id
}

// called returns the id that the agent's answers carry.
func (a *Agent) called() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.known()
}

// known returns the id of the agent: the granted one, or before that the one in sender. The caller holds the lock.
func (a *Agent) known() string {
	if a.id != "" {
		return a.id
	}
	_, own := protocol.ParseSender(a.Node.Sender())
	return own
}

// History returns the matches that the agent remembers.
func (a *Agent) History() []protocol.PlayerMatch {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]protocol.PlayerMatch(nil), a.memory.history...)
}

// Done is closed when the manager has announced the end of the league.
func (a *Agent) Done() <-chan struct{} { return a.done }

// AfterDone calls f on a new goroutine when the manager has announced the end of the league, or now if it has; under
// a third-party manager 60 seconds later. A host of many players needs no goroutine per player for [Agent.Done].
func (a *Agent) AfterDone(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.done:
		go f()
	default:
		a.afterDone = append(a.afterDone, f)
	}
}

// Next is the league in which the same agents continue, once this one is over; "": none.
func (a *Agent) Next() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.next
}

// lingering is how long a player stays reachable after the end of a third-party league. Such a manager may acknowledge
// the last report only after all players have acknowledged the end, and may repeat its last messages.
const lingering = time.Minute

// leagueOver records that the league is over. The next league is accepted only from our manager. The caller holds the
// lock.
func (a *Agent) leagueOver(next string) {
	a.over.Do(func() {
		wait := lingering
		if a.native {
			a.next, wait = next, 0
		}
		close(a.done)
		for _, f := range a.afterDone {
			time.AfterFunc(wait, f) // the caller of AfterDone manages its own lifetime
		}
	})
}

// slug is a name as a part of an address.
func slug(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "-")) }

// hear passes a message to the strategy, if it listens. The caller holds the lock.
func (a *Agent) hear(m protocol.Message) {
	if l, ok := a.strategy.(Listener); ok {
		l.Hear(m)
	}
}

// ack acknowledges m. It shows no token: the caller may be any client. The caller holds the lock.
func (a *Agent) ack(t protocol.Type, m protocol.Message) *protocol.Ack {
	h := m.Head()
	return &protocol.Ack{
		Envelope: protocol.Envelope{MessageType: t, LeagueID: h.LeagueID, RoundID: h.RoundID, MatchID: h.MatchID},
		Status:   protocol.Acknowledged, PlayerID: a.known(),
	}
}
