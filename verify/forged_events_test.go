package verify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// These forgeries change no result of a match, but other events: the rules, the identities, the order of events.

var zeros = strings.Repeat("0", 64)

// forgedRules change the first line, whose hash is the seal: each membership signature covers it.
var forgedRules = []forgery{
	{name: "more points for a win", want: "P01.welcome: " + notSigned,
		do: set("LeagueCreated", "", "scoring.win_points", 5)},
	{name: "points that no match was worth", in: "data/matches/" + theLeague, want: "result.score: got",
		do: all(set("LeagueCreated", "", "scoring.win_points", 2), set("LeagueCreated", "", "scoring.draw_points", 0))},
	{name: "other tie-breaks", want: "P01.welcome: " + notSigned,
		do: set("LeagueCreated", "", "tiebreakers", []string{"points", "player_id"})},
	{name: "a tie-break that there is not", want: `tiebreakers: unknown rule "friendship"`,
		do: set("LeagueCreated", "", "tiebreakers", []string{"points", "friendship"})},
	{name: "another game", want: "the result does not follow from the moves and the draw",
		do: set("LeagueCreated", "", "game_type", "tic_tac_toe")},
	{name: "a game that there is not", do: set("LeagueCreated", "", "game_type", "chess"), want: "game_type: "},
	{name: "guests that may not judge", want: "P01.welcome: " + notSigned,
		do: set("LeagueCreated", "", "guests_may_judge", nil)},
	{name: "seats that matter", want: "seat_matters: want false, found true",
		do: set("LeagueCreated", "", "seat_matters", true)},
	{name: "seats that do not matter", of: positionsLeague, want: "seat_matters: want true, found false",
		do: set("LeagueCreated", "", "seat_matters", nil)},
	{name: "fewer rounds", do: set("LeagueCreated", "", "rounds", 2), want: "round 3 was opened after round 2 of 2"},
	{name: "everybody twice", do: set("LeagueCreated", "", "cycles", 2), want: "the league was completed in round 3 of 6"},
	{name: "another promise", want: "draw_secret: want the secret whose commitment is " + zeros,
		do: set("LeagueCreated", "", "draw_commitment", zeros)},
	{name: "another secret", want: "draw_secret: want the secret whose commitment is",
		do: set("LeagueCompleted", "", "draw_secret", zeros)},
	{name: "the name of another league", want: "league_id: want " + theLeague + ", found spring",
		do: set("LeagueCreated", "", "league_id", "spring")},
	{name: "a log of a newer program", want: "schema 4: a newer version wrote this log",
		do: set("LeagueCreated", "", "schema", 4)},
}

