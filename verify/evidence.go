package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"agentleague/league"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/store"
)

// Evidence is third-party evidence about a league. It contradicts a log that was rewritten.
type Evidence struct {
	Seal, Head string   // or prefixes of them
	Files      []string // of witnesses
	Said       []player.Witness
}

// Hold compares the log with evidence, and adds the contradictions to the differences.
func (v *Result) Hold(e Evidence) {
	if v.audit.State.Seal == "" {
		return // the missing log has been reported
	}
	s, log := v.audit.State, "data/leagues/"+v.LeagueID+"/journal.jsonl"
	if e.Seal != "" && !strings.HasPrefix(s.Seal, e.Seal) {
		v.differ(Difference{File: log, Line: 1, Field: "seal", Want: e.Seal, Found: s.Seal, What: "this is another " +
			"league, or its beginning was rewritten"})
	}
	if e.Head != "" {
		if when := headTold(s, e.Head); when != "" {
			v.Notes = append(v.Notes, "the head "+e.Head[:min(len(e.Head), 32)]+" matches the log "+when)
		} else {
			v.differ(Difference{File: log, Field: "head", Want: e.Head, What: "no head that players were sent has this " +
				"hash: the log was rewritten, or is older than the head"})
		}
	}
	for i, w := range e.Said {
		found := contradictions(w, s)
		for _, d := range found {
			d.File = e.Files[i]
			v.differ(d)
		}
		if len(found) == 0 {
			v.Witnesses++
		}
	}
	v.OK = len(v.Differences) == 0
}

// headTold returns when a head, or the head with that prefix, was announced, in words; "" means never.
func headTold(s *league.State, head string) (when string) {
	for _, h := range s.Heads {
		if strings.HasPrefix(h.Hash, head) {
			when = headWords(h)
		}
	}
	return when
}

// headWords describes when a head was announced, for example after which round.
func headWords(h league.Head) string {
	switch h.What {
	case "started":
		return "at the start of the league"
	case "completed", "cancelled":
		return "at the end of the league"
	}
	return fmt.Sprintf("after round %d", h.Round)
}

// contradictions lists the differences between a player's witness and the log.
func contradictions(w player.Witness, s *league.State) (out []Difference) {
	if w.LeagueID != s.Created.LeagueID {
		out = append(out, Difference{Field: "league_id", Want: s.Created.LeagueID, Found: w.LeagueID})
	}
	if w.Seal != s.Seal {
		out = append(out, Difference{Field: "seal", Want: s.Seal, Found: w.Seal, What: "the player was in another " +
			"league, or the beginning of this one was rewritten"})
	}
	switch a := s.Agents[w.PlayerID]; {
	case a == nil || a.Role != protocol.RolePlayer:
		out = append(out, Difference{Field: "player_id", Found: w.PlayerID, What: "the log has no such player"})
	case a.Key != w.PublicKey:
		out = append(out, Difference{Field: "public_key", Want: a.Key, Found: w.PublicKey, What: "the log has another " +
			"key for " + w.PlayerID})
	}
	for i, h := range w.Heads {
		if want, ok := loggedHead(s, h); !ok || want != h.Head {
			out = append(out, Difference{
				Field: fmt.Sprintf("heads[%d]", i), Want: want, Found: h.Head,
				What: "this is what " + w.PlayerID + " heard " + headWords(league.Head{What: h.What, Round: h.Round}),
			})
		}
	}
	return out
}

// loggedHead returns the hash in the log for a head that a player received; ok is false if the log has no such
// head.
func loggedHead(s *league.State, heard player.Head) (hash string, ok bool) {
	for _, h := range s.Heads {
		if h.What == heard.What && h.Round == heard.Round {
			return h.Hash, true
		}
	}
	return "", false
}

// checkFinalSignatures compares the players' final signatures with the end of the log.
func (v *Result) checkFinalSignatures() {
	name := "data/leagues/" + v.LeagueID + "/last_words.json"
	text, err := fs.ReadFile(v.root, name)
	var kept store.FinalSignatures
	switch {
	case errors.Is(err, fs.ErrNotExist):
		kept.LeagueID, err = v.LeagueID, nil
	case err == nil:
		err = protocol.StrictUnmarshal(text, &kept)
	}
	if err == nil && kept.LeagueID != v.LeagueID {
		err = fmt.Errorf("league_id: want %s, found %s", v.LeagueID, kept.LeagueID)
	}
	if err != nil {
		v.differ(Difference{File: name, Kind: kindOf(err), What: err.Error()})
		return
	}
	spoke := map[string]bool{}
	for i, w := range kept.Signatures {
		err := v.audit.State.CheckFinalSignature(w.PlayerID, w.Head, w.Signature)
		if err == nil && spoke[w.PlayerID] {
			err = fmt.Errorf("the final signature of %s occurs twice", w.PlayerID)
		}
		if err != nil {
			v.differ(Difference{File: name, Field: fmt.Sprintf("last_words[%d]", i), What: err.Error()})
			continue
		}
		spoke[w.PlayerID] = true
		v.FinalSignatures++
	}
	v.unspoken(spoke)
}

// unspoken adds a note that names the players without a final signature. Such a signature may never have arrived,
// or may have been removed.
func (v *Result) unspoken(spoke map[string]bool) {
	s, missing := v.audit.State, []string{}
	if !s.Completed() || !s.Started() {
		return
	}
	for _, id := range s.Players() {
		if s.Agents[id].Native() && !spoke[id] {
			missing = append(missing, id)
		}
	}
	if n := len(missing); n > unspokenMost {
		missing = append(missing[:unspokenMost], fmt.Sprintf("%d more", n-unspokenMost))
	}
	if len(missing) > 0 {
		v.Notes = append(v.Notes, "the end of the log is not signed by "+strings.Join(missing, ", "))
	}
}

// unspokenMost is the maximum number of players that the note names.
const unspokenMost = 8
