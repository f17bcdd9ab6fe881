package verify_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"agentleague/league"
	"agentleague/protocol"
)

// Some forgeries change unsigned data, or are signed with all stolen keys, and the root alone does not reveal them: a
// stored seal or head, or a player's witness, does. Each of these states its evidence.

const (
	headOrWitness = "head witness"      // the first line is the true one
	allThree      = "seal head witness" // everything is new
)

// unplayed cuts the log after an event, and removes the later records.
func unplayed(kind, about string) forging {
	return all(cutAfter(kind, about), silenced, func(f *forger) {
		s := f.state()
		maps.DeleteFunc(f.root, func(name string, _ *fstest.MapFile) bool {
			match, _, _ := strings.Cut(path.Base(name), ".")
			record := strings.HasPrefix(name, "data/matches/") || strings.HasPrefix(name, "data/referees/")
			return record && (s.Matches[match] == nil || s.Matches[match].Outcome == nil)
		})
	})
}

// bribed is how a choice of Even/Odd and all that follows from it is made another.
func bribed(f *forger, r *outcome, rec *record, id string) {
	for i, e := range rec.Transcript {
		if e.From == "player:"+id && e.MessageType == protocol.TypeChooseParityResponse {
			rec.Transcript[i].Message = json.RawMessage(flipped(string(e.Message)))
		}
	}
	rec.Moves = slices.Clone(rec.Moves)
	for i, mv := range rec.Moves {
		if mv.PlayerID == id {
			rec.Moves[i].Move = json.RawMessage(flipped(string(mv.Move)))
		}
	}
	if said, ok := rec.Signed[id]; ok {
		said.Answers = []protocol.SignedAnswer{{Move: flipped(said.Answers[0].Move)}}
		rec.Signed = maps.Clone(rec.Signed)
		rec.Signed[id] = said
	}
	key, err := hex.DecodeString(rec.Fairness.Key)
	f.must(err)
	f.draw(r, rec, key)
}

// impostor replaces P04 in the last round by another agent with another choice, as an organiser can.
func impostor(f *forger) {
	key := newKeys()["P04"]
	seal := f.log[0].was
	var who league.Registered
	f.must(json.Unmarshal(f.find("AgentRegistered", "P04").Event, &who))
	who.Generation = 2
	f.signPlace(&who, key, seal)
	text, err := json.Marshal(who)
	f.must(err)
	let, err := json.Marshal(league.Readmitted{ID: who.ID, Key: who.Key, Place: who.Place})
	f.must(err)
	before("RoundOpened", "3", "AgentReadmitted", string(let))(f)
	before("RoundOpened", "3", "AgentRegistered", string(text))(f)
	f.result("R3M1", func(r *outcome, rec *record) {
		bribed(f, r, rec, "P04")
		said := rec.Signed["P04"]
		b := protocol.AnswerContext{
			Seal: seal, Match: r.Match, Attempt: 1, Referee: r.Referee, Player: "P04",
			Commitment: rec.Fairness.Commitment, Head: said.Head,
		}
		said.Signature = b.NewChain().ThenHash(0, "", said.Answers[0].Move).Sign(key)
		rec.Signed["P04"], r.Signed = said, rec.Signed
	})
	silenced(f)
}

// forgedEnds change data after the last signature that covers it.
var forgedEnds = []forgery{
	{name: "a league that is not over", do: all(drop("LeagueCompleted", ""), silenced), needs: headOrWitness},
	{name: "a league without its last round", do: unplayed("RoundClosed", "2"), needs: headOrWitness},
	{name: "a league that has only started", do: unplayed("LeagueStarted", ""), needs: headOrWitness},
	{name: "a league that has not started", do: unplayed("AgentRegistered", "P03"), needs: headOrWitness},
	{name: "a league that nobody came to", do: unplayed("LeagueCreated", ""), needs: headOrWitness},
	{name: "a forfeit in the last round", needs: headOrWitness,
		do: all(
			in("R3M1", func(r *outcome, rec *record) { forfeit(r, rec, "P04", protocol.Timeout.Code) }),
			after("ResultRecorded", "R3M1", "AgentState", `{"id":"P04","state":"SUSPENDED"}`), silenced,
		)},
	{name: "forfeits in the last two rounds", needs: headOrWitness,
		do: func(f *forger) {
			for match, id := range map[string]string{"R2M1": "P01", "R2M2": "P02", "R3M1": "P04", "R3M2": "P03"} {
				f.result(match, func(r *outcome, rec *record) {
					rec.Signed = nil
					forfeit(r, rec, id, protocol.MissingField.Code)
				})
			}
			silenced(f)
		}},
	{name: "a withdrawal before the last round", want: pastUnknown, do: all(withdrawn, silenced)},
	{name: "somebody else in the last round", do: impostor, want: pastUnknown},
	{name: "when the last round began", want: pastUnknown,
		do: all(func(f *forger) {
			f.lines(func(lines []logLine) []logLine {
				return earlier(lines, lineOf(lines, "RoundOpened", "3"))
			})
		}, silenced)},
	{name: "an announcement more in the last round", needs: headOrWitness,
		do: all(before("RoundClosed", "3", "Announced", `{"what":"round","round":9}`), silenced)},
	{name: "another code in the last round", of: eventfulLeague, needs: headOrWitness,
		do: all(in("R3M1", otherCode("P04", protocol.Timeout.Code)), silenced)},
	{name: "a protest in the last round taken away", of: eventfulLeague, needs: headOrWitness,
		do: all(drop("ResultContested", "R3M1"), silenced)},
	{name: "a protest in the last round that nobody made", needs: headOrWitness,
		do: all(
			after("ResultRecorded", "R3M1", "ResultContested", `{"match":"R3M1","attempt":1,"by":"player:P01","what":"MOVES"}`),
			silenced,
		)},
}

