package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/engine/journal"
	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/host"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/metrics/metricstest"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
	"agentleague/server"
)

// manners are the players of a league with many failures, by their behaviour when asked to choose. One more player
// declines every invitation.
var manners = map[string]player.StrategyFunc{
	"Fair":   first,
	"Tidy":   first,
	"Moody":  moody(),
	"Cheat":  func(context.Context, game.View) (game.Move, error) { return game.Move(`"maybe"`), nil },
	"Silent": func(ctx context.Context, _ game.View) (game.Move, error) { <-ctx.Done(); return nil, ctx.Err() },
}

// size is how many agents there are: those with manners, the shy one and two referees.
var size = len(manners) + 1 + 2

func first(_ context.Context, v game.View) (game.Move, error) { return v.Options[0], nil }

// moody fails every other time.
func moody() player.StrategyFunc {
	var asked atomic.Int64
	return func(ctx context.Context, v game.View) (game.Move, error) {
		if asked.Add(1)%2 == 1 {
			return nil, errors.New("in a moment")
		}
		return first(ctx, v)
	}
}

// After a whole league over HTTP, with failed tries and forfeits, every agent's metrics equal the records on disk.
func TestMetricsEqualTheRecords(t *testing.T) {
	t.Parallel()
	metricsEqualTheRecords(t, func(game string) bool { return everyday[game] })
}

// In every other game, too.
func TestLongMetricsEqualTheRecordsOfEveryGame(t *testing.T) {
	t.Parallel()
	metricsEqualTheRecords(t, func(game string) bool { return !everyday[game] })
}

func metricsEqualTheRecords(t *testing.T, wanted func(game string) bool) {
	for _, rules := range catalog.All() {
		if !wanted(rules.Info().Type) {
			continue
		}
		t.Run(rules.Info().Type, func(t *testing.T) {
			t.Parallel()
			s := newSeason(t, rules.Info())
			s.play()
			records := s.records()
			if len(records) != 15 {
				t.Fatalf("there are %d records, want 15", len(records))
			}
			s.checkReferees(records)
			s.checkManager(len(records))
			s.checkPlayers(records)
			s.checkDashboards()
		})
	}
}

// A testSeason is a league on its own root, hosted as the commands host it.
type testSeason struct {
	*testing.T
	ctx     context.Context
	env     *host.Env
	manager *manager.Manager
	url     string // the manager's
}

func newSeason(t *testing.T, rules game.Info) *testSeason {
	a := &app{out: io.Discard, err: io.Discard, root: t.TempDir(), level: "error"}
	h, err := a.open("")
	if err != nil {
		t.Fatal(err)
	}
	h.System.Timeouts.MoveTimeoutSec, h.System.RetryPolicy.InitialDelaySec, h.System.RetryPolicy.MaxRetries = 0.4, 0.01, 2
	ctx, stop := context.WithCancel(context.Background())
	c, err := server.Open(ctx, h, server.Options{Edit: func(o *manager.Options) {
		o.Game = manager.Game{Type: rules.Type, SeatMatters: rules.SeatMatters}
		o.StartPlayers, o.StartReferees, o.Window, o.MaxForfeits = size-2, 2, -1, -1
	}})
	if err != nil {
		stop()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &testSeason{t, ctx, h, c.First.Manager, c.At.URL}
}

// play hosts the agents and returns when the league is over and all records are kept.
func (s *testSeason) play() {
	for n := range 2 {
		s.host(func(ctx context.Context) error {
			return s.env.RunReferee(ctx, host.Referee{Agent: host.Agent{Name: host.NameOf("Referee", n)}, MaxMatches: 2}, s.url, func(_, _ string) {})
		})
	}
	for name, mind := range manners {
		s.host(func(ctx context.Context) error {
			return s.env.RunPlayer(ctx, host.Player{Agent: host.Agent{Name: name}, Strategy: mind, Stay: true}, s.url, func(_, _ string) {})
		})
	}
	s.hostShy()
	ctx, cancel := context.WithTimeout(s.ctx, rpctest.Patience)
	defer cancel()
	select {
	case <-s.manager.Done():
	case <-ctx.Done():
		s.Fatal("the league is not over")
	}
	s.manager.Settle(ctx)
}

// host runs an agent until the test ends.
func (s *testSeason) host(run func(ctx context.Context) error) {
	ctx, stop := context.WithCancel(s.ctx)
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	s.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			s.Error(err)
		}
	})
}

// hostShy runs a player that declines every invitation.
func (s *testSeason) hostShy() {
	shy := player.New("Shy", player.StrategyFunc(first), player.Options{GameTypes: catalog.Types()})
	shy.Node.Handle(protocol.TypeGameInvitation, func(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
		no := false
		return &protocol.GameJoinAck{
			Envelope: protocol.Envelope{MessageType: protocol.TypeGameJoinAck, MatchID: m.Head().MatchID},
			PlayerID: shy.ID(), Accept: &no, ArrivalTimestamp: protocol.Stamp(time.Now()),
		}, nil
	})
	s.host(func(ctx context.Context) error { return host.NotCancelled(shy.Run(ctx, 0, s.url)) })
}

