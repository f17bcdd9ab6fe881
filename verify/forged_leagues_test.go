package verify_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"agentleague/game/catalog"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/verify"
)

// The leagues that are forged. One is played by our agents; the others are made of it.

// nameless removes the keys and signatures of agents of a league: of all players, or of the referees too.
func (f *forger) nameless(everybody bool) fstest.MapFS {
	f.t.Helper()
	delete(f.root, lastFile)
	return f.forge(func(e logged) []logged {
		m := e.members()
		switch {
		case e.Kind == "AgentRegistered" && (everybody || m["role"] == "player"):
			for _, name := range []string{"key", "agreement_key", "welcome", "organiser"} {
				delete(m, name)
			}
		case e.Kind == "ResultRecorded":
			var r outcome
			f.must(json.Unmarshal(e.Event, &r))
			rec := f.record(r)
			rec.Signed = nil
			f.keep(&r, rec)
			delete(m, "signed")
			m["record_sha256"] = r.RecordSHA256
		default:
			return []logged{e}
		}
		text, err := json.Marshal(m)
		f.must(err)
		return []logged{e.with(string(text))}
	})
}

// namelessLeague is a played league whose players sign nothing, so that a forged result does not invalidate later
// signatures.
func namelessLeague(t *testing.T) fstest.MapFS {
	t.Helper()
	root := newForger(t, playedLeague(t)).nameless(false)
	if v := verify.League(root, theLeague, verify.Proofs{}); !v.OK || v.Verified != 6 || v.Results.Judged != 6 {
		t.Fatalf("before anything is forged: %v, %d verified, %v", v.Differences, v.Verified, v.Results)
	}
	return root
}

// playedPositions is a league of three players in which positions are shown, and signed.
var playedPositions = sync.OnceValues(func() (fstest.MapFS, error) {
	return playInMemory("--game", "tic_tac_toe", "--players", "3", "--league-id", theLeague)
})

func positionsLeague(t *testing.T) fstest.MapFS {
	t.Helper()
	root, err := playedPositions()
	if err != nil {
		t.Fatal(err)
	}
	if v := verify.League(root, theLeague, verify.Proofs{}); !v.OK || v.Verified != 3 || v.Results.Proven != 3 {
		t.Fatalf("before anything is forged: %v, %d verified, %v", v.Differences, v.Verified, v.Results)
	}
	return root
}

// newKeys are keys of all agents of a league, none of them the agent's own.
func newKeys() map[string]ed25519.PrivateKey {
	out := map[string]ed25519.PrivateKey{}
	for _, id := range []string{"P01", "P02", "P03", "P04", "REF01", "REF02"} {
		seed := sha256.Sum256([]byte("the key that somebody made for " + id))
		out[id] = ed25519.NewKeyFromSeed(seed[:])
	}
	return out
}

// eventfulLeague is one in which all happened that can: R1M1 was annulled after a protest and played again by another
// referee, P04 forfeited three times and was put out, and P02 was withdrawn, so that its last match was not played.
func eventfulLeague(t *testing.T) fstest.MapFS {
	t.Helper()
	f := newForger(t, playedLeague(t))
	f.keys = newKeys()
	f.playAgain()
	f.result("R1M2", func(r *outcome, rec *record) {
		forfeit(r, rec, "P04", protocol.InvalidChoice.Code)
		illegal := []protocol.SignedAnswer{{Move: `"seven"`}}
		rec.Signed["P04"] = protocol.SignedAnswers{Head: rec.Signed["P03"].Head, Answers: illegal}
	})
	f.result("R2M2", func(r *outcome, rec *record) {
		forfeit(r, rec, "P04", protocol.Timeout.Code)
	})
	f.result("R3M1", func(r *outcome, rec *record) {
		forfeit(r, rec, "P04", protocol.Connection.Code)
	})
	all( // the reason is worded as in older logs, which still verify
		after("ResultRecorded", "R2M2", "AgentState", `{"id":"P04","state":"SUSPENDED","why":"it was not heard in R2M2"}`),
		after("ResultRecorded", "R3M1", "ResultContested", `{"match":"R3M1","attempt":1,"by":"player:P04","what":"FORFEIT"}`),
		after("ResultRecorded", "R3M1", "AgentState", `{"id":"P04","state":"SHUTDOWN","why":"3 forfeits in a row"}`),
		withdrawn,
	)(f)
	v := verify.League(f.done(), theLeague, verify.Proofs{})
	if !v.OK || v.Results != (protocol.Basis{Proven: 2, Judged: 4}) || v.FinalSignatures != 4 {
		t.Fatalf("before anything is forged: %v, %+v, %d final signatures", v.Differences, v.Results, v.FinalSignatures)
	}
	return f.root
}

