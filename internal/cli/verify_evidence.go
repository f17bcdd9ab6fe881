package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"agentleague/files"
	"agentleague/league"
	"agentleague/player"
	"agentleague/protocol"
)

// An evidence is what others have kept of a league: whoever has rewritten its log contradicts it.
type evidence struct {
	seal, head string
	witnesses  []string // files
	said       []player.Witness
}

func (e *evidence) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&e.seal, "seal", "", "the seal as it was noted down when the league began: 32 digits or more")
	cmd.Flags().StringVar(&e.head, "head", "", "a head as it was noted down later, of any round: 32 digits or more")
	cmd.Flags().StringArrayVar(&e.witnesses, "witness", nil, "a player's witness.json; may be repeated")
}

var notedForm = regexp.MustCompile(`^[0-9a-f]{32,64}$`)

// read reads what was given.
func (e *evidence) read() error {
	for flag, value := range map[string]*string{"--seal": &e.seal, "--head": &e.head} {
		if *value = strings.ToLower(strings.TrimSpace(*value)); *value != "" && !notedForm.MatchString(*value) {
			return wrongUsage("%s: want 32 to 64 hexadecimal digits, got %q", flag, *value)
		}
	}
	for _, file := range e.witnesses {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("--witness: %w; give the witness.json of a player", err)
		}
		var w player.Witness
		if err := protocol.StrictUnmarshal(text, &w); err != nil {
			return fmt.Errorf("--witness: %s: %w; give the witness.json of a player as it was written", file, err)
		}
		e.said = append(e.said, w)
	}
	return nil
}

// hold holds what others have kept against the log.
func (v *verification) hold(e evidence) {
	if v.audit.State.Seal == "" {
		return // that there is no log has been said
	}
	s, log := v.audit.State, "data/leagues/"+v.LeagueID+"/journal.jsonl"
	if e.seal != "" && !strings.HasPrefix(s.Seal, e.seal) {
		v.differ(difference{File: log, Line: 1, Field: "seal", Want: e.seal, Found: s.Seal, What: "this is another league, or its beginning was written anew"})
	}
	if e.head != "" {
		if when := headTold(s, e.head); when != "" {
			v.Notes = append(v.Notes, "the head "+noted(e.head)+" is that of the log "+when)
		} else {
			v.differ(difference{File: log, Field: "head", Want: e.head, What: "no line that was told to players has this hash: the log was written anew, or is older than the head"})
		}
	}
	if e.head == "" && len(e.said) == 0 {
		v.Notes = append(v.Notes, "whether the log was written anew as a whole only what others have kept can show: "+
			"a noted seal and head (--seal, --head), or a player's witness.json (--witness)")
	}
	for i, w := range e.said {
		found := contradictions(w, s)
		for _, d := range found {
			d.File = e.witnesses[i]
			v.differ(d)
		}
		if len(found) == 0 {
			v.Witnesses++
		}
	}
	v.OK = len(v.Differences) == 0
}

// headTold says when a head, or the beginning of one, was told; "": never.
func headTold(s *league.State, head string) (when string) {
	for _, h := range s.Heads {
		if strings.HasPrefix(h.Hash, head) {
			when = headWords(h)
		}
	}
	return when
}

func headWords(h league.Head) string {
	switch h.What {
	case "started":
		return "at the start of the league"
	case "completed":
		return "at the end of the league"
	}
	return fmt.Sprintf("after round %d", h.Round)
}

// contradictions are what a player has heard otherwise than the log has it.
func contradictions(w player.Witness, s *league.State) (out []difference) {
	if w.LeagueID != s.Created.LeagueID {
		out = append(out, difference{Field: "league_id", Want: s.Created.LeagueID, Found: w.LeagueID})
	}
	if w.Seal != s.Seal {
		out = append(out, difference{Field: "seal", Want: s.Seal, Found: w.Seal, What: "the player was in another league, or the beginning of this one was written anew"})
	}
	switch a := s.Agents[w.PlayerID]; {
	case a == nil || a.Role != protocol.RolePlayer:
		out = append(out, difference{Field: "player_id", Found: w.PlayerID, What: "no such player is in the log"})
	case a.Key != w.PublicKey:
		out = append(out, difference{Field: "public_key", Want: a.Key, Found: w.PublicKey, What: "the log has another key of " + w.PlayerID})
	}
	for i, h := range w.Heads {
		if want, ok := loggedHead(s, h); !ok || want != h.Head {
			out = append(out, difference{Field: fmt.Sprintf("heads[%d]", i), Want: want, Found: h.Head, What: "this is what " + w.PlayerID + " heard " + headWords(league.Head{What: h.What, Round: h.Round})})
		}
	}
	return out
}

// loggedHead is the hash of the line that a player has heard of.
func loggedHead(s *league.State, heard player.Head) (hash string, ok bool) {
	for _, h := range s.Heads {
		if h.What == heard.What && h.Round == heard.Round {
			return h.Hash, true
		}
	}
	return "", false
}

// lastWords holds what players have signed at the end against how the log ends.
func (v *verification) lastWords() {
	name := "data/leagues/" + v.LeagueID + "/last_words.json"
	text, err := fs.ReadFile(v.root, name)
	var kept files.LastWords
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
		v.differ(difference{File: name, What: err.Error()})
		return
	}
	spoke := map[string]bool{}
	for i, w := range kept.LastWords {
		err := v.audit.State.CheckLastWord(w.PlayerID, w.Head, w.Signature)
		if err == nil && spoke[w.PlayerID] {
			err = fmt.Errorf("the last word of %s is there twice", w.PlayerID)
		}
		if err != nil {
			v.differ(difference{File: name, Field: fmt.Sprintf("last_words[%d]", i), What: err.Error()})
			continue
		}
		spoke[w.PlayerID] = true
		v.LastWords++
	}
	v.unspoken(spoke)
}

// unspoken notes whose last word is missing: it may never have come, or somebody has removed it.
func (v *verification) unspoken(spoke map[string]bool) {
	s, missing := v.audit.State, []string{}
	if !s.Completed() {
		return
	}
	for _, id := range s.Schedule.Players {
		if s.Agents[id].Native() && !spoke[id] {
			missing = append(missing, id)
		}
	}
	if n := len(missing); n > unspokenMost {
		missing = append(missing[:unspokenMost], fmt.Sprintf("%d more", n-unspokenMost))
	}
	if len(missing) > 0 {
		v.Notes = append(v.Notes, "no signature under the end of the log is there of "+strings.Join(missing, ", "))
	}
}

// unspokenMost is how many of them are named.
const unspokenMost = 8
