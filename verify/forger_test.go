package verify_test

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/league/answers"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/store"
)

// The files of the league that is forged.
const (
	logFolder = "data/leagues/" + theLeague + "/"
	logFile   = logFolder + "journal.jsonl"
	lastFile  = logFolder + "last_words.json"
)

type (
	outcome = league.ResultRecorded // of a match, as the log has it
	record  = protocol.MatchRecord
)

// A logged event is one as it stands in the journal.
type logged struct {
	Kind  string          `json:"kind"`
	At    string          `json:"at"`
	Event json.RawMessage `json:"event"`
}

// A logLine is a line of the journal.
type logLine struct {
	At     string   `json:"timestamp"`
	Events []logged `json:"events"`

	was string // its hash before anything was forged
}

// A forger can write to all of a root. At the end it corrects every hash: those of the journal, its head and the
// tables. A changed record is changed in both places, and its hash in the journal. A forger cannot sign for agents
// whose keys it does not have.
type forger struct {
	t    *testing.T
	root fstest.MapFS
	log  []logLine                     // as it is to be
	busy bool                          // all events but the first came at once
	keys map[string]ed25519.PrivateKey // by agent: the stolen keys

	touched bool // the log is not as it was
}

// newForger returns a forger for a copy of a league.
func newForger(t *testing.T, truth fstest.MapFS) *forger {
	t.Helper()
	f := &forger{t: t, root: maps.Clone(truth)}
	for text := range strings.Lines(string(f.root[logFile].Data)) {
		l := logLine{was: protocol.SHA256(strings.TrimSuffix(text, "\n"))}
		f.must(json.Unmarshal([]byte(text), &l))
		f.log = append(f.log, l)
	}
	return f
}

func (f *forger) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *forger) put(name string, text []byte) { f.root[name] = &fstest.MapFile{Data: text} }

// forge passes every event through edit, and is done.
func (f *forger) forge(edit func(e logged) []logged) fstest.MapFS {
	f.t.Helper()
	f.events(edit)
	return f.done()
}

// events passes every event through edit, which returns its replacement.
func (f *forger) events(edit func(e logged) []logged) {
	f.lines(func(lines []logLine) (out []logLine) {
		for _, l := range lines {
			var forged []logged
			for _, e := range l.Events {
				forged = append(forged, edit(e)...)
			}
			if l.Events = forged; len(forged) > 0 {
				out = append(out, l)
			}
		}
		return out
	})
}

// lines passes all lines through edit.
func (f *forger) lines(edit func(lines []logLine) []logLine) {
	f.log, f.touched = edit(f.log), true
}

// atOnce puts all events but the first line's into one line, which has one time.
func atOnce(lines []logLine) []logLine {
	for _, l := range lines[2:] {
		for _, e := range l.Events {
			e.At = lines[1].Events[0].At
			lines[1].Events = append(lines[1].Events, e)
		}
	}
	return lines[:2]
}

// done writes the log, with all that follows from it. A line in which nothing is changed, nor in any before it, stays
// as it is: the seal and the heads up to there are the true ones.
func (f *forger) done() fstest.MapFS {
	f.t.Helper()
	if !f.touched {
		return f.root
	}
	if f.busy {
		f.lines(atOnce)
	}
	seal, prev, text := "", strings.Repeat("0", 64), ""
	now := map[string]string{} // the new hash of a line, by its old one
	for n, l := range f.log {
		for i := range l.Events {
			f.sign(&l.Events[i], seal, now)
		}
		payload, err := json.Marshal(l.Events)
		f.must(err)
		body := fmt.Sprintf(`{"seq":%d,"prev":%q,"timestamp":%q,"events":%s`, n+1, prev, l.At, payload)
		body += `,"sha256":"` + protocol.SHA256(body) + `"}`
		text, prev = text+body+"\n", protocol.SHA256(body)
		if now[l.was] = prev; n == 0 {
			seal = prev
		}
	}
	f.put(logFile, []byte(text))
	f.put(logFolder+"journal.head", fmt.Appendf(nil, "{\"seq\":%d,\"line_sha256\":%q}\n", len(f.log), prev))
	if s, err := league.Fold(journal.ReadFS(f.root, logFile)); err == nil {
		f.project(s)
		f.remember(s)
		f.swear(s)
	}
	return f.root
}

