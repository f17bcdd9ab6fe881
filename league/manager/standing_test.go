package manager_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// oddReports are reports of foreign referees with a match, its players and an outcome, and an additional member that
// contradicts the rules.
var oddReports = map[string]string{
	"a number that is always 0": `"result":{"winner":"P01","score":{"P01":3,"P02":0},"details":{"drawn_number":0,"choices":{"P01":"odd","P02":"even"}}}`,
	"a number from 1 to 100":    `"result":{"winner":"P01","score":{"P01":3,"P02":0},"details":{"drawn_number":71,"choices":{"P01":"odd","P02":"even"}}}`,
	"a draw without choices":    `"result":{"winner":null,"score":{"P01":1,"P02":1},"details":{"status":"DRAW"}}`,
	"a win of one of two who were right": `"result":{"winner":"P01","score":{"P01":3,"P02":0},` +
		`"details":{"drawn_number":9,"choices":{"P01":"odd","P02":"odd"}}}`,
	"only what each player got": `"players":{"P01":{"result":"win","points":3},"P02":{"result":"loss","points":0}}`,
}

// tellsOddly is a foreign referee that plays and reports in its own way.
func tellsOddly(members string) func(f *foreigner, match string) (int, string) {
	return func(f *foreigner, match string) (int, string) {
		go func() {
			if f.process.Sleep(f.process.Context(), "play "+match, time.Second) == nil {
				f.tells(fmt.Sprintf(`"match_id":%q,%s`, match, members))
			}
		}()
		return taken(f, match)
	}
}

func TestLeagueOfARefereeWithOddReportsEnds(t *testing.T) {
	for name, members := range oddReports {
		t.Run(name, func(t *testing.T) {
			inForeignWorld(t, manager.Options{}, tellsOddly(members), func(w *world, _ *foreigner) {
				if !w.finish(time.Minute) {
					t.Fatalf("it stands: %s", w.manager.WaitsFor())
				}
				m := w.state().Matches["R1M1"]
				if noted := name != "only what each player got"; m.Proof != league.Unproven || (m.Outcome.Note != "") != noted {
					t.Errorf("the result is %s, noted %q", m.Proof, m.Outcome.Note)
				}
			})
		})
	}
}

func TestOddReportIsRefusedWhereARefereeOfTheOrganizerIsFree(t *testing.T) {
	odd := oddReports["a number from 1 to 100"]
	inForeignWorld(t, manager.Options{}, taken, func(w *world, ref *foreigner) {
		w.await(time.Minute, "the match is ordered", func(*league.State) bool { return ref.count("run_match R1M1") == 1 })
		w.bootReferee(2)
		w.await(time.Minute, "the other referee is there", func(s *league.State) bool { return s.Agents["REF02"] != nil })
		if code := ref.tells(`"match_id":"R1M1",` + odd); code != protocol.InvalidMessage.Code {
			t.Errorf("the report got %q, want %s", code, protocol.InvalidMessage.Code)
		}
		if w.finish(time.Minute) && w.state().Matches["R1M1"].Outcome.Referee != "REF02" {
			t.Error("the match was not played by the referee that was free")
		}
	})
}

// envelope returns the envelope that a strict league requires of every message.
func envelope(messageType string) string {
	return fmt.Sprintf(`"protocol":"league.v2","message_type":%q,"timestamp":%q,"conversation_id":"c","league_id":%q`,
		messageType, protocol.Stamp(time.Now()), leagueID)
}

func TestStrictLeagueSaysWhichReportItWaitsFor(t *testing.T) {
	o := manager.Options{StartPlayers: 2, StartReferees: 1}
	o.Strict = true
	inWorld(t, 1, rpctest.Faults{}, o, func(w *world) {
		w.foreign = map[string]*foreigner{}
		ref := w.settle("REF01", 8001, func(string, map[string]json.RawMessage) (int, string) { return taken(nil, "") })
		w.bootManager()
		var got struct {
			Token string `json:"auth_token"`
		}
		_ = json.Unmarshal(ref.post("register_referee", fmt.Sprintf(`{%s,"sender":"referee:REF01",
			"referee_meta":{"display_name":"Judge","version":"1","game_types":["even_odd"],"contact_endpoint":%q,
			"max_concurrent_matches":2}}`,
			envelope("REFEREE_REGISTER_REQUEST"), ref.url)), &got)
		ref.token = got.Token
		w.bootPlayer(1)
		w.bootPlayer(2)
		w.await(time.Minute, "the match is assigned", func(s *league.State) bool {
			return s.Matches["R1M1"] != nil && s.Matches["R1M1"].Attempt().Referee == "REF01"
		})
		code := ref.tells(envelope("MATCH_RESULT_REPORT") + `,"round_id":1,"game_type":"even_odd","match_id":"R1M1",` +
			oddReports["a number from 1 to 100"])
		if words := w.manager.WaitsFor(); !strings.HasPrefix(words,
			"waiting for R1M1 from REF01 (guest): its last report was refused: ") || !strings.Contains(words, "71") {
			t.Errorf("it says %q after %s", words, code)
		}
	})
}

func TestUnreadableReportIsTold(t *testing.T) {
	inForeignWorld(t, manager.Options{}, taken, func(w *world, ref *foreigner) {
		w.await(time.Minute, "the match is ordered", func(*league.State) bool { return ref.count("run_match R1M1") == 1 })
		ref.tells(`"match_id":"R1M1","result":"P01 has won, I think"`)
		if words := w.manager.WaitsFor(); !strings.Contains(words, "its last report was refused") || !strings.Contains(words, "I think") {
			t.Errorf("it says %q", words)
		}
		if list := w.manager.Warnings(); len(list) != 1 || !strings.Contains(list[0].Text, "I think") {
			t.Errorf("the warnings are %+v", list)
		}
		w.bootReferee(2)
		if w.finish(time.Minute) && w.state().Matches["R1M1"].Outcome.Referee != "REF02" {
			t.Error("the match was not given to the other referee")
		}
	})
}

func TestLeagueSaysWhichGuestReportsNothing(t *testing.T) {
	inForeignWorld(t, manager.Options{}, taken, func(w *world, ref *foreigner) {
		w.await(time.Minute, "the match is ordered", func(*league.State) bool { return ref.count("run_match R1M1") == 1 })
		time.Sleep(40 * time.Second)
		if words := w.manager.WaitsFor(); !strings.HasPrefix(words, "waiting for R1M1 from REF01 (guest): it has reported nothing") {
			t.Errorf("after 40 seconds it says %q", words)
		}
		ref.report("R1M1")
		if w.finish(time.Minute) && w.manager.WaitsFor() != "" {
			t.Errorf("at the end it says %q", w.manager.WaitsFor())
		}
	})
}

func TestLeagueSaysWhichRefereeIsGone(t *testing.T) {
	inWorld(t, 17, rpctest.Faults{}, manager.Options{StartPlayers: 2}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(5 * time.Second) }
		w.bootAll(1, 2)
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		time.Sleep(2 * time.Second)
		w.procs["REF01"].Crash()
		time.Sleep(30 * time.Second)
		if words := w.manager.WaitsFor(); !strings.HasPrefix(words, "waiting for R1M1 from REF01, which does not answer; start it again") {
			t.Errorf("after 30 seconds it says %q", words)
		}
		w.bootReferee(1)
		if w.finish(10*time.Minute) && w.manager.WaitsFor() != "" {
			t.Errorf("at the end it says %q", w.manager.WaitsFor())
		}
	})
}