// withdrawn takes P02 out of the league before its last match, which is not played.
var withdrawn = all(
	before("RoundOpened", "3", "Withdrawn", `{"id":"P02","by":"admin"}`),
	drop("MatchAssigned", "R3M2"),
	swap("ResultRecorded", "R3M2", walkover("R3M2", "P03", "P02")),
	remove("data/referees/REF02/"+theLeague+"/R3M2.1.json"),
	ownRecord("R3M2"),
)

// walkover makes a result that of a match which was not played because a player had left.
func walkover(match, winner, left string) func(e logged) []logged {
	const result = `{"match":%q,"attempt":0,"result":{"status":"TECHNICAL_LOSS","winner":%q,"forfeits":{%q:"SHUTDOWN"}}}`
	text := fmt.Sprintf(result, match, winner, left)
	return func(e logged) []logged { return []logged{e.with(text)} }
}

// playAgain has the result of R1M1 contested and struck, and the match played again, by the other referee.
func (f *forger) playAgain() {
	secret := f.secret()
	swap("ResultRecorded", "R1M1", func(e logged) []logged {
		var first, next outcome
		f.must(json.Unmarshal(e.Event, &first))
		f.must(json.Unmarshal(e.Event, &next))
		next.Attempt, next.Referee = 2, "REF02"
		text := string(f.root[keptBy(first)].Data)
		doc := strings.NewReplacer(`"attempt":1`, `"attempt":2`, "REF01", "REF02").Replace(text)
		rec, err := protocol.ParseRecord([]byte(doc))
		f.must(err)
		nonces := f.nonces()
		f.draw(&next, &rec, protocol.DrawKey(secret, theLeague, "R1M1#2", nonces["P01"], nonces["P02"]))
		shown, _, err := rec.Document()
		f.must(err)
		f.put(shownAt("R1M1"), shown)
		f.keep(&next, rec)
		again, err := json.Marshal(next)
		f.must(err)
		return []logged{
			e,
			e.other("ResultContested", `{"match":"R1M1","attempt":1,"by":"player:P02","what":"MOVES"}`),
			e.other("ResultAnnulled", `{"match":"R1M1","why":"both say so","by":"admin"}`),
			e.other("MatchAssigned", `{"match":"R1M1","referee":"REF02","attempt":2}`),
			e.with(string(again)),
		}
	})(f)
}

// secret is that of all draws, which the log reveals in the end.
func (f *forger) secret() []byte {
	out, err := hex.DecodeString(f.find("LeagueCompleted", "").members()["draw_secret"].(string))
	f.must(err)
	return out
}

// nonces are the players' contributions to the draws.
func (f *forger) nonces() map[string]string {
	out := map[string]string{}
	for _, l := range f.log {
		for _, e := range l.Events {
			if m := e.members(); e.Kind == "AgentRegistered" && m["nonce"] != nil {
				out[m["id"].(string)] = m["nonce"].(string)
			}
		}
	}
	return out
}

// ownRecord writes the record of a match that was not played, as it follows from the log.
func ownRecord(match string) forging {
	return func(f *forger) {
		s := f.state()
		rec := s.RecordFromLog(s.Matches[match])
		doc, _, err := rec.Document()
		f.must(err)
		f.put(shownAt(match), doc)
	}
}