// state is the league as the log has it so far.
func (f *forger) state() *league.State {
	f.t.Helper()
	s := league.NewState()
	for _, l := range f.log {
		payload, err := json.Marshal(l.Events)
		f.must(err)
		at, events, err := league.DecodeBatch(payload)
		f.must(err)
		for _, e := range events {
			f.must(s.Apply(at, e))
		}
	}
	return s
}

// project writes the tables anew.
func (f *forger) project(s *league.State) {
	shown := s.Snapshot()
	table, rounds, agents := store.StandingsOf(shown), store.RoundsOf(shown), store.AgentsOf(shown)
	tableText, err := store.DocumentStandings(theLeague, table, table.LastUpdated)
	f.must(err)
	roundsText, err := store.DocumentRounds(theLeague, rounds, rounds.LastUpdated)
	f.must(err)
	agentsText, err := store.DocumentAgents(theLeague, agents, agents.LastUpdated)
	f.must(err)
	f.put(logFolder+"standings.json", tableText)
	f.put(logFolder+"rounds.json", roundsText)
	f.put(logFolder+"agents.json", agentsText)
}

// remember writes the players' histories as the log has their matches.
func (f *forger) remember(s *league.State) {
	for _, id := range s.Players() {
		name := "data/players/" + id + "/history.json"
		if f.root[name] == nil {
			continue
		}
		var h store.History
		f.must(json.Unmarshal(f.root[name].Data, &h))
		h.Matches = answers.HistoryOf(s, id, protocol.QueryParams{}).Matches
		h.Stats = protocol.StatsOf(h.Matches)
		text, err := store.DocumentHistory(id, h, h.LastUpdated)
		f.must(err)
		f.put(name, text)
	}
}

// sign signs an event again, for those agents whose keys the forger has.
func (f *forger) sign(e *logged, seal string, now map[string]string) {
	var err error
	switch {
	case f.keys == nil:
	case e.Kind == "AgentRegistered":
		var r league.Registered
		f.must(json.Unmarshal(e.Event, &r))
		if key := f.keys[r.ID]; key != nil {
			f.signPlace(&r, key, seal)
		}
		e.Event, err = json.Marshal(r)
	case e.Kind == "ResultRecorded":
		var r outcome
		f.must(json.Unmarshal(e.Event, &r))
		f.signMoves(&r, seal, now)
		e.Event, err = json.Marshal(r)
	}
	f.must(err)
}

// signPlace signs a registration with another key.
func (f *forger) signPlace(r *league.Registered, key ed25519.PrivateKey, seal string) {
	var created league.Created
	f.must(json.Unmarshal(f.find("LeagueCreated", "").Event, &created))
	r.Key, r.AgreementKey = protocol.PublicKey(key), protocol.AgreementPublic(protocol.AgreementKey(key.Seed()))
	terms := league.Terms{Seal: seal, ManagerKey: created.ManagerKey}
	r.Welcome.Signature = protocol.Sign(key, terms.Challenge(*r).Text())
}

// signMoves signs the players' answers, in the log and in the record.
func (f *forger) signMoves(r *outcome, seal string, now map[string]string) {
	if len(r.Signed) == 0 {
		return
	}
	rec := f.record(*r)
	doc, _, err := rec.Document()
	f.must(err)
	text := string(doc)
	for id, said := range r.Signed {
		was := said
		if head, ok := now[said.Head]; ok {
			said.Head = head
		}
		b := protocol.AnswerContext{
			Seal: seal, Match: r.Match, Attempt: r.Attempt, Referee: r.Referee, Player: id,
			Commitment: rec.Fairness.Commitment, Head: said.Head,
		}
		chain := b.NewChain()
		for _, a := range said.Answers {
			chain = chain.ThenHash(a.Turn, a.View, a.Move)
		}
		if key := f.keys[id]; key != nil {
			said.Signature = chain.Sign(key)
			r.Signed[id] = said
			for old, now := range map[string]string{was.Signature: said.Signature, was.Head: said.Head} {
				if old != "" {
					text = strings.ReplaceAll(text, old, now)
				}
			}
		}
	}
	rec, err = protocol.ParseRecord([]byte(text))
	f.must(err)
	rec.Signed = r.Signed
	f.keep(r, rec)
}

