package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The notebook cell and the shell script of the guide play a league as they are written, with another address.
func TestGuidePlayersPull(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	guide, err := os.ReadFile("../../docs/guide/connect.md")
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(t.TempDir(), "SHARED")
	league := start(t, "run", "--root", root, "--port", "0", "--players", "2", "--start-when", "players=4,referees=2")
	league.says("Watch it at http://localhost:")
	_, address, _ := strings.Cut(league.errs.String(), "Watch it at ")
	address, _, _ = strings.Cut(address, "/\n")
	var players []*exec.Cmd
	for _, p := range []struct{ lang, program string }{{"python", "python3"}, {"bash", "bash"}} {
		code := regexp.MustCompile("(?ms)^```" + p.lang + "\n(.*?)^```").FindSubmatch(guide)
		if code == nil {
			t.Fatalf("the guide shows no player in %s", p.lang)
		}
		file := filepath.Join(t.TempDir(), "player")
		script := strings.ReplaceAll(string(code[1]), "http://localhost:8000", address)
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(p.program, file)
		out := &text{}
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if cmd.ProcessState == nil {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			}
			if t.Failed() {
				t.Logf("%s:\n%s", p.program, out)
			}
		})
		players = append(players, cmd)
	}
	if status := league.status(); status != 0 {
		t.Fatalf("league run ended with status %d", status)
	}
	for _, cmd := range players {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", cmd.Path, err)
		}
	}
	if out := league.out.String(); !strings.Contains(out, "Notebook") || !strings.Contains(out, "Shell") || strings.Contains(out, "forfeit") {
		t.Errorf("want both players in the table and no forfeit:\n%s", out)
	}
}
