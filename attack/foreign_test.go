package attack_test

import (
	"testing"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// foreigners are third-party referees that lie, and attackers that use their names. Their results are unproven, so
// `league verify` never exits with 0 here. Impossible results are still recorded, because no other referee is
// available.
func foreigners() family {
	// lies sends a report about the first match, in the referee's own name and with its ticket.
	lies := func(details message, winner func(m *league.Match) any) func(a *arena) answer {
		return func(a *arena) answer {
			m := a.state().Matches["R1M1"]
			return post(a.t, a.url, a.foreignReport("R1M1", message{"winner": winner(m), "details": details}))
		}
	}
	nobody := func(*league.Match) any { return nil }
	playerA := func(m *league.Match) any { return m.A }
	both := func(a, b string) message { return message{"P01": a, "P02": b} }
	rows := []attack{
		{name: "a number that is not drawn", want: "", told: "is unusual", proof: league.Unproven,
			try: lies(message{"drawn_number": 11, "number_parity": "odd", "choices": both("odd", "even")}, playerA)},
		{name: "another parity than the number's", variant: true, want: "", told: "is unusual", proof: league.Unproven,
			try: lies(message{"drawn_number": 4, "number_parity": "odd", "choices": both("odd", "even")}, playerA)},
		{name: "a win although both were right", variant: true, want: "", told: "is unusual", proof: league.Unproven,
			try: lies(message{"drawn_number": 4, "number_parity": "even", "choices": both("even", "even")}, playerA)},
		{name: "a win of who was wrong", variant: true, want: "", told: "is unusual", proof: league.Unproven,
			try: lies(message{"drawn_number": 4, "number_parity": "even", "choices": both("odd", "even")}, playerA)},
		{name: "a draw without choices", variant: true, want: "", told: "is unusual", proof: league.Unproven,
			try: lies(message{"status": "DRAW", "drawn_number": 4, "number_parity": "even", "choices": message{}}, nobody)},
		{name: "a choice that is none", variant: true, want: "", told: "is unusual", proof: league.Unproven,
			try: lies(message{"drawn_number": 4, "number_parity": "even", "choices": both("prime", "even")}, nobody)},
		{name: "a winner who does not play", want: "E002", proof: league.Unproven,
			try: lies(message{"choices": both("even", "odd")}, func(*league.Match) any {
				return "P77"
			})},
		{name: "a winner who forfeited", variant: true, want: "", told: "is unusual", proof: league.Unproven, try: func(a *arena) answer {
			m := a.state().Matches["R1M1"]
			return lies(message{"status": "TECHNICAL_LOSS", "forfeits": message{m.A: "E001"}, "choices": message{}}, playerA)(a)
		}},
		{name: "a match that it was not given", want: "E006", proof: league.Unproven, try: func(a *arena) answer {
			return post(a.t, a.url,
				a.foreignReport("R2M1",
					message{"winner": nil, "details": message{"choices": both("even", "even"), "drawn_number": 2,
						"number_parity": "even"}}))
		}},
		{name: "from another address", want: "E012", told: "came from another address", proof: league.Unproven,
			try: func(a *arena) answer {
				return postFrom(a.t, elsewhere(a.t), a.url,
					a.foreignReport("R1M1",
						message{"winner": nil, "details": message{"choices": both("even", "even"), "drawn_number": 2}}))
			}},
		{name: "without the ticket that it has shown", want: "E011", proof: league.Unproven, try: func(a *arena) answer {
			post(a.t, a.url, a.foreignReport("R7M7", message{"winner": nil})) // it shows it
			m := a.foreignReport("R1M1", message{
				"winner": nil, "details": message{"choices": both("even", "even"), "drawn_number": 2},
			})
			delete(m, "auth_token")
			return post(a.t, a.url, m)
		}},
		{name: "a lie that fits together, about native players", want: "", verify: 3, proof: league.Unproven, try: lies(message{"drawn_number": 4, "number_parity": "even", "choices": both("odd", "odd")}, nobody)},
		{name: "another process of its machine, before it", want: "", verify: 3, told: "reports another result of a recorded match", proof: league.Disputed, try: func(a *arena) answer {
			m := a.state().Matches["R1M1"]
			got := postFrom(a.t, "127.0.0.2", a.url, a.foreignReport("R1M1", message{"winner": m.A, "details": message{"choices": message{m.A: "even", m.B: "odd"}, "drawn_number": 4}}))
			post(a.t, a.url, a.foreignReport("R1M1", message{"winner": m.B, "details": message{"choices": message{m.A: "even", m.B: "odd"}, "drawn_number": 5}}))
			return got
		}},
		{name: "two different reports", want: "E025", verify: 3, told: "reports another result of a recorded match", proof: league.Disputed, try: func(a *arena) answer {
			m := a.state().Matches["R1M1"]
			post(a.t, a.url, a.foreignReport("R1M1", message{"winner": m.A, "details": message{"choices": message{m.A: "even", m.B: "odd"}, "drawn_number": 4}}))
			return post(a.t, a.url, a.foreignReport("R1M1", message{"winner": m.B, "details": message{"choices": message{m.A: "even", m.B: "odd"}, "drawn_number": 5}}))
		}},
	}
	for i := range rows {
		rows[i].verify = 3
	}
	return family{name: "foreigners", scene: foreignTable, each: true, attacks: rows, after: foreignEnd, lenient: true}
}

// foreignTable is a league of Alpha and Beta, native both, under a referee of another make, which has been given their
// first match.
func foreignTable(t *testing.T, strict bool) *arena {
	a := duel(t, strict)
	ref := newStranger(t, 0, "")
	a.cast["ticket"] = ref.join(a, protocol.RoleReferee, "Visitor")
	a.cast["referee"] = ref
	a.start()
	a.ordered()
	return a
}

// ordered waits for the next match that the foreign referee is given.
func (a *arena) ordered() (match string) {
	a.t.Helper()
	select {
	case order := <-a.cast["referee"].(*stranger).orders:
		return order["match_id"].(string)
	case <-time.After(rpctest.Patience):
		a.t.Fatal("the foreign referee gets no match")
		return ""
	}
}

// foreignReport is a report in the foreign referee's name, with its ticket.
func (a *arena) foreignReport(match string, result message) message {
	who := a.cast["ticket"].(answer)
	return report("referee:"+who.Referee, who.Token, match, result)
}

// foreignEnd makes the foreign referee report the remaining matches consistently.
func foreignEnd(a *arena) {
	a.t.Helper()
	for match := "R1M1"; ; match = a.ordered() {
		if m := a.state().Matches[match]; m.Outcome == nil {
			got := post(a.t, a.url,
				a.foreignReport(match,
					message{
						"winner": m.A, "details": message{
							"choices": message{m.A: "even", m.B: "odd"}, "drawn_number": 4, "number_parity": "even",
						},
					}))
			if got.Code != "" {
				a.t.Fatalf("figures that fit together are refused: %s", got.text)
			}
		}
		if s := a.state(); s.Recorded == s.TotalMatches() {
			break
		}
	}
	rpctest.Eventually(a.t, "the end of the league", func() bool { return a.state().Completed() })
}