// anew does a forging with keys of the forger's own for all agents, or for some.
func anew(do forging, only ...string) forging {
	return func(f *forger) {
		f.t.Helper()
		f.keys = newKeys()
		maps.DeleteFunc(f.keys, func(id string, _ ed25519.PrivateKey) bool {
			return len(only) > 0 && !slices.Contains(only, id)
		})
		do(f)
	}
}

// asItIs writes the log unchanged, with new signatures for stolen keys.
func asItIs(f *forger) { f.touched = true }

// otherDraws promises another secret, and draws every match from that.
func otherDraws(f *forger) {
	secret := slices.Repeat([]byte{7}, 32)
	set("LeagueCreated", "", "draw_commitment", protocol.DrawCommitment(theLeague, secret))(f)
	set("LeagueCompleted", "", "draw_secret", hex.EncodeToString(secret))(f)
	nonces := f.nonces()
	for _, match := range []string{"R1M1", "R1M2", "R2M1", "R2M2", "R3M1", "R3M2"} {
		f.result(match, func(r *outcome, rec *record) {
			f.draw(r, rec, protocol.DrawKey(secret, theLeague, match, nonces[rec.PlayerAID], nonces[rec.PlayerBID]))
		})
	}
}

// forgedWholes write the log anew from a line on, with all signatures that it takes, or without any.
var forgedWholes = []forgery{
	{name: "players that sign nothing", do: func(f *forger) { f.nameless(false) }, needs: headOrWitness},
	{name: "agents that sign nothing", do: func(f *forger) { f.nameless(true) }, needs: headOrWitness},
	{name: "other keys of everybody", do: anew(asItIs), needs: headOrWitness},
	{name: "other keys, and another choice", needs: headOrWitness,
		do: anew(func(f *forger) {
			f.result("R1M1", func(r *outcome, rec *record) { bribed(f, r, rec, "P02") })
		})},
	{name: "other keys, and names exchanged", needs: headOrWitness,
		do: anew(all(
			set("AgentRegistered", "P01", "name", "Agent Beta"), set("AgentRegistered", "P02", "name", "Agent Alpha"),
		))},
	{name: "other keys, and an annulment", do: anew(func(f *forger) { f.playAgain() }), needs: headOrWitness},
	{name: "other keys, and a forfeit", needs: headOrWitness,
		do: anew(in("R1M1", func(r *outcome, rec *record) { forfeit(r, rec, "P02", protocol.MissingField.Code) }))},
	{name: "other keys, and another referee", do: anew(byAnother("R2M1")), needs: headOrWitness},
	{name: "other keys and other draws", do: anew(otherDraws), needs: allThree},
	{name: "other keys and other tie-breaks", needs: allThree,
		do: anew(set("LeagueCreated", "", "tiebreakers", []string{"points", "player_id"}))},
	{name: "other keys and another beginning", needs: allThree,
		do: anew(func(f *forger) {
			f.lines(func(lines []logLine) []logLine {
				for i := range lines[0].Events {
					lines[0].Events[i].At = "2020-01-01T00:00:00Z"
				}
				return lines
			})
		})},
	{name: "another league in its place", needs: allThree,
		do: func(f *forger) {
			*f = *newForger(f.t, positionsLeague(f.t))
			asItIs(f)
		}},
	{name: "choices of players that sign nothing", of: namelessLeague, needs: "head",
		do: func(f *forger) {
			f.result("R2M1", func(r *outcome, rec *record) { bribed(f, r, rec, "P01") })
		}},
	{name: "a forfeit of a player that signs nothing", of: namelessLeague, needs: "head",
		do: in("R1M1", func(r *outcome, rec *record) { forfeit(r, rec, "P01", protocol.InvalidChoice.Code) })},
	{name: "the name of a player that signs nothing", of: namelessLeague, needs: "head",
		do: set("AgentRegistered", "P02", "name", "Agent Bad")},
	{name: "the referee of players that sign nothing", of: namelessLeague, do: byAnother("R2M1"), needs: "head"},
	{name: "a withdrawal of a player that signs nothing", of: namelessLeague, needs: "head", do: withdrawn},
	{name: "rules for players that sign nothing", of: namelessLeague, needs: "seal head",
		do: anew(set("LeagueCreated", "", "tiebreakers", []string{"points", "player_id"}), "REF01", "REF02")},
}

func TestForgedWholesNeedWhatOthersKept(t *testing.T) { areFound(t, forgedEnds, forgedWholes) }
