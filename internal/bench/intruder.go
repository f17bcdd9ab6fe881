package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"agentleague/protocol"
)

// wrongToken has the form of a token and was issued to no agent.
const wrongToken = "tok_00000000000000000000000000000000"

// A trespass is a message that requires a valid token.
type trespass struct {
	of      int // the agent it is sent to
	method  string
	members string // of the message, as JSON
}

// The most harmful messages: they pause the league, leak records, start a match.
var trespasses = []trespass{
	{manager, "pause_league", `"message_type": "PAUSE_LEAGUE", "sender": "admin"`},
	{referee, "get_match_records", `"message_type": "GET_MATCH_RECORDS", "sender": "league_manager",
		"records": [{"league_id": "` + leagueID + `", "match_id": "R1M1", "attempt": 1}]`},
	{players, "handle_game_invitation", `"message_type": "GAME_INVITATION", "sender": "referee:REF01", "match_id": "R1M1",
		"round_id": 1, "game_type": "even_odd", "role_in_match": "PLAYER_A", "opponent_id": "P02", "attempt": 1`},
}

// intrude sends a wrong token to each kind of process and returns how many refused it. It is an error if a process
// accepts the message, or refuses it for a reason other than the token.
func (a *arena) intrude(ctx context.Context) (refused int, err error) {
	for _, t := range trespasses {
		if t.of == players && a.keyless { // a player without a key has no token to check a referee by
			continue
		}
		to := []*process{a.manager, a.referee, a.crowd}[t.of]
		code, err := t.send(ctx, to.endpoint)
		if err != nil {
			return refused, err
		}
		if want := protocol.AuthTokenInvalid.Code; code != want {
			return refused, fmt.Errorf("%s with a wrong token: %s answered %q, want %s: what follows is worth nothing",
				t.method, to.endpoint, code, want)
		}
		refused++
	}
	return refused, nil
}

// send returns the error code of the answer to a trespass, or "" if it is not refused.
func (t trespass) send(ctx context.Context, endpoint string) (code string, err error) {
	body := fmt.Appendf(nil, `{"jsonrpc": "2.0", "id": 1, "method": %q, "params": {"protocol": "league.v2", "timestamp": %q,
		"conversation_id": "conv-bench-wrong", "league_id": %q, "auth_token": %q, %s}}`,
		t.method, protocol.Stamp(time.Now()), leagueID, wrongToken, t.members)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var answer struct {
		Error struct {
			Code string `json:"error_code"`
		} `json:"error"`
	}
	err = json.NewDecoder(resp.Body).Decode(&answer)
	return answer.Error.Code, err
}