// forgedAgents change the agents of the league.
var forgedAgents = []forgery{
	{name: "another name", do: set("AgentRegistered", "P02", "name", "Agent Bad"), want: pastUnknown},
	{name: "the name of another", want: "registered under the name of P0",
		do: set("AgentRegistered", "P02", "name", "Agent Alpha")},
	{name: "a name that moves the cursor", want: "P02.name: want",
		do: set("AgentRegistered", "P02", "name", "Ada\x1b[2J")},
	{name: "no name", do: set("AgentRegistered", "P02", "name", ""), want: "P02.name: an agent registered without a name"},
	{name: "an id that no player has", want: `no player can have the id "REF07"`,
		do: set("AgentRegistered", "P02", "id", "REF07")},
	{name: "a player that is a referee", want: `no referee can have the id "P02"`,
		do: set("AgentRegistered", "P02", "role", "referee")},
	{name: "a role that there is not", want: `"P02" registered as a "judge"`,
		do: set("AgentRegistered", "P02", "role", "judge")},
	{name: "another key", want: "P02.welcome: " + notSigned,
		do: set("AgentRegistered", "P02", "key", zeros)},
	{name: "the key of another", want: "registered with the key of P0",
		do: func(f *forger) {
			set("AgentRegistered", "P02", "key", f.find("AgentRegistered", "P01").members()["key"])(f)
		}},
	{name: "no key", want: `R2M2: signed: "P02" is no native player of R2M2`,
		do: all(set("AgentRegistered", "P02", "key", nil), set("AgentRegistered", "P02", "agreement_key", nil), set("AgentRegistered", "P02", "welcome", nil))},
	{name: "another endpoint", want: "P02.welcome: " + notSigned,
		do: set("AgentRegistered", "P02", "endpoint", "http://localhost:1/mcp")},
	{name: "no welcome", want: "P02.welcome: a native agent registered without its signature",
		do: set("AgentRegistered", "P02", "welcome", nil)},
	{name: "the welcome of another", want: "P02.welcome: " + notSigned,
		do: func(f *forger) {
			set("AgentRegistered", "P02", "welcome", f.find("AgentRegistered", "P01").members()["welcome"])(f)
		}},
	{name: "the welcome of another manager", want: "P02.welcome: " + notSigned,
		do: set("AgentRegistered", "P02", "welcome.manager", "http://localhost:1/mcp")},
	{name: "a welcome for another challenge", want: "P02.welcome: " + notSigned,
		do: set("AgentRegistered", "P02", "welcome.challenge", zeros)},
	{name: "another agreement key", want: "P02.welcome: " + notSigned,
		do: set("AgentRegistered", "P02", "agreement_key", zeros)},
	{name: "no agreement key", want: `"P02" registered a key without an agreement key`,
		do: set("AgentRegistered", "P02", "agreement_key", nil)},
	{name: "another key of the manager", want: "REF01.welcome: " + notSigned,
		do: set("LeagueCreated", "", "manager_key", zeros)},
	{name: "no key of the manager", want: "manager_key: agreement_key: want 64 lower-case hexadecimal digits",
		do: set("LeagueCreated", "", "manager_key", nil)},
	{name: "an upgrade that was none", want: "the log was upgraded from schema 2 to 2",
		do: before("LeagueStarted", "", "Upgraded", `{"schema":2,"manager_key":"`+zeros+`"}`)},
	{name: "a displaced agent that was not found", want: "P02.found: " + notSigned,
		do: before("LeagueStarted", "", "AgentFound", `{"id":"P02","challenge":"c","signature":"`+zeros+zeros+`"}`)},
	{name: "the endpoint of a referee", want: "REF01.welcome: " + notSigned,
		do: set("AgentRegistered", "REF01", "endpoint", "http://localhost:1/mcp")},
	{name: "another nonce", do: set("AgentRegistered", "P02", "nonce", "chosen later"), want: "R1M1.draw_key: want"},
	{name: "a nonce twice", want: `member "event.nonce" occurs twice`,
		do: add("AgentRegistered", "P02", `"nonce":"chosen later"`)},
	{name: "a referee that is not the organiser's", want: pastUnknown,
		do: set("AgentRegistered", "REF01", "organiser", nil)},
	{name: "a referee that never registered", want: `match R1M2 was assigned to "REF02", which is no referee`,
		do: drop("AgentRegistered", "REF02")},
	{name: "a player that never registered", want: `the league was started with "P02", which is no player`,
		do: drop("AgentRegistered", "P02")},
	{name: "a player more", want: "P05: it had registered, but the league was started without it",
		do: before("LeagueStarted", "", "AgentRegistered", stranger("P05", "player"))},
	{name: "a player more that came late", want: "P05: a player registered after the league had started",
		do: before("RoundOpened", "3", "AgentRegistered", stranger("P05", "player"))},
	{name: "a guest where guests do not judge",
		want: "R1M1.referee: REF07 is a guest, and matches of even_odd are judged by the organiser's referees",
		do: all(
			set("LeagueCreated", "", "guests_may_judge", nil),
			before("LeagueStarted", "", "AgentRegistered", stranger("REF07", "referee")),
			set("MatchAssigned", "R1M1", "referee", "REF07"), set("ResultRecorded", "R1M1", "referee", "REF07"),
		)},
	{name: "an invitation that nobody had", want: `"P02" registered with the invitation of "Agent Beta"`,
		do: set("AgentRegistered", "P02", "invitation", "Agent Beta")},
	{name: "a name that was reserved", want: `"P02" registered under the name of the invited "Agent Beta"`,
		do: before("AgentRegistered", "P02", "AgentInvited", `{"role":"player","name":"Agent Beta"}`)},
	{name: "an agent that came back with another key", want: "P02 registered with another key than its own",
		do: func(f *forger) {
			before("RoundOpened", "3", "AgentRegistered", f.changed("AgentRegistered", "P02", "key", zeros))(f)
		}},
	{name: "an agent that came back in the place of whom the organiser let in",
		want: "P02.key: it belongs neither to P02 nor to the agent that the organiser admitted as it",
		do: func(f *forger) {
			other := `{"id":"P02","key":"` + strings.Repeat("1", 64) + `","place":"localhost:1/mcp"}`
			all(
				before("RoundOpened", "3", "AgentReadmitted", other),
				before("RoundOpened", "3", "AgentRegistered", f.changed("AgentRegistered", "P02", "key", zeros)),
			)(f)
		}},
}

