package league

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentleague/format"
	"agentleague/protocol"
)

// drawSecret is a secret that an audit accepts.
var drawSecret = hex.EncodeToString([]byte("thirty-two bytes of a draw secret"[:32]))

// inFormat returns a season with 8 players in its lobby that is played by these rules, and late players.
func inFormat(t testing.TB, players int, rules format.Settings) *season {
	t.Helper()
	raw, err := hex.DecodeString(drawSecret)
	if err != nil {
		t.Fatal(err)
	}
	created := Created{Cycles: 1, MaxForfeits: 6, DrawCommitment: protocol.DrawCommitment("league", raw)}
	created = Scheduled(created, rules)
	s := newSeason(t, created)
	s.secret = drawSecret
	s.limits.Late = &Scheduling{Settings: rules}
	s.join(2, players)
	s.write(Seeded(s.state, StartWith(s.state, everybodyReached), s.secret, func(Registered) (int, int) { return 1500, 0 })...)
	return s
}

// step performs a random event of a league that decides its pairings round by round.
func (s *season) step(rng *rand.Rand) {
	st := s.state
	players := st.Players()
	any := func() string { return players[rng.IntN(len(players))] }
	switch what := rng.IntN(40); {
	case st.Completed():
	case what == 0 && s.limits.lateRefusal(st) == "" && len(players) < 30:
		s.register(protocol.RolePlayer, fmt.Sprint("late ", len(st.Agents)))
	case what == 1:
		if events, err := s.limits.Late.Rest(st, any(), rng.IntN(3), "admin"); err == nil {
			s.write(events...)
		}
	case what == 2 && rng.IntN(3) == 0:
		s.write(Withdrawn{ID: any()})
	case what == 3:
		s.write(Readmitted{ID: any()})
	case what == 4 && st.Recorded > 0:
		if m := st.told[rng.IntN(len(st.told))]; !PlayedOn(st, m) {
			s.write(Annulled{Match: m.ID})
		}
	case what < 12:
		if events := OpenNext(st, s.secret, st.At()); len(events) > 0 {
			s.write(events...)
		}
	default:
		s.playOne(rng)
	}
}

// finish plays the rest of the league.
func (s *season) finish(rng *rand.Rand) {
	for n := 0; !s.state.Completed() && n < 20_000 && s.state.Round < 300; n++ {
		if events := OpenNext(s.state, s.secret, s.state.At()); len(events) > 0 {
			s.write(events...)
		}
		s.playOne(rng)
	}
}

// clean returns the findings of an audit about pairings, players and the end.
func (s *season) clean() (out []string) {
	a, err := s.audited()
	if err != nil {
		return []string{err.Error()}
	}
	for _, f := range a.Findings {
		if !strings.HasSuffix(f.Field, ".record_sha256") && !strings.HasSuffix(f.Field, ".draw_key") && !strings.Contains(f.What, "sign") &&
			!strings.HasSuffix(f.Field, ".welcome") {
			out = append(out, fmt.Sprintf("line %d: %s: %s want %s, got %s", f.Line, f.Field, f.What, f.Want, f.Got))
		}
	}
	return out
}

var allRules = []format.Settings{
	{Format: "swiss", Rounds: 5},
	{Format: "swiss", Rounds: 3, Legs: 2, Bye: "draw", Late: format.Late{Missed: "half"}, Seeding: "lot"},
	{Format: "gauntlet", Gauntlet: format.Gauntlet{Challengers: 2}},
	{Format: "knockout", Knockout: format.Knockout{BestOf: 2, Extra: 1, Decide: "lot", ThirdPlace: true}, Seeding: "rating"},
	{Format: "ladder", Rounds: 12},
	{Format: "round_robin"},
	{Format: "round_robin", Seeding: "lot", Withdrawal: format.Withdrawal{BeforeHalf: "discount"}, Late: format.Late{Until: 5, Missed: "win"}},
}

func TestEveryFormatIsPlayedReadAgainAndVerified(t *testing.T) {
	t.Parallel()
	for i, rules := range allRules {
		for seed := range uint64(12) {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			s := inFormat(t, 3+rng.IntN(8), rules)
			for range 200 {
				s.step(rng)
			}
			s.finish(rng)
			name := fmt.Sprintf("%s %d, seed %d", rules.Format, i, seed)
			if !s.state.Completed() {
				t.Errorf("%s: not over after round %d with %d open matches", name, s.state.Round, len(s.state.Open()))
			}
			again, err := Fold(entries(s.log))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			again.decided, s.state.decided = decided{}, decided{}
			if !reflect.DeepEqual(again, s.state) {
				t.Errorf("%s: the state that was played and the one that is read differ", name)
			}
			if !reflect.DeepEqual(again.Table(), s.state.Table()) {
				t.Errorf("%s: the tables differ", name)
			}
			if found := s.clean(); len(found) > 0 {
				t.Errorf("%s:\n%s", name, strings.Join(found, "\n"))
			}
		}
	}
}

