package player_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"agentleague/dialect/profile"
	"agentleague/player"
	"agentleague/rpc"
)

// In the contracts document a player that has not registered refuses rounds with 3002 and invitations with 4002.
func TestUnregisteredPlayerRefusesByTheContractsDocument(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]int{"contracts": {3002, 4002}, profile.Default: {0, 0}} {
		a := player.New("Ada", player.Alternate(), player.Options{Options: rpc.Options{Profile: profile.New(name, "spring")}})
		for i, call := range []string{
			`"notify_round","params":{"message_type":"ROUND_ANNOUNCEMENT","sender":"league_manager","league_id":"spring","round_id":1,"matches":[]}`,
			`"handle_game_invitation","params":{"message_type":"GAME_INVITATION","sender":"referee:REF01","auth_token":"t","match_id":"R1M1","player_id":"P01"}`,
		} {
			answer := a.Node.Answer(t.Context(), rpc.From{Addr: "localhost"}, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%s}`, call))
			var got struct{ Error struct{ Code int } }
			if err := json.Unmarshal(answer, &got); err != nil || got.Error.Code != want[i] {
				t.Errorf("%s: %s: got %s, %v, want the code %d", name, call, answer, err, want[i])
			}
		}
	}
}
