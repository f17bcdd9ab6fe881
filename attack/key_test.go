package attack_test

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"agentleague/league/keyring"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// burglars want to join a league for invited agents without a join key, with an invalid one, or with that of another
// agent. The league has not started. Alpha and Beta are native and have used their keys, Gamma is foreign and has used
// its key, Owl has not joined yet.
func burglars() family {
	const (
		readmit = "code={code}"
		alive   = "old_one_answers=true"
		noKey   = "a join key was refused"
	)
	as := func(r registration, key func(a *arena) string, inAddress bool) func(a *arena) answer {
		return func(a *arena) answer {
			r := r
			if r.endpoint == "" {
				r.endpoint = newStranger(a.t, 0, "odd").url
			}
			if r.key != "" {
				r.key = newKey(a.t)
			}
			if inAddress {
				r.keyed = key(a)
			} else {
				r.token = key(a)
			}
			return a.register(r)
		}
	}
	of := func(name string) func(a *arena) string {
		return func(a *arena) string { return a.cast["key of "+name].(string) }
	}
	none := func(*arena) string { return "" }
	invented := func(a *arena) string { return randomKey(a.t) }
	anotherRoots := func(a *arena) string { return a.cast["key of another root"].(string) }
	at := func(name string, key func(a *arena) string) func(a *arena) answer {
		return func(a *arena) answer {
			there := a.agent(protocol.RolePlayer, name).Endpoint
			return as(registration{name: "Mallory", endpoint: there, key: "own"}, key, false)(a)
		}
	}
	const own = "own" // a public key of the attacker's
	rows := []attack{
		{name: "a foreign player without a key", want: "E019", try: as(registration{name: "Mallory"}, none, false)},
		{name: "a native player without a key", want: "E019",
			try: as(registration{name: "Mallory", key: own}, none, false)},
		{name: "a guest referee without a key", want: "E019",
			try: as(registration{role: protocol.RoleReferee, name: "Mallory"}, none, false)},
		{name: "an invented key as a token", want: "E019", told: noKey,
			try: as(registration{name: "Mallory"}, invented, false)},
		{name: "an invented key in the address", want: "E019", told: noKey,
			try: as(registration{name: "Mallory", key: own}, invented, true)},
		{name: "the key of that name in another root", want: "E022", told: noKey,
			try: as(registration{name: "Owl", key: own}, anotherRoots, false)},
		{name: "the key of that name in another root, in the address", want: "E022", told: noKey,
			try: as(registration{name: "Owl"}, anotherRoots, true)},
		{name: "the name of one that is yet to come", want: "E022", told: "is reserved for an invited agent",
			try: as(registration{name: "Owl", key: own}, none, false)},
		{name: "the name of one that is there", want: "E022", told: readmit,
			try: as(registration{name: "Alpha", key: own}, none, false)},
		{name: "a player's key as a referee", want: "E019", told: noKey,
			try: as(registration{role: protocol.RoleReferee, name: "Mallory"}, of("Owl"), false)},
		{name: "a player's key as a native referee, in the address", want: "E019", told: noKey,
			try: as(registration{role: protocol.RoleReferee, name: "Mallory"}, of("Owl"), true)},
		{name: "a referee's key as a player", want: "E019", told: noKey,
			try: as(registration{name: "Mallory"}, of("Judge"), false)},
		{name: "a native player's key, with none of one's own", want: "E022", told: readmit,
			try: as(registration{name: "Alpha"}, of("Alpha"), false)},
		{name: "a native player's key, with another of one's own", want: "E022", told: alive,
			try: as(registration{name: "Alpha", key: own}, of("Alpha"), false)},
		{name: "a native player's key in the address", want: "E022", told: readmit,
			try: as(registration{name: "Mallory", key: own}, of("Alpha"), true)},
		{name: "a native player's key for the name of one that is yet to come", want: "E022", told: readmit,
			try: as(registration{name: "Owl", key: own}, of("Alpha"), true)},
		{name: "a native player's key, where that player is", want: "E022", told: readmit,
			try: at("Alpha", of("Alpha"))},
		{name: "a key that is one's own, where another player is", want: "E022", told: "does not accept the place",
			try: at("Alpha", of("Owl"))},
		{name: "a foreign player's key", want: "E022", told: alive,
			try: as(registration{name: "Gamma"}, of("Gamma"), false)},
		{name: "a foreign player's key in the address, with one of one's own", want: "E022", told: readmit,
			try: as(registration{name: "Gamma", key: own}, of("Gamma"), true)},
		{name: "a foreign player's place without its key", want: "E019", try: func(a *arena) answer {
			return a.register(registration{name: "Mallory", endpoint: a.cast["gamma"].(*stranger).url})
		}},
		{name: "a result by the address of a player", want: "E011", try: func(a *arena) answer {
			return post(a.t, keyring.KeyedAddress(a.url, of("Alpha")(a)), report("referee:REF01", "", "R1M1", nil))
		}},
		{name: "where the players are, by the address of a player", want: "E011", try: func(a *arena) answer {
			asks := question("referee:REF01", "", protocol.QueryPlayerDirectory)
			return post(a.t, keyring.KeyedAddress(a.url, of("Alpha")(a)), asks)
		}},
		{name: "an order by the address of a player", want: "E011", told: "START_LEAGUE without the admin token was refused",
			try: func(a *arena) answer {
				return post(a.t, keyring.KeyedAddress(a.url, of("Alpha")(a)), forged(protocol.TypeStartLeague, "admin", "", nil))
			}},
		{name: "a question by an address that nobody has", want: "E011", told: noKey, try: func(a *arena) answer {
			return post(a.t, keyring.KeyedAddress(a.url, randomKey(a.t)), question("player:P01", "", protocol.QueryNextMatch))
		}},
		{name: "the key of a roster that was invited again", want: "E022", told: readmit, try: func(a *arena) answer {
			again := a.invite(protocol.RolePlayer, "Alpha", "Beta", "Gamma", "Owl")
			if again[0] != of("Alpha")(a) || again[3] != of("Owl")(a) {
				a.t.Errorf("the keys of the roster have changed: %q", again)
			}
			return as(registration{name: "Alpha", key: own}, of("Alpha"), true)(a)
		}},
		{name: "two hundred guesses", want: "", try: guesses},
	}
	mallory := func(*arena) message { return message{"role": "player", "names": []string{"Mallory"}} }
	rows = append(rows, usurped(protocol.TypeInviteAgents, mallory, loot{"a join key", of("Alpha")})...)
	return family{name: "burglars", scene: shutRoom, attacks: rows, after: func(a *arena) {
		a.t.Helper()
		late := newStranger(a.t, 0, "odd")
		got := a.register(registration{name: "whatever", endpoint: late.url, keyed: a.cast["key of Owl"].(string)})
		if got.Status != protocol.Accepted || a.agent(protocol.RolePlayer, "Owl").ID != got.id() {
			a.t.Errorf("who is invited was not let in: %s", got.text)
		}
		late.is(got.id())
		playsItOut(a)
		own := a.agent(protocol.RolePlayer, "House Alpha (random)")
		if s := a.state(); len(s.Players()) != 5 || own.Invitation == "" {
			a.t.Errorf("%q play, want the four that were invited and the built-in one", s.Players())
		}
	}}
}

