package seat_test

import (
	"encoding/json"
	"strings"
	"testing"

	"agentleague/protocol"
	"agentleague/seat"
)

// A match of many moves is summarized in one readable line.
func TestLongMatchIsToldByItsFirstAndLastMoves(t *testing.T) {
	long := strings.Repeat("x", 500)
	for _, tt := range []struct{ mine, theirs, want string }{
		{`"even"`, `"odd"`, `you played "even", they played "odd"`},
		{`[0,1,2,3,4,5,6,7]`, `[8]`, `you played [0,1,2,3,4,5,6,7], they played [8]`},
		{`[0,1,2,3,4,5,6,7,8]`, `null`, `you played 9 moves: [0,1,2,…,6,7,8]. `},
		{`[{"a":1},"b",[2],3,4,5,6,7,8,9,10,"last"]`, ``, `you played 12 moves: [{"a":1},"b",[2],…,9,10,"last"]. `},
		{`"` + long + long + `"`, ``, `x…. Points`},
		{`["` + long + `",1,2,3,4,5,6,7,8]`, ``, `xxx…,1,2,…,6,7,8]`},
	} {
		m := &protocol.PlayerMatch{MatchID: "R1M1", Result: protocol.Win, MyChoice: json.RawMessage(tt.mine),
			OpponentChoice: json.RawMessage(tt.theirs)}
		if got := seat.Over(m).Text; !strings.Contains(got, tt.want) || len(got) > 900 {
			t.Errorf("%s and %s: got %q, want %q", tt.mine, tt.theirs, got, tt.want)
		}
	}
}
