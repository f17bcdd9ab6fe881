// Package host runs one referee or one player on a machine: it opens a port or
// a path on a shared one, locks the agent's id, opens its log, loads its
// identity, registers it, and lets it finish open work when it is stopped.
//
//	env := &host.Env{Root: root, League: settings, …}
//	err := env.RunPlayer(ctx, host.Player{Agent: host.Agent{Name: "Alpha"}, Strategy: mind}, manager, ready)
package host
