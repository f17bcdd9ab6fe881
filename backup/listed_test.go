package backup

import (
	"testing"

	"agentleague/league"
)

// A league can end between the moment at which its log is read and that at which its other files are: what players have
// signed under that end does not belong to the league as it was.
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
