package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentleague/rpc/rpctest"
)

// A whole league over TLS, asked about by verbs that trust its authority.
func TestLeagueOverTLSCompletes(t *testing.T) {
	t.Parallel()
	ca := rpctest.NewAuthority(t)
	cert, key := ca.Files("localhost")
	root, trust := t.TempDir(), ca.File()
	shown := []string{"--tls-cert", cert, "--tls-key", key, "--tls-ca", trust}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	printed := newLines()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"run", "--root", root, "--port", "0", "--serve", "--players", "4", "--json"}, shown...), printed, io.Discard)
	}()
	var result struct {
		Status  string `json:"status"`
		Matches int    `json:"matches"`
		Forfeit int    `json:"technical_losses"`
	}
	select {
	case line := <-printed.lines:
		if err := json.Unmarshal([]byte(line), &result); err != nil || result.Status != "COMPLETED" || result.Matches != 6 || result.Forfeit != 0 {
			t.Errorf("got %s, %v", line, err)
		}
	case status := <-ended:
		t.Fatalf("the run ended with %d", status)
	case <-time.After(rpctest.Patience):
		t.Fatal("the league does not come to its end")
	}
	var agents []byte
	var err error
	rpctest.Eventually(t, "a list of seven agents", func() bool {
		agents, err = os.ReadFile(filepath.Join(root, "data/leagues/league_2025_even_odd/agents.json"))
		return strings.Count(string(agents), "https://") >= 7
	})
	if err != nil || strings.Contains(string(agents), "http://") || strings.Count(string(agents), `"https://localhost:`) != 7 {
		t.Errorf("not every endpoint is https: %s, %v", agents, err)
	}
	var known struct {
		LeagueManager struct{ Endpoint string } `json:"league_manager"`
	}
	if err := json.Unmarshal(agents, &known); err != nil {
		t.Fatal(err)
	}
	checkVerbs(t, root, known.LeagueManager.Endpoint, trust)
	stop()
	if status := <-ended; status != 0 {
		t.Errorf("the run ended with %d", status)
	}
}

func checkVerbs(t *testing.T, root, manager, trust string) {
	t.Helper()
	other := rpctest.NewAuthority(t).File()
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"standings", "--manager", manager, "--tls-ca", trust}, 0, "P04"},
		{[]string{"status", "--manager", manager, "--tls-ca", trust}, 0, "LEAGUE_COMPLETED"},
		{[]string{"status", "--manager", manager, "--tls-ca", other}, 1, "give the certificate file of its CA with --tls-ca"},
		{[]string{"status", "--manager", manager}, 1, "--tls-ca"},
		{[]string{"status", "--manager", strings.Replace(manager, "https", "http", 1)}, 1, "it speaks TLS: write its address with https://"},
		{[]string{"player", "--port", "0", "--manager", manager, "--tls-ca", other}, 1, "give the certificate file of its CA with --tls-ca"},
		{[]string{"player", "--port", "0", "--manager", strings.Replace(manager, "https", "http", 1)}, 1, "it speaks TLS: write its address with https://"},
	} {
		var out bytes.Buffer
		status := 0
		rpctest.Eventually(t, fmt.Sprintf("%v in time", c.args), func() bool { // a call has a timeout of ten seconds, independent of other work
			out.Reset()
			status = run(t.Context(), append(c.args, "--root", root), &out, &out)
			return !strings.Contains(out.String(), "no manager answers")
		})
		if status != c.status || !strings.Contains(out.String(), c.says) {
			t.Errorf("%v: status %d, %q; want %d and %q", c.args, status, out.String(), c.status, c.says)
		}
	}
}

// lines is a writer that passes on whole lines.
type lines struct {
	lines chan string
	begun []byte
}

func newLines() *lines { return &lines{lines: make(chan string, 16)} }

func (l *lines) Write(b []byte) (int, error) {
	l.begun = append(l.begun, b...)
	for {
		line, rest, whole := bytes.Cut(l.begun, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		l.lines <- string(line)
		l.begun = rest
	}
}

func TestCertificatesThatCannotServeAreRefused(t *testing.T) {
	t.Parallel()
	ca := rpctest.NewAuthority(t)
	cert, key := ca.Files("localhost")
	elsewhere, elsewhereKey := ca.Files("lab.example")
	old, oldKey := ca.Expired("localhost")
	for _, c := range []struct {
		cert, key, says string
	}{
		{cert, elsewhereKey, "give a certificate and its own key as PEM files"},
		{elsewhere, elsewhereKey, "make a certificate for localhost, or give the name of this machine with --host"},
		{old, oldKey, "make a new one"},
		{key, cert, "as PEM"},
	} {
		var out bytes.Buffer
		status := run(t.Context(), []string{"manager", "--root", t.TempDir(), "--port", "0", "--tls-cert", c.cert, "--tls-key", c.key}, &out, &out)
		if status != 1 || !strings.Contains(out.String(), c.says) {
			t.Errorf("status %d, %q; want 1 and %q", status, out.String(), c.says)
		}
	}
}
