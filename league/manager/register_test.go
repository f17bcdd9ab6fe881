package manager_test

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/engine/sim"
	"agentleague/game/draw"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

func TestAgentComesBackAsItself(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, manager.Options{Window: -1}, func(w *world) {
		w.bootAll(1, 2)
		w.await(time.Minute, "all are there", func(s *league.State) bool { return len(s.Agents) == 3 })
		const here, there = "http://localhost:8101/mcp", "http://localhost:8150/mcp"
		token := w.token("P01")
		valid := func(token string) bool {
			_, err := w.query(protocol.TypeLeagueQuery, "player:P01", token, protocol.QueryStandings, protocol.QueryParams{})
			return err == nil
		}
		for name, c := range map[string]struct {
			key  bool
			meta protocol.AgentMeta
			code bool // the organiser may let it in
		}{
			"by its name, where it is":             {false, named("Agent P01", here), true},
			"by its name, elsewhere":               {false, named("Agent P01", there), true},
			"with its key, elsewhere":              {true, named("Agent P01", there), false},
			"with its key, where it is":            {true, named("Agent P01", here), false},
			"under the name of another that is up": {false, named("Agent P02", there), true},
		} {
			if a := w.state().Agents["P01"]; c.key {
				c.meta.Native, c.meta.PublicKey, c.meta.AgreementKey = true, a.Key, a.AgreementKey
			}
			r := w.apply("player:P01", token, name, c.meta)
			if r.Status != protocol.Rejected || r.ErrorCode != "E022" || (len(r.ReadmitCode) == 4) != c.code ||
				!strings.Contains(*r.Reason, "0") {
				t.Errorf("%s: got %+v", name, r)
			}
			if text, _ := json.Marshal(r); strings.Contains(string(text), token[15:27]) {
				t.Errorf("%s: the answer has a part of T: %s", name, text)
			}
		}
		before := w.state().Agents["P01"].Key
		w.crash("P01")
		claims := named("Agent P01", "http://localhost:8151/mcp")
		claims.Native, claims.PublicKey, claims.AgreementKey = true, before, w.state().Agents["P01"].AgreementKey
		if r := w.apply("player:P01", token, "thief", claims); r.Status != protocol.Rejected || r.ReadmitCode != "" {
			t.Errorf("with the public key of a dead agent: got %+v", r)
		}
		w.bootPlayerAt(1, 8160)
		w.await(time.Minute, "P01 is elsewhere", func(s *league.State) bool {
			return s.Agents["P01"].Endpoint == "http://localhost:8160/mcp"
		})
		if a := w.state().Agents["P01"]; a.Key != before || !valid(w.token("P01")) || w.token("P01") != token {
			t.Errorf("it came back as %+v", a)
		}
	})
}

func TestTwoNewcomersOfOneNameAreNotOne(t *testing.T) {
	for seed := range uint64(20) {
		inWorld(t, seed, rpctest.Faults{}, manager.Options{Window: -1}, func(w *world) {
			w.bootManager()
			var wg sync.WaitGroup
			answers := make([]*protocol.LeagueRegisterResponse, 2)
			for n, url := range []string{"http://localhost:8201/mcp", "http://localhost:8202/mcp"} {
				p := w.net.Boot(url, url)
				node := rpc.NewNode("player:twin", rpc.Options{Network: p})
				p.Serve(node)
				wg.Go(func() {
					reply, err := node.Call(w.ctx, rpc.Peer{Endpoint: managerURL}, &protocol.LeagueRegisterRequest{
						Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueRegisterRequest, ConversationID: url},
						Meta:     named("twin", url),
					})
					if err != nil {
						t.Error(err)
					}
					answers[n], _ = reply.(*protocol.LeagueRegisterResponse)
				})
			}
			wg.Wait()
			a, b := answers[0], answers[1]
			if a.Status != protocol.Accepted || b.Status != protocol.Accepted || *a.PlayerID == *b.PlayerID {
				t.Errorf("seed %d: got %s and %s, want two agents", seed, a.Status, b.Status)
			}
			names := []string{w.state().Agents["P01"].Name, w.state().Agents["P02"].Name}
			if slices.Sort(names); names[0] != "twin" || names[1] != "twin (2)" {
				t.Errorf("seed %d: they are called %q", seed, names)
			}
		})
	}
}

