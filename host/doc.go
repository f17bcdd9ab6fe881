// Package host runs one referee or one player on a machine: it takes a port or
// a path on a shared one, locks the agent's id, opens its log, finds out who it
// was before, registers it, and lets it finish what it has in hand when it is
// told to end.
//
//	env := &host.Env{Root: root, League: settings, …}
//	err := env.RunPlayer(ctx, host.Player{Agent: host.Agent{Name: "Alpha"}, Strategy: mind}, manager, ready)
package host
