package manager_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"agentleague/engine/sim"
	"agentleague/game/catalog"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc/rpctest"
)

// chaos runs a league in which machines crash and come back, cables are cut
// and messages are lost, late and repeated, all decided by the seed. It
// returns the run's fingerprint and its trace.
func chaos(t *testing.T, seed uint64) (fingerprint string, trace []string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 99))
	players, referees := 2+int(seed%4), 1+int(seed%3)
	faults := rpctest.Faults{Duplicate: 0.05 * rng.Float64(), Delay: time.Duration(1+rng.IntN(400)) * time.Millisecond}
	if seed%5 > 1 { // in the others nothing is lost, and whoever forfeits must have been hurt
		faults.Loss = 0.02 * rng.Float64()
	}
	o := manager.Options{StartPlayers: players, StartReferees: referees, Pace: time.Duration(rng.IntN(3)) * time.Second}
	inWorld(t, seed, faults, o, func(w *world) {
		l := w.watchLaws(faults)
		if seed%4 == 3 { // some are of another make
			w.masked[protocol.AgentID(protocol.RolePlayer, 1+rng.IntN(players))] = true
			w.masked[protocol.AgentID(protocol.RoleReferee, 1+rng.IntN(referees))] = rng.IntN(2) == 0
		}
		w.bootAll(referees, players)
		w.plan(rng, referees, players)
		if w.finish(6 * time.Hour) {
			l.check()
		}
		fingerprint, trace = w.fingerprint(), w.net.Trace()
	})
	return fingerprint, trace
}

// plan schedules the faults.
func (w *world) plan(rng *rand.Rand, referees, players int) {
	span := []int{2_000, 8_000, 60_000}[rng.IntN(3)] // most leagues are over in less than a minute
	for n := range 1 + rng.IntN(5) {
		k := fmt.Sprint(n)
		at := time.Duration(rng.IntN(span)) * time.Millisecond
		back := at + time.Duration(rng.IntN(20_000))*time.Millisecond
		p, r := 1+rng.IntN(players), 1+rng.IntN(referees)
		player, referee := protocol.AgentID(protocol.RolePlayer, p), protocol.AgentID(protocol.RoleReferee, r)
		switch rng.IntN(9) {
		case 0:
			w.managerDown(k, at, back)
		case 1:
			w.down(k, at, back, protocol.RoleReferee, r)
		case 2:
			w.down(k, at, back, protocol.RolePlayer, p)
		case 3:
			w.cut(k, at, back, []string{"LM"}, []string{referee})
		case 4:
			w.cut(k, at, back, []string{player}, []string{referee})
		case 5: // the manager is down for long, and a referee dies and restarts in the meantime
			w.managerDown(k, at, at+3*time.Minute)
			w.down(k, at+time.Minute, at+2*time.Minute, protocol.RoleReferee, r)
		case 6:
			w.usurp(k, at)
		case 7: // the network falls in two
			w.cut(k, at, back, []string{"LM", player}, w.others("LM", player))
		case 8:
			w.withdraw(k, at, player)
		}
	}
}

// others lists the agents that are none of these.
func (w *world) others(these ...string) (out []string) {
	for name := range w.procs {
		if !slices.Contains(these, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// checkRecords audits the log, and holds every record that counts against it and against itself.
func (w *world) checkRecords() {
	check := func(r *protocol.MatchResultReport, a, b string) error {
		return referee.VerifyLogged(catalog.Lookup, r, a, b)
	}
	audit, err := league.NewAudit(w.disk.Open(sim.Options{}).Read(context.Background(), leagueID, 0), check)
	if err != nil || len(audit.Findings) > 0 {
		w.t.Errorf("the log is not sound: %v, %+v", err, audit.Findings)
	}
	for id, m := range audit.State.Matches {
		if !audit.Provable(m) || m.Outcome.RecordSHA256 == "" { // a guest keeps its own
			continue
		}
		doc, err := w.recorders[m.Outcome.Referee].Document(context.Background(),
			protocol.RecordRef{LeagueID: leagueID, MatchID: id, Attempt: m.Outcome.Attempt})
		if err != nil || protocol.RecordHash(doc) != m.Outcome.RecordSHA256 {
			w.t.Errorf("%s: the record is not the one that was reported: %v", id, err)
			continue
		}
		rec, err := protocol.ParseRecord(doc)
		if err == nil {
			err = audit.CheckRecord(m, &rec)
		}
		if err == nil {
			err = referee.VerifyRecord(catalog.Lookup, &rec, audit.State.Created.Scoring)
		}
		if err != nil {
			w.t.Errorf("%s: %v", id, err)
		}
	}
}
