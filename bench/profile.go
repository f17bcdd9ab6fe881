package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// profileTime is how long the league is profiled, after the slices that are measured.
const profileTime = 4 * time.Second

// roles are the names of a league's processes, by agent.
var roles = [3]string{manager: "manager", referee: "referee", players: "players"}

// freeAddress is one of this machine that nobody uses at the moment.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// profiled adds to the arguments of a part where it shows its profiles, if those are wanted.
func (a *arena) profiled(agent int, args ...string) ([]string, error) {
	if !a.withProfiles {
		return args, nil
	}
	at, err := freeAddress()
	a.profiles[agent] = at
	return append(args, "--pprof", at), err
}

// profile lets the league play for a while longer and writes to a folder, for each of its processes, ROLE.cpu.pprof,
// ROLE.allocs.pprof (what was allocated meanwhile) and ROLE.heap.pprof (what is in use afterwards).
// GODEBUG=memprofilerate=1 in the environment makes the objects exact, and everything slow.
func (a *arena) profile(ctx context.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	seconds := int(profileTime.Seconds())
	var taking sync.WaitGroup
	failed := make([]error, 2*len(roles)+1)
	for agent := range roles {
		taking.Go(func() { failed[agent] = a.save(ctx, folder, agent, "cpu", fmt.Sprintf("profile?seconds=%d", seconds)) })
		taking.Go(func() {
			failed[len(roles)+agent] = a.save(ctx, folder, agent, "allocs", fmt.Sprintf("allocs?seconds=%d", seconds))
		})
	}
	_, failed[2*len(roles)] = a.play(ctx, profileTime)
	taking.Wait()
	for agent := range roles {
		failed = append(failed, a.save(ctx, folder, agent, "heap", "heap?gc=1"))
	}
	return errors.Join(failed...)
}

// save writes a profile of one process to ROLE.KIND.pprof.
func (a *arena) save(ctx context.Context, folder string, agent int, kind, page string) error {
	ctx, cancel := context.WithTimeout(ctx, profileTime+30*time.Second)
	defer cancel()
	url := "http://" + a.profiles[agent] + "/debug/pprof/" + page
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	f, err := os.Create(filepath.Join(folder, roles[agent]+"."+kind+".pprof"))
	if err != nil {
		return err
	}
	_, err = io.Copy(f, resp.Body)
	return errors.Join(err, f.Close())
}
