package verify_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"agentleague/protocol"
)

// Forfeits and annulments are forged in a league that has some.

// struck1 is the record of R1M1's first attempt, which was annulled.
const struck1 = "data/referees/REF01/" + theLeague + "/R1M1.1.json"

// otherCode has a player forfeit by another code.
func otherCode(id, code string) retelling {
	return func(r *outcome, rec *record) {
		end := rec.Result
		end.Forfeits = map[string]string{id: code}
		tell(r, rec, end)
	}
}

var forgedForfeits = []forgery{
	{name: "another code", of: eventfulLeague, want: pastUnknown,
		do: in("R2M2", otherCode("P04", protocol.InvalidMessage.Code))},
	{name: "a code that there is not", of: eventfulLeague,
		want: `R2M2.forfeits.P04: nobody can forfeit with the code "E777"`,
		do:   in("R2M2", otherCode("P04", "E777"))},
	{name: "an illegal move that was never signed", of: eventfulLeague,
		want: "R2M2.signed: P04 signs its answers, and has not signed this one",
		do:   in("R2M2", otherCode("P04", protocol.InvalidChoice.Code))},
	{name: "the illegal move taken away", of: eventfulLeague,
		want: "R1M2.signed: P04 signs its answers, and has not signed this one",
		do: in("R1M2", func(r *outcome, rec *record) {
			delete(r.Signed, "P04")
			rec.Signed = r.Signed
		})},
	{name: "a legal move for the illegal one", of: eventfulLeague,
		want: `signed.P04: turn 0: it signed "\"odd\"", which is legal and was not played`,
		do: in("R1M2", func(r *outcome, rec *record) {
			said := r.Signed["P04"]
			said.Answers = []protocol.SignedAnswer{{Move: `"odd"`}}
			r.Signed["P04"] = said
			rec.Signed = r.Signed
		})},
	{name: "a forfeit of the other player", of: eventfulLeague, want: "signed.P02: turn 0: it signed",
		do: in("R2M2", func(r *outcome, rec *record) {
			winner, end := "P04", rec.Result
			end.Forfeits, end.WinnerPlayerID = map[string]string{"P02": protocol.Timeout.Code}, &winner
			end.Choices = map[string]json.RawMessage{"P02": json.RawMessage("null"), "P04": json.RawMessage("null")}
			tell(r, rec, end)
		})},
	{name: "a forfeit of somebody who did not play", of: eventfulLeague,
		want: `result.details.forfeits: "P01" does not play in this match`,
		do:   in("R2M2", otherCode("P01", protocol.Timeout.Code))},
	{name: "a forfeit of both", of: eventfulLeague, want: "signed.P02: turn 0: it signed",
		do: in("R2M2", func(r *outcome, rec *record) {
			end := rec.Result
			end.Forfeits = map[string]string{"P02": protocol.Timeout.Code, "P04": protocol.Timeout.Code}
			end.WinnerPlayerID = nil
			tell(r, rec, end)
		})},
	{name: "a forfeit that nobody won", of: eventfulLeague,
		want: "R2M2: the result does not follow from the moves and the draw: result.winner: got null",
		do: in("R2M2", func(r *outcome, rec *record) {
			end := rec.Result
			end.WinnerPlayerID = nil
			tell(r, rec, end)
		})},
	{name: "a number in a forfeit", of: eventfulLeague,
		want: "result.details.drawn_number: nothing is drawn when a player forfeits",
		do: in("R2M2", func(r *outcome, rec *record) {
			n, end := 7, rec.Result
			end.DrawnNumber = protocol.Present(n)
			tell(r, rec, end)
		})},
	{name: "a choice of who forfeited", of: eventfulLeague, want: "result.details.choices: got",
		do: in("R2M2", func(r *outcome, rec *record) {
			end := rec.Result
			end.Choices = maps.Clone(end.Choices)
			end.Choices["P04"] = json.RawMessage(`"odd"`)
			tell(r, rec, end)
		})},
	{name: "another choice of who did not forfeit", of: eventfulLeague, want: "result.details.choices: got",
		do: in("R2M2", func(r *outcome, rec *record) {
			end := rec.Result
			end.Choices = maps.Clone(end.Choices)
			end.Choices["P02"] = json.RawMessage(flipped(string(end.Choices["P02"])))
			tell(r, rec, end)
		})},
	{name: "a win for a forfeit", of: eventfulLeague, want: "moves: the match does not end with them",
		do: in("R2M2", func(r *outcome, rec *record) {
			winner, end := "P04", rec.Result
			end.Status, end.Forfeits, end.WinnerPlayerID = protocol.Win, nil, &winner
			tell(r, rec, end)
		})},
	{name: "somebody silent who stays in good order", of: eventfulLeague,
		want: "P04.state: after R2M2 it must be SUSPENDED, but the log does not say so",
		do:   drop("AgentState", "P04")},
	{name: "three forfeits without an end", of: eventfulLeague,
		want: "P04.state: after R3M1 it must be SHUTDOWN, but the log does not say so",
		do: swap("ResultRecorded", "R3M1", func(e logged) []logged {
			return []logged{e, e.other("Announced", `{"what":"round","round":3}`)}
		})},
	{name: "somebody put out too early", of: eventfulLeague,
		want: "P04.state: it was taken out after 2 forfeits in a row; the rules say 3",
		do:   set("AgentState", "P04", "state", "SHUTDOWN")},
	{name: "somebody taken back whom nobody readmitted", of: eventfulLeague,
		want: "P04.state: it was out of the league, and nobody had readmitted it",
		do:   before("LeagueCompleted", "", "AgentState", `{"id":"P04","state":"ACTIVE"}`)},
	{name: "a withdrawal taken away", of: eventfulLeague,
		want: "R3M2: it was recorded as not played, although both players were in the league",
		do:   drop("Withdrawn", "P02")},
	{name: "the withdrawal of another", of: eventfulLeague,
		want: "R3M2: it was recorded as not played, although both players were in the league",
		do:   set("Withdrawn", "P02", "id", "P01")},
	{name: "a walkover for who had left", of: eventfulLeague, want: `R3M2: want {"status":"TECHNICAL_LOSS","winner":"P03"`,
		do: all(
			swap("ResultRecorded", "R3M2", walkover("R3M2", "P02", "P03")), ownRecord("R3M2"),
		)},
	{name: "a walkover in which somebody chose", of: eventfulLeague,
		want: `R3M2: want {"status":"TECHNICAL_LOSS","winner":"P03"`,
		do: all(
			set("ResultRecorded", "R3M2", "result.choices", map[string]string{"P03": "odd"}), ownRecord("R3M2"),
		)},
}