// draw plays the moves of a record again under a key: all that follows from it is right.
func (f *forger) draw(r *outcome, rec *record, key []byte) {
	f.t.Helper()
	f.must(rekey(r, rec, key))
	scoring := protocol.DefaultScoring
	end, err := referee.Decide(catalog.Lookup, rec.GameType, rec.Moves, key, rec.PlayerAID, rec.PlayerBID, scoring)
	f.must(err)
	d := end.Details
	tell(r, rec, protocol.GameResult{
		Status: d.Status, WinnerPlayerID: end.Winner, DrawnNumber: d.DrawnNumber, NumberParity: d.NumberParity,
		Choices: d.Choices, Reason: d.Reason,
	})
}

// rekey puts another draw key in a result and wherever its record has it.
func rekey(r *outcome, rec *record, key []byte) error {
	doc, _, err := rec.Document()
	if err != nil {
		return err
	}
	r.DrawKey = hex.EncodeToString(key)
	other := strings.NewReplacer(rec.Fairness.Key, r.DrawKey, rec.Fairness.Commitment, protocol.KeyCommitment(key))
	*rec, err = protocol.ParseRecord([]byte(other.Replace(string(doc))))
	return err
}

// tell writes a result into a record and the log, with the points and both GAME_OVER messages.
func tell(r *outcome, rec *record, result protocol.GameResult) {
	result.Score = nil // absent from GAME_OVER
	rec.Result = result
	won := league.Result{Status: result.Status, Drawn: result.DrawnNumber.Value, Forfeits: result.Forfeits}
	if result.WinnerPlayerID != nil {
		won.Winner = *result.WinnerPlayerID
	}
	for id, choice := range result.Choices {
		if string(choice) != "null" {
			if won.Choices == nil {
				won.Choices = map[string]json.RawMessage{}
			}
			won.Choices[id] = choice
		}
	}
	r.Result, r.Moves, r.Signed = won, rec.Moves, rec.Signed
	points := map[string]int{protocol.Win: 3, protocol.Draw: 1}
	a, b := rec.PlayerAID, rec.PlayerBID
	rec.Result.Score = map[string]int{a: points[won.For(a)], b: points[won.For(b)]}
	for i, e := range rec.Transcript {
		if e.MessageType != protocol.TypeGameOver {
			continue
		}
		you, other := a, b
		if e.To == "player:"+b {
			you, other = other, you
		}
		rec.Transcript[i].Message = retold(e.Message, map[string]any{
			"game_result": result, "result": won.For(you), "winner": result.WinnerPlayerID, "drawn_number": result.DrawnNumber,
			"your_choice": result.Choices[you], "opponent_choice": result.Choices[other], "points_earned": rec.Result.Score[you],
		})
	}
}

// retold is a message with other values.
func retold(message json.RawMessage, values map[string]any) json.RawMessage {
	m := map[string]any{}
	if err := json.Unmarshal(message, &m); err != nil {
		panic(err)
	}
	maps.Copy(m, values)
	out, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return out
}

// forfeit changes a match of Even/Odd into a forfeit of a player that did not answer: its answer is removed.
func forfeit(r *outcome, rec *record, id, code string) {
	winner, choices := rec.PlayerAID, map[string]json.RawMessage{id: json.RawMessage("null")}
	if id == winner {
		winner = rec.PlayerBID
	}
	choices[winner] = rec.Result.Choices[winner]
	rec.Transcript = slices.DeleteFunc(rec.Transcript, func(e protocol.TranscriptEntry) bool {
		return e.From == "player:"+id && e.MessageType == protocol.TypeChooseParityResponse
	})
	for i := range rec.Transcript {
		rec.Transcript[i].Seq = i + 1
	}
	rec.Moves = []protocol.PlayedMove{}
	rec.Signed = maps.Clone(rec.Signed)
	delete(rec.Signed, id)
	tell(r, rec, protocol.GameResult{
		Status: protocol.TechnicalLoss, WinnerPlayerID: &winner, Choices: choices, Forfeits: map[string]string{id: code},
		Reason: fmt.Sprintf("%s forfeited (%s)", id, code),
	})
}
