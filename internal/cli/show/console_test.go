package show

import (
	"bytes"
	"testing"

	"agentleague/player"
	"agentleague/protocol"
)

// A complaint of an agent is in the log, which is visible on the terminal, and is not printed a second time.
func TestAComplaintIsShownOnce(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := &Console{Strategy: player.Alternate(), Err: &out}
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

func TestAMatchEndsWithWhatItsModelTook(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := &Console{Strategy: player.Alternate(), Err: &out, id: "P01"}
	c.Learn(protocol.PlayerMatch{MatchID: "R1M1", Result: protocol.Win, OpponentID: "P02", Usage: &protocol.Usage{
		Model: "ti\x1bny", Moves: 4, Fallbacks: 1, InputTokens: 70, OutputTokens: 5, LatencyUS: 2_000_000, Priced: true, CostNanoUSD: 20_000_000,
	}})
	const want = "It asked ti\ufffdny: 70 tokens in, 5 out, $0.02; 0.5 s a move; 1 of 4 moves by the fallback (25 %).\n"
	if !bytes.HasSuffix(out.Bytes(), []byte(want)) {
		t.Errorf("got %q, want %q at its end", out.String(), want)
	}
}
