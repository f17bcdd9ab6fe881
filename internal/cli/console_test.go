package cli

import (
	"bytes"
	"testing"

	"agentleague/player"
	"agentleague/protocol"
)

// What others complain of is in the log, which the person at the terminal sees: it is not told a second time.
func TestAComplaintIsShownOnce(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := &console{Strategy: player.Alternate(), app: &app{err: &out}}
	c.Hear(&protocol.GameError{ErrorCode: protocol.Timeout.Code})
	c.Hear(&protocol.LeagueError{ErrorCode: protocol.AuthTokenInvalid.Code})
	if out.Len() > 0 {
		t.Errorf("it says %q beside the log", out.String())
	}
	c.Hear(&protocol.LeagueCompleted{})
	if got, want := out.String(), "The league is over.\n"; got != want {
		t.Errorf("at the end it says %q, want %q", got, want)
	}
}
