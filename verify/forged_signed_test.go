package verify_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"agentleague/protocol"
	"agentleague/verify"
)

// A signature covers the player, its match, the draw, and the log head that the player had received.

// The findings about a missing signature, and about a signature over another log head.
const (
	notSigned   = "signature: it is not of this text by this key"
	pastUnknown = "knows a past that is not this league's"
)

// said changes a player's signed answers in a match, in the log and in the record.
func said(match, id string, edit func(s *protocol.SignedAnswers)) forging {
	return in(match, func(r *outcome, rec *record) {
		r.Signed = maps.Clone(r.Signed)
		s := r.Signed[id]
		s.Answers = slices.Clone(s.Answers)
		edit(&s)
		r.Signed[id], rec.Signed = s, r.Signed
	})
}

// signedIn returns a player's signed answers in a match.
func (f *forger) signedIn(match, id string) protocol.SignedAnswers {
	var r outcome
	f.must(json.Unmarshal(f.find("ResultRecorded", match).Event, &r))
	return r.Signed[id]
}

// byAnother has a match judged by the other referee.
func byAnother(match string) forging {
	return judged(match, map[string]any{"referee": "REF02"}, "REF01", "REF02")
}

// judged gives the result of a match other values, and its record another text, in pairs of old and new. Another referee
// of the same attempt is put into the assignment too.
func judged(match string, values map[string]any, texts ...string) forging {
	return func(f *forger) {
		f.t.Helper()
		doc := []byte(strings.NewReplacer(texts...).Replace(string(f.root[shownAt(match)].Data)))
		f.put(shownAt(match), doc)
		f.events(func(e logged) []logged {
			m := e.members()
			switch {
			case e.is("ResultRecorded", match):
				delete(f.root, f.keptAs(e))
				m["record_sha256"] = protocol.RecordHash(doc)
			case !e.is("MatchAssigned", match) || values["referee"] == nil || values["attempt"] != nil:
				return []logged{e}
			}
			maps.Copy(m, values)
			changed, err := json.Marshal(m)
			f.must(err)
			if e = e.with(string(changed)); e.Kind == "ResultRecorded" {
				f.put(f.keptAs(e), doc)
			}
			return []logged{e}
		})
	}
}

// keptAs is where the record of a logged result is kept by its referee.
func (f *forger) keptAs(e logged) string {
	var r outcome
	f.must(json.Unmarshal(e.Event, &r))
	return keptBy(r)
}

// flipped is the other choice.
func flipped(move string) string {
	return strings.NewReplacer("even", "odd", "odd", "even").Replace(move)
}

