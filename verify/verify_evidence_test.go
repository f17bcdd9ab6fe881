package verify_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"agentleague/league"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/verify"
)

// witnesses are the witnesses that the players of the played league have stored.
func witnesses(t *testing.T, root fstest.MapFS) []player.Witness {
	t.Helper()
	return witnessOf(t, root, "P01", "P02", "P03", "P04")
}

// witnessOf returns the witnesses of players.
func witnessOf(t *testing.T, root fstest.MapFS, players ...string) (out []player.Witness) {
	t.Helper()
	for _, id := range players {
		name := "data/players/" + id + "/witness.json"
		if root[name] == nil {
			t.Fatalf("there is no %s", name)
		}
		var w player.Witness
		if err := protocol.StrictUnmarshal(root[name].Data, &w); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, w)
	}
	return out
}

// heldAgainst verifies a root with external evidence, and returns the fields that differ.
func heldAgainst(root fstest.MapFS, e verify.Evidence) (v *verify.Result, fields string) {
	v = verify.League(root, theLeague, verify.Proofs{})
	for range e.Said {
		e.Files = append(e.Files, "witness.json")
	}
	v.Hold(e)
	for _, d := range v.Differences {
		fields += d.Field + " "
	}
	return v, strings.TrimSpace(fields)
}

func TestWhatWasNotedDownIsFoundInTheLog(t *testing.T) {
	t.Parallel()
	root := playedLeague(t)
	s := verify.League(root, theLeague, verify.Proofs{}).Folded()
	for _, h := range s.Heads {
		v, fields := heldAgainst(root, verify.Evidence{Seal: s.Seal[:32], Head: h.Hash[:40]})
		if !v.OK || len(v.Notes) != 1 || !strings.Contains(v.Notes[0], "matches the log a") {
			t.Errorf("%+v: got %s, %q", h, fields, v.Notes)
		}
	}
	if when := verify.HeadTold(s, s.Heads[1].Hash); when != "after round 1" {
		t.Errorf("the second head is told to be %q", when)
	}
	other := strings.Repeat("a", 32)
	if _, fields := heldAgainst(root, verify.Evidence{Seal: other, Head: other}); fields != "seal head" {
		t.Errorf("another league: got %q", fields)
	}
}

func TestPlayersBearWitness(t *testing.T) {
	t.Parallel()
	root := playedLeague(t)
	if v, fields := heldAgainst(root, verify.Evidence{Said: witnesses(t, root)}); !v.OK || v.Witnesses != 4 ||
		v.FinalSignatures != 4 {
		t.Errorf("got %s, %d witnesses, %d final signatures", fields, v.Witnesses, v.FinalSignatures)
	}
	for want, edit := range map[string]func(w *player.Witness){
		"league_id":  func(w *player.Witness) { w.LeagueID = "other" },
		"seal":       func(w *player.Witness) { w.Seal = strings.Repeat("0", 64) },
		"player_id":  func(w *player.Witness) { w.PlayerID = "P09" },
		"public_key": func(w *player.Witness) { w.PublicKey = strings.Repeat("0", 64) },
		"heads[1]":   func(w *player.Witness) { w.Heads[1].Head = strings.Repeat("0", 64) },
		"heads[2]":   func(w *player.Witness) { w.Heads[2].Round = 9 },
		"heads[0]":   func(w *player.Witness) { w.Heads[0].What = "begun" },
	} {
		w := witnesses(t, root)[2]
		edit(&w)
		if v, fields := heldAgainst(root, verify.Evidence{Said: []player.Witness{w}}); v.OK || fields != want ||
			v.Witnesses != 0 {
			t.Errorf("%s: got %q", want, fields)
		}
	}
}

// A rewritten log with right hashes everywhere is contradicted by the players' signatures and witnesses.
func TestARewrittenPastIsContradicted(t *testing.T) {
	t.Parallel()
	root := playedLeague(t)
	said := witnesses(t, root)
	forged := newForger(t, root).forge(func(e logged) []logged {
		e.Event = json.RawMessage(strings.Replace(string(e.Event), "Agent Beta", "Agent Bad", 1))
		return []logged{e}
	})
	v, fields := heldAgainst(forged, verify.Evidence{Said: said[:1]})
	for _, want := range []string{"R1M1", "last_words[0]", "heads[0]", "heads[1]"} {
		if !strings.Contains(fields, want) {
			t.Errorf("%s is not named: %s", want, fields)
		}
	}
	if v.OK || v.FinalSignatures != 0 {
		t.Errorf("got %+v", v)
	}
}

func TestEveryFinalSignatureIsChecked(t *testing.T) {
	t.Parallel()
	root := playedLeague(t)
	name := "data/leagues/" + theLeague + "/last_words.json"
	for _, text := range []string{
		strings.Replace(string(root[name].Data), `"player_id": "P01"`, `"player_id": "P02"`, 1),
		strings.Replace(string(root[name].Data), `"player_id": "P01"`, `"player_id": "P99"`, 1),
		strings.Replace(string(root[name].Data), `"signature": "`, `"signature": "00`, 1),
		strings.Replace(string(root[name].Data), `"head": "`, `"head": "0`, 1),
		strings.Replace(string(root[name].Data), theLeague, "other", 1),
		strings.Replace(string(root[name].Data), `"signature"`, `"Signature"`, 1),
		"",
	} {
		other := maps.Clone(root)
		other[name] = &fstest.MapFile{Data: []byte(text)}
		if v := verify.League(other, theLeague, verify.Proofs{}); v.OK || !blamed(v, name) {
			t.Errorf("found nothing in %.300s", text)
		}
	}
}

func TestWhatRestsOnAGuestIsInDoubt(t *testing.T) {
	t.Parallel()
	root := newForger(t, playedLeague(t)).nameless(true)
	v := verify.League(root, theLeague, verify.Proofs{})
	if !v.OK || !v.InDoubt() || v.Results != (protocol.Basis{Unproven: 6}) || len(v.Doubtful) != 6 {
		t.Fatalf("got %v, %+v, %v", v.Differences, v.Results, v.Doubtful)
	}
	v = verify.League(newForger(t, root).forge(func(e logged) []logged {
		if e.Kind != "ResultRecorded" || !strings.Contains(string(e.Event), `"match":"R1M2"`) {
			return []logged{e}
		}
		text, _ := json.Marshal(league.Contested{
			Match: "R1M2", Attempt: 1, By: "player:P03", What: protocol.ProtestMoves, Detail: "I chose odd",
		})
		return []logged{e, {"ResultContested", e.At, text}}
	}), theLeague, verify.Proofs{})
	if !v.OK || v.Results != (protocol.Basis{Unproven: 5, Disputed: 1}) || len(v.Disputed) != 1 {
		t.Fatalf("got %v, %+v, %v", v.Differences, v.Results, v.Disputed)
	}
	if got := v.Against("R1M2"); len(got) != 1 || got[0].By != "player:P03" || got[0].Detail != "I chose odd" {
		t.Errorf("got %+v", got)
	}
}
