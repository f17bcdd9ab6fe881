package manager

import (
	"log/slog"

	"agentleague/rpc"
)

// suspicions is how often a second the organiser is told of one thing that somebody at one address tries.
const suspicions = 1.0 / 60

// Suspect tells the organiser that somebody at an address has tried what it may
// not, once a minute: a flood shall not fill the terminal.
func (g *gate) Suspect(what, address string) {
	if g.suspects.Allow(what + " " + address) {
		g.warn(what, slog.String("address", address))
	}
}

// suspectKey tells of a join key that opens nothing. A token of an agent looks otherwise.
func (g *gate) suspectKey(from rpc.From, token string) {
	if from.Key != "" || looksLikeKey(token) {
		g.Suspect("a join key was refused: no agent of this league and role has it", from.Addr)
	}
}
