package manager_test

import (
	"slices"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

func TestOnlyTheAdminGivesOrders(t *testing.T) {
	inWorld(t, 6, rpctest.Faults{}, manager.Options{Window: -1}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(time.Second)
		tool := func(league string) *protocol.Tool {
			return &protocol.Tool{
				Envelope: protocol.Envelope{MessageType: protocol.TypePauseLeague, ConversationID: "c", LeagueID: league},
			}
		}
		for _, c := range []struct{ token, league, want string }{
			{"", "", "AUTH_TOKEN_MISSING 6001"}, {"tok_admin_wrong", "", "AUTH_TOKEN_INVALID 6001"},
			{adminToken, "another", "UNKNOWN_LEAGUE 6003"},
		} {
			if _, err := w.call("player:P01", c.token, tool(c.league)); refusal(err) != c.want {
				t.Errorf("token %q, league %q: got %v, want %s", c.token, c.league, err, c.want)
			}
		}
		if _, err := w.call("player:P01", "Bearer "+adminToken, tool(leagueID)); err != nil {
			t.Errorf("with Bearer: %v", err)
		}
		if _, err := w.order(protocol.TypeWithdrawPlayer, "P77"); refusal(err) != "PLAYER_NOT_REGISTERED 3002" {
			t.Errorf("withdrawal of nobody: got %v", err)
		}
		if _, err := w.order(protocol.TypeWithdrawPlayer, "REF01"); refusal(err) != "PLAYER_NOT_REGISTERED 3002" {
			t.Errorf("withdrawal of a referee: got %v", err)
		}
	})
}

func TestPauseOutlivesTheManager(t *testing.T) {
	inWorld(t, 10, rpctest.Faults{}, manager.Options{StartPlayers: 4}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(5 * time.Second) }
		w.bootAll(2, 4)
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		time.Sleep(2 * time.Second)
		if ack, err := w.order(protocol.TypePauseLeague, ""); err != nil || !ack.Paused {
			t.Errorf("got %+v, %v", ack, err)
		}
		before := w.disk.Len(leagueID)
		if ack, err := w.order(protocol.TypePauseLeague, ""); err != nil || !ack.Paused ||
			w.disk.Len(leagueID) > before {
			t.Errorf("paused twice: got %+v, %v, or it is in the log twice", ack, err)
		}
		w.procs["LM"].Crash()
		time.Sleep(time.Second)
		w.bootManager()
		time.Sleep(10 * time.Minute)
		s := w.state()
		if !s.Paused || s.Round != 1 || s.RoundOpen || s.Recorded != 2 {
			t.Errorf("paused is %v in round %d with %d results; want what was in play to be finished and no more", s.Paused,
				s.Round, s.Recorded)
		}
		if !w.status().Paused {
			t.Error("the status does not tell of the pause")
		}
		for range 2 {
			if ack, err := w.order(protocol.TypeResumeLeague, ""); err != nil || ack.Paused {
				t.Errorf("got %+v, %v", ack, err)
			}
		}
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
		for _, order := range []protocol.Type{protocol.TypePauseLeague, protocol.TypeWithdrawPlayer} {
			if _, err := w.order(order, "P01"); refusal(err) != "LEAGUE_ALREADY_COMPLETE 4005" {
				t.Errorf("%s after the end: got %v", order, err)
			}
		}
	})
}

func TestNoRoundIsOpenedInAPause(t *testing.T) {
	inWorld(t, 11, rpctest.Faults{}, manager.Options{StartPlayers: 4, Pace: 3 * time.Second}, func(w *world) {
		w.bootAll(1, 4)
		w.await(time.Minute, "round 1 is over", func(s *league.State) bool { return s.Recorded == 2 && !s.RoundOpen })
		if _, err := w.order(protocol.TypePauseLeague, ""); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		if s := w.state(); s.Round != 1 {
			t.Errorf("round %d was opened in a pause", s.Round)
		}
	})
}

func TestWithdrawnPlayersMatchesAreWonByTheOthers(t *testing.T) {
	inWorld(t, 13, rpctest.Faults{}, manager.Options{StartPlayers: 4, Pace: 10 * time.Second}, func(w *world) {
		w.bootAll(2, 4)
		w.await(time.Minute, "round 1 is over", func(s *league.State) bool { return s.Round == 1 && !s.RoundOpen })
		for range 2 {
			if _, err := w.order(protocol.TypeWithdrawPlayer, "P02"); err != nil {
				t.Error(err)
			}
		}
		if !w.finish(10 * time.Minute) {
			return
		}
		w.checkLaws()
		s := w.state()
		for id, other := range map[string]string{"R2M2": "P04", "R3M2": "P03"} {
			m := s.Matches[id]
			if r := m.Outcome.Result; m.Outcome.Attempt != 0 || r.Status != protocol.TechnicalLoss || r.Winner != other ||
				r.Forfeits["P02"] == "" {
				t.Errorf("%s: got %+v", id, m.Outcome)
			}
			if _, orders := w.seen(8001, "START_MATCH "+id); len(orders) > 0 {
				t.Errorf("%s was started: %q", id, orders)
			}
			i := slices.IndexFunc(w.players[other].History(), func(h protocol.PlayerMatch) bool { return h.MatchID == id })
			if i < 0 {
				t.Errorf("%s never heard of its win in %s", other, id)
				continue
			}
			if h := w.players[other].History()[i]; h.Result != protocol.Win || h.OpponentID != "P02" || h.PointsEarned != 3 {
				t.Errorf("%s heard %+v", other, h)
			}
		}
		if a := s.Agents["P02"]; a.State != protocol.AgentShutdown || a.Why != "withdrawn" {
			t.Errorf("P02 is %s, %q", a.State, a.Why)
		}
		select {
		case <-w.players["P02"].Done():
		default:
			t.Error("the player that withdrew was not told of the end")
		}
	})
}

func TestMatchInPlayEndsAsItsRefereeSays(t *testing.T) {
	inWorld(t, 14, rpctest.Faults{}, manager.Options{StartPlayers: 2}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(5 * time.Second) }
		w.bootAll(1, 2)
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		time.Sleep(2 * time.Second)
		if _, err := w.order(protocol.TypeWithdrawPlayer, "P02"); err != nil {
			t.Error(err)
		}
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
		if m := w.state().Matches["R1M1"]; m.Outcome.Attempt != 1 || m.Outcome.Result.Status == protocol.TechnicalLoss {
			t.Errorf("got %+v, want the result that was played", m.Outcome)
		}
	})
}

func TestPauseKeepsWaitingMatchesFromStarting(t *testing.T) {
	inWorld(t, 21, rpctest.Faults{}, manager.Options{StartPlayers: 4}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(5 * time.Second) }
		w.refOpts.MaxMatches = 1
		w.bootAll(1, 4)
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		time.Sleep(2 * time.Second)
		if _, err := w.order(protocol.TypePauseLeague, ""); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		if s := w.state(); s.Recorded != 1 {
			t.Errorf("%d results in a pause, want the one that was in play", s.Recorded)
		}
		if _, err := w.order(protocol.TypeResumeLeague, ""); err != nil {
			t.Error(err)
		}
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
	})
}
