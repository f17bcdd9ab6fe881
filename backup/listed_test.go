package backup

import (
	"testing"

	"agentleague/league"
)

// A league can end after its log was read and before its other files are read. Signatures of the final log head then do
// not belong to the backup.
func TestSignaturesUnderAnEndThatTheLogDoesNotHaveAreLeftOut(t *testing.T) {
	t.Parallel()
	const name = "data/leagues/spring/last_words.json"
	if got := known(name, []byte("{}"), &league.State{}); got != nil {
		t.Errorf("of a league that is played: %s", got)
	}
	if got := known("data/leagues/spring/standings.json", []byte("{}"), &league.State{}); got == nil {
		t.Error("the table is left out")
	}
}
