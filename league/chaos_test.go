package league_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"agentleague/engine/sim"
	"agentleague/game/catalog"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
)

// chaos runs a league in which machines crash and come back, cables are cut
// and messages are lost, late and repeated, all decided by the seed. It
// returns the run's fingerprint and its trace.
func chaos(t *testing.T, seed uint64) (fingerprint string, trace []string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 99))
	players, referees := 2+int(seed%4), 1+int(seed%3)
	faults := rpc.Faults{Loss: 0.02 * rng.Float64(), Duplicate: 0.05 * rng.Float64(), Delay: time.Duration(1+rng.IntN(400)) * time.Millisecond}
	inWorld(t, seed, faults, league.Options{StartPlayers: players, StartReferees: referees}, func(w *world) {
		w.bootAll(referees, players)
		w.plan(rng, referees, players)
		if w.finish(4 * time.Hour) {
			w.checkLaws()
		}
		fingerprint, trace = w.fingerprint(), w.net.Trace()
	})
	return fingerprint, trace
}

// plan schedules what goes wrong.
func (w *world) plan(rng *rand.Rand, referees, players int) {
	for k := range 1 + rng.IntN(4) {
		at := time.Duration(rng.IntN(60_000)) * time.Millisecond
		back := at + time.Duration(rng.IntN(20_000))*time.Millisecond
		n := 1 + rng.IntN(players)
		r := 1 + rng.IntN(referees)
		switch what := rng.IntN(5); what {
		case 0:
			w.net.At(at, fmt.Sprint("crash LM ", k), func() { w.crash("LM") })
			w.net.At(back, fmt.Sprint("boot LM ", k), func() { go w.bootManager() })
		case 1:
			name := protocol.AgentID(protocol.RoleReferee, r)
			w.net.At(at, fmt.Sprint("crash ", name, k), func() { w.crash(name) })
			w.net.At(back, fmt.Sprint("boot ", name, k), func() { w.bootReferee(r) })
		case 2:
			name := protocol.AgentID(protocol.RolePlayer, n)
			w.net.At(at, fmt.Sprint("crash ", name, k), func() { w.crash(name) })
			w.net.At(back, fmt.Sprint("boot ", name, k), func() { w.bootPlayer(n) })
		case 3:
			a, b := "LM", protocol.AgentID(protocol.RoleReferee, r)
			w.net.At(at, fmt.Sprint("cut ", a, b, k), func() { w.net.Cut(a, b, true) })
			w.net.At(back, fmt.Sprint("mend ", a, b, k), func() { w.net.Cut(a, b, false) })
		case 4:
			a, b := protocol.AgentID(protocol.RolePlayer, n), protocol.AgentID(protocol.RoleReferee, r)
			w.net.At(at, fmt.Sprint("cut ", a, b, k), func() { w.net.Cut(a, b, true) })
			w.net.At(back, fmt.Sprint("mend ", a, b, k), func() { w.net.Cut(a, b, false) })
		}
	}
}

// checkLaws holds what must be true of every league, whatever went wrong in it.
func (w *world) checkLaws() {
	t, s := w.t, w.state()
	if !s.Completed() || s.Recorded != s.Schedule.Matches() {
		t.Errorf("completed %v with %d of %d matches", s.Completed(), s.Recorded, s.Schedule.Matches())
	}
	played, points := 0, 0
	for _, row := range s.Standings() {
		played += row.Played
		points += row.Points
		if row.Wins+row.Draws+row.Losses != row.Played || row.Points != 3*row.Wins+row.Draws {
			t.Errorf("row does not add up: %+v", row)
		}
	}
	if played != 2*s.Recorded {
		t.Errorf("sum of played = %d, want twice %d", played, s.Recorded)
	}
	if protocol.DrawCommitment(leagueID, unhex(t, s.DrawSecret)) != s.Created.DrawCommitment {
		t.Error("the revealed secret is not the one that was promised")
	}
	for id, m := range s.Matches {
		if m.Outcome.Attempt == 0 {
			continue
		}
		key := protocol.DrawKey(unhex(t, s.DrawSecret), leagueID, id, s.Agents[m.A].Nonce, s.Agents[m.B].Nonce)
		if got := m.Outcome.DrawKey; got != fmt.Sprintf("%x", key) {
			t.Errorf("%s: draw key %s does not follow from the secret", id, got)
		}
	}
	w.checkRecords()
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
		if !audit.Provable(m) {
			continue
		}
		doc, err := w.recorders[m.Outcome.Referee].Document(context.Background(), protocol.RecordRef{LeagueID: leagueID, MatchID: id, Attempt: m.Outcome.Attempt})
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
