package league

import (
	"reflect"
	"testing"

	"agentleague/protocol"
)

func TestOverdueMatchGoesToAnotherRefereeOrToTheSameOnceMore(t *testing.T) {
	overdue := MatchAssigned{"R1M1", "REF01", 1}
	for _, c := range []struct {
		name     string
		referees int
		before   []Event
		want     []Event
	}{
		{"another is there", 2, nil, []Event{MatchAssigned{"R1M1", "REF02", 2}}},
		{"there is no other", 1, nil, []Event{MatchAssigned{"R1M1", "REF01", 2}}},
		{"another has had it", 2, []Event{AgentState{"REF02", protocol.AgentSuspended, ""}},
			[]Event{MatchAssigned{"R1M1", "REF01", 2}}},
		{"it is another's by now", 2, []Event{MatchAssigned{"R1M1", "REF02", 2}}, nil},
		{"it is recorded by now", 1, []Event{
			ResultRecorded{Match: "R1M1", Attempt: 1, Referee: "REF01", Result: Result{Status: protocol.Draw}},
		}, nil},
	} {
		s := begun(t, c.referees, 2, Created{})
		s.write(c.before...)
		if got := AssignAnew(s.state, overdue); len(got)+len(c.want) > 0 && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}
