package chaos_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/client"
	"agentleague/rpc/rpctest"
)

// A clusterOperator gives orders to the managers of a cluster, and kills one of them each time.
type clusterOperator struct {
	*group
	rng      *rand.Rand
	id       string            // the league that is played
	annulled map[string][2]int // reasons, and how often the log may have them
	archived map[bool]bool     // the states that the other league may have
	moved    []string          // leagues that came from other roots
	results  map[string]int    // outcomes of the orders
}

// TestLongOrdersWhileManagersOfAClusterAreKilled gives orders to a cluster, takes backups of it, moves leagues to it and
// restarts its managers, and kills a manager each time at a random moment. An order is carried out, or refused with the
// reason.
func TestLongOrdersWhileManagersOfAClusterAreKilled(t *testing.T) {
	if !onOwnNetwork(t) {
		return
	}
	const seed = 7
	orders := 10
	if long() {
		orders = 100
	}
	o := &clusterOperator{group: newGroup(t), rng: rand.New(rand.NewPCG(seed, 31)), annulled: map[string][2]int{},
		archived: map[bool]bool{false: true}, results: map[string]int{}}
	o.id = o.createEndless("played", 4)
	if out, err := o.ask(0, "create", side, "--players", "2"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ctx, stop := context.WithCancel(t.Context())
	var crew sync.WaitGroup
	defer crew.Wait()
	defer stop()
	o.seat(ctx, &crew, 200*time.Millisecond)
	rpctest.Eventually(t, "the first result", func() bool { return !o.owned(o.id).resultAfter(time.Time{}).IsZero() })
	kinds := []struct {
		name string
		give func(asked int, victim *agent) error
	}{{"backup", o.backup}, {"move", o.move}, {"archive", o.archive}, {"annul", o.annul}, {"upgrade", o.upgrade}}
	for n := range orders {
		kind, victim := kinds[n%len(kinds)], o.managers[o.rng.IntN(3)]
		outcome := "done"
		if err := kind.give(o.rng.IntN(3), victim); err != nil {
			outcome = err.Error()
		}
		o.results[kind.name+": "+outcome]++
		o.returned(victim)
	}
	for _, outcome := range slices.Sorted(maps.Keys(o.results)) {
		t.Logf("seed %d: %d times %s", seed, o.results[outcome], outcome)
	}
	o.end()
}

// ask runs league with a manager of the cluster.
func (o *clusterOperator) ask(asked int, args ...string) (string, error) {
	return run(append(args, o.at(asked)...)...)
}

// at are the flags that select a manager of the cluster.
func (o *clusterOperator) at(asked int) []string {
	return []string{"--root", o.roots[asked], "--manager", o.url(asked) + "/mcp"}
}

// returned starts a killed manager again and waits until all answer and the league has another result.
func (o *clusterOperator) returned(victim *agent) {
	o.t.Helper()
	if !victim.running() {
		victim.start()
	}
	rpctest.Eventually(o.t, "its return", func() bool { return strings.Count(victim.said(), "Watch it at") == victim.lives })
	began := time.Now()
	rpctest.Eventually(o.t, "a further result", func() bool { return !o.owned(o.id).resultAfter(began).IsZero() })
}

// backup takes a backup of the cluster's league, and restores it into another root, which verifies it.
func (o *clusterOperator) backup(_ int, victim *agent) error {
	file := filepath.Join(o.t.TempDir(), "league.zip")
	err := during(o.t, o.rng, victim, 500*time.Millisecond, "backup", o.id, "--engine", o.engine, "--insecure-nats", "--root",
		o.t.TempDir(), "--to", file)
	if err != nil {
		return err
	}
	if out, err := run("restore", file, "--root", o.t.TempDir()); err != nil {
		o.t.Errorf("a backup cannot be restored: %v: %s", err, out)
	}
	return nil
}

// move moves a league from a root to the cluster. An interrupted move is repeated.
func (o *clusterOperator) move(_ int, victim *agent) error {
	id, root, file := fmt.Sprintf("moved%d", len(o.moved)+1), o.t.TempDir(), filepath.Join(o.t.TempDir(), "league.zip")
	for _, args := range [][]string{
		{"run", "--league-id", id, "--players", "2", "--referees", "1", "--port", "0", "--root", root},
		{"backup", id, "--move", "--root", root, "--to", file},
	} {
		if out, err := run(args...); err != nil {
			o.t.Fatalf("league %v: %v: %s", args, err, out)
		}
	}
	o.moved = append(o.moved, id)
	restore := []string{"restore", file, "--root", o.t.TempDir(), "--engine", o.engine, "--insecure-nats"}
	err := during(o.t, o.rng, victim, 500*time.Millisecond, restore...)
	if err == nil {
		return nil
	}
	if out, again := run(restore...); again != nil {
		o.t.Errorf("restore after %v: %v: %s", err, again, out)
	}
	return err
}

// archive archives the other league, or brings it back.
func (o *clusterOperator) archive(asked int, victim *agent) error {
	is := o.isArchived(asked)
	if !o.archived[is] {
		o.t.Errorf("%s: archived is %v, want one of %v", side, is, o.archived)
	}
	args := append([]string{"archive", side}, o.at(asked)...)
	if is {
		args = append(args, "--undo")
	}
	err := during(o.t, o.rng, victim, 80*time.Millisecond, args...)
	lost := err != nil && strings.Contains(err.Error(), client.ErrUnconfirmed.Error())
	o.archived = map[bool]bool{!is: err == nil || lost, is: err != nil}
	return err
}

// isArchived reports whether the cluster has archived the other league.
func (o *clusterOperator) isArchived(asked int) bool {
	out, err := o.ask(asked, "leagues", "--archived")
	if err != nil {
		o.t.Errorf("%v: %s", err, out)
	}
	return strings.Contains(out, side)
}

// annul annuls the newest result.
func (o *clusterOperator) annul(asked int, victim *agent) error {
	s, err := stateOf(o.newestRoot(o.id), o.id)
	if err != nil {
		return err
	}
	why := fmt.Sprintf("reason %d", len(o.annulled))
	err = during(o.t, o.rng, victim, 80*time.Millisecond,
		append([]string{"annul", newestResult(s), "--why", why, "--league-id", o.id}, o.at(asked)...)...)
	o.annulled[why] = timesInLog(err)
	return err
}

// upgrade interrupts a manager, and kills it if that takes longer.
func (o *clusterOperator) upgrade(_ int, victim *agent) error {
	ended := make(chan error, 1)
	go func() { ended <- victim.interrupt() }()
	time.Sleep(time.Duration(o.rng.IntN(300)) * time.Millisecond)
	victim.kill()
	<-ended
	return nil
}

// end cancels the league, and fails the test unless its files agree and all moved leagues are in the cluster.
func (o *clusterOperator) end() {
	o.t.Helper()
	rpctest.Eventually(o.t, "the end of the league", func() bool {
		_, err := o.ask(0, "cancel", "--league-id", o.id)
		return err == nil
	})
	var root string
	rpctest.Eventually(o.t, "a root with all of the league", func() bool {
		for _, root = range o.roots {
			if s, err := stateOf(root, o.id); err != nil || !s.Completed() {
				continue // its copy ends where it lost the league
			}
			if _, err := run("verify", "--root", root, "--league-id", o.id); err == nil {
				return true
			}
		}
		return false
	})
	checkAnnulments(o.t, root, o.id, o.annulled)
	out, err := o.ask(1, "leagues")
	for _, id := range o.moved {
		if err != nil || !strings.Contains(out, id) {
			o.t.Errorf("%s is not in the cluster: %v: %s", id, err, out)
		}
	}
}
