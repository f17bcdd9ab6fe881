package manager

import "agentleague/league"

func (m *Manager) Starts() league.Start { return m.queries.Starts() }

func (m *Manager) WaitsFor() string { return m.queries.WaitsFor() }
