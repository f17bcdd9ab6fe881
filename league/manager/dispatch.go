package manager

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/league/keyring"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A dispatcher sends each assigned match to its referee as a START_MATCH order.
type dispatcher struct {
	*core
	*ledger
	*jobs
	calls   *caller
	auth    *authenticator
	keys    *keyring.Keyring
	tasks   *matchTasks
	results *results
	drain   *drainState
	agenda  agenda // the conductor's own

	returned sync.Map // by id: when an agent registered again without a change, which the log does not record
}

// maxRefusals is the number of consecutive refusals of a match after which another referee is asked.
const maxRefusals = 3

// order asks a referee to play a match. It retries until the referee accepts the order, or until the match is over or
// assigned to another referee. It records the acceptance in d.tasks.
func (d *dispatcher) order(a league.MatchAssigned) {
	if d.tasks.order(a).accepted { // accepted since the scan
		return
	}
	if !d.isNative(a.Referee) && !d.fetchesMatches(a.Referee) {
		// A third-party referee needs a pause after its last report, see orderDelay.
		if d.Node.Sleep(d.ctx, "put "+a.Key(), d.remainingDelay(a.Referee)) != nil {
			return
		}
		if first, err := d.firstOrder(d.ctx, a); err != nil || !first {
			d.tasks.setAccepted(a, err == nil)
			return
		}
	}
	var reply protocol.Message
	var err error
	for refusals := 0; ; {
		msg, ok := d.startMatch(a)
		if !ok || d.tasks.order(a).accepted {
			return
		}
		asked := d.mayAsk(a.Referee, err)
		if asked {
			reply, err = d.calls.call(d.orderContext(a.Referee), a.Referee, msg)
			d.calls.learned(a.Referee)
		}
		if protocol.Is(err, protocol.Timeout) && !d.isNative(a.Referee) { // it may still play, and report by a call
			taken := protocol.Envelope{MessageType: protocol.TypeStartMatchAck}
			reply, err = &protocol.StartMatchAck{Envelope: taken, Status: protocol.Accepted}, nil
		}
		pause := 2 * time.Second
		if ack, ok := reply.(*protocol.StartMatchAck); err == nil && ok {
			d.results.obstacles.forget(a.Match)
			if r := ack.Result; r != nil { // a refusal is warned of and remembered; the referee may still report
				err = d.results.weigh(d.ctx, rpc.From{Addr: a.Referee}, a.Referee, r.MatchID, r.Attempt,
					d.results.count(d.ctx, a.Referee, r))
			}
			if ack.Status != protocol.Busy {
				d.tasks.setAccepted(a, true)
				return
			}
			refusals, pause = 0, time.Second
		}
		if refusal := (*protocol.Refusal)(nil); errors.As(err, &refusal) && !d.fetchesMatches(a.Referee) {
			if asked {
				d.warn("a referee refuses a match", slog.String("match_id", a.Match),
					slog.String("referee_id", a.Referee), slog.Any("error", err))
			}
			d.tasks.setRefused(a)
			d.results.obstacles.note(a, "it refused the match: "+protocol.AsError(err).Sentence())
			if refusals++; refusals%maxRefusals == 0 {
				_ = d.Do(d.ctx, func(s *league.State) ([]league.Event, error) { return league.Reassign(s, a), nil })
			}
		}
		if d.Node.Sleep(d.ctx, "order "+a.Key(), pause) != nil {
			return
		}
	}
}

// orderDelay is the minimum delay between a third-party referee's report and the next order to it. Some referees count
// the match as running until they receive the answer to the report, and silently drop an order before that.
const orderDelay = time.Second

// remainingDelay returns the remaining part of orderDelay for a referee; 0 or less means that it can be asked now.
func (d *dispatcher) remainingDelay(referee string) (left time.Duration) {
	d.Read(func(s *league.State) {
		for round := max(s.Round-1, 1); round <= s.Round; round++ {
			for _, m := range s.InRound(round) {
				if m.Outcome != nil && m.Outcome.Referee == referee {
					left = max(left, remaining(orderDelay, m.EndedAt))
				}
			}
		}
	})
	return left
}

// orderContext returns the context for an order to a referee. A third-party referee may respond only after the match,
// and the response may be the only report of the result, so its timeout covers a whole match.
func (d *dispatcher) orderContext(id string) context.Context {
	if d.isNative(id) {
		return d.ctx
	}
	return rpc.Within(d.ctx, time.Now().Add(foreignMatchTimeout))
}

