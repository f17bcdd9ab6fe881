package view_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/format"
	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
)

// A season is a league that pairs round by round, whose first player of each match wins.
type season struct {
	*testing.T
	*league.State
	rules format.Settings
}

func begin(t *testing.T, players int, rules format.Settings) *season {
	rules = rules.Filled(false)
	s := &season{t, league.NewState(), rules}
	s.add(league.Created{Schema: league.FormatSchema, LeagueID: "open", GameType: "even_odd", Scoring: protocol.DefaultScoring,
		Tiebreakers: league.Tiebreakers, Schedule: &rules, ManagerKey: strings.Repeat("c0", 32)})
	var ids []string
	for i := range players {
		ids = append(ids, protocol.AgentID(protocol.RolePlayer, i+1))
		s.add(league.Registered{Role: protocol.RolePlayer, ID: ids[i], Name: "Agent " + ids[i]})
	}
	s.add(league.Registered{Role: protocol.RoleReferee, ID: "REF01", Name: "Referee"})
	s.add(league.Started{Players: ids})
	return s
}

func (s *season) add(e league.Event) {
	s.Helper()
	if err := s.Apply(time.Unix(1, 0), e); err != nil {
		s.Fatal(err)
	}
}

// open pairs the next round as the preview has it, and opens it.
func (s *season) open() {
	s.Helper()
	next, ok := league.Preview(s.State)
	if !ok {
		s.Fatal("no round follows")
	}
	s.add(next)
	s.add(league.RoundOpened{Round: next.Round})
}

// play has the player with the better seed win the first n matches of the open round.
func (s *season) play(n int) {
	s.Helper()
	for _, m := range s.InRound(s.Round)[:n] {
		s.add(league.MatchAssigned{Match: m.ID, Referee: "REF01", Attempt: 1})
		winner := m.A
		if a, _ := league.SeedOf(s.State, m.A); a > s.seed(m.B) {
			winner = m.B
		}
		s.add(league.ResultRecorded{Match: m.ID, Referee: "REF01", Attempt: 1,
			Result: league.Result{Status: protocol.Win, Winner: winner}, DrawKey: "k" + m.ID})
	}
}

func (s *season) seed(id string) int { seed, _ := league.SeedOf(s.State, id); return seed }

func (s *season) close() { s.add(league.RoundClosed{Round: s.Round}) }

func (s *season) rows() []view.Row { return view.RowsOf(s.State, s.Table()) }

func TestBracketHasAllStagesWithByesAndTheNextPlayers(t *testing.T) {
	s := begin(t, 6, format.Settings{Format: "knockout", Knockout: format.Knockout{ThirdPlace: true}})
	s.open()
	b := view.PairedOf(s.State, s.rows(), view.FiguresLive).Bracket
	if got := words(b); !slices.Equal(got, []string{
		"Quarter-final 1: Agent P01 has a bye", "Quarter-final 2: Agent P04 against Agent P05, in play",
		"Quarter-final 3: Agent P02 has a bye", "Quarter-final 4: Agent P03 against Agent P06, in play",
		"Semi-final 1: Agent P01 against nobody yet", "Semi-final 2: Agent P02 against nobody yet",
		"Final: not decided yet", "Third place: not decided yet"}) {
		t.Errorf("got %q", got)
	}
	for range 3 {
		s.play(len(s.InRound(s.Round)))
		s.close()
		if _, more := league.Preview(s.State); more {
			s.open()
		}
	}
	b = view.PairedOf(s.State, s.rows(), view.FiguresLive).Bracket
	if got := words(b)[4:]; !slices.Equal(got, []string{
		"Semi-final 1: Agent P01 against Agent P04, Agent P01 wins", "Semi-final 2: Agent P02 against Agent P03, Agent P02 wins",
		"Final: Agent P01 against Agent P02, Agent P01 wins", "Third place: Agent P04 against Agent P03, Agent P03 wins"}) {
		t.Errorf("got %q", got)
	}
	if final := b.Stages[2]; !final.Now || b.Stages[1].Now || final.Ties[0].Match() != "R3M1" || final.Ties[0].Sides[0].Score != "1" {
		t.Errorf("got %+v", final)
	}
	if got := view.NextWords(s.State, "P05"); got != "It is out of the knockout." {
		t.Errorf("got %q", got)
	}
}

func words(b *view.Bracket) (out []string) {
	for _, stage := range b.Stages {
		for _, tie := range stage.Ties {
			out = append(out, tie.Words())
		}
	}
	return out
}

