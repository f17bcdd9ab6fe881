package keyring

import (
	"strings"
	"testing"

	"agentleague/protocol"
)

func TestTicketsAreAsLongAsTheConfigurationSays(t *testing.T) {
	t.Parallel()
	token := protocol.Ticket([]byte("key"), "L", "player:P01", 1)
	for length, letters := range map[int]int{32: 43, 16: 22, 20: 27} {
		got := shortened(token, length)
		if secret := strings.TrimPrefix(got, "tok_player_P01_"); len(secret) != letters || !strings.HasPrefix(token, got) {
			t.Errorf("%d bytes: got %s, want the first %d letters of the secret in %s", length, got, letters, token)
		}
		if owner := protocol.TokenOwner(got); owner != "player:P01" {
			t.Errorf("%d bytes: the token is of %q", length, owner)
		}
	}
}
