package player_test

import (
	"crypto/ed25519"
	"testing"

	"agentleague/player"
	"agentleague/rpc"
)

// BenchmarkIdlePlayer measures an idle player on a shared network with an existing key: B/op is its share in the memory
// of a crowd, without the state of its host.
func BenchmarkIdlePlayer(b *testing.B) {
	o := player.Options{Options: rpc.Options{Network: rpc.NewNetwork(rpc.Options{})}, Nonce: "0"}
	o.Identity.Key = make(ed25519.PrivateKey, ed25519.PrivateKeySize)
	b.ReportAllocs()
	for b.Loop() {
		player.New("Ada", player.Alternate(), o)
	}
}
