package attack_test

import (
	"crypto/ed25519"
	"strings"
	"testing"

	"agentleague/league"
	"agentleague/protocol"
)

// impostors register as an agent that is already in the league. All participants are running; the league has not
// started.
func impostors() family {
	const (
		player  = protocol.RolePlayer
		referee = protocol.RoleReferee
		readmit = "{code}`" // after the order that is to be typed
		refused = "a registration was refused"
		claims  = "and cannot sign with it"
	)
	as := func(role protocol.Role, name string, change func(a *arena, r *registration)) func(a *arena) answer {
		return func(a *arena) answer {
			of := a.agent(role, name)
			r := registration{role: role, name: name, endpoint: newStranger(a.t, 0, "odd").url, id: of.ID}
			change(a, &r)
			return a.register(r)
		}
	}
	there := func(a *arena, r *registration) { r.endpoint = a.agent(r.role, r.name).Endpoint }
	keyed := func(a *arena, r *registration) { r.key = newKey(a.t) }
	rows := []attack{
		{name: "a foreign endpoint spelled in another way is the same agent", want: "",
			try: as(player, "Gamma", func(a *arena, r *registration) {
				there(a, r)
				r.endpoint = strings.Replace(r.endpoint, "localhost", "127.0.0.1", 1) + "/../mcp"
			})},
		{name: "an address with a query", want: "E002", try: as(player, "Gamma", func(a *arena, r *registration) {
			there(a, r)
			r.endpoint += "?x"
		})},
		{name: "the manager's address", want: "E024", try: as(player, "Gamma", func(a *arena, r *registration) {
			r.name, r.endpoint = "Nobody", a.url
		})},
		{name: "the manager's port", want: "E024", try: as(player, "Gamma", func(a *arena, r *registration) {
			r.name, r.endpoint = "Nobody", strings.Replace(a.url, "localhost", "[::1]", 1)+"/x"
		})},
	}
	for _, who := range []struct {
		role         protocol.Role
		name, friend string // friend is one of the role whose ticket anybody gets
	}{{player, "Alpha", "Gamma"}, {referee, "Referee Alpha", "Visitor"}} {
		what := "native " + string(who.role)
		withKey := "code={code}"
		if who.role == referee { // it is challenged, since it may be the organiser's
			withKey = refused
		}
		own := func(change func(a *arena, r *registration)) func(a *arena) answer {
			return as(who.role, who.name, change)
		}
		rows = append(rows,
			attack{name: what + " by name", want: "E022", told: readmit, try: own(func(*arena, *registration) {})},
			attack{name: what + " by name, which says that the true one answers", want: "E022", told: "old_one_answers=true",
				try: own(func(*arena, *registration) {})},
			attack{name: what + " by name with a key", want: "E022", told: withKey, try: own(keyed)},
			attack{name: what + " by name and endpoint", want: "E022", told: "code={code}", try: own(there)},
			attack{name: what + " by name and endpoint with a key", want: "E022", told: withKey,
				try: own(func(a *arena, r *registration) {
					there(a, r)
					keyed(a, r)
				})},
			attack{name: what + " by its endpoint under another name", want: "E022", told: "code={code}",
				try: own(func(a *arena, r *registration) {
					there(a, r)
					r.name, r.id = "Other", "other"
				})},
			attack{name: what + " by its endpoint in other words", want: "E022", told: "code={code}",
				try: own(func(a *arena, r *registration) {
					there(a, r)
					r.name, r.endpoint =
						"Other", strings.NewReplacer("localhost", "LOCALHOST.", "/mcp", "//x/../mcp").Replace(r.endpoint)
				})},
			attack{name: what + " by its endpoint under another name with a key", want: "E022", told: refused,
				try: own(func(a *arena, r *registration) {
					there(a, r)
					r.name, r.id = "Other", "other"
					keyed(a, r)
				})},
			attack{name: what + " by its public key from elsewhere", want: "E022", told: "runs at",
				try: own(func(a *arena, r *registration) {
					r.key = a.agent(r.role, r.name).Key
				})},
			attack{name: what + " by its public key with another agreement key", want: "E022", told: claims,
				try: own(func(a *arena, r *registration) {
					r.key, r.swapped = a.agent(r.role, r.name).Key, true
				})},
			attack{name: what + " by its public key and endpoint under another name", want: "E022", told: claims,
				try: own(func(a *arena, r *registration) {
					there(a, r)
					r.key, r.name = a.agent(r.role, r.name).Key, "Other"
				})},
			attack{name: what + " with an invented token", want: "E022", told: "code={code}",
				try: own(func(_ *arena, r *registration) {
					r.token = protocol.Ticket([]byte("guessed"), leagueID, protocol.Sender(r.role, r.id), 1)
				})},
			attack{name: what + " with the ticket of a foreign one", want: "E022", told: "code={code}",
				try: own(func(a *arena, r *registration) {
					r.token = a.register(registration{
						role: r.role, name: who.friend, endpoint: a.agent(r.role, who.friend).Endpoint,
					}).Token
				})},
			attack{name: what + " with its stolen token from elsewhere", want: "E022", told: "code={code}",
				try: own(func(a *arena, r *registration) {
					r.token = a.identity(r.name).Token
				})},
			attack{name: what + " with its stolen token from elsewhere and a key", want: "E022", told: withKey,
				try: own(func(a *arena, r *registration) {
					r.token = a.identity(r.name).Token
					keyed(a, r)
				})},
			attack{name: what + " with its stolen token and public key from elsewhere", want: "E022", told: "runs at",
				try: own(func(a *arena, r *registration) {
					r.token, r.key = a.identity(r.name).Token, a.agent(r.role, r.name).Key
				})},
			attack{
				name: "foreign " + string(who.role) + " by name with a key", want: "E022", told: refused,
				try: as(who.role, who.friend, keyed),
			},
			attack{
				name: "foreign " + string(who.role) + " by its endpoint, which is that agent", want: "",
				try: as(who.role, who.friend, there),
			},
			attack{name: "foreign " + string(who.role) + " by its endpoint with a key, which nobody there can sign with",
				want: "E022", told: refused, try: as(who.role, who.friend, func(a *arena, r *registration) {
					there(a, r)
					r.name = "Other"
					keyed(a, r)
				})},
		)
	}
	return family{name: "impostors", scene: classroom, attacks: rows, after: playsItOut}
}