var forgedAnnulments = []forgery{
	{name: "an annulment taken away", of: eventfulLeague, want: "event about match R1M1, which has been recorded",
		do: drop("ResultAnnulled", "R1M1")},
	{name: "the struck result put back", of: eventfulLeague, want: pastUnknown,
		do: all(
			drop("ResultAnnulled", "R1M1"),
			swapNth(2, "MatchAssigned", "R1M1", gone), swapNth(2, "ResultRecorded", "R1M1", gone),
			copied(struck1, shownAt("R1M1")), remove("data/referees/REF02/"+theLeague+"/R1M1.2.json"),
		)},
	{name: "the record of the struck result in the place of the one that counts", of: eventfulLeague, in: shownAt("R1M1"),
		want: "it is the record of a result that was annulled", do: copied(struck1, shownAt("R1M1"))},
	{name: "an annulment that nobody ordered", want: "round 1 was closed before its end",
		do: after("ResultRecorded", "R1M1", "ResultAnnulled", `{"match":"R1M1"}`)},
	{name: "an annulment twice", of: eventfulLeague, want: `match "R1M1" was annulled, which has no result`,
		do: twice("ResultAnnulled", "R1M1")},
	{name: "an annulment of what was not played", want: `match "R1M1" was annulled, which has no result`,
		do: after("RoundOpened", "1", "ResultAnnulled", `{"match":"R1M1"}`)},
	{name: "an annulment after the end", want: "ResultAnnulled after the end of the league",
		do: after("LeagueCompleted", "", "ResultAnnulled", `{"match":"R1M1"}`)},
	{name: "a match that was annulled and never played again", want: "the league was completed in round 3 of 3",
		do: after("RoundClosed", "3", "ResultAnnulled", `{"match":"R1M1"}`)},
	{name: "another reason for an annulment", of: eventfulLeague, want: pastUnknown,
		do: set("ResultAnnulled", "R1M1", "why", "no reason")},
	{name: "the struck attempt that counts after all", of: eventfulLeague,
		want: `match R1M1: attempt 1 was never assigned to "REF01"`,
		do: func(f *forger) {
			first := f.find("ResultRecorded", "R1M1")
			swapNth(2, "ResultRecorded", "R1M1", func(logged) []logged { return []logged{first} })(f)
		}},
	{name: "the draw of the struck attempt", of: eventfulLeague, want: "R1M1.draw_key: want",
		do: func(f *forger) {
			nonces := f.nonces()
			key := protocol.DrawKey(f.secret(), theLeague, "R1M1", nonces["P01"], nonces["P02"])
			f.result("R1M1", func(r *outcome, rec *record) { f.draw(r, rec, key) })
		}},
	{name: "the record of the struck attempt", of: eventfulLeague, in: struck1,
		want: "that of the record of the annulled result in journal.jsonl:",
		do:   replace(struck1, `"reason": "`, `"reason": "it was not so: `)},
	{name: "a record of an attempt that did not count", of: eventfulLeague,
		in: "data/referees/REF02/" + theLeague + "/R3M1.2.json", want: "signed: P01: signature: it is not of this text",
		do: all(
			later("MatchAssigned", "R3M1", "MatchAssigned", `{"match":"R3M1","referee":"REF02","attempt":2}`), func(f *forger) {
				text := string(f.root[shownAt("R3M1")].Data)
				text = strings.NewReplacer("REF01", "REF02", `"attempt":1`, `"attempt":2`, `"attempt": 1`, `"attempt": 2`).Replace(text)
				f.put("data/referees/REF02/"+theLeague+"/R3M1.2.json", []byte(text))
			},
		)},
	{name: "a protest taken away", of: eventfulLeague, do: drop("ResultContested", "R1M1"), want: pastUnknown},
	{name: "a protest of somebody who did not play", of: eventfulLeague,
		want: `R3M1.contested: "player:P02" is neither a player nor a referee of the match`,
		do:   set("ResultContested", "R3M1", "by", "player:P02")},
	{name: "a protest of a referee that did not judge", of: eventfulLeague,
		want: `R3M1.contested: "referee:REF02" is neither a player nor a referee of the match`,
		do:   set("ResultContested", "R3M1", "by", "referee:REF02")},
	{name: "a protest twice", of: eventfulLeague, want: "R3M1.contested: player:P04 contests it twice",
		do: twice("ResultContested", "R3M1")},
	{name: "a protest against nothing", want: `match "R1M1" was contested, which has no result`,
		do: after("RoundOpened", "1", "ResultContested", `{"match":"R1M1","attempt":1,"by":"player:P01","what":"MOVES"}`)},
}

func TestForgedForfeitsAreFound(t *testing.T) { areFound(t, forgedForfeits, forgedAnnulments) }
