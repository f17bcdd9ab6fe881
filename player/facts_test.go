package player_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"agentleague/game"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
)

// knowing has the manager answer the queries of strategies, and counts them.
func (w *table) knowing(late time.Duration) map[string]int {
	asked := map[string]int{}
	w.manager.Handle(protocol.TypeLeagueQuery, func(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
		q := m.(*protocol.LeagueQuery)
		asked[q.QueryType+q.QueryParams.PlayerID]++
		if err := w.manager.Sleep(ctx, "think", late); err != nil {
			return nil, err
		}
		data := map[string]string{
			protocol.QueryGames:     `{"game_registry":{"even_odd":{"rules":"Choose even or odd."}}}`,
			protocol.QueryStandings: `{"standings":[{"player_id":"P02","display_name":"Ada"},{"player_id":"P01","display_name":"Agent Alpha"}]}`,
			protocol.QueryPlayerMatches: `{"matches":[{"match_id":"R1M2","my_choice":"odd"},{"match_id":"R2M2","my_choice":"even"},` +
				`{"match_id":"R3M2","my_choice":[4,0]}]}`,
		}[q.QueryType]
		return w.authentic(m, &protocol.LeagueQueryResponse{
			Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueQueryResponse}, Success: true, QueryType: q.QueryType,
			Data: []byte(data),
		})
	})
	return asked
}

// curious is a strategy that queries everything, and stores the answers.
func curious(told *player.Briefing) player.Strategy {
	return player.StrategyFunc(func(ctx context.Context, v game.View) (game.Move, error) {
		*told = player.Brief(ctx, 2)
		return v.Options[0], nil
	})
}

// asksFor has the referee ask for a choice that is due in ten seconds.
func (w *table) asksFor(match string) (took time.Duration) {
	w.t.Helper()
	start := time.Now()
	if err := w.invite(match, 1, w.matchToken(match, 1)); err != nil {
		w.t.Error(err)
	}
	_, err := w.from(w.referee, &protocol.ChooseParityCall{
		Envelope: protocol.Envelope{MessageType: protocol.TypeChooseParityCall, MatchID: match, AuthToken: w.matchToken(match, 1)},
		PlayerID: "P01", Attempt: 1, GameType: "even_odd", Deadline: protocol.Stamp(time.Now().Add(10 * time.Second)),
		Context: protocol.ChooseContext{OpponentID: "P02"},
	})
	if err != nil {
		w.t.Error(err)
	}
	return time.Since(start)
}

// A strategy that asks receives the rules, the opponent's name, the opponent's earlier moves, and the table. The
// manager is queried once per match for each, and not at all for a strategy that does not ask.
func TestAStrategyFindsOutWhatItAsksFor(t *testing.T) {
	t.Parallel()
	var told player.Briefing
	atNativeTable(t, curious(&told), player.Options{Identity: identity(t)}, func(w *table) {
		asked := w.knowing(0)
		w.asksFor("R4M1")
		if told.Rules != "Choose even or odd." || told.OpponentName != "Ada" || len(told.Table) != 2 || told.Opponent != "P02" {
			t.Errorf("got %+v", told)
		}
		if p := told.OpponentPlayed; len(p) != 2 || p[0].MatchID != "R3M2" || string(p[0].MyChoice) != "[4,0]" || p[1].MatchID != "R2M2" {
			t.Errorf("the opponent played %+v, want its newest two", p)
		}
		w.asksFor("R4M1")
		w.asksFor("R5M1")
		if got, want := fmt.Sprint(asked), "map[GET_GAMES:1 GET_PLAYER_MATCHESP02:2 GET_STANDINGS:2]"; got != want {
			t.Errorf("in two matches the manager was asked %s, want %s", got, want)
		}
	})
	atNativeTable(t, player.Random(nil), player.Options{Identity: identity(t)}, func(w *table) {
		asked := w.knowing(0)
		w.asksFor("R4M1")
		if len(asked) != 0 {
			t.Errorf("for a strategy that asks nothing the manager was asked %v", asked)
		}
	})
}

// Known facts are not queried: rules in the program, and a table that the manager has sent.
func TestWhatIsKnownIsNotAskedFor(t *testing.T) {
	t.Parallel()
	var told player.Briefing
	o := player.Options{Identity: identity(t), Rules: func(game string) string { return "The rules of " + game + "." }}
	atNativeTable(t, curious(&told), o, func(w *table) {
		asked := w.knowing(0)
		table := []protocol.Standing{{PlayerID: "P02", DisplayName: "Grace"}}
		if _, err := w.tell(protocol.TypeLeagueStandingsUpdate, 1, &protocol.StandingsUpdate{Standings: table}); err != nil {
			t.Error(err)
		}
		w.asksFor("R4M1")
		if told.Rules != "The rules of even_odd." || told.OpponentName != "Grace" {
			t.Errorf("got %+v", told)
		}
		if len(asked) != 1 {
			t.Errorf("the manager was asked %v, want only for the opponent's matches", asked)
		}
	})
}

// A manager that does not answer costs a strategy a fifth of its time, once in a match, and no move.
func TestAManagerThatDoesNotAnswerCostsLittleTime(t *testing.T) {
	t.Parallel()
	var told player.Briefing
	atNativeTable(t, curious(&told), player.Options{Identity: identity(t)}, func(w *table) {
		w.knowing(5 * time.Second)
		if took := w.asksFor("R4M1"); took > 2100*time.Millisecond {
			t.Errorf("a move that was due in 10 s came after %v", took)
		}
		time.Sleep(patience) // until the manager has given up, in virtual time
		if told.Rules != "" || told.Table != nil || told.OpponentPlayed != nil || told.Opponent != "P02" {
			t.Errorf("got %+v", told)
		}
	})
}

func TestOutsideOfAnAgentNothingIsKnown(t *testing.T) {
	t.Parallel()
	if b := player.Brief(t.Context(), 5); b.Rules != "" || b.Table != nil || b.OpponentPlayed != nil || b.ID != "" {
		t.Errorf("got %+v", b)
	}
	ctx := player.WithMatch(t.Context(), player.Match{ID: "R1M1", Opponent: "P02"}, nil)
	if b := player.Brief(ctx, 5); b.ID != "R1M1" || b.Opponent != "P02" || b.Rules != "" {
		t.Errorf("got %+v", b)
	}
}
