package league_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/game"
	"agentleague/league"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
)

// call sends a message to the manager as somebody, from a machine of its own.
func (w *world) call(sender, token string, m protocol.Message) (protocol.Message, error) {
	name := "client of " + sender
	p := w.procs[name]
	if p == nil {
		p = w.net.Boot(name, fmt.Sprintf("http://localhost:%d/mcp", 9000+len(w.procs)))
		w.procs[name] = p
	}
	n := rpc.NewNode(sender, rpc.Options{Network: p})
	return n.Call(w.ctx, rpc.Peer{Endpoint: managerURL, Token: token}, m)
}

// order has the admin order something.
func (w *world) order(t protocol.Type, player string) (*protocol.LeagueControlAck, error) {
	m := &protocol.Tool{Envelope: protocol.Envelope{MessageType: t, ConversationID: "conv-admin"}, PlayerID: player}
	reply, err := w.call("admin", adminToken, m)
	ack, _ := reply.(*protocol.LeagueControlAck)
	return ack, err
}

// named is an agent's introduction.
func named(name, endpoint string) protocol.AgentMeta {
	return protocol.AgentMeta{DisplayName: name, Version: "1.0.0", GameTypes: []string{"even_odd"}, ContactEndpoint: endpoint}
}

// apply asks for a place among the players.
func (w *world) apply(sender, token, conversation string, meta protocol.AgentMeta) *protocol.LeagueRegisterResponse {
	w.t.Helper()
	reply, err := w.call(sender, token, &protocol.LeagueRegisterRequest{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueRegisterRequest, ConversationID: conversation, AuthToken: token}, Meta: meta,
	})
	if err != nil {
		w.t.Errorf("%s registers: %v", sender, err)
		return &protocol.LeagueRegisterResponse{}
	}
	return reply.(*protocol.LeagueRegisterResponse)
}

// await waits until the manager's state is as wanted.
func (w *world) await(within time.Duration, what string, f func(s *league.State) bool) {
	w.t.Helper()
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		var ok bool
		w.manager.Read(func(s *league.State) { ok = f(s) })
		if ok {
			return
		}
	}
	w.t.Errorf("after %v it is still not so: %s", within, what)
}

func started(s *league.State) bool { return s.Started() }

