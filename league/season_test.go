package league

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"iter"
	"math/rand/v2"
	"testing"
	"time"

	"agentleague/engine"
	"agentleague/league/location"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A season is a league without a manager: decisions, their log, and the state
// that they lead to.
type season struct {
	t     testing.TB
	state *State
	log   [][]byte
	now   time.Time
	kept  func(MatchAssigned) bool // unplayed assignments

	secret string // of the draws
	limits Limits
}

func newSeason(t testing.TB, created Created) *season {
	created.LeagueID, created.GameType, created.Schema = "league", "even_odd", Schema
	if created.Schedule != nil {
		created.Schema = FormatSchema
	}
	created.ManagerKey = protocol.AgreementPublic(managerKey)
	if created.Scoring == (protocol.Scoring{}) {
		created.Scoring = protocol.DefaultScoring
	}
	created.Tiebreakers, created.GuestsMayJudge = Tiebreakers, true
	s := &season{t: t, state: NewState(), now: time.Now(), kept: func(MatchAssigned) bool { return true },
		secret: "5ec7e7", limits: roomy}
	s.write(created, Epoch{Holder: "a"})
	return s
}

// write appends events and their consequences to the log and applies them.
func (s *season) write(events ...Event) {
	s.t.Helper()
	s.now = s.now.Add(time.Second)
	var batch []EncodedEvent
	var written []Event
	for len(events) > 0 {
		written = append(written, events...)
		for _, e := range events {
			if err := s.state.Apply(s.now, e); err != nil {
				s.t.Fatalf("apply %#v: %v", e, err)
			}
			line, err := EncodeEvent(s.now, e)
			if err != nil {
				s.t.Fatal(err)
			}
			batch = append(batch, line)
		}
		events = Advance(s.state, s.kept, s.secret)
	}
	data, err := json.Marshal(batch)
	if err != nil {
		s.t.Fatal(err)
	}
	s.log = append(s.log, data)
	mark := markOf(s.log, len(s.log))
	s.state.Written(mark.Seq, mark.Hash, written)
}

// markOf is where the n-th entry of a log stands.
func markOf(log [][]byte, n int) engine.Mark {
	sum := sha256.New()
	for _, data := range log[:n] {
		sum.Write(data)
	}
	return engine.Mark{Seq: uint64(n), Hash: hex.EncodeToString(sum.Sum(nil))}
}

// entries are those of a log, as an engine reads them.
func entries(log [][]byte) iter.Seq2[engine.Entry, error] {
	return func(yield func(engine.Entry, error) bool) {
		for n, data := range log {
			if !yield(engine.Entry{Mark: markOf(log, n+1), Data: data}, nil) {
				return
			}
		}
	}
}

// join registers that number of agents.
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
	ap := native(applicant(role, name))
	d := Admit(s.state, ap, s.limits)
	if d.Offer != nil {
		d = Admit(s.state, s.takes(ap, d), s.limits)
	}
	if d.No != nil {
		s.t.Fatalf("%s was refused: %s", name, d.No.Reason)
	}
	s.write(s.limits.Events(s.state, d)...)
	return s.state.Agents[d.Yes.ID]
}

// applicant returns the application of a foreign agent at a separate port.
func applicant(role protocol.Role, name string) Application {
	endpoint := fmt.Sprintf("http://localhost:%d/mcp", 10_000+crc32.ChecksumIEEE([]byte(string(role)+name))%50_000)
	return Application{Role: role, Place: location.Of(endpoint, nil, rpc.IsHere), Meta: protocol.AgentMeta{
		DisplayName: name, ContactEndpoint: endpoint, MaxConcurrentMatches: 1,
	}}
}

// native is an applicant that has a key.
func native(ap Application) Application {
	ap.Meta.PublicKey = keyOf(ap.Role, ap.Meta.DisplayName)
	ap.Meta.AgreementKey = agreementOf(ap.Role, ap.Meta.DisplayName)
	return ap
}

// privateKey is the key of the agent of that name.
func privateKey(role protocol.Role, name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(string(role) + name))
	return ed25519.NewKeyFromSeed(seed[:])
}

// managerKey is the key with which the manager of a season agrees on tokens.
var managerKey = protocol.AgreementKey([]byte("manager"))

func agreementOf(role protocol.Role, name string) string {
	return protocol.AgreementPublic(protocol.AgreementKey(privateKey(role, name).Seed()))
}

func keyOf(role protocol.Role, name string) string { return protocol.PublicKey(privateKey(role, name)) }

