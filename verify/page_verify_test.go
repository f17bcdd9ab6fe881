package verify_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentleague/internal/cli"
	"agentleague/protocol"
	"agentleague/verify"
)

func TestProofOfOneMatch(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "root")
	if status := cli.Main([]string{
		"run", "--root", root, "--port", "0", "--players", "3", "--league-id", "proof",
	}, io.Discard, t.Output()); status != 0 {
		t.Fatal("status", status)
	}
	prover := verify.NewProver(os.DirFS(root))
	p, err := prover.Match(t.Context(), "proof", "R2M1")
	if err != nil || !p.OK() || len(p.Steps) != 5 {
		t.Fatalf("got %+v, %v", p, err)
	}
	for _, s := range p.Steps {
		if s.Status != protocol.Pass {
			t.Errorf("%s: %s, %s", s.Name, s.Status, s.Detail)
		}
	}
	if _, err := prover.Match(t.Context(), "proof", "R9M9"); !protocol.Is(err, protocol.MatchNotFound) {
		t.Errorf("an unknown match: %v", err)
	}

	name := filepath.Join(root, "data/matches/proof/R2M1.json")
	doc, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(doc), `"P01"`, `"P09"`, 1)),
		0o644); err != nil {
		t.Fatal(err)
	}
	p, err = prover.Match(t.Context(), "proof", "R2M1")
	if err != nil || p.OK() || p.Steps[1].Status != protocol.Fail || !strings.Contains(p.Steps[1].Detail, "SHA-256") {
		t.Errorf("a record that was changed: %+v, %v", p, err)
	}
	if p, err = prover.Match(t.Context(), "proof", "R1M1"); err != nil || !p.OK() {
		t.Errorf("another match: %+v, %v", p, err)
	}
}