// slow chooses after a time.
func slow(d time.Duration) player.Strategy {
	return player.StrategyFunc(func(ctx context.Context, v game.View) (game.Move, error) {
		select {
		case <-time.After(d):
			return v.Options[0], nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
}

// seen lists what arrived at a machine, by the label of its calls, with the times.
func (w *world) seen(port int, what string) (times []time.Duration, labels []string) {
	for _, line := range w.net.Trace() {
		at, rest, _ := strings.Cut(line, " ")
		_, label, ok := strings.Cut(rest, fmt.Sprintf(" > localhost:%d ", port))
		label, arrives := strings.CutSuffix(label, " arrives")
		if !ok || !arrives || !strings.HasPrefix(label, what) {
			continue
		}
		s, _ := strconv.ParseFloat(at, 64)
		times, labels = append(times, time.Duration(s*float64(time.Second))), append(labels, label)
	}
	return times, labels
}

// logged reports whether somebody has logged a text.
func (w *world) logged(text string) bool {
	w.logMu.Lock()
	defer w.logMu.Unlock()
	return strings.Contains(w.logs.String(), text)
}

// refusal returns the name of the error that an agent answered with.
func refusal(err error) string {
	var r *protocol.Refusal
	if errors.As(err, &r) {
		return fmt.Sprint(r.Name, " ", r.Code)
	}
	return fmt.Sprint(err)
}

func TestRegistrationIsOpenForAMinute(t *testing.T) {
	inWorld(t, 1, rpc.Faults{}, league.Options{}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(59 * time.Second)
		if w.state().Started() {
			t.Error("the league started before its window closed")
		}
		w.await(3*time.Second, "started", started)
		late := w.apply("player:late", "", "c", named("late", "http://localhost:8199/mcp"))
		if late.Status != protocol.Rejected || late.ErrorCode != "E019" || late.Code != 2001 || late.Reason == nil || late.PlayerID != nil {
			t.Errorf("a late player got %+v", late)
		}
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
	})
}

func TestLeagueTooSmallStaysOpenAndSaysWhatIsMissing(t *testing.T) {
	inWorld(t, 2, rpc.Faults{}, league.Options{}, func(w *world) {
		w.bootAll(1, 1)
		time.Sleep(90 * time.Second)
		const missing = "1 of at least 2 players have registered and can be reached"
		status := w.status()
		if status.State != protocol.WaitingForRegistrations || status.Missing != missing {
			t.Errorf("got %+v, want %q missing", status, missing)
		}
		if !w.logged("the league stays open") {
			t.Error("the log does not say that the league stays open")
		}
		w.bootPlayer(2)
		w.await(5*time.Second, "started", started)
	})
}

func TestLeagueWithoutRefereeStaysOpen(t *testing.T) {
	inWorld(t, 3, rpc.Faults{}, league.Options{}, func(w *world) {
		w.bootAll(0, 2)
		time.Sleep(70 * time.Second)
		if got, want := w.status().Missing, "0 of at least 1 referees have registered and can be reached"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		w.bootReferee(1)
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
	})
}

// status asks the manager in public.
func (w *world) status() (s protocol.LeagueStatus) {
	w.t.Helper()
	w.data(protocol.TypeGetLeagueStatus, "player:nobody", "", "", protocol.QueryParams{}, "status", &s)
	return s
}

func TestLeagueStartsByNumber(t *testing.T) {
	inWorld(t, 4, rpc.Faults{}, league.Options{StartPlayers: 3, StartReferees: 2, Window: -1}, func(w *world) {
		w.bootAll(1, 3)
		time.Sleep(2 * time.Minute)
		if w.state().Started() {
			t.Error("the league started without its second referee")
		}
		w.bootReferee(2)
		w.await(5*time.Second, "started", started)
	})
}

func TestAdminStartsTheLeague(t *testing.T) {
	inWorld(t, 5, rpc.Faults{}, league.Options{Window: -1, Pace: time.Hour}, func(w *world) {
		w.bootAll(1, 1)
		time.Sleep(time.Second)
		if _, err := w.order(protocol.TypeStartLeague, ""); refusal(err) != "LEAGUE_NOT_STARTED 4005" {
			t.Errorf("too few players: got %v", err)
		}
		w.bootPlayer(2)
		time.Sleep(time.Second)
		for range 2 {
			ack, err := w.order(protocol.TypeStartLeague, "")
			if err != nil || ack.Status != protocol.Accepted || ack.State == protocol.WaitingForRegistrations || ack.Paused {
				t.Errorf("got %+v, %v", ack, err)
			}
		}
		w.await(5*time.Second, "started", started)
	})
}

func TestNobodyPlaysAlone(t *testing.T) {
	inWorld(t, 23, rpc.Faults{}, league.Options{MinPlayers: 1}, func(w *world) {
		w.bootAll(1, 1)
		time.Sleep(2 * time.Minute)
		if _, err := w.order(protocol.TypeStartLeague, ""); refusal(err) != "LEAGUE_NOT_STARTED 4005" || w.state().Started() {
			t.Errorf("a league of one player: got %v, started %v", err, w.state().Started())
		}
	})
}

func TestWhoWithdrawsBeforeTheStartDoesNotPlay(t *testing.T) {
	inWorld(t, 24, rpc.Faults{}, league.Options{StartPlayers: 3}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(time.Second)
		if _, err := w.order(protocol.TypeWithdrawPlayer, "P01"); err != nil {
			t.Error(err)
		}
		if got := w.status(); got.Players != 1 {
			t.Errorf("%d players after a withdrawal, want 1", got.Players)
		}
		w.bootPlayer(3)
		time.Sleep(time.Second)
		if w.state().Started() {
			t.Error("the one that withdrew was counted")
		}
		w.bootPlayer(4)
		w.await(5*time.Second, "started", started)
		if got := w.state().Schedule.Players; !slices.Equal(got, []string{"P02", "P03", "P04"}) {
			t.Errorf("got %v", got)
		}
	})
}

func TestOnlyTheAdminGivesOrders(t *testing.T) {
	inWorld(t, 6, rpc.Faults{}, league.Options{Window: -1}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(time.Second)
		tool := func(league string) *protocol.Tool {
			return &protocol.Tool{Envelope: protocol.Envelope{MessageType: protocol.TypePauseLeague, ConversationID: "c", LeagueID: league}}
		}
		for _, c := range []struct{ token, league, want string }{
			{"", "", "AUTH_TOKEN_MISSING 6001"}, {"tok_admin_wrong", "", "AUTH_TOKEN_INVALID 6001"}, {adminToken, "another", "UNKNOWN_LEAGUE 6003"},
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

func TestUnreachablePlayerIsLeftOut(t *testing.T) {
	inWorld(t, 7, rpc.Faults{}, league.Options{StartPlayers: 3}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(time.Second)
		if r := w.apply("player:P03", "", "c", named("nowhere", "http://localhost:8199/mcp")); r.Status != protocol.Accepted {
			t.Fatalf("got %+v", r)
		}
		time.Sleep(14 * time.Second)
		if w.state().Started() {
			t.Error("the league started before the last endpoint had its 15 seconds")
		}
		w.await(4*time.Second, "started", started)
		s := w.state()
		if a := s.Agents["P03"]; a.State != protocol.AgentSuspended || a.Why == "" || !slices.Equal(s.Schedule.Players, []string{"P01", "P02"}) {
			t.Errorf("P03 is %s, %q; the schedule has %v", a.State, a.Why, s.Schedule.Players)
		}
		if !w.logged(`"msg":"agent unreachable"`) {
			t.Error("the log does not warn of the unreachable agent")
		}
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
	})
}

func TestPlayerThatListensLateTakesPart(t *testing.T) {
	inWorld(t, 8, rpc.Faults{}, league.Options{StartPlayers: 2}, func(w *world) {
		w.bootAll(1, 1)
		w.apply("player:P02", "", "c", named("Agent P02", "http://localhost:8102/mcp"))
		time.Sleep(12 * time.Second)
		w.bootPlayer(2)
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
		if got := w.state().Schedule.Players; !slices.Equal(got, []string{"P01", "P02"}) {
			t.Errorf("got %v", got)
		}
	})
}

func TestPlayerThatRegistersAgainIsLookedForAgain(t *testing.T) {
	inWorld(t, 25, rpc.Faults{}, league.Options{StartPlayers: 2}, func(w *world) {
		w.bootAll(1, 1)
		w.apply("player:P02", "", "c", named("Agent P02", "http://localhost:8102/mcp"))
		time.Sleep(5 * time.Minute)
		if got, want := w.status().Missing, "1 of at least 2 players have registered and can be reached"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		w.bootPlayer(2)
		w.await(5*time.Second, "started", started)
	})
}

func TestUnreachableRefereeIsUsedOnceItAnswers(t *testing.T) {
	inWorld(t, 9, rpc.Faults{}, league.Options{StartPlayers: 4, StartReferees: 2, Pace: 10 * time.Second}, func(w *world) {
		w.bootAll(2, 4)
		w.procs["REF01"].Crash()
		time.Sleep(50 * time.Millisecond)
		w.bootReferee(1) // it registers
		time.Sleep(100 * time.Millisecond)
		w.procs["REF01"].Crash() // and is gone
		w.await(time.Minute, "started without REF01", func(s *league.State) bool { return s.Started() && s.Agents["REF01"].State == protocol.AgentSuspended })
		p, _ := w.boot("REF01", 8001)
		p.Serve(w.referees["REF01"].Node) // it answers again, without a word to the manager
		w.await(time.Minute, "REF01 is active", func(s *league.State) bool { return s.Agents["REF01"].State == protocol.AgentActive })
	})
}

func TestPauseOutlivesTheManager(t *testing.T) {
	inWorld(t, 10, rpc.Faults{}, league.Options{StartPlayers: 4}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(5 * time.Second) }
		w.bootAll(2, 4)
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		time.Sleep(2 * time.Second)
		if ack, err := w.order(protocol.TypePauseLeague, ""); err != nil || !ack.Paused {
			t.Errorf("got %+v, %v", ack, err)
		}
		before := len(w.disk.Entries(leagueID))
		if ack, err := w.order(protocol.TypePauseLeague, ""); err != nil || !ack.Paused || len(w.disk.Entries(leagueID)) > before {
			t.Errorf("paused twice: got %+v, %v, or it is in the log twice", ack, err)
		}
		w.procs["LM"].Crash()
		time.Sleep(time.Second)
		w.bootManager()
		time.Sleep(10 * time.Minute)
		s := w.state()
		if !s.Paused || s.Round != 1 || s.RoundOpen || s.Recorded != 2 {
			t.Errorf("paused is %v in round %d with %d results; want what was in play to be finished and no more", s.Paused, s.Round, s.Recorded)
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
	inWorld(t, 11, rpc.Faults{}, league.Options{StartPlayers: 4, Pace: 3 * time.Second}, func(w *world) {
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

func TestRestBetweenRounds(t *testing.T) {
	inWorld(t, 12, rpc.Faults{}, league.Options{StartPlayers: 4, Pace: 20 * time.Second}, func(w *world) {
		w.bootAll(2, 4)
		if !w.finish(10 * time.Minute) {
			return
		}
		var started, closed time.Time
		for _, e := range w.disk.Entries(leagueID) {
			at, events, err := league.DecodeBatch(e.Data)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				switch e := e.(type) {
				case league.Started:
					started = at
				case league.RoundClosed:
					closed = at
				case league.RoundOpened:
					if e.Round == 1 && at.Sub(started) > time.Second {
						t.Errorf("round 1 was opened %v after the start, want at once", at.Sub(started))
					}
					if rest := at.Sub(closed); e.Round > 1 && (rest < 20*time.Second || rest > 21*time.Second) {
						t.Errorf("round %d was opened after a rest of %v, want 20s", e.Round, rest)
					}
				}
			}
		}
	})
}

func TestWithdrawnPlayersMatchesAreWonByTheOthers(t *testing.T) {
	inWorld(t, 13, rpc.Faults{}, league.Options{StartPlayers: 4, Pace: 10 * time.Second}, func(w *world) {
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
			if r := m.Outcome.Result; m.Outcome.Attempt != 0 || r.Status != protocol.TechnicalLoss || r.Winner != other || r.Forfeits["P02"] == "" {
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
	inWorld(t, 14, rpc.Faults{}, league.Options{StartPlayers: 2}, func(w *world) {
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

func TestPlayerThatIsGoneIsOutAfterThreeForfeits(t *testing.T) {
	inWorld(t, 15, rpc.Faults{}, league.Options{StartPlayers: 6}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(time.Second) }
		w.bootAll(2, 6)
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		w.procs["P03"].Crash()
		if !w.finish(time.Hour) {
			return
		}
		w.checkLaws()
		s := w.state()
		if a := s.Agents["P03"]; a.State != protocol.AgentShutdown || a.Why != "3 forfeits in a row" {
			t.Errorf("P03 is %s, %q", a.State, a.Why)
		}
		played, unplayed := 0, 0
		for _, m := range s.Matches {
			if _, lost := m.Outcome.Result.Forfeits["P03"]; lost && m.Outcome.Attempt > 0 {
				played++
			} else if lost {
				unplayed++
			}
		}
		if played != 3 || unplayed != 2 {
			t.Errorf("P03 forfeited %d matches and %d were not played, want 3 and 2", played, unplayed)
		}
	})
}

func TestMatchesOfADeadRefereeArePlayedByAnother(t *testing.T) {
	inWorld(t, 16, rpc.Faults{}, league.Options{StartPlayers: 4, StartReferees: 2}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(5 * time.Second) }
		w.bootAll(2, 4)
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		time.Sleep(time.Second)
		w.procs["REF01"].Crash()
		w.await(time.Minute, "R1M1 is reassigned", func(s *league.State) bool {
			return s.Matches["R1M1"].Attempt() == league.MatchAssigned{Match: "R1M1", Referee: "REF02", Attempt: 2}
		})
		if got := w.state().Agents["REF01"]; got.State != protocol.AgentSuspended {
			t.Errorf("REF01 is %s", got.State)
		}
		w.await(time.Minute, "R1M1 is recorded", func(s *league.State) bool { return s.Matches["R1M1"].Outcome != nil })
		w.announcedFirst("R1M1", 8002, 8101, 8102)
		w.bootReferee(1)
		if !w.finish(10 * time.Minute) {
			return
		}
		w.checkLaws()
		used := false
		for _, m := range w.state().Matches {
			used = used || m.Round > 1 && m.Outcome.Referee == "REF01"
		}
		if !used {
			t.Error("the referee that returned was given no further match")
		}
	})
}

// announcedFirst checks that players heard of a further attempt before its referee was asked to play it.
func (w *world) announcedFirst(match string, referee int, players ...int) {
	w.t.Helper()
	orders, _ := w.seen(referee, "START_MATCH "+match)
	if len(orders) == 0 {
		w.t.Fatalf("%s was never started", match)
	}
	for _, port := range players {
		times, _ := w.seen(port, "ROUND_ANNOUNCEMENT 1 ")
		if len(times) != 2 || times[1] > orders[0] {
			w.t.Errorf("the player at %d heard announcements at %v, the match was ordered at %v", port, times, orders)
		}
	}
}

func TestManagerThatReturnsAsksForItsMatchesAtOnce(t *testing.T) {
	inWorld(t, 26, rpc.Faults{}, league.Options{StartPlayers: 2}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(20 * time.Second) }
		w.bootAll(1, 2)
		start := time.Now()
		w.await(time.Minute, "round 1 is announced", func(s *league.State) bool { return s.Announced[league.Announced{What: "round", Round: 1}] })
		time.Sleep(5 * time.Second)
		w.procs["LM"].Crash()
		w.bootManager()
		back := time.Since(start)
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
		orders, _ := w.seen(8001, "START_MATCH R1M1")
		if len(orders) < 2 || orders[1]-back > time.Second {
			t.Errorf("the match was ordered at %v, the manager came back at %v", orders, back)
		}
		if m := w.state().Matches["R1M1"]; len(m.Assigned) != 1 {
			t.Errorf("the match had the attempts %v, want one", m.Assigned)
		}
	})
}

func TestTwoSilencesAreForgiven(t *testing.T) {
	inWorld(t, 22, rpc.Faults{}, league.Options{StartPlayers: 2, StartReferees: 2}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(25 * time.Second) }
		w.bootAll(2, 2)
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		time.Sleep(3 * time.Second)
		w.net.Cut("LM", "REF01", true)
		time.Sleep(8 * time.Second) // two pings, of two seconds each
		w.net.Cut("LM", "REF01", false)
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
		s := w.state()
		if m, ref := s.Matches["R1M1"], s.Agents["REF01"]; len(m.Assigned) != 1 || ref.State != protocol.AgentActive {
			t.Errorf("REF01 is %s, %q; the match had the attempts %v", ref.State, ref.Why, m.Assigned)
		}
	})
}

func TestOnlyRefereeReturnsToTheSameAttempt(t *testing.T) {
	inWorld(t, 17, rpc.Faults{}, league.Options{StartPlayers: 2}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(5 * time.Second) }
		w.bootAll(1, 2)
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		time.Sleep(2 * time.Second)
		w.procs["REF01"].Crash()
		w.await(time.Minute, "REF01 is suspended", func(s *league.State) bool { return s.Agents["REF01"].State == protocol.AgentSuspended })
		time.Sleep(time.Minute)
		w.bootReferee(1)
		if !w.finish(10 * time.Minute) {
			return
		}
		w.checkLaws()
		if m := w.state().Matches["R1M1"]; len(m.Assigned) != 1 || m.Outcome.Attempt != 1 {
			t.Errorf("got %+v, want one attempt", m.Assigned)
		}
	})
}

func TestRefereeThatRefusesLosesItsMatches(t *testing.T) {
	inWorld(t, 18, rpc.Faults{}, league.Options{StartPlayers: 4, StartReferees: 2}, func(w *world) {
		w.bootAll(2, 4)
		w.referees["REF01"].Node.Handle(protocol.TypeStartMatch, func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
			return nil, protocol.Errorf(protocol.UnsupportedGame, "not today")
		})
		if !w.finish(10 * time.Minute) {
			return
		}
		w.checkLaws()
		for id, m := range w.state().Matches {
			if m.Outcome.Referee != "REF02" {
				t.Errorf("%s was reported by %s", id, m.Outcome.Referee)
			}
		}
	})
}

func TestBusyRefereeIsAskedAgain(t *testing.T) {
	inWorld(t, 19, rpc.Faults{}, league.Options{StartPlayers: 2}, func(w *world) {
		w.bootAll(1, 2)
		var asked atomic.Int64
		w.referees["REF01"].Node.Handle(protocol.TypeStartMatch, func(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
			asked.Add(1)
			return &protocol.StartMatchAck{Envelope: protocol.Envelope{MessageType: protocol.TypeStartMatchAck, MatchID: m.Head().MatchID}, Status: protocol.Busy}, nil
		})
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		time.Sleep(10 * time.Second)
		if n, m := asked.Load(), w.state().Matches["R1M1"]; n < 9 || n > 11 || len(m.Assigned) != 1 {
			t.Errorf("asked %d times in 10 s with %d attempts, want about 10 with one", n, len(m.Assigned))
		}
	})
}

func TestMatchStartsWhenItsPlayersKnowOfItOrAfterTenSeconds(t *testing.T) {
	inWorld(t, 20, rpc.Faults{}, league.Options{StartPlayers: 4, StartReferees: 2, Rounds: 1}, func(w *world) {
		w.bootAll(2, 4)
		w.deaf(1)
		if !w.finish(10 * time.Minute) {
			return
		}
		w.checkLaws()
		announced, _ := w.seen(8103, "ROUND_ANNOUNCEMENT 1 ")
		slowly, _ := w.seen(8001, "START_MATCH R1M1")
		quickly, _ := w.seen(8002, "START_MATCH R1M2")
		if d := quickly[0] - announced[0]; d > time.Second {
			t.Errorf("the match of those who acknowledged started after %v, want at once", d)
		}
		if d := slowly[0] - announced[0]; d < 9900*time.Millisecond || d > 11*time.Second {
			t.Errorf("the match of the deaf player started after %v, want 10s", d)
		}
	})
}

// deaf makes a player that plays but never answers the manager.
func (w *world) deaf(n int) {
	for _, t := range []protocol.Type{
		protocol.TypeRoundAnnouncement, protocol.TypeLeagueStandingsUpdate, protocol.TypeRoundCompleted, protocol.TypeLeagueCompleted,
	} {
		w.players[protocol.AgentID(protocol.RolePlayer, n)].Node.Handle(t, func(ctx context.Context, _ rpc.From, _ protocol.Message) (protocol.Message, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
	}
}

func TestPauseKeepsWaitingMatchesFromStarting(t *testing.T) {
	inWorld(t, 21, rpc.Faults{}, league.Options{StartPlayers: 4}, func(w *world) {
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
