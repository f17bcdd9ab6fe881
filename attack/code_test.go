package attack_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// forgers want to be let in with a code of four letters that is not theirs, or not good any more. The organiser has let
// Mallory be Alpha, which runs, by its code: it was mistaken, and takes that back in the end.
func forgers() family {
	alpha := func(a *arena) *seated { return a.cast["alpha"].(*seated) }
	code := func(of string) func(a *arena) string {
		return func(a *arena) string { return a.cast["code of "+of].(string) }
	}
	readmits := func(id, code func(a *arena) string) func(a *arena) answer {
		return func(a *arena) answer {
			return a.order(protocol.TypeReadmitAgent, message{"agent_id": id(a), "code": code(a)})
		}
	}
	text := func(s string) func(*arena) string { return func(*arena) string { return s } }
	idOf := func(name string) func(a *arena) string { return func(a *arena) string { return a.idOf(name) } }
	zedAsBeta := func(a *arena) message { return message{"agent_id": a.idOf("Beta"), "code": code("Zed")(a)} }
	ended := loot{"a token that has ended", func(a *arena) string { return a.cast["ended"].(string) }}
	rows := usurped(protocol.TypeRenameAgent, func(a *arena) message {
		return message{"agent_id": a.idOf("Beta"), "display_name": "Mallory"}
	}, ended)
	rows = append(rows, usurped(protocol.TypeMergeAgents, func(a *arena) message {
		return message{"kept_id": a.idOf("Alpha"), "gone_id": a.idOf("Beta")}
	}, ended)...)
	rows = append(usurped(protocol.TypeReadmitAgent, zedAsBeta,
		loot{"the token of a player", func(a *arena) string { return a.cast["beta"].(*seated).token() }},
		ended,
		loot{"the code", code("Zed")},
	),
		rows...)
	rows = append(rows,
		attack{name: "codes that were guessed", want: "E002", try: func(a *arena) (got answer) {
			const letters = "BCDFGHJKLMNPQRSTVWXZ"
			for n := range 20 {
				guess := fmt.Sprintf("%c%c%c%c", letters[n%20], letters[n%17], letters[n%13], letters[n%11])
				if got = readmits(idOf("Beta"), text(guess))(a); got.Code != "E002" && guess != code("Zed")(a) {
					return got
				}
			}
			return got
		}},
		attack{name: "another's code", want: "E002", try: readmits(idOf("Alpha"), code("Zed"))},
		attack{name: "a code that was used", want: "E002", try: readmits(idOf("Alpha"), code("Mallory"))},
		attack{name: "an older code than the one that was used", want: "E002",
			try: readmits(idOf("Alpha"), code("Xaver"))},
		attack{name: "no code, of an agent that is in the league", want: "E002", try: readmits(idOf("Beta"), text(""))},
		attack{name: "a code of nobody", want: "E002", try: readmits(text("P99"), code("Zed"))},
		attack{name: "who had the older code registers again", want: "E022", told: "code={code}",
			try: func(a *arena) answer {
				got := a.register(a.cast["xaver"].(registration))
				if got.Readmit == code("Xaver")(a) {
					a.t.Errorf("the old code %s is good again", got.Readmit)
				}
				return got
			}},
		attack{name: "a token that ended when another was let in asks", want: "E012", try: func(a *arena) answer {
			return post(a.t, a.url, stolen(a.t, a.cast["ended"].(string), question("player:"+a.idOf("Alpha"), "",
				protocol.QueryNextMatch)))
		}},
		attack{name: "a token that ended when another was let in registers", want: "E022", told: "code={code}",
			try: func(a *arena) answer {
				return a.register(registration{
					name: "Alpha", endpoint: alpha(a).url, id: a.idOf("Alpha"), token: a.cast["ended"].(string),
				})
			}},
	)
	return family{name: "forgers", scene: mistaken, attacks: rows, after: func(a *arena) {
		a.t.Helper()
		if a.t.Failed() {
			return
		}
		mallory, id := a.cast["mallory"].(*seated), a.idOf("Alpha")
		a.lets(alpha(a), id)
		if now := a.idOf("Alpha"); now != id || alpha(a).ID() != id {
			a.t.Fatalf("Alpha was %s and is %s", id, now)
		}
		got := post(a.t, a.url, stolen(a.t, mallory.token(), question("player:"+id, "", protocol.QueryNextMatch)))
		if got.Code != "E012" {
			a.t.Errorf("the token of Mallory is still good: %s", got.text)
		}
		playsItOut(a)
		choosesOnly(a.t, a.state(), map[string]string{id: "even", a.idOf("Beta"): "odd"})
	}}
}

// mistaken is a league before its start. The organiser has readmitted Mallory, who plays odd, as Alpha, who plays even
// and was reachable all the time.
func mistaken(t *testing.T, strict bool) *arena {
	a := newArena(t, strict, settings{})
	a.referee("Referee Alpha")
	alpha, beta := a.seat("Alpha", "even", false), a.seat("Beta", "odd", false)
	a.cast["alpha"], a.cast["beta"], a.cast["ended"] = alpha, beta, alpha.token()
	for name, as := range map[string]string{"Xaver": "Alpha", "Zed": "Beta"} {
		r := registration{name: as, key: newKey(t), endpoint: newStranger(t, 0, "odd").url}
		got := a.register(r)
		if got.Readmit == "" {
			t.Fatalf("%s was not refused with a code: %s", name, got.text)
		}
		a.cast["code of "+name] = got.Readmit
		if name == "Xaver" {
			a.cast["xaver"] = r
		}
	}
	mallory, err := a.applies("Alpha", "odd", player.Options{}, nil)
	if err == nil {
		t.Fatal("Mallory was let in although Alpha runs")
	}
	close(mallory.gate)
	a.cast["mallory"] = mallory
	a.cast["code of Mallory"] = a.lets(mallory, alpha.ID())
	return a
}

// lets has the organiser let a player that was refused be an agent, and returns the code.
func (a *arena) lets(p *seated, id string) (code string) {
	a.t.Helper()
	known := a.codesOf(p.url)
	registered := make(chan error, 1) // an agent that had a place asks again by itself
	go func() { registered <- p.Register(p.ctx, a.url, p.url) }()
	rpctest.Eventually(a.t, "the code of the agent that was refused", func() bool {
		now := a.codesOf(p.url)
		if len(now) == 0 || p.ID() == id && slices.Contains(known, now[len(now)-1]) { // another's, at that address
			return false
		}
		code = now[len(now)-1]
		return true
	})
	if got := a.order(protocol.TypeReadmitAgent, message{"agent_id": id, "code": code}); got.Code != "" {
		a.t.Fatalf("the organiser's code %q is refused: %s", code, got.text)
	}
	if err := <-registered; err != nil { // an agent that had no identity ends and is started again
		err = p.Register(p.ctx, a.url, p.url)
		if err != nil || p.ID() != id {
			a.t.Fatalf("the agent that was let in is %s: %v", p.ID(), err)
		}
	}
	return code
}

// codesOf lists the codes of the agents at an endpoint that were refused, the newest last.
func (a *arena) codesOf(endpoint string) (codes []string) {
	a.t.Helper()
	said, status := run(a.t, "status", "--root", a.root, "--manager", a.url, "--json")
	var shown struct {
		Refused []struct{ Code, Endpoint string }
	}
	if err := json.Unmarshal([]byte(said), &shown); status != 0 || err != nil {
		a.t.Fatalf("league status: %v: %s", err, said)
	}
	for _, r := range shown.Refused {
		if r.Endpoint == endpoint {
			codes = append(codes, r.Code)
		}
	}
	return codes
}