// newKey is the public half of a key that the attacker has made.
func newKey(t testing.TB) string {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return protocol.PublicKey(key)
}

// classroom is a league that waits for its start: an organiser's referee and two native players, all processes, and
// a player and a referee of another make.
func classroom(t *testing.T, strict bool) *arena {
	a := newArena(t, strict, settings{})
	a.referee("Referee Alpha", "--max-matches", "8")
	a.player("Alpha", 0)
	a.player("Beta", 0)
	newStranger(t, 0, "even").join(a, protocol.RolePlayer, "Gamma")
	newStranger(t, 0, "even").join(a, protocol.RoleReferee, "Visitor")
	return a
}

// playsItOut plays the league and wants it to have been played by those who were there first, each as itself.
func playsItOut(a *arena) {
	a.t.Helper()
	if a.t.Failed() {
		return
	}
	before := a.roster()
	a.start()
	s := a.finish(0)
	if after := a.roster(); strings.Join(before, "\n") != strings.Join(after, "\n") {
		a.t.Errorf("the league had %s and has now %s", before, after)
	}
	honest(a.t, s)
}

// honest wants every match to have been played by its players: proven where both sign, judged elsewhere, forfeited
// nowhere.
func honest(t testing.TB, s *league.State) {
	t.Helper()
	for id, m := range s.Matches {
		want := league.Judged
		if s.Agents[m.A].Native() && s.Agents[m.B].Native() {
			want = league.Proven
		}
		if m.Proof != want || m.Outcome.Result.Status == protocol.TechnicalLoss || len(m.Against) > 0 {
			t.Errorf("%s of %s and %s is %s, want %s: %+v, contested %+v", id, s.Agents[m.A].Name, s.Agents[m.B].Name, m.Proof,
				want, m.Outcome.Result, m.Against)
		}
	}
}
