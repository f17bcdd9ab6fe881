package manager_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// An ear collects the messages to a player.
type ear struct {
	mu  sync.Mutex
	all []protocol.Message
}

// overhear returns an ear for messages to a player, which it acknowledges.
func (w *world) overhear(n int, types ...protocol.Type) *ear {
	e := &ear{}
	for _, typ := range types {
		spec, _ := protocol.Lookup(typ)
		w.players[protocol.AgentID(protocol.RolePlayer, n)].Node.Handle(typ,
			func(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
				e.mu.Lock()
				defer e.mu.Unlock()
				e.all = append(e.all, m)
				return &protocol.Ack{Envelope: protocol.Envelope{MessageType: spec.Reply}, Status: protocol.Acknowledged}, nil
			})
	}
	return e
}

// heard returns the messages of one type, in their order.
func heard[M protocol.Message](e *ear) (out []M) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range e.all {
		if m, ok := m.(M); ok {
			out = append(out, m)
		}
	}
	return out
}

// broadcasts are the messages that the manager sends to players without a request.
var broadcasts = []protocol.Type{
	protocol.TypeRoundAnnouncement, protocol.TypeLeagueStandingsUpdate, protocol.TypeRoundCompleted,
	protocol.TypeLeagueCompleted,
}

func TestNewsComeInOrder(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{Delay: 300 * time.Millisecond}, manager.Options{StartPlayers: 4}, func(w *world) {
		w.bootAll(2, 4)
		if !w.finish(10 * time.Minute) {
			return
		}
		want := []string{"ROUND_ANNOUNCEMENT 1"}
		for round := 1; round <= 3; round++ {
			want = append(want, fmt.Sprint("LEAGUE_STANDINGS_UPDATE ", round), fmt.Sprint("ROUND_COMPLETED ", round),
				fmt.Sprint("ROUND_ANNOUNCEMENT ", round+1))
		}
		want[len(want)-1] = "LEAGUE_COMPLETED"
		for n := range 4 {
			var got []string
			_, labels := w.seen(8101+n, "")
			for _, label := range labels {
				label, _, _ = strings.Cut(label, " #")
				if word, _, _ := strings.Cut(label, " "); slices.Contains(broadcasts, protocol.Type(word)) {
					got = append(got, label)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("P0%d heard\n%q, want\n%q", n+1, got, want)
			}
		}
	})
}

func TestNewsSayWhatTheyShould(t *testing.T) {
	inWorld(t, 2, rpctest.Faults{}, manager.Options{StartPlayers: 3, StartReferees: 1}, func(w *world) {
		w.bootAll(1, 3)
		all := w.overhear(2, broadcasts...)
		if !w.finish(10 * time.Minute) {
			return
		}
		s := w.state()
		for i, r := range heard[*protocol.RoundAnnouncement](all) {
			m := s.Matches[protocol.MatchID(i+1, 1)]
			want := protocol.AnnouncedMatch{
				MatchID: m.ID, GameType: "even_odd", PlayerAID: m.A, PlayerBID: m.B, RefereeID: "REF01",
				RefereeEndpoint: "http://localhost:8001/mcp",
				Attempt:         1, Native: true,
			}
			if int(r.RoundID) != i+1 || !slices.Equal(r.Matches, []protocol.AnnouncedMatch{want}) ||
				!slices.Equal(r.Byes, s.Schedule.Byes(i+1)) || r.Truncated ||
				r.ConversationID != fmt.Sprintf("conv-round-%d-announce", i+1) || r.LeagueID != leagueID ||
				r.Sender != protocol.Manager {
				t.Errorf("round %d was announced as %+v", i+1, r)
			}
		}
		for i, c := range heard[*protocol.RoundCompleted](all) {
			last := i == 2
			if c.MatchesCompleted != 1 || c.MatchesPlayed != 1 || (c.NextRoundID == nil) != last || !last &&
				int(*c.NextRoundID) != i+2 ||
				c.Summary.TotalMatches != 1 || c.Summary.Wins+c.Summary.Draws+c.Summary.TechnicalLosses != 1 ||
				!slices.Equal(c.Byes, s.Schedule.Byes(i+1)) {
				t.Errorf("round %d was completed as %+v", i+1, c)
			}
		}
		for i, u := range heard[*protocol.StandingsUpdate](all) {
			played := 0
			for _, row := range u.Standings {
				played += row.Played
			}
			if len(u.Standings) != 3 || played != 2*(i+1) || u.Truncated {
				t.Errorf("after round %d the table is %+v", i+1, u)
			}
		}
		done := heard[*protocol.LeagueCompleted](all)
		table := s.Standings()
		if len(done) != 1 || done[0].TotalRounds != 3 || done[0].TotalMatches != 3 ||
			done[0].Champion.PlayerID != table[0].PlayerID ||
			!slices.Equal(done[0].FinalStandings, table) || done[0].DrawSecret != s.DrawSecret || done[0].CoChampions == nil {
			t.Errorf("the end was told as %+v", done)
		}
		if n := len(heard[protocol.Message](all)); n != 3+3+3+1 {
			t.Errorf("heard %d messages, want 10", n)
		}
	})
}

