package cli

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"agentleague/engine/journal"
	"agentleague/files"
	"agentleague/game/draw"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/store"
)

// A logged event is one as it stands in the journal.
type logged struct {
	Kind  string          `json:"kind"`
	At    string          `json:"at"`
	Event json.RawMessage `json:"event"`
}

// A forger rewrites a league with right hashes everywhere: the journal, its head, the table and the rounds. What it
// changes in a record it puts in both places, and its hash into the journal.
type forger struct {
	t    *testing.T
	root fstest.MapFS
	busy bool // all events but the first came at once
}

func (f forger) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// forge passes every event through edit, which returns what stands in its place. A line in which nothing is changed, nor
// in any before it, stays as it is: the seal and the heads up to there are the true ones.
func (f forger) forge(edit func(e logged) []logged) fstest.MapFS {
	f.t.Helper()
	name := "data/leagues/" + theLeague + "/journal.jsonl"
	var lines [][]logged
	var times []string
	for line := range strings.Lines(string(f.root[name].Data)) {
		var l struct {
			At     string   `json:"timestamp"`
			Events []logged `json:"events"`
		}
		f.must(json.Unmarshal([]byte(line), &l))
		var forged []logged
		for _, e := range l.Events {
			forged = append(forged, edit(e)...)
		}
		if f.busy && len(lines) == 2 {
			for i := range forged { // a line has one time
				forged[i].At = lines[1][0].At
			}
			lines[1] = append(lines[1], forged...)
		} else {
			lines, times = append(lines, forged), append(times, l.At)
		}
	}
	text, prev := "", strings.Repeat("0", 64)
	for n, events := range lines {
		payload, err := json.Marshal(events)
		f.must(err)
		line := fmt.Sprintf(`{"seq":%d,"prev":%q,"timestamp":%q,"events":%s`, n+1, prev, times[n], payload)
		line += `,"sha256":"` + protocol.SHA256(line) + `"}`
		text, prev = text+line+"\n", protocol.SHA256(line)
	}
	f.root[name] = &fstest.MapFile{Data: []byte(text)}
	f.root["data/leagues/"+theLeague+"/journal.head"] = &fstest.MapFile{Data: fmt.Appendf(nil, "{\"seq\":%d,\"line_sha256\":%q}\n", len(lines), prev)}
	if s, err := league.Fold(journal.ReadFS(f.root, name)); err == nil {
		f.project(s.Snapshot())
	}
	return f.root
}

// nameless makes agents of a league such as have no key, and sign nothing: all players, or with the referees everybody.
func (f forger) nameless(everybody bool) fstest.MapFS {
	delete(f.root, "data/leagues/"+theLeague+"/last_words.json")
	return f.forge(func(e logged) []logged {
		var members map[string]json.RawMessage
		f.must(json.Unmarshal(e.Event, &members))
		switch {
		case e.Kind == "AgentRegistered" && (everybody || string(members["role"]) == `"player"`):
			for _, name := range []string{"key", "welcome", "organiser"} {
				delete(members, name)
			}
		case e.Kind == "ResultRecorded":
			delete(members, "signed")
			members["record_sha256"] = f.unsignRecord(members)
		default:
			return []logged{e}
		}
		text, err := json.Marshal(members)
		f.must(err)
		e.Event = text
		return []logged{e}
	})
}

// unsignRecord takes what was signed out of the record of a result, and returns its new hash.
func (f forger) unsignRecord(result map[string]json.RawMessage) json.RawMessage {
	var r league.ResultRecorded
	f.must(json.Unmarshal(result["match"], &r.Match))
	f.must(json.Unmarshal(result["referee"], &r.Referee))
	name := "data/matches/" + theLeague + "/" + r.Match + ".json"
	rec, err := protocol.ParseRecord(f.root[name].Data)
	f.must(err)
	rec.Signed = nil
	doc, hash, err := rec.Document()
	f.must(err)
	f.root[name] = &fstest.MapFile{Data: doc}
	f.root[fmt.Sprintf("data/referees/%s/%s/%s.1.json", r.Referee, theLeague, r.Match)] = f.root[name]
	return fmt.Appendf(nil, "%q", hash)
}

