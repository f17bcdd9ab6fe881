package league_test

import (
	"strings"
	"testing"

	"agentleague/league"
	"agentleague/league/answers"
	"agentleague/protocol"
)

// An agent without its place does not count for the start of the league, and is not listed as registered.
func TestDirectoryNamesAgentsThatLostTheirPlace(t *testing.T) {
	for want, lose := range map[string]func(*league.Agent){
		"P03 has registered at its address":              func(a *league.Agent) { a.Displaced = "P03" },
		"it was readmitted":                              func(a *league.Agent) { a.Heir = &league.Readmitted{} },
		"it has not registered since the league was upg": func(a *league.Agent) { a.Outdated = true },
	} {
		state := league.TwoKeyless(t)
		lose(state.Agents["P02"])
		none := func(string) string { return "" }
		all := answers.Directory(state, true, none, answers.Everywhere)["agents"].([]protocol.AgentInfo)
		if all[0].State != protocol.AgentRegistered || all[1].State != protocol.AgentSuspended || !strings.HasPrefix(all[1].Why, want) {
			t.Errorf("got %+v, want P02 suspended: %s", all, want)
		}
	}
}