// records are those of every match that counted, as they are on disk.
func (s *testSeason) records() (out []protocol.MatchRecord) {
	s.env.Matches(s.env.League.LeagueID).Flush()
	files, err := filepath.Glob(filepath.Join(s.env.Dir(), "data/matches", s.env.League.LeagueID, "*.json"))
	if err != nil {
		s.Fatal(err)
	}
	for _, name := range files {
		doc, err := os.ReadFile(name)
		if err != nil {
			s.Fatal(err)
		}
		r, err := protocol.ParseRecord(doc)
		if err != nil {
			s.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// agents returns the agents of a role by id.
func (s *testSeason) agents(role protocol.Role) map[string]*league.Agent {
	out := map[string]*league.Agent{}
	s.manager.Read(func(state *league.State) {
		for _, a := range state.Roster(role) {
			out[a.ID] = a
		}
	})
	return out
}

// checkReferees holds the figures of each referee against its own records.
func (s *testSeason) checkReferees(records []protocol.MatchRecord) {
	var failed, forfeits float64
	causes := metricstest.Samples{}
	for id, referee := range s.agents(protocol.RoleReferee) {
		want := map[string]float64{"league_matches_open": 0}
		for _, r := range records {
			if r.RefereeID == id {
				failed += expected(want, r)
			}
		}
		got := metricstest.Get(s, referee.Endpoint)
		s.check(id, got, want)
		forfeits += got.Sum("league_forfeits_total")
		for row, n := range got {
			causes[row] += n
		}
		for _, name := range []string{"league_forfeits_total", "league_tries_total", "league_matches_total"} {
			if all := sumOf(want, name); got.Sum(name) != all {
				s.Errorf("%s: %s adds up to %v, on record are %v", id, name, got.Sum(name), all)
			}
		}
	}
	if failed <= forfeits {
		s.Errorf("%v tries failed and %v players forfeited: none was tried again", failed, forfeits)
	}
	for _, code := range []string{"E001", "E004", "DECLINED"} {
		if causes[fmt.Sprintf("league_forfeits_total{error_code=%q}", code)] == 0 {
			s.Errorf("nobody forfeited with %s", code)
		}
	}
}

// expected adds the metrics that follow from a record to want, and returns the number of failed tries.
func expected(want map[string]float64, r protocol.MatchRecord) (failed float64) {
	want["league_match_duration_seconds_count"]++
	want[fmt.Sprintf("league_matches_total{status=%q}", r.Result.Status)]++
	for _, code := range r.Result.Forfeits {
		want[fmt.Sprintf("league_forfeits_total{error_code=%q}", code)]++
	}
	for _, e := range r.Transcript {
		switch e.MessageType {
		case protocol.TypeGameInvitation, protocol.TypeChooseParityCall, protocol.TypeGameMoveCall:
			want[fmt.Sprintf("league_tries_total{message_type=%q}", e.MessageType)]++
		case protocol.TypeGameError:
			failed++
		}
	}
	return failed
}

// checkManager holds the manager's figures against the records and the journal.
func (s *testSeason) checkManager(records int) {
	got := metricstest.Get(s, s.url)
	for batches := s.batches(); got[appended] != batches; batches = s.batches() { // one may just be written
		if s.manager.Err() != nil || got[appended] > batches {
			s.Fatalf("manager: %v appends, the journal has %v", got[appended], batches)
		}
		got = metricstest.Get(s, s.url)
	}
	s.check("manager", got, map[string]float64{
		"league_results_recorded_total":                          float64(records),
		`league_append_duration_seconds_count{outcome="failed"}`: 0,
	})
	if n := got.Sum("league_agents_registered"); n != float64(size) {
		s.Errorf("manager: %v agents are registered, want %d", n, size)
	}
	if n := got[`league_requests_total{message_type="MATCH_RESULT_REPORT",outcome="ok"}`]; n < float64(records) {
		s.Errorf("manager: %v reports were answered, fewer than %d", n, records)
	}
}

const appended = `league_append_duration_seconds_count{outcome="ok"}`

// batches counts the lines of the journal.
func (s *testSeason) batches() (n float64) {
	for _, err := range journal.ReadFile(journal.Path(s.env.DataDir(), s.env.League.LeagueID)) {
		if err != nil {
			s.Fatal(err)
		}
		n++
	}
	return n
}

// checkPlayers compares the results that the good players received with their matches.
func (s *testSeason) checkPlayers(records []protocol.MatchRecord) {
	for id, p := range s.agents(protocol.RolePlayer) {
		if p.Name != "Fair" && p.Name != "Tidy" {
			continue
		}
		played := 0.0
		for _, r := range records {
			if r.PlayerAID == id || r.PlayerBID == id {
				played++
			}
		}
		const over = `league_requests_total{message_type="GAME_OVER",outcome="ok"}`
		var got metricstest.Samples
		rpctest.Eventually(s, id+" hears the result of its last match", func() bool { // it is announced after the report
			got = metricstest.Get(s, p.Endpoint)
			return got[over] >= played
		})
		s.check(id, got, map[string]float64{
			over: played,
			`league_calls_total{message_type="LEAGUE_REGISTER_REQUEST",outcome="ok"}`: 1,
		})
		if got.Rows("league_matches_total") != 0 {
			s.Errorf("%s shows matches of a referee", id)
		}
	}
}

func (s *testSeason) check(who string, got metricstest.Samples, want map[string]float64) {
	s.Helper()
	for row, n := range want {
		if got[row] != n {
			s.Errorf("%s: %s is %v, on record are %v", who, row, got[row], n)
		}
	}
}

func sumOf(rows map[string]float64, name string) float64 { return metricstest.Samples(rows).Sum(name) }