// takes is an applicant that has taken the place it was offered. A referee is the organiser's.
func (s *season) takes(ap Application, d Ruling) Application {
	key := privateKey(ap.Role, ap.Meta.DisplayName)
	offer := *d.Offer
	offer.Welcome = &Welcomed{Manager: "http://localhost:8000/mcp", Challenge: "c", Nonce: "n"}
	offer.Welcome.Signature = protocol.Sign(key, TermsOf(s.state).Challenge(offer).Text())
	w := *offer.Welcome
	ap.Taken = &TakenPlace{
		ID: d.Offer.ID, Generation: d.Offer.Generation, Proof: w, Organiser: ap.Role == protocol.RoleReferee,
	}
	return ap
}

var roomy = Limits{MaxPlayers: 100, MaxReferees: 100, Guests: GuestsBeforeStart, Answered: func(string) bool {
	return true
}}

// begun returns a season in its first round.
func begun(t testing.TB, referees, players int, created Created) *season {
	t.Helper()
	s := newSeason(t, created)
	s.join(referees, players)
	s.write(StartWith(s.state, everybodyReached)...)
	s.write(OpenNext(s.state, "5ec7e7", s.state.At())...)
	return s
}

// report has a referee report a match, and returns the events.
func (s *season) report(referee, match string, attempt int, result protocol.ReportedResult) ([]Event, error) {
	r := &protocol.MatchResultReport{Result: result, Attempt: attempt}
	r.MatchID = match
	events, err := RecordResult(s.state, referee, r, func(*Match) (string, error) { return "", nil })
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
		r.Winner, r.Details.Status, r.Details.Forfeits =
			&a, protocol.TechnicalLoss, map[string]string{b: []string{"E001", "E004", "E009"}[rng.IntN(3)]}
	default:
		n := 1 + rng.IntN(10)
		r.Winner, r.Details.DrawnNumber = &b, protocol.Present(n)
		r.Details.Choices = map[string]json.RawMessage{a: json.RawMessage(`"even"`), b: json.RawMessage(` "odd" `)}
	}
	return r
}

// live performs a random event that is possible in the current state.
func (s *season) live(rng *rand.Rand) {
	st := s.state
	switch what := rng.IntN(20); {
	case st.Completed():
		s.write(Announced{"league", what}, Epoch{Holder: "c"})
	case what == 0 && !st.Started():
		s.join(1+rng.IntN(3), 2+rng.IntN(4))
	case what == 1 && !st.Started() && len(st.Players()) > 1:
		s.write(StartWith(st, reaching(func(id string) bool { return id <= "P02" || rng.IntN(10) > 0 }))...)
	case what == 2 && st.Started():
		s.write(DialectLearned{st.Players()[0], protocol.Canonical})
	case what == 3:
		s.write(Paused{}, Epoch{Holder: "b"})
	case what == 4 && st.Paused:
		s.write(Resumed{})
	case what == 5 && rng.IntN(10) == 0 && st.Started():
		s.write(Withdrawn{ID: st.Players()[rng.IntN(len(st.Players()))]})
	case what == 6:
		for _, ref := range st.Roster(protocol.RoleReferee) {
			s.write(AgentState{ref.ID, []string{protocol.AgentActive, protocol.AgentSuspended}[rng.IntN(2)], "by chance"})
		}
	case what == 7 && len(st.Agents) > 0:
		s.register(protocol.RoleReferee, st.Roster(protocol.RoleReferee)[0].Name)
	case what == 10 && st.Recorded > 0 && rng.IntN(2) == 0:
		m := st.told[rng.IntN(len(st.told))]
		s.write(Contested{Match: m.ID, Attempt: 1, By: "player:" + m.A, What: protocol.ProtestMoves})
		if rng.IntN(3) == 0 {
			s.write(Annulled{Match: m.ID, Why: "by chance"})
		}
	case what == 8:
		s.write(Announced{"round", st.Round})
	case what == 9:
		s.write(StartOrdered{})
	default:
		if events := OpenNext(st, "5ec7e7", st.At()); len(events) > 0 {
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
	if len(m.Assigned) == m.void {
		return
	}
	a := m.Assigned[m.void+rng.IntN(len(m.Assigned)-m.void)]
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

// everybodyReached reports that every agent answers at its endpoint.
func everybodyReached(string) string { return "" }

// reaching returns the reason for each unreachable agent.
func reaching(reached func(id string) bool) func(id string) string {
	return func(id string) string {
		if reached(id) {
			return ""
		}
		return "its endpoint could not be reached"
	}
}
