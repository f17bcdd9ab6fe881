package league

import (
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
)

// A season is a league without a manager: decisions, their log, and the state
// that they lead to.
type season struct {
	t     testing.TB
	state *State
	log   [][]byte
	now   time.Time
	kept  func(MatchAssigned) bool // what no referee plays yet
}

func newSeason(t testing.TB, created Created) *season {
	created.LeagueID, created.GameType, created.Schema = "league", "even_odd", schema
	if created.Scoring == (protocol.Scoring{}) {
		created.Scoring = protocol.DefaultScoring
	}
	created.Tiebreakers = Tiebreakers
	s := &season{t: t, state: NewState(), now: time.Now(), kept: func(MatchAssigned) bool { return true }}
	s.write(created, Epoch{"a"})
	return s
}

// write puts events and what follows from them into the log and applies them.
func (s *season) write(events ...Event) {
	s.t.Helper()
	s.now = s.now.Add(time.Second)
	var batch []entry
	for len(events) > 0 {
		for _, e := range events {
			if err := s.state.Apply(s.now, e); err != nil {
				s.t.Fatalf("apply %#v: %v", e, err)
			}
			line, err := newEntry(s.now, e)
			if err != nil {
				s.t.Fatal(err)
			}
			batch = append(batch, line)
		}
		events = advance(s.state, s.kept, "5ec7e7")
	}
	data, err := json.Marshal(batch)
	if err != nil {
		s.t.Fatal(err)
	}
	s.log = append(s.log, data)
}

// entries are those of a log, as an engine reads them.
func entries(log [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, data := range log {
			if !yield(data, nil) {
				return
			}
		}
	}
}

// join registers so many agents.
func (s *season) join(referees, players int) {
	s.t.Helper()
	for n := range referees {
		s.register(protocol.RoleReferee, fmt.Sprint("referee ", n+1))
	}
	for n := range players {
		s.register(protocol.RolePlayer, fmt.Sprint("player ", n+1))
	}
}

func (s *season) register(role protocol.Role, name string) *Agent {
	s.t.Helper()
	yes, no := admit(s.state, applicant(role, name), roomy)
	if no != nil {
		s.t.Fatalf("%s was refused: %s", name, no.reason)
	}
	s.write(*yes)
	return s.state.Agents[yes.ID]
}

func applicant(role protocol.Role, name string) application {
	return application{role: role, conversation: "conv-" + name, meta: protocol.AgentMeta{
		DisplayName: name, ContactEndpoint: "http://localhost:1/" + strings.ReplaceAll(name, " ", "-"), MaxConcurrentMatches: 1,
	}}
}

var roomy = limits{maxPlayers: 100, maxReferees: 100}

// begun returns a season in its first round.
func begun(t testing.TB, referees, players int, created Created) *season {
	t.Helper()
	s := newSeason(t, created)
	s.join(referees, players)
	s.write(startWith(s.state, everybodyReached)...)
	s.write(openNext(s.state)...)
	return s
}

// report has a referee report a match, and returns the events.
func (s *season) report(referee, match string, attempt int, result protocol.ReportedResult) ([]Event, error) {
	r := &protocol.MatchResultReport{Result: result, Attempt: attempt}
	r.MatchID = match
	events, err := recordResult(s.state, referee, r, func(*Match) error { return nil })
	if len(events) > 0 {
		s.write(events...)
	}
	return events, err
}

// anyResult is a result of a match of a and b.
func anyResult(rng *rand.Rand, a, b string) (r protocol.ReportedResult) {
	switch rng.IntN(5) {
	case 0:
		r.Details.Status = protocol.Draw
	case 1:
		r.Details.Status, r.Details.Forfeits = protocol.TechnicalLoss, map[string]string{a: "E001", b: "E009"}
	case 2:
		r.Winner, r.Details.Status, r.Details.Forfeits = &a, protocol.TechnicalLoss, map[string]string{b: []string{"E001", "E004", "E009"}[rng.IntN(3)]}
	default:
		n := 1 + rng.IntN(10)
		r.Winner, r.Details.DrawnNumber = &b, &n
		r.Details.Choices = map[string]json.RawMessage{a: json.RawMessage(`"even"`), b: json.RawMessage(` "odd" `)}
	}
	return r
}

// live does something that can happen to a league, whatever its state.
func (s *season) live(rng *rand.Rand) {
	st := s.state
	switch what := rng.IntN(20); {
	case what == 0 && !st.Started():
		s.join(1+rng.IntN(3), 2+rng.IntN(4))
	case what == 1 && !st.Started() && len(st.Players()) > 1:
		s.write(startWith(st, reaching(func(id string) bool { return id <= "P02" || rng.IntN(10) > 0 }))...)
	case what == 2 && st.Started():
		s.write(DialectLearned{st.Players()[0], protocol.Canonical})
	case what == 3:
		s.write(Paused{}, Epoch{"b"})
	case what == 4 && st.Paused:
		s.write(Resumed{})
	case what == 5 && rng.IntN(10) == 0 && st.Started():
		s.write(Withdrawn{ID: st.Players()[rng.IntN(len(st.Players()))]})
	case what == 6:
		for _, ref := range st.Roster(protocol.RoleReferee) {
			s.write(AgentState{ref.ID, []string{protocol.AgentActive, protocol.AgentSuspended}[rng.IntN(2)], "by chance"})
		}
	case what == 7 && len(st.Agents) > 0:
		a := st.Roster(protocol.RoleReferee)[0]
		ap := applicant(protocol.RoleReferee, a.Name)
		ap.conversation = fmt.Sprint(rng.Int())
		yes, _ := admit(st, ap, roomy)
		s.write(*yes)
	case what == 8:
		s.write(Announced{"round", st.Round})
	case what == 9:
		s.write(StartOrdered{})
	default:
		if events := openNext(st); len(events) > 0 {
			s.write(events...)
		}
		s.playOne(rng)
	}
}

// playOne reports one of the open matches, by any referee that was ever asked for it.
func (s *season) playOne(rng *rand.Rand) {
	open := s.state.Open()
	if len(open) == 0 {
		return
	}
	m := open[rng.IntN(len(open))]
	if len(m.Assigned) == 0 {
		return
	}
	a := m.Assigned[rng.IntN(len(m.Assigned))]
	if _, err := s.report(a.Referee, m.ID, a.Attempt, anyResult(rng, m.A, m.B)); err != nil {
		s.t.Errorf("report of %s: %v", m.ID, err)
	}
}

// holders returns how many open matches each referee has.
func (s *season) holders() map[string]int {
	out := map[string]int{}
	for _, m := range s.state.Open() {
		out[m.Attempt().Referee]++
	}
	return out
}

// everybodyReached is what is known when every agent answers at its endpoint.
func everybodyReached(string) string { return "" }

// reaching tells of those who do not answer why.
func reaching(reached func(id string) bool) func(id string) string {
	return func(id string) string {
		if reached(id) {
			return ""
		}
		return "its endpoint could not be reached"
	}
}
