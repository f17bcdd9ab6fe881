package show

import (
	"strings"
	"testing"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/verify"
)

func TestDoubtsAreToldWithWhatCanBeDone(t *testing.T) {
	t.Parallel()
	v := &verify.Result{Results: protocol.Basis{Unproven: 6}, Revealed: true}
	if want := "6 results are unproven; the league is over, so you decide whether they count"; doubts(v) != want {
		t.Errorf("got %q, want %q", doubts(v), want)
	}
	v = &verify.Result{Results: protocol.Basis{Unproven: 5, Disputed: 1}, Disputed: []string{"R1M2"}, Doubtful: []string{"R1M1"}}
	if got := doubts(v); !strings.HasPrefix(got, "5 results are unproven and 1 result is disputed") || !strings.HasSuffix(got, "`league annul R1M2`") {
		t.Errorf("got %q", got)
	}
	if got := against("R1M2", league.Contested{By: "player:P03", Detail: "I chose odd"}); got != "R1M2 (player:P03 says: I chose odd)" {
		t.Errorf("got %q", got)
	}
}
