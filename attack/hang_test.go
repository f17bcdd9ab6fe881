package attack_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// tarpits register keys and never answer the challenge, so that their registrations stay in progress. All agents call
// from one address.
func tarpits() family {
	return family{name: "tarpits", each: true, lenient: true, attacks: []attack{
		{name: "64 registrations hang", want: "E010", warned: "; try again later", try: func(a *arena) answer {
			was := a.agent(protocol.RolePlayer, "Alpha")
			a.cast["Alpha"].(*process).kill()
			got, stop := hang(a)
			defer stop()
			newcomer := a.playerComes("Newcomer", 0)
			newcomer.says("try again later")
			a.player("Alpha", 0) // its key has signed before
			if now := a.agent(protocol.RolePlayer, "Alpha"); now.ID != was.ID || now.Key != was.Key {
				a.t.Errorf("Alpha was %s and is %s", was.ID, now.ID)
			}
			stop()
			newcomer.says("registered with")
			return got
		}},
	}, scene: func(t *testing.T, strict bool) *arena {
		a := newArena(t, strict, settings{})
		a.referee("Referee Alpha", "--max-matches", "8")
		a.cast["Alpha"] = a.player("Alpha", 0)
		a.seat("Beta", "odd", false)
		return a
	}, after: heirsEnd}
}

// hang keeps 64 registrations in progress until it is stopped, and returns the answer to one more.
func hang(a *arena) (got answer, stop func()) {
	a.t.Helper()
	done := make(chan struct{})
	pit := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-done:
		case <-r.Context().Done():
		}
	}))
	applies := func(endpoint string) message {
		key := newKey(a.t)
		return forged(protocol.TypeLeagueRegisterRequest, "player:pit", "", message{"league_id": "", "player_meta": message{
			"display_name": "Pit", "version": "1.0.0", "protocol_version": "2.0.0", "game_types": []string{"even_odd"},
			"contact_endpoint": endpoint, "public_key": key,
			"agreement_key": protocol.AgreementPublic(protocol.AgreementKey([]byte(key))),
		}})
	}
	all := make([]message, 64)
	for i := range all {
		all[i] = applies(pit.URL + "/mcp")
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for { // on a busy machine four have waited for a second before all 64 are there: that is the other bound
			var wave sync.WaitGroup
			for _, m := range all {
				wave.Go(func() { post(a.t, a.url, m) })
			}
			wave.Wait()
			select {
			case <-done:
				return
			default:
			}
		}
	}()
	stop = sync.OnceFunc(func() { close(done); <-ended; pit.Close() })
	a.t.Cleanup(stop)
	one := applies(fmt.Sprintf("http://localhost:%d/mcp", rpctest.Port())) // it does not hang itself
	rpctest.Eventually(a.t, "too many registrations in progress", func() bool {
		got = post(a.t, a.url, one)
		return strings.Contains(got.text, "; try again later")
	})
	return got, stop
}