var forgedSignatures = []forgery{
	{name: "another signature", want: "R2M1: signed: P01: " + notSigned,
		do: said("R2M1", "P01", func(s *protocol.SignedAnswers) { s.Signature = zeros + zeros })},
	{name: "nothing signed by one", want: "R2M1.signed: P01 signs its answers, and has not signed this one",
		do: in("R2M1", func(r *outcome, rec *record) {
			r.Signed = map[string]protocol.SignedAnswers{"P03": r.Signed["P03"]}
			rec.Signed = r.Signed
		})},
	{name: "nothing signed at all", want: "R2M1.signed: P01 signs its answers, and has not signed this one",
		do: in("R2M1", func(r *outcome, rec *record) {
			r.Signed, rec.Signed = nil, nil
		})},
	{name: "signatures exchanged", want: "R2M1: signed: P0",
		do: in("R2M1", func(r *outcome, rec *record) {
			r.Signed = map[string]protocol.SignedAnswers{"P01": r.Signed["P03"], "P03": r.Signed["P01"]}
			rec.Signed = r.Signed
		})},
	{name: "the signature of somebody who did not play", want: `R2M1: signed: "P02" is no native player of R2M1`,
		do: func(f *forger) {
			other := f.signedIn("R1M1", "P02")
			in("R2M1", func(r *outcome, rec *record) {
				r.Signed = maps.Clone(r.Signed)
				r.Signed["P02"], rec.Signed = other, r.Signed
			})(f)
		}},
	{name: "an answer from another match", want: "R2M1: signed: P01: " + notSigned,
		do: func(f *forger) {
			other := f.signedIn("R1M1", "P01")
			said("R2M1", "P01", func(s *protocol.SignedAnswers) { *s = other })(f)
		}},
	{name: "an answer from a later match", want: "R2M1: signed: P01 " + pastUnknown,
		do: func(f *forger) {
			other := f.signedIn("R3M1", "P01")
			said("R2M1", "P01", func(s *protocol.SignedAnswers) { *s = other })(f)
		}},
	{name: "another answer", want: "signed.P01: turn 0: it did not sign the move",
		do: said("R2M1", "P01", func(s *protocol.SignedAnswers) { s.Answers[0].Move = flipped(s.Answers[0].Move) })},
	{name: "another answer, and the move with it", want: "R2M1: signed: P01: " + notSigned,
		do: in("R2M1", func(r *outcome, rec *record) {
			flip := func(raw json.RawMessage) json.RawMessage { return json.RawMessage(flipped(string(raw))) }
			s := r.Signed["P01"]
			s.Answers = []protocol.SignedAnswer{{Move: flipped(s.Answers[0].Move)}}
			r.Signed = map[string]protocol.SignedAnswers{"P01": s, "P03": r.Signed["P03"]}
			r.Moves = slices.Clone(r.Moves)
			r.Moves[0].Move = flip(r.Moves[0].Move)
			rec.Signed, rec.Moves = r.Signed, r.Moves
		})},
	{name: "one answer more", want: "R2M1: signed: P01: " + notSigned,
		do: said("R2M1", "P01", func(s *protocol.SignedAnswers) {
			s.Answers = append([]protocol.SignedAnswer{{Move: `"seven"`}}, s.Answers...)
		})},
	{name: "a legal answer more", want: "which is legal and was not played",
		do: said("R2M1", "P01", func(s *protocol.SignedAnswers) {
			s.Answers = append([]protocol.SignedAnswer{{Move: flipped(s.Answers[0].Move)}}, s.Answers...)
		})},
	{name: "no answer left", want: "signed.P01: no answer is there",
		do: said("R2M1", "P01", func(s *protocol.SignedAnswers) { s.Answers = nil })},
	{name: "an answer in another turn", want: "signed.P01: turn 0: it did not sign the move",
		do: said("R2M1", "P01", func(s *protocol.SignedAnswers) { s.Answers[0].Turn = 1 })},
	{name: "an answer to another position", want: "it signed",
		do: said("R2M1", "P01", func(s *protocol.SignedAnswers) { s.Answers[0].View = zeros })},
	{name: "a past that the player did not know", want: "R2M1: signed: P01: " + notSigned,
		do: said("R2M1", "P01", func(s *protocol.SignedAnswers) { s.Head = "" })},
	{name: "an older past", want: "R2M1: signed: P01: " + notSigned,
		do: func(f *forger) {
			older := f.signedIn("R1M1", "P01").Head
			said("R2M1", "P01", func(s *protocol.SignedAnswers) { s.Head = older })(f)
		}},
	{name: "a past that nobody was told", want: "R2M1: signed: P01 " + pastUnknown,
		do: said("R2M1", "P01", func(s *protocol.SignedAnswers) { s.Head = zeros })},
	{name: "another attempt", want: "R3M1: signed: P01: " + notSigned,
		do: all(
			later("MatchAssigned", "R3M1", "MatchAssigned", `{"match":"R3M1","referee":"REF01","attempt":2}`),
			judged("R3M1", map[string]any{"attempt": 2}, `"attempt":1`, `"attempt":2`),
		)},
	{name: "another referee", do: byAnother("R3M1"), want: pastUnknown},
	{name: "another referee's attempt", want: "R3M1: signed: P01: " + notSigned,
		do: all(
			later("MatchAssigned", "R3M1", "MatchAssigned", `{"match":"R3M1","referee":"REF02","attempt":2}`),
			judged("R3M1", map[string]any{"referee": "REF02", "attempt": 2}, `"attempt":1`, `"attempt":2`, "REF01", "REF02"),
		)},
	{name: "another draw under the same answers", want: "R2M1: signed: P0",
		do: in("R2M1", func(r *outcome, rec *record) {
			if err := rekey(r, rec, rekeyed(*r.Result.Drawn)); err != nil {
				panic(err)
			}
		})},
	{name: "a forfeit of somebody who signed", want: "signed.P04: turn 0: it signed",
		do: in("R3M1", func(r *outcome, rec *record) {
			signed := maps.Clone(rec.Signed)
			forfeit(r, rec, "P04", protocol.MissingField.Code)
			r.Signed, rec.Signed = signed, signed
		})},
}