// shutRoom is a league for invited agents whose manager hosts a player.
func shutRoom(t *testing.T, strict bool) *arena {
	a := newArena(t, strict, settings{invited: true, bots: 1})
	names := []string{"Alpha", "Beta", "Gamma", "Owl"}
	for i, key := range a.invite(protocol.RolePlayer, names...) {
		a.cast["key of "+names[i]] = key
	}
	a.cast["key of Judge"] = a.invite(protocol.RoleReferee, "Judge")[0]
	a.cast["key of another root"] = keyElsewhere(t, "Owl")
	a.referee("Referee Alpha", "--max-matches", "8") // the organiser's referee, which needs no key
	for name, choice := range map[string]string{"Alpha": "even", "Beta": "odd"} {
		p, err := a.applies(name, choice, player.Options{JoinKey: a.cast["key of "+name].(string)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		close(p.gate)
	}
	gamma := newStranger(t, 0, "even")
	got := a.register(registration{name: "Gamma", endpoint: gamma.url, keyed: a.cast["key of Gamma"].(string)})
	if got.Status != protocol.Accepted {
		t.Fatalf("Gamma was not let in: %s", got.text)
	}
	gamma.is(got.id())
	a.cast["gamma"] = gamma
	rpctest.Eventually(t, "the built-in player is there", func() bool { return len(a.state().Players()) == 4 })
	return a
}

// invite invites agents as the organiser, and returns their join keys.
func (a *arena) invite(role protocol.Role, names ...string) (keys []string) {
	a.t.Helper()
	var reply struct {
		Result protocol.Invitations
	}
	got := a.order(protocol.TypeInviteAgents, message{"role": string(role), "names": names})
	if err := json.Unmarshal([]byte(got.text), &reply); err != nil || len(reply.Result.Invitations) != len(names) {
		a.t.Fatalf("%v: %s", err, got.text)
	}
	for _, i := range reply.Result.Invitations {
		keys = append(keys, i.Key)
	}
	return keys
}

// keyElsewhere is the join key of a player in a league of the same name, in another root.
func keyElsewhere(t *testing.T, name string) string {
	t.Helper()
	port := rpctest.Port() // of a manager that does not answer: the keys are made in the root
	elsewhere := &arena{t: t, root: t.TempDir()}
	elsewhere.write("config/system.json", fmt.Sprintf(`{"network":{"default_league_manager_port":%d}}`, port))
	said, status := run(t, "invite", "player", name, "--root", elsewhere.root, "--json")
	_, rest, ok := strings.Cut(said, `"key":"`)
	key, _, _ := strings.Cut(rest, `"`)
	if status != 0 || !ok {
		t.Fatalf("league invite: %s", said)
	}
	return key
}

// randomKey returns an unassigned join key in valid form.
func randomKey(t testing.TB) string {
	t.Helper()
	b := make([]byte, 32)
	if _, err := rand.Read(b); err != nil {
		t.Fatal(err)
	}
	return base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding).EncodeToString(b)[:26]
}

// guesses tries many join keys from one address. The organiser gets one warning, and other agents are not affected.
func guesses(a *arena) answer {
	at, codes := newStranger(a.t, 0, "odd").url, map[string]int{}
	for n := range 200 {
		r := registration{name: "Mallory", endpoint: at, from: "127.0.0.9"}
		if key := randomKey(a.t); n%2 == 0 {
			r.token = key
		} else {
			r.keyed = key
		}
		got := a.register(r)
		codes[got.Code]++
		if got.Status == protocol.Accepted || got.Token != "" {
			a.t.Fatalf("a guess was right: %s", got.text)
		}
	}
	if codes["E019"] == 0 || codes["E019"]+codes["E010"] != 200 {
		a.t.Errorf("200 guesses were answered %v, want E019, and E010 when they are too many", codes)
	}
	const line = "a join key was refused: no agent of this league and role has it"
	rpctest.Eventually(a.t, "the organiser is told", func() bool { return strings.Contains(a.manager.said(), "address=127.0.0.9") })
	told := 0
	for said := range strings.Lines(a.manager.said()) {
		if strings.Contains(said, line) && strings.Contains(said, "address=127.0.0.9") {
			told++
		}
	}
	if told > 2 { // once a minute
		a.t.Errorf("the organiser is told %d times", told)
	}
	return answer{}
}

// keyholders have the join key of a native agent that is not running. It admits that agent, and replaces nothing of it.
func keyholders() family {
	return family{name: "keyholders", each: true, lenient: true, attacks: []attack{
		{name: "a key whose owner has left, with another identity", want: "E022",
			told: "an agent registers as P01 without proof", listed: true,
			try: func(a *arena) answer {
				was := a.agent(protocol.RolePlayer, "Alpha")
				a.cast["Alpha"].(*process).kill()
				mallory, err := a.applies("Alpha", "odd", player.Options{JoinKey: a.cast["key"].(string)}, nil)
				if err == nil || !strings.Contains(err.Error(), "registered with another key") {
					a.t.Errorf("an agent with the join key is %s: %v", mallory.ID(), err)
				}
				key := a.cast["key"].(string)
				if got := post(a.t, keyring.KeyedAddress(a.url, key), question("player:"+was.ID, key,
					protocol.QueryNextMatch)); got.Code != "E012" {
					a.t.Errorf("a question with the join key: got %q, want E012", got.Code)
				}
				a.comesKeyed("Alpha").says("registered with")
				if now := a.agent(protocol.RolePlayer, "Alpha"); now.ID != was.ID || now.Key != was.Key ||
					now.Generation != was.Generation {
					a.t.Errorf("Alpha was %+v, and is %+v", was.Registered, now.Registered)
				}
				return answer{Code: "E022"}
			}},
	}, scene: func(t *testing.T, strict bool) *arena {
		a := newArena(t, strict, settings{invited: true})
		keys := a.invite(protocol.RolePlayer, "Alpha", "Beta")
		a.cast["key"] = keys[0]
		p := a.comesKeyed("Alpha")
		p.says("registered with")
		a.cast["Alpha"] = p
		beta, err := a.applies("Beta", "odd", player.Options{JoinKey: keys[1]}, nil)
		if err != nil {
			t.Fatal(err)
		}
		close(beta.gate)
		a.referee("Referee Alpha")
		return a
	}, after: heirsEnd}
}

// comesKeyed starts a player at the address with the key.
func (a *arena) comesKeyed(name string) *process {
	a.t.Helper()
	return a.playerComes(name, 0, "--manager", keyring.KeyedAddress(a.url, a.cast["key"].(string)))
}
