package manager

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// dueMatches orders the matches whose players know of them and whose referee has room.
func (m *Manager) dueMatches(s *league.State) (due []func()) {
	load := map[string]int{}
	var waiting []league.MatchAssigned
	announced, held := s.Announced[league.Announced{What: "round", Round: s.Round}], s.Paused || m.draining()
	for _, match := range s.Open() {
		a := match.Attempt()
		if ref := s.Agents[a.Referee]; ref == nil || !ref.Live() {
			continue
		}
		now := m.errand(match)
		known := now.known || a.Attempt == 1 && announced
		switch {
		case now.ordered:
			load[a.Referee]++
			if !now.accepted {
				due = append(due, func() { m.once("play "+a.Key(), func() { m.order(a) }) })
			}
		case !known:
			due = append(due, func() { m.once("await "+a.Key(), func() { m.awaitHeard(a) }) })
		case !held:
			waiting = append(waiting, a)
		}
	}
	for _, a := range waiting {
		if load[a.Referee] >= s.Agents[a.Referee].Room() {
			continue
		}
		if m.letGo(a) {
			load[a.Referee]++
			due = append(due, func() { m.once("play "+a.Key(), func() { m.order(a) }) })
		}
	}
	return due
}

// An errand is how far the order to play a match is.
type errand struct{ ordered, accepted, known bool }

func (m *Manager) errand(match *league.Match) (out errand) {
	a := match.Attempt()
	m.locked(func(v *volatile) {
		if out.ordered = v.ordered[a]; out.ordered {
			out.accepted = v.accepted[a]
			return
		}
		out.known = v.waited[a] || v.heard[hearing{a, match.A}] && v.heard[hearing{a, match.B}]
	})
	return out
}

// awaitHeard gives the players of an attempt ten seconds to acknowledge its announcement.
func (m *Manager) awaitHeard(a league.MatchAssigned) {
	if m.Node.Sleep(m.ctx, "announcement of "+a.Key(), 10*time.Second) == nil {
		m.locked(func(v *volatile) { v.waited[a] = true })
	}
}

// maxRefusals is how often in a row a referee may refuse a match before another is asked.
const maxRefusals = 3

// order asks a referee to play a match until it says yes or the match is no longer its own.
func (m *Manager) order(a league.MatchAssigned) {
	if m.taken(a) { // while the conductor looked
		return
	}
	if !m.ours(a.Referee) && !m.fetches(a.Referee) {
		if m.Node.Sleep(m.ctx, "put "+a.Key(), 0) != nil { // several are due at once: whose turn it is, is chance
			return
		}
		if first, err := m.firstOrder(m.ctx, a); err != nil || !first {
			m.locked(func(v *volatile) { v.accepted[a] = err == nil })
			return
		}
	}
	var reply protocol.Message
	var err error
	for refusals := 0; ; {
		msg, ok := m.startMatch(a)
		if !ok || m.taken(a) {
			return
		}
		if m.mayAsk(a.Referee, err) {
			reply, err = m.call(m.ctx, a.Referee, msg)
			m.learned(a.Referee)
		}
		if protocol.Is(err, protocol.Timeout) && !m.ours(a.Referee) { // it may play while it lets us wait
			taken := protocol.Envelope{MessageType: protocol.TypeStartMatchAck}
			reply, err = &protocol.StartMatchAck{Envelope: taken, Status: protocol.Accepted}, nil
		}
		pause := 2 * time.Second
		if ack, ok := reply.(*protocol.StartMatchAck); err == nil && ok {
			if ack.Result != nil {
				err = m.played(a.Referee, ack.Result)
			}
			if err != nil {
				m.warn("a referee told no result that counts", slog.String("match_id", a.Match), slog.Any("error", err))
			}
			if ack.Status != protocol.Busy {
				m.locked(func(v *volatile) { v.accepted[a] = true })
				return
			}
			refusals, pause = 0, time.Second
		}
		if refusal := (*protocol.Refusal)(nil); errors.As(err, &refusal) && !m.fetches(a.Referee) {
			m.warn("a referee refuses a match", slog.String("match_id", a.Match), slog.String("referee_id", a.Referee), slog.Any("error", err))
			m.locked(func(v *volatile) { v.refused[a] = true })
			if refusals++; refusals%maxRefusals == 0 {
				_ = m.do(m.ctx, func(s *league.State) ([]league.Event, error) { return league.Reassign(s, a), nil })
			}
		}
		if m.Node.Sleep(m.ctx, "order "+a.Key(), pause) != nil {
			return
		}
	}
}

// mayAsk reports whether a referee may be asked for an attempt after what it
// said last. One of another make that failed may be playing all the same; it
// may still come for the match.
func (m *Manager) mayAsk(id string, last error) bool {
	return !errors.As(last, new(*protocol.Refusal)) || rpc.NotNow(last) || m.ours(id)
}

// taken reports whether the referee of an attempt has said yes to it.
func (m *Manager) taken(a league.MatchAssigned) (yes bool) {
	m.locked(func(v *volatile) { yes = v.accepted[a] })
	return yes
}

// startMatch writes the order for an attempt, unless it has been overtaken.
func (m *Manager) startMatch(a league.MatchAssigned) (msg *protocol.StartMatch, ok bool) {
	m.Read(func(s *league.State) {
		match := s.Matches[a.Match]
		if match.Outcome != nil || match.Attempt() != a || !s.Agents[a.Referee].Live() {
			return
		}
		msg, ok = &protocol.StartMatch{
			Envelope: protocol.Envelope{
				MessageType: protocol.TypeStartMatch, ConversationID: fmt.Sprintf("conv-%s-start-%d", a.Match, a.Attempt),
				LeagueID: m.opts.LeagueID, RoundID: protocol.Round(match.Round), MatchID: a.Match,
			},
			GameType: s.Created.GameType, Attempt: a.Attempt, DrawKey: m.drawKey(s, match), ReportTo: m.opts.Endpoint,
			PlayerA: m.contender(s, a, match.A), PlayerB: m.contender(s, a, match.B), Scoring: &s.Created.Scoring, Seal: s.Seal,
		}, true
		ref := s.Agents[a.Referee]
		if !ref.Organiser {
			msg.DrawKey, msg.DrawCommitment = "", league.Commitment(msg.DrawKey)
		}
		if ref.Native() {
			msg = msg.Hide(m.token(ref))
		} else {
			msg.RefereeID, msg.RefereeEndpoint = ref.ID, ref.Endpoint
		}
	})
	return msg, ok
}

func (m *Manager) contender(s *league.State, a league.MatchAssigned, id string) protocol.Contender {
	p := s.Agents[id]
	return protocol.Contender{
		ID: id, CallsItself: p.CallsItself, Endpoint: p.Endpoint, Dialect: p.Dialect, State: p.State, RegisteredAt: protocol.Stamp(p.RegisteredAt),
		PublicKey: p.Key,
		Token:     protocol.MatchToken(m.token(p), m.opts.LeagueID, a.Match, a.Attempt, a.Referee),
		Standings: s.TallyOf(id),
	}
}