var forgedPositions = []forgery{
	{name: "another position", of: positionsLeague, want: "in another position: got the view",
		do: said("R2M1", "P01", func(s *protocol.SignedAnswers) { s.Answers[1].View = zeros })},
	{name: "no position", of: positionsLeague, want: "in another position: got the view",
		do: said("R2M1", "P01", func(s *protocol.SignedAnswers) { s.Answers[1].View = "" })},
	{name: "positions exchanged", of: positionsLeague, want: "in another position: got the view",
		do: said("R2M1", "P01", func(s *protocol.SignedAnswers) {
			s.Answers[0].View, s.Answers[1].View = s.Answers[1].View, s.Answers[0].View
		})},
	{name: "answers in another order", of: positionsLeague, want: "R2M1: signed: P01: " + notSigned,
		do: said("R2M1", "P01", func(s *protocol.SignedAnswers) {
			s.Answers[0], s.Answers[1] = s.Answers[1], s.Answers[0]
		})},
	{name: "the last answer left out", of: positionsLeague, want: "signed.P01: turn",
		do: said("R2M1", "P01", func(s *protocol.SignedAnswers) {
			s.Answers = s.Answers[:len(s.Answers)-1]
		})},
	{name: "an answer twice", of: positionsLeague, want: "which is legal and was not played",
		do: said("R2M1", "P01", func(s *protocol.SignedAnswers) {
			s.Answers = slices.Insert(s.Answers, 1, s.Answers[0])
		})},
	{name: "another field", of: positionsLeague, want: "it did not sign the move",
		do: in("R2M1", func(r *outcome, rec *record) {
			r.Moves = slices.Clone(r.Moves)
			r.Moves[0].Move, r.Moves[2].Move = r.Moves[2].Move, r.Moves[0].Move
			rec.Moves = r.Moves
		})},
	{name: "the last move taken back", of: positionsLeague,
		want: "R2M1: the result does not follow from the moves and the draw: ",
		do: in("R2M1", func(r *outcome, rec *record) {
			r.Moves = r.Moves[:len(r.Moves)-1]
			rec.Moves = r.Moves
		})},
	{name: "a move out of turn", of: positionsLeague,
		want: "R2M1: the result does not follow from the moves and the draw: ",
		do: in("R2M1", func(r *outcome, rec *record) {
			r.Moves = slices.Clone(r.Moves)
			r.Moves[0].PlayerID, r.Moves[1].PlayerID = r.Moves[1].PlayerID, r.Moves[0].PlayerID
			rec.Moves = r.Moves
		})},
	{name: "another winner of a game", of: positionsLeague,
		want: "R2M1: the result does not follow from the moves and the draw: result.",
		do: in("R2M1", func(r *outcome, rec *record) {
			end, winner := rec.Result, loser(r, rec)
			end.WinnerPlayerID, end.Status = &winner, protocol.Win
			tell(r, rec, end)
		})},
	{name: "a game that ended by silence", of: positionsLeague, want: "nobody can have forfeited",
		do: in("R2M1", func(r *outcome, rec *record) {
			end, lost := rec.Result, loser(r, rec)
			winner := map[string]string{"P01": "P03", "P03": "P01"}[lost]
			end.WinnerPlayerID, end.Status = &winner, protocol.TechnicalLoss
			end.Forfeits = map[string]string{lost: protocol.MissingField.Code}
			tell(r, rec, end)
		})},
}

