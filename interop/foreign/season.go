package foreign

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Abroad starts a manager and a referee that is registered with it. Both use the given way of starting a match and
// otherwise follow the specification. The caller must close both.
func Abroad(ctx context.Context, start Start) (m *Manager, r *Referee, err error) {
	if m, err = NewManager(ManagerKind{
		Framing: FramingA, Status: "ACCEPTED", Start: start, Refuses: RefuseNotFound,
	}); err != nil {
		return nil, nil, err
	}
	if r, err = NewReferee(RefereeKind{
		Name: "R", Start: start, Report: "report_match_result", Refuses: RefuseNotFound, News: true,
		Sides: start == StartNested,
	}); err != nil {
		m.Close()
		return nil, nil, err
	}
	if err = r.Register(ctx, m.Endpoint()); err != nil {
		r.Close()
		m.Close()
		return nil, nil, err
	}
	return m, r, nil
}

// run plays the league once all agents are registered.
func (m *Manager) run() {
	defer close(m.done)
	select {
	case <-m.full:
	case <-m.base.Done():
		return
	}
	for round := 1; round <= 2; round++ {
		if !m.round(round) {
			return
		}
	}
	for _, p := range m.everyone() {
		m.tell(p, LeagueCompleted, object{"total_rounds": 2, "champion": object{"player_id": m.players[0].id}})
	}
}

// everyone lists all agents, the referee last.
func (m *Manager) everyone() []*enrolled {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append(append([]*enrolled(nil), m.players...), m.referee)
}

// round plays one match and waits for its report. It returns false if the report does not arrive in time.
func (m *Manager) round(n int) bool {
	agents := m.everyone()
	home, away, referee := agents[(n+1)%2], agents[n%2], agents[2]
	o := order{
		match: fmt.Sprintf("R%dM1", n), league: "foreign_league", game: "even_odd", round: n,
		a: seat{home.id, home.endpoint}, b: seat{away.id, away.endpoint},
	}
	news := object{"round_id": n, "matches": []object{m.listed(o, referee)}}
	m.tell(home, Round, news)
	m.tell(away, Round, news)
	m.start(o, referee)
	select {
	case <-m.arrived:
	case <-time.After(time.Minute):
		m.failed("%s: no report within a minute", o.match)
		return false
	case <-m.base.Done():
		return false
	}
	for _, p := range []*enrolled{home, away} {
		m.tell(p, Standings, object{"round_id": n, "standings": []object{{"rank": 1, "player_id": home.id, "points": 0}}})
	}
	return true
}

// listed is a match as an announcement lists it.
func (m *Manager) listed(o order, referee *enrolled) object {
	return object{
		"match_id": o.match, "game_type": o.game, "player_A_id": o.a.id, "player_B_id": o.b.id,
		"referee_id": referee.id, "referee_endpoint": referee.endpoint,
	}
}

// start orders a match from the referee in the manager's form.
func (m *Manager) start(o order, referee *enrolled) {
	switch m.Start {
	case StartPolled:
		m.mu.Lock()
		m.assigned = append(m.assigned, o)
		m.mu.Unlock()
	case StartAnnounced:
		match := m.listed(o, referee)
		if !m.Directory {
			match = match.with(object{"player_A_endpoint": o.a.endpoint, "player_B_endpoint": o.b.endpoint})
		}
		m.tell(referee, Round, object{"round_id": o.round, "matches": []object{match}})
	case StartURLs, StartNested:
		reply := m.call(referee, m.Start.method(), m.Start.write(o))
		if m.Answered {
			m.answered(o, reply.object("result"))
		}
	case StartQuery:
		m.query(referee, m.Start.write(o))
	default:
		m.call(referee, m.Start.method(), m.Start.write(o).with(m.envelope(referee)))
	}
}

// answered takes the result from the answer to an order. The answer identifies players by name.
func (m *Manager) answered(o order, result object) {
	choices := object{result.text("player1"): result["player1_choice"], result.text("player2"): result["player2_choice"]}
	if result["dice_roll"] == nil || choices[o.a.id] == nil || choices[o.b.id] == nil {
		m.failed("%s: the answer to the order has no result: %.300s", o.match, encode(result))
		return
	}
	m.reported(object{"match_id": o.match, "result": object{
		"winner": result["winner"], "details": object{"drawn_number": result["dice_roll"], "choices": choices},
	}})
}

// query orders a match by a POST with a URL query and no body.
func (m *Manager) query(referee *enrolled, order object) {
	values := url.Values{}
	for name := range order {
		values.Set(name, order.text(name))
	}
	where := strings.TrimSuffix(referee.endpoint, "/mcp") + string(StartQuery) + "?" + values.Encode()
	if reply, err := post(m.base, where, nil); err != nil || reply["error"] != nil || reply.text("status") == "" {
		m.failed("%s to %s: %v %v", StartQuery, referee.id, reply, err)
	}
}

// envelope returns the common members of the manager's messages to an agent.
func (m *Manager) envelope(to *enrolled) object {
	return object{
		"protocol": "league.v2", "sender": "league_manager", "timestamp": TimeZ.write(time.Now()),
		"conversation_id": "conv-" + to.id,
		"league_id":       "foreign_league",
	}
}

// tell sends news.
func (m *Manager) tell(to *enrolled, kind Kind, more object) {
	m.call(to, m.name(string(kind)), m.envelope(to).with(object{"message_type": string(kind)}).with(more))
}

// call calls an agent of the league and returns its answer. An error or a refusal is recorded as a failure.
func (m *Manager) call(to *enrolled, name string, message object) (reply object) {
	reply, err := post(m.base, to.endpoint, encode(m.frame(name, message)))
	switch {
	case err != nil:
		m.failed("%s to %s: %v", name, to.id, err)
	case reply["error"] != nil || reply.object("result")["isError"] == true:
		m.failed("%s to %s: %.300s", name, to.id, encode(reply))
	}
	return reply
}