// A ring stays in the older schema, with the members that older programs know, until a player joins late.
func TestARingLeavesTheOlderSchemaAtItsFirstLateEntry(t *testing.T) {
	t.Parallel()
	s := inFormat(t, 6, format.Settings{})
	s.write(OpenNext(s.state, s.secret, s.state.At())...)
	if _, ring := s.state.Schedule.(Ring); !ring || s.state.Schema != Schema {
		t.Fatalf("a round robin begins with schema %d and %T", s.state.Schema, s.state.Schedule)
	}
	first := slices.Clone(s.state.Schedule.Round(1))
	late := s.register(protocol.RolePlayer, "late")
	if s.state.Schema != FormatSchema || !s.state.InField(late.ID) || !slices.Equal(s.state.Schedule.Round(1), first) {
		t.Errorf("schema %d, players %v, round 1 %v", s.state.Schema, s.state.Players(), s.state.Schedule.Round(1))
	}
	rng := rand.New(rand.NewPCG(1, 1))
	s.finish(rng)
	met := map[[2]string]bool{}
	for _, m := range s.state.Matches {
		met[[2]string{min(m.A, m.B), max(m.A, m.B)}] = true
	}
	if n := len(s.state.Players()); len(met) < n*(n-1)/2 {
		t.Errorf("%d of %d pairs have met", len(met), n*(n-1)/2)
	}
	if found := s.clean(); len(found) > 0 {
		t.Error(strings.Join(found, "\n"))
	}
}

func TestNoPlayerJoinsTooLate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rules format.Settings
		late  bool
		want  string
	}{
		{format.Settings{Late: format.Late{Until: 1}}, true, "registration is closed: the league has started"},
		{format.Settings{Format: "swiss", Rounds: 2, Late: format.Late{Missed: "win"}}, true, "too late to join"},
		{format.Settings{}, false, "registration is closed: the league has started"},
		{format.Settings{Format: "knockout"}, true, "the bracket of a knockout is fixed at its start"},
	} {
		s := inFormat(t, 6, c.rules)
		s.write(OpenNext(s.state, s.secret, s.state.At())...)
		if !c.late {
			s.limits.Late = nil
		}
		if d := Admit(s.state, native(applicant(protocol.RolePlayer, "late")), s.limits); d.No == nil || !strings.Contains(d.No.Reason, c.want) {
			t.Errorf("%+v: got %+v, want a refusal with %q", c.rules, d, c.want)
		}
	}
}

// Pairings are decided once and derived again: another pairing, seed, entry or end is found.
func TestForgedPairingsAreFound(t *testing.T) {
	t.Parallel()
	forge := func(s *season, change func(e Event) Event) (found []string) {
		for i, data := range s.log {
			at, events, err := DecodeBatch(data)
			if err != nil {
				t.Fatal(err)
			}
			var batch []EncodedEvent
			for _, e := range events {
				line, err := EncodeEvent(at, change(e))
				if err != nil {
					t.Fatal(err)
				}
				batch = append(batch, line)
			}
			if s.log[i], err = json.Marshal(batch); err != nil {
				t.Fatal(err)
			}
		}
		return s.clean()
	}
	for name, change := range map[string]func(e Event) Event{
		"swapped seats": func(e Event) Event {
			if p, ok := e.(RoundPaired); ok && p.Round == 2 {
				p.Pairs = slices.Clone(p.Pairs)
				p.Pairs[0] = Pairing{A: p.Pairs[0].B, B: p.Pairs[0].A}
				return p
			}
			return e
		},
		"other seeds": func(e Event) Event {
			if p, ok := e.(Started); ok {
				slices.Reverse(p.Seeds)
				return p
			}
			return e
		},
		"more points for missed rounds": func(e Event) Event {
			if p, ok := e.(playerJoined); ok {
				p.Missed++
				return p
			}
			return e
		},
		"fewer rounds": func(e Event) Event {
			if p, ok := e.(Created); ok {
				rules := *p.Schedule
				rules.Rounds = 6
				p.Schedule = &rules
				return p
			}
			return e
		},
	} {
		s := inFormat(t, 8, format.Settings{Format: "swiss", Rounds: 5, Seeding: "lot"})
		s.write(OpenNext(s.state, s.secret, s.state.At())...)
		s.register(protocol.RolePlayer, "late")
		s.finish(rand.New(rand.NewPCG(7, 7)))
		if found := s.clean(); len(found) > 0 {
			t.Fatalf("before it is forged: %v", found)
		}
		if found := forge(s, change); len(found) == 0 {
			t.Errorf("%s: not found", name)
		}
	}
}