func TestMalformedRegistrationsAreErrors(t *testing.T) {
	inWorld(t, 2, rpctest.Faults{}, manager.Options{Window: -1}, func(w *world) {
		w.bootManager()
		try := func(league string, meta protocol.AgentMeta) string {
			_, err := w.call("referee:x", "", &protocol.RefereeRegisterRequest{
				Envelope: protocol.Envelope{
					MessageType: protocol.TypeRefereeRegisterRequest, ConversationID: "c", LeagueID: league,
				}, Meta: meta,
			})
			return refusal(err)
		}
		good, ours, stranger := named("R", "http://localhost:8001/mcp"), named("O", "http://localhost:8002/mcp"),
			named("S", "http://localhost:8003/mcp")
		ours.Native = true
		for name, c := range map[string]struct{ got, want string }{
			"another league": {try("another", ours), "UNKNOWN_LEAGUE 6003"},
			"a stranger's":   {try("another", stranger), "<nil>"},
			"no name":        {try("", named("\u202e", "http://localhost:8001/mcp")), "MISSING_REQUIRED_FIELD -32602"},
			"no endpoint":    {try("", named("R", "localhost")), "INVALID_MESSAGE -32602"},
			"good":           {try(leagueID, good), "<nil>"},
		} {
			if c.got != c.want {
				t.Errorf("%s: got %s, want %s", name, c.got, c.want)
			}
		}
		odd := good
		odd.ProtocolVersion = "two"
		if got := try("", odd); got != "<nil>" || !w.logged("protocol_version cannot be read") {
			t.Errorf("a version that cannot be read: got %s, or no warning", got)
		}
	})
}

// reportAs reports the result of R1M1 with a given sender.
func (w *world) reportAs(sender, token, match string, change func(r *protocol.MatchResultReport)) string {
	r := &protocol.MatchResultReport{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeMatchResultReport, ConversationID: "c", MatchID: match, RoundID: 1, LeagueID: leagueID,
		},
		GameType: "even_odd", Attempt: 1,
	}
	change(r)
	_, err := w.call(sender, token, r)
	return refusal(err)
}

func TestFalseReportsAreRefused(t *testing.T) {
	inWorld(t, 3, rpctest.Faults{}, manager.Options{StartPlayers: 2, StartReferees: 2}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(20 * time.Second) }
		w.bootAll(2, 2)
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		time.Sleep(time.Second)
		one, two := w.referees["REF01"].Granted().Token, w.referees["REF02"].Granted().Token
		p01 := w.token("P01")
		invented := func(r *protocol.MatchResultReport) {
			winner := "P01"
			r.Result.Winner = &winner
			r.Fairness = &protocol.Fairness{Key: strings.Repeat("0", 64)}
		}
		for _, c := range []struct{ name, sender, token, match, want string }{
			{"a player", "player:P01", p01, "R1M1", "REFEREE_NOT_REGISTERED 5001"},
			{"no token", "referee:REF01", "", "R1M1", "AUTH_TOKEN_MISSING 5001"},
			{"a player's token", "referee:REF01", p01, "R1M1", "AUTH_TOKEN_INVALID 5001"},
			{"an unknown referee", "referee:REF09", "tok_referee_REF09_x", "R1M1", "REFEREE_NOT_REGISTERED 5001"},
			{"a referee that has another match", "referee:REF02", two, "R1M1", "MATCH_NOT_FOUND 5002"},
			{"no such match", "referee:REF01", one, "R7M1", "MATCH_NOT_FOUND 5002"},
			{"an invented draw", "referee:REF01", one, "R1M1", "INVALID_MESSAGE -32602"},
		} {
			if got := w.reportAs(c.sender, c.token, c.match, invented); got != c.want {
				t.Errorf("%s: got %s, want %s", c.name, got, c.want)
			}
		}
		if got := w.reportAs("referee:REF01", one, "R1M1", func(r *protocol.MatchResultReport) {
			r.LeagueID = "another"
		}); got != "UNKNOWN_LEAGUE 6003" {
			t.Errorf("another league: got %s", got)
		}
		if !w.finish(10 * time.Minute) {
			return
		}
		w.checkLaws()
		record := w.state().Matches["R1M1"].Outcome
		truth := func(r *protocol.MatchResultReport) {
			r.Result.Details.DrawnNumber, r.Result.Details.Choices, r.Result.Details.Status =
				protocol.Optional[int]{Value: record.Result.Drawn}, record.Result.Choices, record.Result.Status
			if record.Result.Winner != "" {
				r.Result.Winner = &record.Result.Winner
			}
		}
		if got := w.reportAs("referee:REF01", one, "R1M1", truth); got != "<nil>" {
			t.Errorf("the same result again: got %s", got)
		}
		other := func(r *protocol.MatchResultReport) {
			truth(r)
			r.Result.Details.Choices = map[string]json.RawMessage{"P01": json.RawMessage(`"even"`)}
		}
		if got := w.reportAs("referee:REF01", one, "R1M1", other); got != "DUPLICATE_REPORT 5003" {
			t.Errorf("another result: got %s", got)
		}
		if s := w.state(); s.Recorded != 1 {
			t.Errorf("counted %d times", s.Recorded)
		}
	})
}

