package manager_test

import (
	"context"
	"fmt"
	"testing"

	"agentleague/engine/sim"
	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/league/keyring"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/protocol/grid"
	"agentleague/referee"
)

// A slowMind plays the first legal move when it is let.
type slowMind struct {
	asked chan game.View
	let   chan struct{}
}

func (m slowMind) Choose(ctx context.Context, v game.View) (game.Move, error) {
	select {
	case m.asked <- v:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case <-m.let:
		return v.Options[0], nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A spectator receives the board after each move of a running match from its referee, over HTTP, and nothing before the
// match has begun and after it is over.
func TestGlimpseShowsAMatchInPlay(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	disk, door := sim.New(1), take(t)
	m, err := manager.Open(ctx, disk.Open(sim.Options{}), manager.Options{
		LeagueID: leagueID, Endpoint: door.URL(), Game: manager.Game{Type: "tic_tac_toe", SeatMatters: true},
		StartPlayers: 2, StartReferees: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, ctx, door, m.Node)
	if told, err := m.MatchProgress(ctx, "R1M1"); err == nil {
		t.Errorf("before the start: got %+v, want an error", told)
	}
	secret, err := disk.Open(sim.Options{}).Secret(ctx, keyring.RefereeSecret)
	if err != nil {
		t.Fatal(err)
	}
	r := referee.New(ctx, "Referee", catalog.Lookup, referee.Options{GameTypes: []string{"tic_tac_toe"}, Secret: secret})
	t.Cleanup(r.Wait)
	s := take(t)
	serve(t, ctx, s, r.Node)
	if err := r.Register(ctx, door.URL(), s.URL()); err != nil {
		t.Fatal(err)
	}
	mind := slowMind{asked: make(chan game.View), let: make(chan struct{})}
	for n := range 2 {
		a := player.New(fmt.Sprint("Agent ", n), mind, player.Options{GameTypes: []string{"tic_tac_toe"}})
		s := take(t)
		serve(t, ctx, s, a.Node)
		if err := a.Register(ctx, door.URL(), s.URL()); err != nil {
			t.Fatal(err)
		}
	}
	for turn := 0; ; turn++ {
		var seen game.View
		select {
		case seen = <-mind.asked:
		case <-m.Done():
			if turn != 7 { // X has 0, 2, 4 and 6 by then
				t.Errorf("%d moves were seen, want 7", turn)
			}
			if told, err := m.MatchProgress(ctx, "R1M1"); err == nil {
				t.Errorf("when it is over: got %+v, want an error", told)
			}
			return
		case <-ctx.Done():
			t.Fatal("the league is not over after a minute")
		}
		told, err := m.MatchProgress(ctx, "R1M1")
		if err != nil {
			t.Fatal(err)
		}
		shows, _ := grid.Read(told.Spectator)
		player, _ := grid.Read(seen.Context)
		if told.Turn != turn || told.State != protocol.CollectingChoices || !shows.Equal(player) || len(shows.Cells) != 9 {
			t.Errorf("turn %d: got turn %d, %s, the board %v; want %v", turn, told.Turn, told.State, shows.Cells, player.Cells)
		}
		mind.let <- struct{}{}
	}
}