// swear signs the end again, and writes the players' witnesses, where the forger has their keys.
func (f *forger) swear(s *league.State) {
	last := store.FinalSignatures{SchemaVersion: "1.0.0", LeagueID: theLeague, LastUpdated: "2026-01-01T00:00:00Z"}
	for _, id := range s.Players() {
		key := f.keys[id]
		if key == nil {
			continue
		}
		head := s.Head().Hash
		last.Signatures = append(last.Signatures, store.FinalSignature{
			PlayerID: id, Head: head, Signature: protocol.Sign(key, protocol.FinalSignatureText(s.Seal, id, head)),
		})
		w := player.Witness{
			SchemaVersion: "1.0.0", LeagueID: theLeague, Seal: s.Seal, PlayerID: id, PublicKey: protocol.PublicKey(key),
			LastUpdated: last.LastUpdated,
		}
		for _, h := range s.Heads {
			w.Heads = append(w.Heads, player.Head{What: h.What, Round: h.Round, Head: h.Hash})
		}
		text, err := json.MarshalIndent(w, "", "  ")
		f.must(err)
		f.put("data/players/"+id+"/witness.json", text)
	}
	if len(last.Signatures) > 0 {
		text, err := json.MarshalIndent(last, "", "  ")
		f.must(err)
		f.put(lastFile, text)
	}
}

// keptBy is where a referee keeps the record of a result, and shownAt where the manager shows it if it counts.
func keptBy(r outcome) string {
	return fmt.Sprintf("data/referees/%s/%s/%s.%d.json", r.Referee, theLeague, r.Match, r.Attempt)
}

func shownAt(match string) string { return "data/matches/" + theLeague + "/" + match + ".json" }

// record is the record of a result, as its referee keeps it.
func (f *forger) record(r outcome) record {
	f.t.Helper()
	rec, err := protocol.ParseRecord(f.root[keptBy(r)].Data)
	f.must(err)
	return rec
}

// counts reports whether a result is the final one of its match.
func (f *forger) counts(r outcome) bool {
	var shown struct {
		Attempt int `json:"attempt"`
	}
	f.must(json.Unmarshal(f.root[shownAt(r.Match)].Data, &shown))
	return shown.Attempt == r.Attempt
}

// keep puts a record in its places, and its hash into the result.
func (f *forger) keep(r *outcome, rec record) {
	f.t.Helper()
	doc, hash, err := rec.Document()
	f.must(err)
	if f.counts(*r) {
		f.put(shownAt(r.Match), doc)
	}
	f.put(keptBy(*r), doc)
	r.RecordSHA256 = hash
}

// result changes the result of a match that counts, and its record.
func (f *forger) result(match string, edit func(r *outcome, rec *record)) {
	f.t.Helper()
	f.events(func(e logged) []logged {
		if !e.is("ResultRecorded", match) {
			return []logged{e}
		}
		var r outcome
		f.must(json.Unmarshal(e.Event, &r))
		if !f.counts(r) {
			return []logged{e}
		}
		rec := f.record(r)
		kept := r
		edit(&r, &rec)
		f.keep(&kept, rec) // where it was
		if r.RecordSHA256 != "" {
			r.RecordSHA256 = kept.RecordSHA256
		}
		var err error
		e.Event, err = json.Marshal(r)
		f.must(err)
		return []logged{e}
	})
}