func TestWhatOurRefereesReportMustFollowFromTheMovesAndTheDraw(t *testing.T) {
	inWorld(t, 4, rpctest.Faults{}, manager.Options{StartPlayers: 2}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(20 * time.Second) }
		w.bootAll(1, 2)
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		time.Sleep(time.Second)
		s := w.state()
		secret, err := w.disk.Open(sim.Options{}).Secret(w.ctx, "draw."+leagueID)
		if err != nil {
			t.Fatal(err)
		}
		key := protocol.DrawKey(secret, leagueID, "R1M1", s.Agents["P01"].Nonce, s.Agents["P02"].Nonce)
		even := json.RawMessage(`"even"`)
		choices := map[string]json.RawMessage{"P01": even, "P02": even}
		number := draw.Number(draw.New(key), 10)
		parity := []string{"even", "odd"}[number%2]
		truth := func(r *protocol.MatchResultReport) { // of players that both chose even
			r.Fairness = &protocol.Fairness{Key: hex.EncodeToString(key)}
			r.Moves = []protocol.PlayedMove{{PlayerID: "P01", Move: even}, {PlayerID: "P02", Move: even}}
			r.Result = protocol.ReportedResult{
				Details: protocol.ReportDetails{
					Status: protocol.Draw, DrawnNumber: protocol.Present(number), NumberParity: protocol.Present(parity), Choices: choices,
				},
			}
		}
		for name, lie := range map[string]func(r *protocol.MatchResultReport){
			"a winner": func(r *protocol.MatchResultReport) {
				winner := "P01"
				r.Result.Winner, r.Result.Details.Status = &winner, protocol.Win
			},
			"another number": func(r *protocol.MatchResultReport) {
				n := number%10 + 1
				r.Result.Details.DrawnNumber = protocol.Present(n)
			},
			"another key": func(r *protocol.MatchResultReport) { r.Fairness.Key = strings.Repeat("00", 32) },
			"no key":      func(r *protocol.MatchResultReport) { r.Fairness = nil },
			"no moves":    func(r *protocol.MatchResultReport) { r.Moves = nil },
			"a forfeit": func(r *protocol.MatchResultReport) {
				r.Result.Details.Status, r.Result.Details.Forfeits = protocol.TechnicalLoss, map[string]string{"P01": "E001"}
			},
		} {
			told := func(r *protocol.MatchResultReport) { truth(r); lie(r) }
			if got := w.reportAs("referee:REF01", w.referees["REF01"].Granted().Token, "R1M1",
				told); got != "INVALID_MESSAGE -32602" {
				t.Errorf("%s: got %s", name, got)
			}
		}
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
	})
}
