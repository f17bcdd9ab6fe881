package manager

import (
	"encoding/json"
	"fmt"
	"testing"

	"agentleague/league"
	"agentleague/protocol"
)

func TestWhichMatchAReportIsAbout(t *testing.T) {
	open := func(id string) candidate { return candidate{match: id, open: true} }
	over := func(id string) candidate { return candidate{match: id} }
	same := func(id string) candidate { return candidate{match: id, same: true} }
	for _, c := range []struct {
		name   string
		all    []candidate
		before string
		want   string
	}{
		{"nothing was told", nil, "", ""},
		{"nothing that fits, whatever the id meant", nil, "R1M1", ""},
		{"the only one", []candidate{open("R1M1")}, "", "R1M1"},
		{"one of two", []candidate{open("R1M1"), open("R1M2")}, "", ""},
		{"one of two that the id meant before", []candidate{open("R1M1"), open("R1M2")}, "R1M2", "R1M2"},
		{"a repetition", []candidate{same("R1M1")}, "R1M1", "R1M1"},
		{"a repetition while another is open", []candidate{same("R1M1"), open("R2M1")}, "R1M1", "R1M1"},
		{"a repetition after a restart of the manager", []candidate{same("R1M1"), open("R2M1")}, "", "R1M1"},
		{"the same id for another match", []candidate{over("R1M1"), open("R2M1")}, "R1M1", "R2M1"},
		{"the same id, and two are open", []candidate{over("R1M1"), open("R2M1"), open("R2M2")}, "R1M1", ""},
		{"a second story of what is over", []candidate{over("R1M1")}, "R1M1", "R1M1"},
		{"a story of what is over, under a new id", []candidate{over("R1M1")}, "", ""},
		{"the newest of two that ended alike", []candidate{same("R1M1"), same("R2M1"), open("R3M1")}, "", "R2M1"},
	} {
		if got := choose(c.all, c.before); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// inLeague is a league of players with these names, P01 first.
func inLeague(names ...string) *league.State {
	s := &league.State{}
	s.Agents = map[string]*league.Agent{}
	for n, name := range names {
		id := fmt.Sprintf("P%02d", n+1)
		s.Agents[id] = &league.Agent{Registered: league.Registered{ID: id, Role: protocol.RolePlayer, Name: name}}
	}
	return s
}

func TestNamesInAReportBecomeIDs(t *testing.T) {
	for _, c := range []struct{ name, result, want string }{
		{"names", `{"winner":"Ada","score":{"Ada":3,"Bob":0}}`, `{"winner":"P01","score":{"P01":3,"P02":0}}`},
		{"names in other letters", `{"winner":"ada "}`, `{"winner":"P01"}`},
		{"ids", `{"winner":"P02","score":{"P01":0,"P02":3}}`, `{"winner":"P02","score":{"P01":0,"P02":3}}`},
		{"ids as senders", `{"winner":"player:P02"}`, `{"winner":"P02"}`},
		{"a name that is another's id", `{"winner":"P01"}`, `{"winner":"P01"}`},
		{"a name that two have", `{"winner":"Twin"}`, `{"winner":"Twin"}`},
		{"nobody", `{"winner":null}`, `{"winner":null}`},
		{"a word for nobody that is somebody's name", `{"winner":"DRAW"}`, `{"winner":"DRAW"}`},
		{"a seat", `{"winner":"PLAYER_A"}`, `{"winner":"PLAYER_A"}`},
		{"a stranger", `{"winner":"Zoe"}`, `{"winner":"Zoe"}`},
	} {
		var got, want protocol.ReportedResult
		if err := json.Unmarshal([]byte(c.result), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(c.want), &want); err != nil {
			t.Fatal(err)
		}
		namesToIDs(inLeague("Ada", "Bob", "P01", "Twin", "twin", "Draw"), &got)
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		if string(g) != string(w) {
			t.Errorf("%s: got %s, want %s", c.name, g, w)
		}
	}
}
