package manager_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"agentleague/engine/sim"
	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/league"
	"agentleague/league/keyring"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
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

// A league is played to its end between real servers, where both choose at once and where they take turns.
func TestLeagueCompletesOverHTTP(t *testing.T) {
	t.Parallel()
	completesOverHTTP(t, func(game string) bool { return everyday[game] })
}

// And in every other game.
func TestLongLeagueOfEveryGameCompletesOverHTTP(t *testing.T) {
	t.Parallel()
	completesOverHTTP(t, func(game string) bool { return !everyday[game] })
}

// everyday are the games that represent the others in tests of whole leagues.
var everyday = map[string]bool{"even_odd": true, "tic_tac_toe": true}

func completesOverHTTP(t *testing.T, wanted func(game string) bool) {
	for _, rules := range catalog.All() {
		info := rules.Info()
		if !wanted(info.Type) {
			continue
		}
		t.Run(info.Type, func(t *testing.T) {
			t.Parallel()
			s := playOverHTTP(t, sim.New(1), manager.Options{
				Game: manager.Game{Type: info.Type, SeatMatters: info.SeatMatters, GuestsMayJudge: true},
			}, 5, 2)
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

// Draws of the second cycle are those of the first, which an audit of the log derives again.
func TestPairedDrawsAreThoseOfTheCounterpartOverHTTP(t *testing.T) {
	t.Parallel()
	disk := sim.New(1)
	s := playOverHTTP(t, disk, manager.Options{
		Game: manager.Game{Type: "kuhn_poker", SeatMatters: true}, Cycles: 2, PairedDraws: true,
	}, 3, 1)
	for n := range 3 {
		first, second := s.Matches[protocol.MatchID(n+1, 1)], s.Matches[protocol.MatchID(n+4, 1)]
		if first.A != second.B || first.Outcome.DrawKey != second.Outcome.DrawKey || first.Outcome.DrawKey == "" {
			t.Errorf("%s %s-%s: key %s, %s %s-%s: key %s", first.ID, first.A, first.B, first.Outcome.DrawKey, second.ID,
				second.A, second.B, second.Outcome.DrawKey)
		}
	}
	audit, err := league.NewAudit(disk.Open(sim.Options{}).Read(t.Context(), leagueID, 0),
		func(r *protocol.MatchResultReport, a, b string) error { return referee.Verify(catalog.Lookup, r, a, b) })
	if err != nil || len(audit.Findings) > 0 {
		t.Errorf("the audit finds %v, %v", audit.Findings, err)
	}
}

// playOverHTTP plays a league with these options, which it completes, on a disk.
func playOverHTTP(t *testing.T, disk *sim.Store, o manager.Options, players, referees int) *league.State {
	t.Helper()
	return playGameOverHTTP(t, disk, catalog.Lookup, o, players, referees)
}

// playGameOverHTTP plays a league over HTTP with the rules that lookup returns. It returns once all records are stored,
// if the manager stores them.
func playGameOverHTTP(t *testing.T, disk *sim.Store, lookup func(string) (game.Game, error), o manager.Options, players,
	referees int) (final *league.State) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	door := take(t)
	o.LeagueID, o.Endpoint, o.StartPlayers, o.StartReferees = leagueID, door.URL(), players, referees
	o.CheckResult = func(r *protocol.MatchResultReport, a, b string) error {
		return referee.Verify(lookup, r, a, b)
	}
	m, err := manager.Open(ctx, disk.Open(sim.Options{}), o)
	if err != nil {
		t.Fatal(err)
	}
	serve(t, ctx, door, m.Node)
	games := []string{o.Game.Type}
	secret, err := disk.Open(sim.Options{}).Secret(ctx, keyring.RefereeSecret)
	if err != nil {
		t.Fatal(err)
	}
	for n := range referees {
		r := referee.New(ctx, fmt.Sprint("Referee ", n), lookup, referee.Options{GameTypes: games, Secret: secret})
		t.Cleanup(r.Wait)
		s := take(t)
		serve(t, ctx, s, r.Node)
		if err := r.Register(ctx, door.URL(), s.URL()); err != nil {
			t.Fatal(err)
		}
	}
	for n := range players {
		a := player.New(fmt.Sprint("Agent ", n), player.Random(nil), player.Options{GameTypes: games})
		s := take(t)
		serve(t, ctx, s, a.Node)
		if err := a.Register(ctx, door.URL(), s.URL()); err != nil {
			t.Fatal(err)
		}
	}
	rpctest.Until(t, "the end of the league", func() (events uint64, over bool) {
		select {
		case <-m.Done():
			return m.Sequence(), true
		default:
			return m.Sequence(), false
		}
	})
	if missing := m.Settle(ctx); missing > 0 {
		t.Errorf("%d records are not kept", missing)
	}
	stop()
	m.Wait()
	m.Read(func(s *league.State) { final = s })
	return final
}

// A token that was unused for longer than its lifetime is refused over HTTP with the code of the error table; one that
// is used in time stays valid.
func TestExpiredTokenIsRefusedOverHTTP(t *testing.T) {
	t.Parallel()
	const ttl = time.Second
	door := take(t)
	m, err := manager.Open(t.Context(), sim.New(1).Open(sim.Options{}), manager.Options{
		LeagueID: leagueID, Endpoint: door.URL(), TokenTTL: ttl,
	})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, t.Context(), door, m.Node)
	s := take(t)
	node := rpc.NewNode("player:alpha", rpc.Options{})
	serve(t, t.Context(), s, node)
	call := func(m protocol.Message) (protocol.Message, error) {
		return node.Call(t.Context(), rpc.Peer{Endpoint: door.URL()}, m)
	}
	began := time.Now()
	reply, err := call(&protocol.LeagueRegisterRequest{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueRegisterRequest, ConversationID: "conv-1"},
		Meta: protocol.AgentMeta{
			DisplayName: "Alpha", Version: "1.0.0", GameTypes: []string{"even_odd"}, ContactEndpoint: s.URL(),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	grant, err := reply.(*protocol.LeagueRegisterResponse).Granted("")
	if err != nil {
		t.Fatal(err)
	}
	node.SetSender(protocol.Sender(protocol.RolePlayer, grant.ID))
	ask := func() error {
		_, err := call(&protocol.LeagueQuery{
			Envelope: protocol.Envelope{
				MessageType: protocol.TypeLeagueQuery, ConversationID: "conv-2", AuthToken: grant.Token, LeagueID: leagueID,
			},
			QueryType: protocol.QueryStandings,
		})
		return err
	}
	if err := ask(); err != nil && time.Since(began) < ttl { // a slower machine proves nothing
		t.Fatalf("at once: %v", err)
	}
	time.Sleep(ttl + ttl/10) // it cannot be used for longer than that before it is asked again
	var refusal *protocol.Refusal
	if err := ask(); !errors.As(err, &refusal) || refusal.Name != protocol.AuthTokenInvalid.Name ||
		!strings.Contains(fmt.Sprint(err), "the token has expired; register again") {
		t.Errorf("after %v: got %v, want AUTH_TOKEN_INVALID with what to do", ttl, err)
	}
}