func TestGridHasOpponentsByesAndRests(t *testing.T) {
	s := begin(t, 5, format.Settings{Format: "swiss", Rounds: 3})
	s.open()
	s.play(2)
	s.close()
	s.open()
	s.play(1)
	rows := s.rows()
	g := view.PairedOf(s.State, rows, view.FiguresLive).Grid
	for i, row := range g.Rows {
		for k, c := range row.Cells {
			want := rows[i].Paired.Opponents[k]
			if c.What == "bye" && want == "bye" {
				continue
			}
			if c.What != "match" || c.Opponent != want || g.Rows[c.Against-1].ID != want {
				t.Errorf("%s in round %d: got %+v, want %s", row.ID, k+1, c, want)
			}
			back := g.Rows[c.Against-1].Cells[k]
			if back.Opponent != row.ID || back.Seat+c.Seat != 3 || c.Result == "W" && back.Result != "L" {
				t.Errorf("%s against %s: got %+v and %+v", row.ID, want, c, back)
			}
		}
	}
	if i := slices.IndexFunc(rows, func(r view.Row) bool { return r.Paired.Byes == 1 && r.Paired.Credit == 3 }); i < 0 {
		t.Errorf("no player has a bye that is worth a win: %+v", rows)
	}
}

func TestRoundHasTheReasonOfEachPairing(t *testing.T) {
	s := begin(t, 5, format.Settings{Format: "swiss", Rounds: 3})
	s.open()
	s.play(2)
	s.close()
	next, ok := view.RoundOf(s.State, 2)
	if !ok || next.State != "preview" || len(next.Matches) != 2 || next.Matches[0].Why == "" {
		t.Errorf("got %+v, %v", next, ok)
	}
	if got := view.NextOf(s.State, next.Matches[0].A.ID); got == nil || !got.Preview || got.ID != "R2M1" {
		t.Errorf("got %+v before the round is paired", got)
	}
	s.open()
	r, _ := view.RoundOf(s.State, 2)
	if r.State != "open" || len(r.Byes) != 1 || r.Matches[0].Why != "both have 3 points" || view.WhyOf(s.State, "R2M1") != r.Matches[0].Why {
		t.Errorf("got %+v", r)
	}
	if got := view.NextOf(s.State, r.Matches[0].A.ID); got == nil || got.ID != "R2M1" || got.Opponent.ID != r.Matches[0].B.ID {
		t.Errorf("got %+v", got)
	}
	for _, n := range []int{0, -1, 3, 99} {
		if _, ok := view.RoundOf(s.State, n); ok {
			t.Errorf("there is a round %d", n)
		}
	}
}

func TestLadderRanksByItsOwnRating(t *testing.T) {
	s := begin(t, 6, format.Settings{Format: "ladder", Rounds: 9})
	for range 4 {
		s.open()
		s.play(len(s.InRound(s.Round)))
		s.close()
	}
	s.open()
	rows, last := s.rows(), 1<<30
	for _, r := range rows {
		if safe := r.Paired.Low(); safe > last {
			t.Errorf("%s is below a player with a lower bound of %d: %+v", r.PlayerID, last, r.Paired)
		} else {
			last = safe
		}
		if r.Paired.Next == nil || r.LadderRating() == 0 {
			t.Errorf("got %+v", r.Paired)
		}
	}
	if p := view.PairedOf(s.State, rows, view.FiguresLive); !p.Ladder() || p.Grid != nil || p.Bracket != nil {
		t.Errorf("got %+v", p)
	}
}

func TestRoundRobinHasItsNextMatchFromThePlan(t *testing.T) {
	s := league.NewState()
	for _, e := range []league.Event{
		league.Created{LeagueID: "open", GameType: "even_odd", Cycles: 1, Scoring: protocol.DefaultScoring, Tiebreakers: league.Tiebreakers},
		league.Registered{Role: protocol.RolePlayer, ID: "P01", Name: "Ada"}, league.Registered{Role: protocol.RolePlayer, ID: "P02", Name: "Bohr"},
		league.Registered{Role: protocol.RolePlayer, ID: "P03", Name: "Cleo"}, league.Started{Players: []string{"P01", "P02", "P03"}},
	} {
		if err := s.Apply(time.Unix(1, 0), e); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		if got := view.NextOf(s, fmt.Sprintf("P0%d", i+1)); got == nil || got.Playing {
			t.Errorf("P0%d: got %+v", i+1, got)
		}
	}
	if r, ok := view.RoundOf(s, 3); !ok || r.State != "planned" || len(r.Matches) != 1 || len(r.Byes) != 1 || view.PairedOf(s, nil, 9) != nil {
		t.Errorf("got %+v, %v", r, ok)
	}
}
