package league

import (
	"strings"
	"testing"

	"agentleague/protocol"
)

// An agent without its place does not count for the start of the league, and is not listed as registered.
func TestDirectoryNamesAgentsThatLostTheirPlace(t *testing.T) {
	for want, lose := range map[string]func(*Agent){
		"P03 has registered at its address":              func(a *Agent) { a.Displaced = "P03" },
		"it was readmitted":                              func(a *Agent) { a.Heir = &Readmitted{} },
		"it has not registered since the league was upg": func(a *Agent) { a.Outdated = true },
	} {
		s := createdWith(t, Created{Schema: 1, Tiebreakers: Tiebreakers})
		s.write(keyless(protocol.RolePlayer, "P01"), keyless(protocol.RolePlayer, "P02"))
		state := s.state
		lose(state.Agents["P02"])
		none := func(string) string { return "" }
		all := Directory(state, true, none, Everywhere)["agents"].([]protocol.AgentInfo)
		if all[0].State != protocol.AgentRegistered || all[1].State != protocol.AgentSuspended || !strings.HasPrefix(all[1].Why, want) {
			t.Errorf("got %+v, want P02 suspended: %s", all, want)
		}
	}
}