// stranger is the registration of an agent that has no key.
func stranger(id, role string) string {
	return fmt.Sprintf(`{"role":%q,"id":%q,"name":"Agent %s","endpoint":"http://localhost:7/mcp",`+
		`"place":"localhost:7/mcp","generation":1}`, role, id, id)
}

// forgedOrder change the order of events, and their existence.
var forgedOrder = []forgery{
	{name: "a league that was created twice", want: "a league is created once, before all else",
		do: twice("LeagueCreated", "")},
	{name: "a league that was never created", want: "a league is created once, before all else",
		do: drop("LeagueCreated", "")},
	{name: "a league that was started twice", do: twice("LeagueStarted", ""), want: "the league was started twice"},
	{name: "a league that was never started", want: "round 1 was opened after round 0 of 0",
		do: drop("LeagueStarted", "")},
	{name: "a league that was started without a player",
		want: "P04: it had registered, but the league was started without it",
		do:   set("LeagueStarted", "", "players", []string{"P01", "P02", "P03"})},
	{name: "a league that was started with a stranger", want: `the league was started with "P09", which is no player`,
		do: set("LeagueStarted", "", "players", []string{"P01", "P02", "P03", "P09"})},
	{name: "a league that was started with a player twice", want: `the league was started with "P03"`,
		do: set("LeagueStarted", "", "players", []string{"P01", "P02", "P03", "P03"})},
	{name: "a league that was started with somebody who had left",
		want: "P04: it was out, but the league was started with it",
		do:   before("LeagueStarted", "", "Withdrawn", `{"id":"P04"}`)},
	{name: "another schedule", want: "players: the players are not in the order of their ids",
		do: set("LeagueStarted", "", "players", []string{"P02", "P01", "P03", "P04"})},
	{name: "a league that was over early", want: "the league was completed in round 2 of 3",
		do: func(f *forger) {
			e := f.find("LeagueCompleted", "")
			all(drop(e.Kind, ""), after("RoundClosed", "2", e.Kind, string(e.Event)))(f)
		}},
	{name: "a league that was over twice", want: "LeagueCompleted after the end of the league",
		do: twice("LeagueCompleted", "")},
	{name: "a result after the end", want: "ResultRecorded after the end of the league",
		do: after("LeagueCompleted", "", "ResultRecorded", `{"match":"R1M1","attempt":0,"result":{"status":"DRAW"}}`)},
	{name: "a withdrawal after the end", want: "Withdrawn after the end of the league",
		do: after("LeagueCompleted", "", "Withdrawn", `{"id":"P01"}`)},
	{name: "a round that was never opened", want: `event about match "R2M1", whose round was never opened`,
		do: drop("RoundOpened", "2")},
	{name: "a round that was opened twice", do: twice("RoundOpened", "2"), want: "round 2 was opened after round 2 of 3"},
	{name: "a round that was skipped", want: "round 3 was opened after round 1 of 3",
		do: set("RoundOpened", "2", "round", 3)},
	{name: "a round more", want: "round 4 was opened after round 3 of 3",
		do: after("RoundClosed", "3", "RoundOpened", `{"round":4}`)},
	{name: "a round that was never closed", do: drop("RoundClosed", "1"), want: "round 2 was opened after round 1 of 3"},
	{name: "a round that was closed twice", do: twice("RoundClosed", "1"), want: "round 1 was closed before its end"},
	{name: "a round that ends early", want: "round 1 was closed before its end",
		do: after("RoundOpened", "1", "RoundClosed", `{"round":1}`)},
	{name: "a match that was given to nobody", want: `match R2M1: attempt 1 was never assigned to "REF01"`,
		do: drop("MatchAssigned", "R2M1")},
	{name: "a match that was given out twice", want: "match R2M1: attempt 1 was assigned after attempt 1",
		do: twice("MatchAssigned", "R2M1")},
	{name: "a match whose first attempt is missing", want: "match R2M1: attempt 2 was assigned after attempt 0",
		do: set("MatchAssigned", "R2M1", "attempt", 2)},
	{name: "a match that was given to a player", want: `match R2M1 was assigned to "P02", which is no referee`,
		do: set("MatchAssigned", "R2M1", "referee", "P02")},
	{name: "a match that was given out after its end", want: "event about match R2M1, which has been recorded",
		do: after("ResultRecorded", "R2M1", "MatchAssigned", `{"match":"R2M1","referee":"REF02","attempt":2}`)},
	{name: "a match that was given to a referee that was not there",
		want: "R3M1.referee: REF01 was given it while it was SUSPENDED",
		do:   before("RoundOpened", "3", "AgentState", `{"id":"REF01","state":"SUSPENDED"}`)},
	{name: "somebody put out who never forfeited",
		want: "P01.state: it was taken out after 0 forfeits in a row; the rules say 3",
		do:   before("RoundOpened", "3", "AgentState", `{"id":"P01","state":"SHUTDOWN","why":"3 forfeits in a row"}`)},
	{name: "a state that there is not", want: `P01.state: no agent can be "BRIBED"`,
		do: before("RoundOpened", "3", "AgentState", `{"id":"P01","state":"BRIBED"}`)},
	{name: "the withdrawal of somebody who was not there", want: `event about "P09", which never registered`,
		do: before("RoundOpened", "3", "Withdrawn", `{"id":"P09"}`)},
	{name: "an unknown event", do: before("RoundOpened", "3", "Bribed", "{}"), want: `unknown event "Bribed"`},
	{name: "an event that says nothing", want: "round 0 was opened after round 2 of 3",
		do: swap("RoundOpened", "3", func(e logged) []logged { return []logged{e.with("null")} })},
	{name: "time that runs backwards", want: "time runs backwards: Announced at 2020-01-01T00:00:00Z, after an event at",
		do: func(f *forger) {
			f.lines(func(lines []logLine) []logLine {
				l := lines[len(lines)-1]
				for i := range l.Events {
					l.Events[i].At = "2020-01-01T00:00:00Z"
				}
				return lines
			})
		}},
	{name: "two times in a line", want: "it has another time than the event before it",
		do: func(f *forger) {
			f.lines(func(lines []logLine) []logLine {
				e := &lines[lineOf(lines, "RoundOpened", "1")].Events[1]
				at, err := time.Parse(time.RFC3339Nano, e.At)
				f.must(err)
				e.At = at.Add(time.Second).Format(time.RFC3339Nano)
				return lines
			})
		}},
	{name: "an event without a time", want: "it has no time",
		do: func(f *forger) {
			f.lines(func(lines []logLine) []logLine {
				lines[1].Events[0].At = "0001-01-01T00:00:00Z"
				return lines
			})
		}},
	{name: "a line without events", want: "it holds no events",
		do: func(f *forger) {
			f.lines(func(lines []logLine) []logLine {
				lines[len(lines)-1].Events = []logged{}
				return lines
			})
		}},
}

func TestForgedEventsAreFound(t *testing.T) { areFound(t, forgedRules, forgedAgents, forgedOrder) }
