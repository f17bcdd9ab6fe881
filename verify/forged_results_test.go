package verify_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"agentleague/game/draw"
	"agentleague/protocol"
	"agentleague/verify"
)

// These results are forged in a league whose players sign nothing, where a forgery is harder to detect.

// rekeyed is a key other than the true one that draws the same number, so that the match itself does not reveal it.
func rekeyed(number int) []byte {
	for i := 0; ; i++ {
		key := fmt.Appendf(nil, "%032d", i)
		if draw.Number(draw.New(key), 10) == number {
			return key
		}
	}
}

// loser is a player of a match that has not won it.
func loser(r *outcome, rec *record) string {
	if r.Result.Winner == rec.PlayerAID {
		return rec.PlayerBID
	}
	return rec.PlayerAID
}

// inMessage changes a text in a message of a record.
func inMessage(of protocol.Type, old, text string) retelling {
	return func(_ *outcome, rec *record) {
		for i, e := range rec.Transcript {
			if now := edited(string(e.Message), old, text); e.MessageType == of && now != string(e.Message) {
				rec.Transcript[i].Message = json.RawMessage(now)
				return
			}
		}
		panic("no " + string(of) + " has " + old)
	}
}

// without takes the messages of a type to one player out of a record.
func without(of protocol.Type) retelling {
	return func(_ *outcome, rec *record) {
		rec.Transcript = slices.DeleteFunc(rec.Transcript, func(e protocol.TranscriptEntry) bool {
			return e.MessageType == of && e.To == "player:"+rec.PlayerBID
		})
		for i := range rec.Transcript {
			rec.Transcript[i].Seq = i + 1
		}
	}
}

// moved gives both the log and the record other moves.
func moved(edit func(moves []protocol.PlayedMove) []protocol.PlayedMove) retelling {
	return func(r *outcome, rec *record) {
		r.Moves = edit(slices.Clone(r.Moves))
		rec.Moves = r.Moves
	}
}

// ofNameless returns forgeries of a league whose players sign nothing, each of one match alone.
func ofNameless(all []forgery) []forgery {
	for i := range all {
		all[i].of, all[i].alone = namelessLeague, true
	}
	return all
}

const doesNotFollow = "R2M1: the result does not follow from the moves and the draw: "

