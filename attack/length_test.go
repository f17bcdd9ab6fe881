package attack_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"agentleague/protocol"
)

// cutters hope that a league with token_length 16 has shorter secrets. That is true of the tickets of foreign agents
// alone: T has 32 bytes.
func cutters() family {
	return family{name: "cutters", lenient: true, after: playsItOut, attacks: []attack{
		{name: "a native player's T has 32 bytes", try: func(a *arena) answer {
			if n := secretBytes(a, a.identity("Alpha").Token); n != 32 {
				a.t.Errorf("T has %d bytes", n)
			}
			return post(a.t, a.url, stolen(a.t, a.identity("Alpha").Token, question("player:"+a.idOf("Alpha"), "",
				protocol.QueryNextMatch)))
		}},
		{name: "the first 16 bytes of it authenticate nothing", want: "E012", try: func(a *arena) answer {
			whole := a.identity("Alpha").Token
			cut := whole[:len(whole)-base64.RawURLEncoding.EncodedLen(32)+base64.RawURLEncoding.EncodedLen(16)]
			return post(a.t, a.url, stolen(a.t, cut, question("player:"+a.idOf("Alpha"), "", protocol.QueryNextMatch)))
		}},
		{name: "a ticket has 16 bytes", try: func(a *arena) answer {
			got := a.register(registration{name: "Gamma", endpoint: a.cast["gamma"].(*stranger).url})
			if n := secretBytes(a, got.Token); n != 16 {
				a.t.Errorf("the ticket %s has %d bytes", got.Token, n)
			}
			return post(a.t, a.url, question("player:"+got.id(), got.Token, protocol.QueryNextMatch))
		}},
		{name: "half of a ticket is none", want: "E012", try: func(a *arena) answer {
			got := a.register(registration{name: "Gamma", endpoint: a.cast["gamma"].(*stranger).url})
			return post(a.t, a.url, question("player:"+got.id(), got.Token[:len(got.Token)-11], protocol.QueryNextMatch))
		}},
	}, scene: func(t *testing.T, strict bool) *arena {
		a := newArena(t, strict, settings{tokens: 16})
		a.referee("Referee Alpha", "--max-matches", "8")
		a.player("Alpha", 0)
		a.player("Beta", 0)
		gamma := newStranger(t, 0, "even")
		gamma.join(a, protocol.RolePlayer, "Gamma")
		a.cast["gamma"] = gamma
		return a
	}}
}

// secretBytes is the length of the secret part of a token.
func secretBytes(a *arena, token string) int {
	a.t.Helper()
	secret, err := base64.RawURLEncoding.DecodeString(strings.SplitN(token, "_", 4)[3])
	if err != nil {
		a.t.Fatal(err)
	}
	return len(secret)
}
