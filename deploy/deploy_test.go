package deploy_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"agentleague/rpc/rpctest"
)

// tool returns the path of a program that CI has and other machines may lack.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
		return path
	case os.Getenv("CI") == "true":
		t.Fatal(err)
	}
	t.Skip(err)
	return ""
}

// units lists the services.
func units(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("systemd/*.service")
	if err != nil || len(all) != 2 {
		t.Fatalf("got %v, %v, want two services", all, err)
	}
	return all
}

// systemd accepts the units without a remark once the program is where they name it.
func TestUnitsAreSound(t *testing.T) {
	t.Parallel()
	analyze := tool(t, "systemd-analyze")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range units(t) {
		text, err := os.ReadFile(unit)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), filepath.Base(unit))
		if err := os.WriteFile(path, bytes.ReplaceAll(text, []byte("/usr/local/bin/league"), []byte(self)), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", path).CombinedOutput()
		if err != nil || len(bytes.TrimSpace(out)) > 0 {
			t.Errorf("%s: %v\n%s", unit, err, out)
		}
	}
}

// systemd rates the exposure of a service from 0 to 10: the limit is 2.
func TestUnitsAreConfined(t *testing.T) {
	t.Parallel()
	analyze := tool(t, "systemd-analyze")
	for _, unit := range units(t) {
		out, err := exec.CommandContext(t.Context(), analyze, "security", "--offline=true", "--no-pager", unit).CombinedOutput()
		rating := regexp.MustCompile(`exposure level for \S+: ([\d.]+)`).FindSubmatch(out)
		if err != nil || rating == nil {
			t.Fatalf("%s: %v\n%s", unit, err, out)
		}
		if n, err := strconv.ParseFloat(string(rating[1]), 64); err != nil || n > 2 {
			t.Errorf("%s is exposed by %s, want at most 2\n%s", unit, rating[1], out)
		}
	}
}

// A service is started again without a limit on the number of attempts, by a user that systemd-sysusers makes.
func TestUnitsStartAgain(t *testing.T) {
	t.Parallel()
	users, err := os.ReadFile("systemd/league.sysusers")
	if err != nil || !strings.Contains(string(users), "\nu league ") {
		t.Errorf("league.sysusers makes no user league: %v\n%s", err, users)
	}
	for _, unit := range units(t) {
		text, err := os.ReadFile(unit)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"StartLimitIntervalSec=0", "Restart=always", "User=league", "TimeoutStopSec=60"} {
			if !strings.Contains(string(text), "\n"+want+"\n") {
				t.Errorf("%s has no %s", unit, want)
			}
		}
	}
}

// Each manifest is valid for Kubernetes, which rejects unknown members.
func TestManifestsAreValid(t *testing.T) {
	t.Parallel()
	dir, err := rpctest.PythonPackages("requirements.txt")
	dir = rpctest.OrWithout(t, dir, err)
	validate := func(files ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "python3", append([]string{"validate.py", "1.34.0"}, files...)...)
		cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(dir, "packages"), "PYTHONDONTWRITEBYTECODE=1")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	manifests, err := filepath.Glob("kubernetes/*.yaml")
	if err != nil || len(manifests) != 3 {
		t.Fatalf("got %v, %v, want three files", manifests, err)
	}
	out, err := validate(manifests...)
	if err != nil || strings.Count(out, "StatefulSet") != 2 || strings.Count(out, "NetworkPolicy") != 2 {
		t.Errorf("%v\n%s", err, out)
	}
	text, err := os.ReadFile("kubernetes/managers.yaml")
	if err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(t.TempDir(), "wrong.yaml")
	if err := os.WriteFile(wrong, bytes.Replace(text, []byte("readinessProbe:"), []byte("readynessProbe:"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := validate(wrong); err == nil || !strings.Contains(out, "readynessProbe") {
		t.Errorf("an unknown member is accepted: %v\n%s", err, out)
	}
}

// Each container has requests and a limit of memory, and no pod shares a machine with another one of its kind.
func TestPodsAreBounded(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"kubernetes/nats.yaml", "kubernetes/managers.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		containers := strings.Count(string(text), "          image: ")
		if got := strings.Count(string(text), "resources: {requests: {cpu: "); got != containers {
			t.Errorf("%s: %d of %d containers have requests", file, got, containers)
		}
		for _, want := range []string{"podAntiAffinity:", "runAsNonRoot: true", "maxUnavailable: 1"} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s has no %s", file, want)
			}
		}
	}
}
