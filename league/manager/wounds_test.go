package manager_test

import (
	"fmt"
	"slices"
	"time"

	"agentleague/protocol"
)

// A wound is something that was done to machines, and how long it hurt: a crash until the machine is back in the
// league, a cable until it is mended.
type wound struct {
	what     string
	machines []string
	from, to time.Time // to is zero while it hurts
}

// hurt notes that something was done to machines.
func (w *world) hurt(what string, machines ...string) *wound {
	w.mu.Lock()
	defer w.mu.Unlock()
	x := &wound{what: what, machines: machines, from: time.Now()}
	w.wounds = append(w.wounds, x)
	return x
}

// mended notes that it hurts no longer.
func (w *world) mended(x *wound) {
	w.mu.Lock()
	defer w.mu.Unlock()
	x.to = time.Now()
}

// healed notes that a machine that crashed is back in the league.
func (w *world) healed(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.wounds {
		if x.what == "crash" && x.machines[0] == name && x.to.IsZero() {
			x.to = time.Now()
		}
	}
}

// wounded reports whether anything was wrong with one of the machines between two times. Those in the log have no
// fractions.
func (w *world) wounded(from, to time.Time, names ...string) bool {
	const slack = 2 * time.Second
	return slices.ContainsFunc(w.wounds, func(x *wound) bool {
		touched := slices.ContainsFunc(names, func(name string) bool { return slices.Contains(x.machines, name) })
		return touched && !x.from.After(to.Add(slack)) && (x.to.IsZero() || !x.to.Before(from.Add(-slack)))
	})
}

// crashed kills the process of a machine and stores the time.
func (w *world) crashed(name string) {
	w.hurt("crash", name)
	w.crash(name)
}

// crashManager ends the manager that is reached now.
func (w *world) crashManager() {
	w.mu.Lock()
	name := w.managers[len(w.managers)-1]
	w.mu.Unlock()
	w.crashed(name)
}

// cut disconnects two groups of machines from each other.
func (w *world) cut(k string, at, back time.Duration, group, others []string) {
	var x *wound
	set := func(cut bool) {
		for _, a := range group {
			for _, b := range others {
				w.net.Cut(a, b, cut)
			}
		}
	}
	w.net.At(at, "cut "+k, func() { x = w.hurt("cut", slices.Concat(group, others)...); set(true) })
	w.net.At(back, "mend "+k, func() { w.mended(x); set(false) })
}

// down crashes a referee or a player and boots it again.
func (w *world) down(k string, at, back time.Duration, role protocol.Role, n int) {
	name := protocol.AgentID(role, n)
	w.net.At(at, "crash "+name+k, func() { w.crashed(name) })
	w.net.At(back, "boot "+name+k, func() {
		if role == protocol.RoleReferee {
			w.bootReferee(n)
			return
		}
		w.bootPlayer(n)
	})
}

// managerDown crashes the manager and boots it again.
func (w *world) managerDown(k string, at, back time.Duration) {
	w.net.At(at, "crash LM"+k, w.crashManager)
	w.net.At(back, "boot LM"+k, func() { go w.bootManager() })
}

// usurp starts a second manager at the first one's address. The first loses its callers without noticing.
func (w *world) usurp(k string, at time.Duration) {
	w.net.At(at, "usurp LM"+k, func() {
		w.hurt("usurp", "LM")
		go w.bootManagerAs(fmt.Sprint("LM", k))
	})
}

// withdraw has the admin take a player out of the league once it has started: before that there may be too few left.
func (w *world) withdraw(k string, at time.Duration, id string) {
	p, _ := w.boot("admin"+k, 9000+int(k[0]))
	w.net.At(at, "withdraw "+id+k, func() {
		go func() {
			for !w.state().Started() {
				if p.Sleep(p.Context(), "admin waits", time.Second) != nil {
					return
				}
			}
			body := fmt.Sprintf(
				`{"jsonrpc":"2.0","id":1,"method":"withdraw_player","params":{"sender":"admin","auth_token":%q,"player_id":%q}}`,
				adminToken, id)
			_, _, _ = p.Post(p.Context(), managerURL, "withdraw_player", []byte(body))
		}()
	})
}