// namelessLeague is a played league whose players sign nothing, so that a forged result does not break what was signed after it.
func namelessLeague(t *testing.T) fstest.MapFS {
	t.Helper()
	root := forger{t: t, root: maps.Clone(playedLeague(t))}.nameless(false)
	if v := verify(root, theLeague, proofs{}); !v.OK || v.Verified != 6 || v.Results.Judged != 6 {
		t.Fatalf("before anything is forged: %v, %d verified, %v", v.Differences, v.Verified, v.Results)
	}
	return root
}

func (f forger) project(s league.Snapshot) {
	at := "2026-01-01T00:00:00Z"
	table, err := files.DocumentStandings(theLeague, store.Standings(s), at)
	f.must(err)
	rounds, err := files.DocumentRounds(theLeague, store.Rounds(s), at)
	f.must(err)
	f.root["data/leagues/"+theLeague+"/standings.json"] = &fstest.MapFile{Data: table}
	f.root["data/leagues/"+theLeague+"/rounds.json"] = &fstest.MapFile{Data: rounds}
}

// result changes one result and its record.
func (f forger) result(match string, edit func(r *league.ResultRecorded, rec *protocol.MatchRecord)) fstest.MapFS {
	return f.forge(func(e logged) []logged {
		var r league.ResultRecorded
		if e.Kind != "ResultRecorded" {
			return []logged{e}
		}
		f.must(json.Unmarshal(e.Event, &r))
		if r.Match != match {
			return []logged{e}
		}
		name := "data/matches/" + theLeague + "/" + match + ".json"
		rec, err := protocol.ParseRecord(f.root[name].Data)
		f.must(err)
		edit(&r, &rec)
		doc, hash, err := rec.Document()
		f.must(err)
		r.RecordSHA256 = hash
		f.root[name] = &fstest.MapFile{Data: doc}
		f.root[fmt.Sprintf("data/referees/%s/%s/%s.1.json", rec.RefereeID, theLeague, match)] = f.root[name]
		e.Event, err = json.Marshal(r)
		f.must(err)
		return []logged{e}
	})
}

// rekeyed is a key other than the true one that draws the same number, so that nothing else in the match gives it away.
func rekeyed(number int) []byte {
	for i := 0; ; i++ {
		key := fmt.Appendf(nil, "%032d", i)
		if draw.Number(draw.New(key), 10) == number {
			return key
		}
	}
}

