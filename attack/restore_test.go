package attack_test

import (
	"path/filepath"
	"strings"
	"testing"

	"agentleague/player"
	"agentleague/protocol"
)

// restorers are agents whose place was given to another agent before the organizer restored an older backup. Alpha's
// key was stolen, and Alpha has a new identity since.
func restorers() family {
	return family{name: "restorers", each: true, lenient: true, attacks: []attack{
		{name: "a readmission after the backup is undone", want: "E012", try: func(a *arena) answer {
			id, heir := a.idOf("Alpha"), a.cast["heir"].(*seated)
			a.restores(a.cast["backup"].(string))
			if now := a.agent(protocol.RolePlayer, "Alpha"); now.Key == heir.key() || now.Generation != 1 {
				a.t.Fatalf("Alpha is %+v", now.Registered)
			}
			// the token of the later epoch is worth nothing here
			if got := post(a.t, a.url, stolen(a.t, heir.token(), question("player:"+id, "", protocol.QueryNextMatch))); got.Code != "E012" {
				a.t.Errorf("the heir asks: got %q, want E012: %s", got.Code, got.text)
			}
			refused := a.register(registration{name: "Alpha", endpoint: heir.url, key: heir.key()})
			if refused.Code != "E022" {
				a.t.Errorf("the heir registers: got %q, want E022: %s", refused.Code, refused.text)
			}
			a.warns("league readmit " + id + " " + refused.Readmit)
			if got := a.order(protocol.TypeReadmitAgent, message{"agent_id": id, "code": refused.Readmit}); got.Code != "" {
				a.t.Fatalf("the heir is not readmitted: %s", got.text)
			}
			if err := heir.Register(heir.ctx, a.url, heir.url); err != nil {
				a.t.Fatal(err)
			}
			if now := a.agent(protocol.RolePlayer, "Alpha"); now.Key != heir.key() || now.Generation != 2 {
				a.t.Errorf("Alpha is %+v", now.Registered)
			}
			// and the thief is out again
			return post(a.t, a.url, stolen(a.t, a.cast["ended"].(string), question("player:"+id, "", protocol.QueryNextMatch)))
		}},
	}, scene: func(t *testing.T, strict bool) *arena {
		a := newArena(t, strict, settings{})
		a.referee("Referee Alpha")
		alpha := a.seat("Alpha", "odd", false)
		a.seat("Beta", "odd", false)
		a.cast["ended"] = alpha.token()
		a.cast["backup"] = filepath.Join(t.TempDir(), "backup.zip")
		if said, status := run(t, "backup", "--root", a.root, "--to", a.cast["backup"].(string)); status != 0 {
			t.Fatalf("league backup: %s", said)
		}
		alpha.stop()
		heir := a.newSeat("Alpha", "even", player.Options{})
		close(heir.gate)
		if err := heir.enters(a, heir.Node); err == nil {
			t.Fatal("another key is Alpha")
		}
		a.lets(heir, alpha.ID())
		a.cast["heir"] = heir
		return a
	}, after: func(a *arena) {
		playsItOut(a)
		choosesOnly(a.t, a.state(), map[string]string{a.idOf("Alpha"): "even", a.idOf("Beta"): "odd"})
	}}
}

// restores kills the manager and starts it again, at the same port, with the root of a backup.
func (a *arena) restores(file string) {
	a.t.Helper()
	a.manager.kill()
	a.root = a.t.TempDir()
	said, status := run(a.t, "restore", file, "--root", a.root)
	if status != 0 || !strings.Contains(said, "The backup is of ") ||
		!strings.Contains(said, "readmissions, which have to") {
		a.t.Fatalf("league restore ends with %d: %s", status, said)
	}
	a.manages(portOf(a.t, a.url))
}
