package cli

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"agentleague/player"
	"agentleague/protocol"
	"agentleague/verify"
)

// An evidenceFlags is third-party evidence about a league, as typed and as read.
type evidenceFlags struct {
	seal, head string
	witnesses  []string // files
	said       []player.Witness
}

// flags adds the flags for values noted during a league.
func (e *evidenceFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&e.seal, "seal", "",
		"the seal that was written down when the league began: 32 digits or more")
	cmd.Flags().StringVar(&e.head, "head", "", "a head that was written down later, of any round: 32 digits or more")
	cmd.Flags().StringArrayVar(&e.witnesses, "witness", nil, "a player's witness.json; may be repeated")
}

// notedForm is a hash or the beginning of one, as people note it down; shorter ones could fit by chance.
var notedForm = regexp.MustCompile(`^[0-9a-f]{32,64}$`)

// read reads the values of the flags.
func (e *evidenceFlags) read() error {
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

// hold compares the evidence with a league.
func (e *evidenceFlags) hold(v *verify.Result) {
	v.Hold(verify.Evidence{Seal: e.seal, Head: e.head, Files: e.witnesses, Said: e.said})
	if v.Seal != "" && e.head == "" && len(e.said) == 0 {
		v.Notes = append(v.Notes, "the log alone cannot show whether it was rewritten as a whole; to check that, give "+
			"a seal and head that were written down (--seal, --head), or a player's witness.json (--witness)")
	}
}