func TestForgedResultsAreFound(t *testing.T) {
	t.Parallel()
	true1 := namelessLeague(t)
	other := func(r *league.ResultRecorded, rec *protocol.MatchRecord) string {
		if r.Result.Winner == rec.PlayerAID {
			return rec.PlayerBID
		}
		return rec.PlayerAID
	}
	for _, c := range []struct {
		name string
		edit func(r *league.ResultRecorded, rec *protocol.MatchRecord)
		want string // in what is found
	}{
		{"another winner", func(r *league.ResultRecorded, rec *protocol.MatchRecord) {
			winner := other(r, rec)
			r.Result.Winner, r.Result.Status = winner, protocol.Win
			rec.Result.WinnerPlayerID, rec.Result.Status = &winner, protocol.Win
			rec.Result.Score = map[string]int{rec.PlayerAID: 0, rec.PlayerBID: 0, winner: 3}
		}, "the result does not follow from the moves and the draw: result."},
		{"another number", func(r *league.ResultRecorded, rec *protocol.MatchRecord) {
			n := *r.Result.Drawn%10 + 1
			r.Result.Drawn, rec.Result.DrawnNumber = &n, &n
		}, "result.details.drawn_number: got"},
		{"a forfeit that was none", func(r *league.ResultRecorded, rec *protocol.MatchRecord) {
			lost := map[string]string{rec.PlayerAID: "E001"}
			r.Result.Status, r.Result.Winner, r.Result.Forfeits = protocol.TechnicalLoss, rec.PlayerBID, lost
			rec.Result.Status, rec.Result.WinnerPlayerID, rec.Result.Forfeits = protocol.TechnicalLoss, &rec.PlayerBID, lost
		}, "nobody can have forfeited"},
		{"another draw key", func(r *league.ResultRecorded, rec *protocol.MatchRecord) {
			key := rekeyed(*r.Result.Drawn)
			doc, _, err := rec.Document()
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(string(doc), rec.Fairness.Key, hex.EncodeToString(key))
			text = strings.ReplaceAll(text, rec.Fairness.Commitment, protocol.KeyCommitment(key))
			*rec, err = protocol.ParseRecord([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			r.DrawKey = hex.EncodeToString(key)
		}, "R2M1.draw_key: want"},
		{"moves that nobody made", func(r *league.ResultRecorded, rec *protocol.MatchRecord) {
			for i := range rec.Transcript {
				if rec.Transcript[i].MessageType == protocol.TypeChooseParityResponse {
					text := strings.NewReplacer(`"even"`, `"odd"`, `"odd"`, `"even"`).Replace(string(rec.Transcript[i].Message))
					rec.Transcript[i].Message = json.RawMessage(text)
				}
			}
		}, "never answered"},
		{"a GAME_OVER that told another result", func(r *league.ResultRecorded, rec *protocol.MatchRecord) {
			last := &rec.Transcript[len(rec.Transcript)-1]
			last.Message = json.RawMessage(strings.Replace(string(last.Message), `"points_earned": `, `"points_earned": 1`, 1))
		}, "message."},
		{"a promise of another key", func(r *league.ResultRecorded, rec *protocol.MatchRecord) {
			first := &rec.Transcript[0]
			first.Message = json.RawMessage(strings.Replace(string(first.Message), rec.Fairness.Commitment, protocol.KeyCommitment(nil), 1))
		}, "transcript[0]: message.fairness: got"},
		{"a record that is not what was reported", func(r *league.ResultRecorded, rec *protocol.MatchRecord) {
			r.Moves = slices.Clone(r.Moves)
			slices.Reverse(r.Moves)
		}, "moves: want"},
	} {
		for _, busy := range []bool{false, true} {
			f := forger{t, maps.Clone(true1), busy}
			v := verify(f.result("R2M1", c.edit), theLeague, proofs{})
			if got := fmt.Sprint(v.Differences); v.OK || !strings.Contains(got, c.want) {
				t.Errorf("%s: found %v, want %q", c.name, got, c.want)
			}
			if v.Verified != 5 || v.Proven != 5 {
				t.Errorf("%s: %d matches verified, %d draws proven, want the other 5", c.name, v.Verified, v.Proven)
			}
		}
	}
	for _, busy := range []bool{false, true} {
		f := forger{t, maps.Clone(true1), busy}
		if v := verify(f.forge(func(e logged) []logged { return []logged{e} }), theLeague, proofs{}); !v.OK || v.Verified != 6 {
			t.Errorf("nothing forged: %d verified, found %v", v.Verified, v.Differences)
		}
	}
}

// Whoever changes a result breaks what players have signed later, since that has the head of the log in it.
func TestAForgedResultBreaksWhatWasSignedAfterIt(t *testing.T) {
	t.Parallel()
	root := forger{t: t, root: maps.Clone(playedLeague(t))}.result("R2M1", func(r *league.ResultRecorded, rec *protocol.MatchRecord) {
		rec.LastUpdated = "2025-01-01T00:00:00Z" // which nothing else follows from
	})
	v := verify(root, theLeague, proofs{})
	got := fmt.Sprint(v.Differences)
	for _, match := range []string{"R3M1", "R3M2"} {
		if !strings.Contains(got, match+": signed: P0") || !strings.Contains(got, "knows a past that is not this league's") {
			t.Errorf("%s was played after it, and nothing is found: %s", match, got)
		}
	}
	if v.OK || v.Verified != 4 || v.LastWords != 0 {
		t.Errorf("%d verified, %d last words; want the 4 of the first two rounds and none", v.Verified, v.LastWords)
	}
}

func TestForgedEventsAreFound(t *testing.T) {
	t.Parallel()
	true1 := playedLeague(t)
	event := func(e logged, kind, text string) logged {
		return logged{Kind: kind, At: e.At, Event: json.RawMessage(text)}
	}
	for _, c := range []struct {
		name string
		kind string // of the event that is changed
		edit func(e logged) []logged
		want string
	}{
		{"a result twice", "ResultRecorded", func(e logged) []logged { return []logged{e, e} }, "which has been recorded"},
		{"a result of a referee that was not asked", "ResultRecorded", func(e logged) []logged {
			text := strings.NewReplacer("REF01", "REF02", "REF02", "REF01").Replace(string(e.Event))
			return []logged{event(e, e.Kind, text)}
		}, "was never assigned to"},
		{"a result of a match that is not in the schedule", "ResultRecorded", func(e logged) []logged {
			return []logged{e, event(e, e.Kind, `{"match":"R9M9","attempt":0,"result":{"status":"DRAW"}}`)}
		}, "whose round was never opened"},
		{"a match that is said to be not played", "ResultRecorded", func(e logged) []logged {
			var r league.ResultRecorded
			_ = json.Unmarshal(e.Event, &r)
			text := fmt.Sprintf(`{"match":%q,"attempt":0,"result":{"status":"TECHNICAL_LOSS","forfeits":{"P01":"SHUTDOWN"},"winner":"P02"}}`, r.Match)
			if r.Match != "R1M1" {
				return []logged{e}
			}
			return []logged{event(e, e.Kind, text)}
		}, "although both players were in the league"},
		{"another secret", "LeagueCompleted", func(e logged) []logged {
			return []logged{event(e, e.Kind, `{"draw_secret":"`+strings.Repeat("00", 32)+`"}`)}
		}, "draw_secret: want the secret whose commitment is"},
		{"another promise", "LeagueCreated", func(e logged) []logged {
			var created map[string]any
			_ = json.Unmarshal(e.Event, &created)
			created["draw_commitment"] = strings.Repeat("00", 32)
			text, _ := json.Marshal(created)
			return []logged{event(e, e.Kind, string(text))}
		}, "draw_secret: want the secret whose commitment is"},
		{"another nonce", "AgentRegistered", func(e logged) []logged {
			var registered map[string]any
			_ = json.Unmarshal(e.Event, &registered)
			registered["nonce"] = "chosen later"
			text, _ := json.Marshal(registered)
			return []logged{event(e, e.Kind, string(text))}
		}, "draw_key: want"},
		{"a round that ends early", "RoundOpened", func(e logged) []logged {
			return []logged{e, event(e, "RoundClosed", string(e.Event))}
		}, "was closed before its end"},
		{"a nonce twice", "AgentRegistered", func(e logged) []logged {
			return []logged{event(e, e.Kind, strings.TrimSuffix(string(e.Event), "}")+`,"nonce":"chosen later"}`)}
		}, `member "event.nonce" occurs twice`},
		{"a member that no reader knows", "ResultRecorded", func(e logged) []logged {
			return []logged{event(e, e.Kind, strings.TrimSuffix(string(e.Event), "}")+`,"Match":"R9M9"}`)}
		}, `member "Match" is unknown: it is written "match"`},
		{"an unknown event", "RoundOpened", func(e logged) []logged { return []logged{event(e, "Bribed", "{}"), e} }, `unknown event "Bribed"`},
	} {
		f := forger{t: t, root: maps.Clone(true1)}
		root := f.forge(func(e logged) []logged {
			if e.Kind == c.kind {
				return c.edit(e)
			}
			return []logged{e}
		})
		v := verify(root, theLeague, proofs{})
		if got := fmt.Sprint(v.Differences); v.OK || !strings.Contains(got, c.want) || !strings.Contains(got, "journal.jsonl:") {
			t.Errorf("%s: found %v, want %q and a line of the journal", c.name, got, c.want)
		}
	}
}