func TestLargeLeagueTellsEachPlayerItsOwn(t *testing.T) {
	for _, players := range []int{6, 25} {
		inWorld(t, 3, rpctest.Faults{}, manager.Options{StartPlayers: players, BroadcastLimit: 4, Rounds: 1}, func(w *world) {
			w.refOpts.MaxMatches = 20
			w.bootAll(1, players)
			all := make([]*ear, players)
			for n := range players {
				all[n] = w.overhear(n+1, broadcasts...)
			}
			if !w.finish(10 * time.Minute) {
				return
			}
			table := w.state().Standings()
			for n := range players {
				id := protocol.AgentID(protocol.RolePlayer, n+1)
				want := slices.Clone(table[:min(20, players)])
				if i := slices.IndexFunc(table, func(s protocol.Standing) bool { return s.PlayerID == id }); i >= 20 {
					want = append(want, table[i])
				}
				update, end := heard[*protocol.StandingsUpdate](all[n])[0], heard[*protocol.LeagueCompleted](all[n])[0]
				if !update.Truncated || update.Total != players || !slices.Equal(update.Standings, want) {
					t.Errorf("%d players: %s was told %d rows of %d, want %d", players, id, len(update.Standings),
						update.Total, len(want))
				}
				if !end.Truncated || end.Total != players || !slices.Equal(end.FinalStandings, want) {
					t.Errorf("%d players: %s was told the end as %+v", players, id, end)
				}
				r := heard[*protocol.RoundAnnouncement](all[n])[0]
				own := slices.ContainsFunc(r.Matches, func(a protocol.AnnouncedMatch) bool {
					return a.PlayerAID == id || a.PlayerBID == id
				})
				if bye := slices.Contains(r.Byes, id); !r.Truncated || r.Total != players/2 || bye == own || !bye &&
					len(r.Matches) != 1 || bye && len(r.Matches) != 0 {
					t.Errorf("%d players: %s was announced %+v", players, id, r)
				}
			}
		})
	}
}

func TestUnresponsivePlayerHoldsUpNobody(t *testing.T) {
	duration := func(unresponsive bool) (d time.Duration) {
		inWorld(t, 4, rpctest.Faults{}, manager.Options{StartPlayers: 6, StartReferees: 2, Rounds: 3}, func(w *world) {
			w.bootAll(2, 6)
			if unresponsive {
				w.unresponsive(6)
			}
			start := time.Now()
			if w.finish(10 * time.Minute) {
				w.checkLaws()
			}
			d = time.Since(start)
			for n := range 5 {
				if _, labels := w.seen(8101+n, "LEAGUE_COMPLETED"); len(labels) != 1 {
					t.Errorf("P0%d heard the end %d times", n+1, len(labels))
				}
			}
		})
		return d
	}
	// Each of its matches waits ten seconds for its acknowledgement, and the end for one try.
	if with, without := duration(true), duration(false); with > without+45*time.Second {
		t.Errorf("the league took %v with an unresponsive player, %v without", with, without)
	}
}

func TestSilentPlayersOutboxStaysSmall(t *testing.T) {
	inWorld(t, 5, rpctest.Faults{}, manager.Options{StartPlayers: 8, MaxForfeits: -1}, func(w *world) {
		w.refOpts.MaxMatches = 8
		w.bootAll(1, 8)
		w.unresponsive(8)
		if !w.finish(time.Hour) {
			return
		}
		w.checkLaws()
		_, labels := w.seen(8108, "ROUND_ANNOUNCEMENT ")
		if len(labels) > 2*7 {
			t.Errorf("the unresponsive player was sent %d announcements of 7 rounds: %q", len(labels), labels)
		}
	})
}

