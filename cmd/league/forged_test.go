package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"agentleague/engine/journal"
	"agentleague/files"
	"agentleague/game/draw"
	"agentleague/league"
	"agentleague/protocol"
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

// forge passes every event through edit, which returns what stands in its place.
func (f forger) forge(edit func(e logged) []logged) fstest.MapFS {
	f.t.Helper()
	dir := f.t.TempDir()
	disk, err := journal.Open(dir, journal.Options{})
	f.must(err)
	log := "data/leagues/" + theLeague + "/journal.jsonl"
	var lines [][]logged
	for entry, err := range journal.ReadFS(f.root, log) {
		f.must(err)
		var events, forged []logged
		f.must(json.Unmarshal(entry.Data, &events))
		for _, e := range events {
			forged = append(forged, edit(e)...)
		}
		if f.busy && len(lines) == 2 {
			for i := range forged { // a line has one time
				forged[i].At = lines[1][0].At
			}
			lines[1] = append(lines[1], forged...)
		} else {
			lines = append(lines, forged)
		}
	}
	for n, events := range lines {
		text, err := json.Marshal(events)
		f.must(err)
		_, err = disk.Append(f.t.Context(), theLeague, uint64(n), text)
		f.must(err)
	}
	f.must(disk.Close())
	for _, name := range []string{"journal.jsonl", "journal.head"} {
		text, err := os.ReadFile(dir + "/leagues/" + theLeague + "/" + name)
		f.must(err)
		f.root["data/leagues/"+theLeague+"/"+name] = &fstest.MapFile{Data: text}
	}
	if s, err := league.Fold(entries(journal.Path(dir, theLeague))); err == nil {
		f.project(s.Snapshot())
	}
	return f.root
}

func (f forger) project(s league.Snapshot) {
	at := "2026-01-01T00:00:00Z"
	table, err := files.DocumentStandings(theLeague, standingsOf(s), at)
	f.must(err)
	rounds, err := files.DocumentRounds(theLeague, roundsOf(s), at)
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
	true1 := playedLeague(t)
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
