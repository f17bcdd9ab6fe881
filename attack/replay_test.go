package attack_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// replayers have captured Alpha's answer to its first challenge and a question of Alpha. Once Alpha is down they send
// both again from its port, with its public key, in a changed situation.
func replayers() family {
	const nextSeason, other = leagueID + "_2", "other_league"
	return family{name: "replayers", each: true, lenient: true, attacks: []attack{
		{name: "to another season", want: "E012", try: func(a *arena) answer {
			a.referee("Referee Alpha")
			a.start()
			rpctest.Eventually(a.t, "the next season", func() bool { return a.stateOf(nextSeason).Seal != "" })
			got := a.replays(nextSeason)
			a.warnsIn(nextSeason, "is not of the key that was registered")
			return got
		}},
		{name: "to another league", want: "E012", try: func(a *arena) answer {
			if said, status := run(a.t, "create", other, "--root", a.root, "--manager", a.url); status != 0 {
				a.t.Fatalf("league create: %s", said)
			}
			got := a.replays(other)
			a.warnsIn(other, "is not of the key that was registered")
			a.referee("Referee Alpha")
			a.start()
			return got
		}},
		{name: "to another epoch", want: "E022", warned: "registers with the key of P01 and cannot sign with it",
			try: func(a *arena) answer {
				alpha := a.cast["alpha"].(*seated)
				heir, err := a.applies("Alpha", "odd", player.Options{}, nil)
				if err == nil {
					a.t.Fatal("an heir was let in although Alpha runs")
				}
				a.lets(heir, alpha.ID())
				heir.stop()
				a.lets(alpha, alpha.ID()) // the same key again, two epochs later
				if now := a.agent(protocol.RolePlayer, "Alpha"); now.Generation != 3 || now.Key != alpha.key() {
					a.t.Fatalf("Alpha is %+v", now.Registered)
				}
				got := a.replays(leagueID)
				if got.Readmit != "" {
					a.t.Errorf("the organizer is asked to readmit it: %s", got.text)
				}
				return got
			}},
	}, scene: recorded, after: func(a *arena) {
		a.cast["replays"].(*httptest.Server).Close()
		league := a.cast["league"].(string)
		back := a.cast["alpha"].(*seated).again(a, "Alpha", "even")
		back.ctx = back.serve(a.t, back.Node)
		if err := back.Register(back.ctx, a.leagueURL(league), back.url); err != nil || back.ID() != "P01" {
			a.t.Errorf("Alpha is %s in %s: %v", back.ID(), league, err)
		}
		if now := a.stateOf(league).Agents[back.ID()]; now == nil || now.Key != back.key() || now.Endpoint != back.url {
			a.t.Errorf("Alpha is not where it registered: %+v", now)
		}
	}}
}

// recorded is a league of two seasons before its start. Alpha's answer to its challenge is captured.
func recorded(t *testing.T, strict bool) *arena {
	a := newArena(t, strict, settings{seasons: 2})
	alpha := a.newSeat("Alpha", "even", player.Options{})
	close(alpha.gate)
	var once sync.Once
	if err := alpha.enters(a, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer := httptest.NewRecorder()
		alpha.Node.ServeHTTP(answer, r)
		if bytes.Contains(body, []byte(protocol.TypeWelcome)) {
			once.Do(func() { a.cast["captured"] = answer.Body.Bytes() })
		}
		for name := range answer.Header() {
			w.Header().Set(name, answer.Header().Get(name))
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})); err != nil {
		t.Fatal(err)
	}
	a.cast["question"] = stolen(t, alpha.token(), question("player:"+alpha.ID(), "", protocol.QueryNextMatch))
	a.cast["alpha"] = alpha
	a.seat("Beta", "odd", false)
	return a
}

// replays sends Alpha's captured messages to a league of the manager and returns the answer to the registration.
func (a *arena) replays(league string) answer {
	a.t.Helper()
	alpha := a.cast["alpha"].(*seated)
	before := a.stateOf(league).ByKey(protocol.RolePlayer, alpha.key())
	alpha.stop()
	a.cast["league"] = league
	a.cast["replays"] = replay(a.t, portOf(a.t, alpha.url), a.cast["captured"].([]byte))
	asks := maps.Clone(a.cast["question"].(message))
	asks["league_id"] = league // which the manager goes by
	if got := post(a.t, a.leagueURL(league), asks); got.Code != "E012" {
		a.t.Errorf("the question: got %q, want E012: %s", got.Code, got.text)
	}
	got := a.register(registration{name: "Alpha", endpoint: alpha.url, key: alpha.key(), to: a.leagueURL(league)})
	after := a.stateOf(league).ByKey(protocol.RolePlayer, alpha.key())
	if (before == nil) != (after == nil) || after != nil && after.Generation != before.Generation {
		a.t.Errorf("the key was of %+v in %s, and is now of %+v", before, league, after)
	}
	return got
}

// replay gives the captured answer to every challenge, with the id and the conversation of the call.
func replay(t *testing.T, port int, captured []byte) *httptest.Server {
	t.Helper()
	return newStrangerWith(t, port, "odd", func(own http.Handler, w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if !bytes.Contains(body, []byte(protocol.TypeWelcome)) {
			own.ServeHTTP(w, r)
			return
		}
		var call struct {
			ID     any
			Params message
		}
		var answer struct{ Result message }
		_, _ = json.Unmarshal(body, &call), json.Unmarshal(captured, &answer)
		answer.Result["conversation_id"] = call.Params["conversation_id"]
		_ = json.NewEncoder(w).Encode(message{"jsonrpc": "2.0", "id": call.ID, "result": answer.Result})
	}).server
}

// leagueURL is the address of a league or season of the arena's manager.
func (a *arena) leagueURL(league string) string {
	return strings.TrimSuffix(a.url, "/mcp") + "/leagues/" + league + "/mcp"
}

// key is the player's public key.
func (s *seated) key() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return protocol.PublicKey(s.kept.Key)
}
