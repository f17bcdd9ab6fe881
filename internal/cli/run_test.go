package cli

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"agentleague/game/catalog"
	"agentleague/rpc/rpctest"
	"agentleague/server"
)

// A player that cannot have its port ends the run with a sentence; the others
// do not wait for it.
func TestRunEndsWhenAPlayersPortIsTaken(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	base := taken.Addr().(*net.TCPAddr).Port - 101
	var out, errs bytes.Buffer
	status := make(chan int, 1)
	go func() {
		status <- run(t.Context(), []string{"run", "--root", t.TempDir(), "--players", "2", "--port", fmt.Sprint(base), "--log-level", "error"}, &out, &errs)
	}()
	select {
	case got := <-status:
		// others on this machine may have taken ports of the run, too
		said := false
		for _, port := range []int{base, base + 1, base + 2, base + 101, base + 102} {
			said = said || strings.Contains(errs.String(), fmt.Sprintf("port %d is already in use", port))
		}
		if got != 1 || !said {
			t.Errorf("status %d, %q; want 1 and the port", got, errs.String())
		}
	case <-time.After(rpctest.Patience):
		t.Fatal("the run goes on without its player")
	}
}

func TestCommandThatGoesOnIsTheWholeCommand(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	a := &app{err: &errs}
	line := []string{"--root", "my league", "--players", "6", "--strategy", "random,history", "--port", "0", "--pace", "1s", "--strict",
		"--start-when", "players=8", "--host", "lab.example", "--allow", "10.0.0.0/8", "--allow", "192.0.2.1", "--tls-ca", "our ca.pem", "--json"}
	cmd, _, err := a.command().Find([]string{"run"})
	if err == nil {
		err = cmd.ParseFlags(line)
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = interrupted(a, cmd)
	want := "league run --root 'my league' --players 6 --strategy random,history --port 0 --pace 1s --strict --start-when players=8 " +
		"--host lab.example --allow 10.0.0.0/8 --allow 192.0.2.1 --tls-ca 'our ca.pem' --json"
	if !strings.Contains(errs.String(), want+"\n") {
		t.Errorf("got %q, want %q", errs.String(), want)
	}
}

// A league of another game has all settings of that game, including whether guests may judge.
func TestAnotherGameIsTheWholeGame(t *testing.T) {
	t.Parallel()
	for _, rules := range catalog.All() {
		want := rules.Info()
		if got := server.GameOf(rules); got.Type != want.Type || got.SeatMatters != want.SeatMatters || got.GuestsMayJudge != want.GuestsMayJudge {
			t.Errorf("%s: got %+v, want %+v", want.Type, got, want)
		}
	}
}

// Every failure is reported with its remedy: here, of a seat whose port is taken, also when a host starts it.
func TestASeatOnStdioSaysWhatToDo(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := fmt.Sprint(taken.Addr().(*net.TCPAddr).Port)
	p := start(t, "seat", "--stdio", "--root", t.TempDir(), "--port", port, "--name", "Noa")
	if status := p.status(); status != 1 || !strings.Contains(p.errs.String(), "choose another with --port") {
		t.Errorf("status %d, %q; want 1 and what to do", status, p.errs.String())
	}
}