func TestBroadcastIsRepeatedUntilAcknowledged(t *testing.T) {
	inWorld(t, 6, rpctest.Faults{}, manager.Options{StartPlayers: 2}, func(w *world) {
		w.bootAll(1, 2)
		var tries atomic.Int64
		w.players["P01"].Node.Handle(protocol.TypeLeagueCompleted,
			func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
				tries.Add(1)
				return nil, protocol.Errorf(protocol.Internal, "not now")
			})
		if !w.finish(10 * time.Minute) {
			return
		}
		time.Sleep(time.Minute)
		if n := tries.Load(); n != 4 {
			t.Errorf("the end was told %d times to one who never acknowledges it, want 4", n)
		}
	})
}

// repeated lists the broadcasts that an agent received more than once.
func (w *world) repeated(players int) (out []string) {
	for n := range players {
		_, labels := w.seen(8101+n, "")
		count := map[string]int{}
		for _, label := range labels {
			label, _, _ = strings.Cut(label, " #")
			if word, _, _ := strings.Cut(label, " "); slices.Contains(broadcasts, protocol.Type(word)) {
				count[label]++
			}
		}
		for label, times := range count {
			if times > 1 {
				out = append(out, label)
			}
		}
	}
	return out
}

func TestWhatWasAnnouncedIsNotRepeatedAfterACrash(t *testing.T) {
	inWorld(t, 7, rpctest.Faults{}, manager.Options{StartPlayers: 4, Pace: 10 * time.Second}, func(w *world) {
		w.bootAll(2, 4)
		w.await(time.Minute, "round 1 is announced to its end", func(s *league.State) bool {
			return s.Announced[league.Announced{What: "completed", Round: 1}]
		})
		w.procs["LM"].Crash()
		w.bootManager()
		w.await(time.Minute, "round 2 is announced", func(s *league.State) bool {
			return s.Announced[league.Announced{What: "round", Round: 2}]
		})
		w.procs["LM"].Crash()
		w.bootManager()
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
		if got := w.repeated(4); len(got) > 0 {
			t.Errorf("told twice: %q", got)
		}
	})
}

func TestWhatMayNotHaveGoneOutIsRepeatedAfterACrash(t *testing.T) {
	inWorld(t, 8, rpctest.Faults{}, manager.Options{StartPlayers: 4, Pace: 30 * time.Second}, func(w *world) {
		w.bootAll(2, 4)
		w.unresponsive(4)
		w.await(time.Minute, "round 1 is over", func(s *league.State) bool { return s.Round == 1 && !s.RoundOpen })
		time.Sleep(time.Second)
		w.procs["LM"].Crash()
		w.bootManager()
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
		if got := w.repeated(1); !slices.Equal(got, []string{"LEAGUE_STANDINGS_UPDATE 1", "ROUND_COMPLETED 1"}) &&
			!slices.Equal(got, []string{"ROUND_COMPLETED 1", "LEAGUE_STANDINGS_UPDATE 1"}) {
			t.Errorf("told twice: %q, want the end of round 1", got)
		}
	})
}

func TestReassignedMatchIsAnnouncedToItsPlayersOnly(t *testing.T) {
	inWorld(t, 9, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 2, Rounds: 1}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(5 * time.Second) }
		w.bootAll(2, 4)
		one, three := w.overhear(1, protocol.TypeRoundAnnouncement), w.overhear(3, protocol.TypeRoundAnnouncement)
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		time.Sleep(time.Second)
		w.procs["REF01"].Crash()
		if !w.finish(10 * time.Minute) {
			return
		}
		w.checkLaws()
		again, other := heard[*protocol.RoundAnnouncement](one), heard[*protocol.RoundAnnouncement](three)
		if len(other) != 1 || len(again) != 2 || len(again[1].Matches) != 1 || again[1].Matches[0].MatchID != "R1M1" ||
			again[1].Matches[0].Attempt != 2 || again[1].Matches[0].RefereeID != "REF02" {
			t.Errorf("P01 heard %+v, P03 %d announcements", again, len(other))
		}
	})
}