// forgedPasts change an event without consequences, before a signature.
var forgedPasts = []forgery{
	{name: "when the record of R2M1 was written", want: "R3M1: signed: P0",
		do: in("R2M1", func(_ *outcome, rec *record) {
			rec.LastUpdated = "2025-01-01T00:00:00Z"
		})},
	{name: "what was said in R1M1", want: pastUnknown,
		do: in("R1M1", inMessage(protocol.TypeGameJoinAck, `"accept": true`, `"accept": true, "greeting": "hello"`))},
	{name: "how fast players were in R1M1", want: pastUnknown,
		do: in("R1M1", func(r *outcome, rec *record) {
			for i := range rec.Tries {
				rec.Tries[i].AgentMS = 1
			}
			r.Timing = rec.Timing()
		})},
	{name: "the version of a player", do: set("AgentRegistered", "P02", "version", "9.9.9"), want: pastUnknown},
	{name: "where a player is", do: set("AgentRegistered", "P02", "place", "localhost:1/mcp"), want: pastUnknown},
	{name: "which epoch a player is in", do: set("AgentRegistered", "P02", "generation", 2), want: "P02 registered in epoch 2, and is in epoch 1"},
	{name: "how much a referee can take", do: set("AgentRegistered", "REF01", "capacity", 9), want: pastUnknown},
	{name: "a referee more", want: pastUnknown,
		do: before("LeagueStarted", "", "AgentRegistered", stranger("REF07", "referee"))},
	{name: "an invitation more", want: pastUnknown,
		do: before("LeagueStarted", "", "AgentInvited", `{"role":"player","name":"Ada"}`)},
	{name: "a pause", want: pastUnknown,
		do: all(after("RoundClosed", "1", "Resumed", `{}`), after("RoundClosed", "1", "Paused", `{}`))},
	{name: "another manager in between", want: pastUnknown,
		do: before("RoundClosed", "1", "Epoch", `{"holder":"http://localhost:1/mcp"}`)},
	{name: "an announcement more", want: pastUnknown,
		do: before("RoundClosed", "1", "Announced", `{"what":"round","round":9}`)},
	{name: "somebody silent for a while", want: pastUnknown,
		do: all(
			before("RoundClosed", "1", "AgentState", `{"id":"P01","state":"SUSPENDED"}`),
			before("RoundClosed", "1", "AgentState", `{"id":"P01","state":"ACTIVE"}`),
		)},
	{name: "when a round began", want: pastUnknown,
		do: func(f *forger) {
			f.lines(func(lines []logLine) []logLine {
				return earlier(lines, lineOf(lines, "RoundOpened", "1"))
			})
		}},
	{name: "when a line was written", want: pastUnknown,
		do: func(f *forger) {
			f.lines(func(lines []logLine) []logLine {
				lines[3].At = "2020-01-01T00:00:00.000000Z"
				return lines
			})
		}},
	{name: "two lines in one", want: pastUnknown,
		do: func(f *forger) {
			f.lines(func(lines []logLine) []logLine {
				for i := range lines[2].Events {
					lines[2].Events[i].At = lines[1].Events[0].At
				}
				lines[1].Events = append(lines[1].Events, lines[2].Events...)
				return slices.Delete(lines, 2, 3)
			})
		}},
}