// forgedOutcomes are such as are found in the one match, and leave the others as they are.
var forgedOutcomes = ofNameless([]forgery{
	{name: "another winner", want: doesNotFollow + "result.",
		do: in("R2M1", func(r *outcome, rec *record) {
			winner := loser(r, rec)
			r.Result.Winner, r.Result.Status = winner, protocol.Win
			rec.Result.WinnerPlayerID, rec.Result.Status = &winner, protocol.Win
			rec.Result.Score = map[string]int{rec.PlayerAID: 0, rec.PlayerBID: 0, winner: 3}
		})},
	{name: "another winner, told to everybody", want: doesNotFollow + "result.",
		do: in("R2M1", func(r *outcome, rec *record) {
			end, winner := rec.Result, loser(r, rec)
			end.WinnerPlayerID, end.Status = &winner, protocol.Win
			tell(r, rec, end)
		})},
	{name: "another number", want: "result.details.drawn_number: got",
		do: in("R2M1", func(r *outcome, rec *record) {
			n := *r.Result.Drawn%10 + 1
			r.Result.Drawn, rec.Result.DrawnNumber = &n, protocol.Present(n)
		})},
	{name: "no number", want: "result.details.drawn_number: got null",
		do: in("R2M1", func(r *outcome, rec *record) {
			r.Result.Drawn, rec.Result.DrawnNumber = nil, protocol.DrawMember[int](rec.GameType, nil)
		})},
	{name: "a forfeit that was none", want: "nobody can have forfeited",
		do: in("R2M1", func(r *outcome, rec *record) {
			lost := map[string]string{rec.PlayerAID: "E001"}
			r.Result.Status, r.Result.Winner, r.Result.Forfeits = protocol.TechnicalLoss, rec.PlayerBID, lost
			rec.Result.Status, rec.Result.WinnerPlayerID, rec.Result.Forfeits = protocol.TechnicalLoss, &rec.PlayerBID, lost
		})},
	{name: "choices that are not the moves", want: "result.details.choices: got",
		do: in("R2M1", func(r *outcome, rec *record) {
			r.Result.Choices = maps.Clone(r.Result.Choices)
			r.Result.Choices["P01"] = json.RawMessage(`"seven"`)
			rec.Result.Choices = r.Result.Choices
		})},
	{name: "another draw key", want: "R2M1.draw_key: want",
		do: in("R2M1", func(r *outcome, rec *record) {
			if err := rekey(r, rec, rekeyed(*r.Result.Drawn)); err != nil {
				panic(err)
			}
		})},
	{name: "the draw key of another match", want: "R2M1.draw_key: want",
		do: func(f *forger) {
			key, err := hex.DecodeString(f.find("ResultRecorded", "R1M1").members()["draw_key"].(string))
			f.must(err)
			f.result("R2M1", func(r *outcome, rec *record) { f.draw(r, rec, key) })
		}},
	{name: "no draw key", want: doesNotFollow + "fairness.key",
		do: in("R2M1", func(r *outcome, rec *record) {
			r.DrawKey, rec.Fairness.Key = "", ""
		})},
	{name: "no moves", want: "moves: the match does not end with them",
		do: in("R2M1", moved(func([]protocol.PlayedMove) []protocol.PlayedMove { return nil }))},
	{name: "a move too many", want: "moves: turn 0: P01 moves twice",
		do: in("R2M1", moved(func(m []protocol.PlayedMove) []protocol.PlayedMove {
			return append(m, m[0])
		}))},
	{name: "a move of somebody else", want: `moves: "P02" does not play in this match`,
		do: in("R2M1", moved(func(m []protocol.PlayedMove) []protocol.PlayedMove {
			m[0].PlayerID = "P02"
			return m
		}))},
	{name: "a move that there is not", want: "moves: turn 0: ",
		do: in("R2M1", moved(func(m []protocol.PlayedMove) []protocol.PlayedMove {
			m[0].Move = json.RawMessage(`"seven"`)
			return m
		}))},
	{name: "a turn that was skipped", want: "moves: turn 0 is missing",
		do: in("R2M1", moved(func(m []protocol.PlayedMove) []protocol.PlayedMove {
			m[0].Turn, m[1].Turn = 1, 1
			return m
		}))},
	{name: "moves that nobody made", in: shownAt("R2M1"), want: "never answered",
		do: in("R2M1", func(r *outcome, rec *record) {
			for i := range rec.Transcript {
				if rec.Transcript[i].MessageType == protocol.TypeChooseParityResponse {
					text := strings.NewReplacer(`"even"`, `"odd"`, `"odd"`, `"even"`).Replace(string(rec.Transcript[i].Message))
					rec.Transcript[i].Message = json.RawMessage(text)
				}
			}
		})},
	{name: "a GAME_OVER that told another result", in: shownAt("R2M1"), want: "message.",
		do: in("R2M1", func(r *outcome, rec *record) {
			last := &rec.Transcript[len(rec.Transcript)-1]
			last.Message = json.RawMessage(edited(string(last.Message), `"points_earned": `, `"points_earned": 1`))
		})},
	{name: "a GAME_OVER about another opponent", in: shownAt("R2M1"), want: `message.opponent_id: got "P02"`,
		do: in("R2M1", inMessage(protocol.TypeGameOver, `"opponent_id": "P03"`, `"opponent_id": "P02"`))},
	{name: "a promise of another key", in: shownAt("R2M1"), want: "transcript[0]: message.fairness: got",
		do: in("R2M1", func(r *outcome, rec *record) {
			inMessage(protocol.TypeGameInvitation, rec.Fairness.Commitment, protocol.KeyCommitment(nil))(r, rec)
		})},
	{name: "an invitation that tells the key", in: shownAt("R2M1"), want: "message.fairness: got",
		do: in("R2M1", inMessage(protocol.TypeGameInvitation, `"fairness": {`, `"fairness": {"key": "00",`))},
	{name: "a promise to one player alone", in: shownAt("R2M1"), want: "no GAME_INVITATION promises the draw to P03",
		do: in("R2M1", without(protocol.TypeGameInvitation))},
	{name: "an end that one player never heard", in: shownAt("R2M1"), want: "no GAME_OVER tells P03 the result",
		do: in("R2M1", without(protocol.TypeGameOver))},
	{name: "a message of a stranger", in: shownAt("R2M1"), want: `from and to: "player:P02" does not play in this match`,
		do: in("R2M1", func(_ *outcome, rec *record) {
			rec.Transcript[2].From = "player:P02"
		})},
	{name: "messages in another order", in: shownAt("R2M1"), want: "transcript[2]: seq: got 4, want 3",
		do: in("R2M1", func(_ *outcome, rec *record) {
			rec.Transcript[2], rec.Transcript[3] = rec.Transcript[3], rec.Transcript[2]
		})},
	{name: "a transcript that says it is not whole", in: shownAt("R2M1"), want: "transcript_complete: got false",
		do: in("R2M1", func(_ *outcome, rec *record) {
			rec.TranscriptComplete = false
		})},
	{name: "other points", in: shownAt("R2M1"), want: "result.score: got",
		do: in("R2M1", func(_ *outcome, rec *record) {
			rec.Result.Score = map[string]int{"P01": 2, "P03": 2}
		})},
	{name: "a record that is not what was reported", in: shownAt("R2M1"), want: "moves: want",
		do: in("R2M1", func(r *outcome, rec *record) {
			r.Moves = slices.Clone(r.Moves)
			slices.Reverse(r.Moves)
		})},
	{name: "players that were faster", in: shownAt("R2M1"), want: "tries: want",
		do: in("R2M1", func(r *outcome, _ *record) {
			r.Timing = map[string]protocol.Timing{"P01": {Tries: 2, AgentUS: 1}, "P03": r.Timing["P03"]}
		})},
	{name: "the record of another referee", in: shownAt("R2M1"), want: "referee_id: want REF01, got REF02",
		do: in("R2M1", func(_ *outcome, rec *record) {
			rec.RefereeID = "REF02"
		})},
	{name: "the record of another attempt", in: shownAt("R2M1"), want: "attempt: want 1, got 2",
		do: in("R2M1", func(_ *outcome, rec *record) {
			rec.Attempt = 2
		})},
	{name: "the record of another league", in: shownAt("R2M1"), want: "league_id: want " + theLeague + ", got spring",
		do: in("R2M1", func(_ *outcome, rec *record) {
			rec.LeagueID = "spring"
		})},
	{name: "players in each other's seats", in: shownAt("R2M1"), want: "player_A_id: want P01, got P03",
		do: in("R2M1", func(_ *outcome, rec *record) {
			rec.PlayerAID, rec.PlayerBID = rec.PlayerBID, rec.PlayerAID
		})},
	{name: "a commitment of another key", in: shownAt("R2M1"), want: "fairness.commitment: got",
		do: in("R2M1", func(_ *outcome, rec *record) {
			rec.Fairness.Commitment = protocol.KeyCommitment(nil)
		})},
	{name: "a result without a record", want: "R2M1.record_sha256: the result has no record",
		do: in("R2M1", func(r *outcome, _ *record) {
			r.RecordSHA256 = ""
		})},
})