// mayAsk reports whether to repeat an order to a referee after the error last. A third-party referee that refused an
// order may play the match anyway or fetch it later, so it is not asked again.
func (d *dispatcher) mayAsk(id string, last error) bool {
	return !errors.As(last, new(*protocol.Refusal)) || rpc.NotNow(last) || d.isNative(id)
}

// startMatch returns the order for an attempt; ok is false if the attempt is no longer current.
func (d *dispatcher) startMatch(a league.MatchAssigned) (msg *protocol.StartMatch, ok bool) {
	d.Read(func(s *league.State) {
		match := s.Matches[a.Match]
		if s.Completed() || match.Outcome != nil || match.Attempt() != a || !s.Agents[a.Referee].Live() {
			return
		}
		conversation := fmt.Sprintf("conv-%s-start-%d", a.Match, a.Attempt)
		msg, ok = &protocol.StartMatch{
			Envelope: protocol.Envelope{
				MessageType: protocol.TypeStartMatch, ConversationID: conversation,
				LeagueID: d.opts.LeagueID, RoundID: protocol.Round(match.Round), MatchID: a.Match,
			},
			GameType: s.Created.GameType, Attempt: a.Attempt, DrawKey: d.keys.DrawKey(s, match),
			ReportTo: d.addressFor(s.Agents[a.Referee].Registered),
			PlayerA:  d.contender(s, a, match.A), PlayerB: d.contender(s, a, match.B), Scoring: &s.Created.Scoring,
			Seal: s.Seal, RulesSHA256: s.Created.RulesSHA256,
		}, true
		ref := s.Agents[a.Referee]
		if !ref.Organiser {
			msg.DrawKey, msg.DrawCommitment = "", league.Commitment(msg.DrawKey)
		}
		if ref.Native() {
			msg.OneLineRecord = true // a referee of an earlier version has two forms
			msg = msg.Hide(d.keys.Token(s, ref))
		} else {
			msg.RefereeID, msg.RefereeEndpoint = ref.ID, d.reach(ref.ID, ref.Endpoint, msg.ReportTo)
		}
	})
	return msg, ok
}

// contender returns a player's data for a referee: its endpoint, dialect and key, and the token that identifies the
// referee to it, which is valid for this attempt alone.
func (d *dispatcher) contender(s *league.State, a league.MatchAssigned, id string) protocol.Contender {
	p := s.Agents[id]
	return protocol.Contender{
		ID: id, CallsItself: p.CallsItself, Endpoint: d.reach(id, p.Endpoint, d.addressFor(s.Agents[a.Referee].Registered)), Dialect: p.Dialect, State: p.State,
		RegisteredAt: protocol.Stamp(d.registeredAt(p)),
		PublicKey:    p.Key,
		Token:        protocol.MatchToken(d.keys.Token(s, p), d.opts.LeagueID, a.Match, a.Attempt, a.Referee),
		Standings:    s.TallyOf(id),
	}
}

// registeredAt returns when an agent last registered or was readmitted. A referee that receives a new time forgets
// earlier failures to reach the agent.
func (d *dispatcher) registeredAt(a *league.Agent) time.Time {
	if again, ok := d.returned.Load(a.ID); ok && again.(repeated).registered.Equal(a.RegisteredAt) {
		return again.(repeated).at
	}
	return a.RegisteredAt
}

// A repeated is the time at of a registration that repeated, without a change, the registration at time registered.
type repeated struct{ at, registered time.Time }

// restartMatches marks the open matches of a referee as not accepted, so that they are ordered again: a referee that
// registered again may have lost them.
func (d *dispatcher) restartMatches(referee string) {
	d.Read(func(s *league.State) {
		for _, match := range s.Open() {
			if a := match.Attempt(); a.Referee == referee {
				d.tasks.setAccepted(a, false)
			}
		}
	})
	d.kick()
}

// mostNamed is the maximum number of matches in the text of inPlay.
const mostNamed = 5

// inPlay describes the matches that were ordered and have no result, with their referees and the referees' states.
func (d *dispatcher) inPlay() string {
	var names []string
	more := 0
	d.Read(func(s *league.State) {
		for _, match := range s.Open() {
			switch a := match.Attempt(); {
			case !d.tasks.order(a).ordered:
			case len(names) == mostNamed:
				more++
			default:
				names = append(names, fmt.Sprintf("%s at %s (%s)", match.ID, a.Referee, s.Agents[a.Referee].State))
			}
		}
	})
	if more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// playing reports whether any ordered match has no result yet.
func (d *dispatcher) playing() (yes bool) {
	d.Read(func(s *league.State) {
		for _, match := range s.Open() {
			yes = yes || d.tasks.order(match.Attempt()).ordered
		}
	})
	return yes
}
