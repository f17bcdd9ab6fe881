package chaos_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// The leagues of a history. Agents of the test play in the first one; the others never start.
const (
	playedLeague = "played" // results are annulled, and it is paused and resumed
	leftLeague   = "left"   // players register and are withdrawn
	joinedLeague = "joined" // players register
)

// An action is one operation of a client on one league.
type action struct {
	league string
	kind   string // register, withdraw, annul, pause, resume, or read
	object string // a name, an id, or a match
}

// A response is the outcome of an action. Without an answer, an order may take effect at any later time, or never.
type response struct {
	lost    bool
	refused bool
	read    leagueView
}

// A leagueView is the part of the read model of a league that the clients change.
type leagueView struct {
	players string // names, sorted
	orders  string // kinds and objects of orders, in the order of the log
}

// readModel is the sequential specification: a league is a set of players and a list of orders.
var readModel = porcupine.NondeterministicModel{
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		byLeague := map[string][]porcupine.Operation{}
		for _, o := range history {
			id := o.Input.(action).league
			byLeague[id] = append(byLeague[id], o)
		}
		for _, id := range []string{playedLeague, leftLeague, joinedLeague} {
			parts = append(parts, byLeague[id])
		}
		return parts
	},
	Init: func() []any { return []any{leagueView{}} },
	Step: func(state, in, out any) []any {
		was, a, r := state.(leagueView), in.(action), out.(response)
		is := was.after(a)
		switch {
		case a.kind == "read" && r.read == was, r.refused && a.kind == "annul":
			return []any{was}
		case a.kind == "read" || r.refused:
			return nil
		case a.kind == "resume" && is == was: // it may also end the drain of a league that is handed over
			is.orders += "\nresume "
			return []any{was, is}
		case r.lost && is != was:
			return []any{was, is}
		}
		return []any{is}
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v → %+v", in, out) },
	DescribeState:     func(state any) string { return fmt.Sprintf("%+v", state) },
}

// after returns the view after an order that was carried out.
func (v leagueView) after(a action) leagueView {
	order := a.kind + " " + a.object
	orders := strings.Split(v.orders, "\n")
	switch a.kind {
	case "read":
		return v
	case "register":
		names := append(strings.Fields(v.players), a.object)
		slices.Sort(names)
		v.players = strings.Join(slices.Compact(names), " ")
		return v
	case "withdraw":
		if slices.Contains(orders, order) {
			return v
		}
	case "pause", "resume":
		i := len(orders) - 1
		for i >= 0 && orders[i] != "pause " && orders[i] != "resume " {
			i--
		}
		if paused := i >= 0 && orders[i] == "pause "; paused == (a.kind == "pause") {
			return v
		}
	}
	v.orders += "\n" + order
	return v
}