// forgedResults are such as the log alone contradicts.
var forgedResults = []forgery{
	{name: "a winner that did not play", of: namelessLeague, want: `match R2M1 of P01 and P03 was won by "P04"`,
		do: in("R2M1", func(r *outcome, _ *record) {
			r.Result.Winner = "P04"
		})},
	{name: "a result twice", do: twice("ResultRecorded", "R1M1"), want: "event about match R1M1, which has been recorded"},
	{name: "two results exchanged", want: "was never assigned to",
		do: all(
			set("ResultRecorded", "R1M1", "match", "R1M0"), set("ResultRecorded", "R1M2", "match", "R1M1"),
			set("ResultRecorded", "R1M0", "match", "R1M2"),
		)},
	{name: "a result of a referee that was not asked", want: "was never assigned to",
		do: func(f *forger) {
			f.events(func(e logged) []logged {
				if e.Kind != "ResultRecorded" {
					return []logged{e}
				}
				return []logged{e.with(strings.NewReplacer("REF01", "REF02", "REF02", "REF01").Replace(string(e.Event)))}
			})
		}},
	{name: "a result of an attempt that was not asked for", want: `match R1M1: attempt 2 was never assigned to "REF01"`,
		do: set("ResultRecorded", "R1M1", "attempt", 2)},
	{name: "a result of a match that is not in the schedule",
		want: `event about match "R9M9", whose round was never opened`,
		do:   after("ResultRecorded", "R1M1", "ResultRecorded", `{"match":"R9M9","attempt":0,"result":{"status":"DRAW"}}`)},
	{name: "a result before its round", want: `event about match "R2M1", whose round was never opened`,
		do: func(f *forger) {
			e := f.find("ResultRecorded", "R2M1")
			all(drop(e.Kind, "R2M1"), after("RoundClosed", "1", e.Kind, string(e.Event)))(f)
		}},
	{name: "a result left out", do: drop("ResultRecorded", "R1M1"), want: "round 1 was closed before its end"},
	{name: "a match that is said to be not played", want: "although both players were in the league",
		do: swap("ResultRecorded", "R1M1", walkover("R1M1", "P02", "P01"))},
	{name: "a member that no reader knows", want: `member "Match" is unknown: it is written "match"`,
		do: add("ResultRecorded", "R1M1", `"Match":"R9M9"`)},
	{name: "a result that says two things", want: `member "event.draw_key" occurs twice`,
		do: add("ResultRecorded", "R1M1", `"draw_key":"00"`)},
}

func TestForgedResultsAreFound(t *testing.T) { areFound(t, forgedOutcomes, forgedResults) }

// It is all the same when everything came at once.
func TestForgedResultsAreFoundInOneLine(t *testing.T) {
	t.Parallel()
	truth, known := namelessLeague(t), verify.Proofs{}
	verified := func(c forgery) *verify.Result {
		f := newForger(t, truth)
		f.busy, f.touched = true, true
		c.do(f)
		return verify.League(f.done(), theLeague, c.known(f, known))
	}
	if v := verified(forgery{do: func(*forger) {}}); !v.OK || v.Verified != 6 {
		t.Errorf("nothing forged: %d verified, found %v", v.Verified, v.Differences)
	} else {
		known = v.Known()
	}
	for _, c := range forgedOutcomes {
		v := verified(c)
		if got := fmt.Sprint(v.Differences); v.OK || !strings.Contains(got, c.want) {
			t.Errorf("%s: found %v, want %q", c.name, got, c.want)
		}
		if v.Verified != 5 || v.Proven != 5 {
			t.Errorf("%s: %d matches verified, %d draws proven, want the other 5", c.name, v.Verified, v.Proven)
		}
	}
}
