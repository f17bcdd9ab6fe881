package league_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"agentleague/engine/sim"
	"agentleague/game/catalog"
	"agentleague/league"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
)

// take takes a free port, and serve serves a node there until the test ends.
func take(t *testing.T) *rpc.Server {
	t.Helper()
	s, err := rpc.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func serve(t *testing.T, ctx context.Context, s *rpc.Server, n *rpc.Node) {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, n) }()
	t.Cleanup(func() { stop(); <-ended })
}

// TestLeagueCompletesOverHTTP plays a league of each game between real servers.
func TestLeagueCompletesOverHTTP(t *testing.T) {
	for _, rules := range catalog.All() {
		info := rules.Info()
		t.Run(info.Type, func(t *testing.T) {
			t.Parallel()
			s := playOverHTTP(t, info.Type, info.SeatMatters, 5, 2)
			if s.Recorded != 10 || !s.Completed() {
				t.Errorf("recorded %d, completed %v; want 10, true", s.Recorded, s.Completed())
			}
			for _, m := range s.Matches {
				if got := m.Outcome.Result.Status; got != protocol.Win && got != protocol.Draw {
					t.Errorf("%s ended with %s, want a win or a draw", m.ID, got)
				}
			}
		})
	}
}

func playOverHTTP(t *testing.T, gameType string, seatMatters bool, players, referees int) (final *league.State) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	disk := sim.New(1)
	manager := take(t)
	m, err := league.Open(ctx, disk.Open(sim.Options{}), league.Options{
		LeagueID: leagueID, Endpoint: manager.URL(), Game: league.Game{Type: gameType, SeatMatters: seatMatters},
		StartPlayers: players, StartReferees: referees,
		CheckResult: func(r *protocol.MatchResultReport, a, b string) error { return referee.Verify(catalog.Lookup, r, a, b) },
	})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, ctx, manager, m.Node)
	games := []string{gameType}
	for n := range referees {
		r := referee.New(ctx, fmt.Sprint("Referee ", n), catalog.Lookup, referee.Options{GameTypes: games})
		t.Cleanup(r.Wait)
		s := take(t)
		serve(t, ctx, s, r.Node)
		if err := r.Register(ctx, manager.URL(), s.URL()); err != nil {
			t.Fatal(err)
		}
	}
	for n := range players {
		a := player.New(fmt.Sprint("Agent ", n), player.Random(nil), player.Options{GameTypes: games})
		s := take(t)
		serve(t, ctx, s, a.Node)
		if err := a.Register(ctx, manager.URL(), s.URL()); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-m.Done():
	case <-ctx.Done():
		t.Error("the league is not over after a minute")
	}
	stop()
	m.Wait()
	m.Read(func(s *league.State) { final = s })
	return final
}