// inLast changes a text in the final signatures.
func inLast(old, text string) forging { return replace(lastFile, old, text) }

var forgedFinalSignatures = []forgery{
	{name: "another who spoke last", in: lastFile, want: "last_words[0]: " + notSigned,
		do: inLast(`"player_id": "P01"`, `"player_id": "P02"`)},
	{name: "a stranger who spoke last", in: lastFile, want: `last_words[0]: "P09" is not a player that signs`,
		do: inLast(`"player_id": "P01"`, `"player_id": "P09"`)},
	{name: "another end that was signed", in: lastFile, want: "last_words[0]: P01 signed another end of the league",
		do: inLast(`"head": "`, `"head": "0`)},
	{name: "another signature under the end", in: lastFile, want: "last_words[0]: signature: want 128",
		do: inLast(`"signature": "`, `"signature": "00`)},
	{name: "the final signatures of another league", in: lastFile, want: "league_id: want " + theLeague,
		do: inLast(theLeague, "spring")},
	{name: "final signatures with a member in capitals", do: inLast(`"signature"`, `"Signature"`), in: lastFile, want: `member`},
	{name: "final signatures with a member twice", in: lastFile, want: `member "league_id" occurs twice`,
		do: inLast(`"league_id"`, `"league_id": "spring", "league_id"`)},
	{name: "no text in the final signatures", in: lastFile, want: "unexpected end of JSON input",
		do: func(f *forger) { f.put(lastFile, nil) }},
	{name: "a final signature twice", in: lastFile, want: "last_words[4]: the final signature of P01 occurs twice",
		do: rows(lastFile, "last_words", further)},
	{name: "a last result that is not what was signed under", in: lastFile,
		want: "last_words[0]: P01 signed another end of the league",
		do: in("R3M1", func(r *outcome, rec *record) {
			forfeit(r, rec, "P04", protocol.MissingField.Code)
		})},
	{name: "an end that nobody has reached", in: lastFile, want: "last_words[0]: the league is not over",
		do: cutAfter("RoundClosed", "2")},
}

func TestForgedSignaturesAreFound(t *testing.T) { areFound(t, forgedSignatures, forgedPositions) }
func TestForgedPastsAreFound(t *testing.T)      { areFound(t, forgedPasts, forgedFinalSignatures) }

// A changed result invalidates later signatures of players, which cover the head of the log.
func TestAForgedResultBreaksWhatWasSignedAfterIt(t *testing.T) {
	t.Parallel()
	f := newForger(t, playedLeague(t))
	f.result("R2M1", func(r *outcome, rec *record) {
		rec.LastUpdated = "2025-01-01T00:00:00Z" // which nothing else follows from
	})
	v := verify.League(f.done(), theLeague, verify.Proofs{})
	got := fmt.Sprint(v.Differences)
	for _, match := range []string{"R3M1", "R3M2"} {
		if !strings.Contains(got, match+": signed: P0") || !strings.Contains(got, "knows a past that is not this league's") {
			t.Errorf("%s was played after it, and nothing is found: %s", match, got)
		}
	}
	if v.OK || v.Verified != 4 || v.FinalSignatures != 0 {
		t.Errorf("%d verified, %d final signatures; want the 4 of the first two rounds and none", v.Verified, v.FinalSignatures)
	}
}

// A player without a final signature is named, since the signature may have been removed.
func TestMissingFinalSignaturesAreNamed(t *testing.T) {
	t.Parallel()
	for want, do := range map[string]forging{
		"P01, P02, P03, P04": silenced,
		"P01":                rows(lastFile, "last_words", fewer),
	} {
		f := newForger(t, playedLeague(t))
		do(f)
		v := verify.League(f.done(), theLeague, verify.Proofs{})
		if got := strings.Join(v.Notes, ""); !v.OK || got != "the end of the log is not signed by "+want {
			t.Errorf("got %v, %q; want %s named", v.Differences, got, want)
		}
	}
}
