package cli

import (
	"bufio"
	"bytes"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/spf13/cobra"

	"agentleague/engine/jetstream"
	"agentleague/rpc/rpctest"
)

// deployed is the folder with the files for operators.
const deployed = "../../deploy"

// The commands and flags that the files use exist.
func TestDeployedCommandsExist(t *testing.T) {
	t.Parallel()
	root := (&app{}).command()
	seen := 0
	for line := range deployedLines(t) {
		for _, words := range commandsIn(line) {
			seen++
			checkCommandLine(t, root, words)
		}
	}
	if seen < 5 {
		t.Errorf("found only %d commands", seen)
	}
}

// deployedLines returns the lines of all files, and the arguments of each container as one line.
func deployedLines(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := filepath.WalkDir(deployed, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		var args []string
		ends := func() {
			if len(args) > 0 {
				out["league "+strings.Join(args, " ")] = true
			}
			args = nil
		}
		for s := bufio.NewScanner(bytes.NewReader([]byte(readFile(t, path)))); s.Scan(); {
			line := strings.TrimSpace(s.Text())
			if arg, ok := strings.CutPrefix(line, "- "); ok && (strings.HasPrefix(arg, "--") || arg == "manager" || arg == "referee") {
				args = append(args, arg)
			} else {
				ends()
			}
			out[line] = true
		}
		ends()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// commandsIn finds the command lines of the program in a line.
func commandsIn(line string) (out [][]string) {
	for _, m := range regexp.MustCompile(`(?:^|[ /])league (manager|referee|player)\b(.*)$`).FindAllStringSubmatch(line, -1) {
		out = append(out, append([]string{m[1]}, strings.Fields(m[2])...))
	}
	return out
}

func checkCommandLine(t *testing.T, root *cobra.Command, words []string) {
	t.Helper()
	cmd, _, err := root.Find(words[:1])
	if err != nil {
		t.Errorf("%v: %v", words, err)
		return
	}
	for _, w := range words[1:] {
		name, ok := strings.CutPrefix(w, "--")
		name, _, _ = strings.Cut(name, "=")
		if ok && cmd.Flags().Lookup(name) == nil && cmd.InheritedFlags().Lookup(name) == nil {
			t.Errorf("%v: there is no flag --%s", words, name)
		}
	}
}

// The image has only the program, runs it as the user nobody, and is built on machines that support it.
func TestTheImageHoldsTheProgramAlone(t *testing.T) {
	t.Parallel()
	file := readFile(t, deployed+"/Containerfile")
	_, last, _ := strings.Cut(file, "\nFROM scratch\n")
	for _, want := range []string{"USER 65532:65532", `ENTRYPOINT ["/usr/local/bin/league"]`, `CMD ["manager"]`} {
		if !strings.Contains(last, want) {
			t.Errorf("the last stage has no %s", want)
		}
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(readFile(t, "../../go.mod"))
	if len(version) != 2 || !strings.Contains(file, "FROM golang:"+version[1]+" AS build") || !strings.Contains(file, "CGO_ENABLED=0") {
		t.Errorf("it is not built statically with Go %v", version)
	}
	if os.Getenv("LEAGUE_LONG") == "" {
		return // the rest of the file downloads the build image
	}
	for _, tool := range []string{"podman", "buildah", "docker"} {
		if exec.CommandContext(t.Context(), tool, "info").Run() != nil {
			continue
		}
		out, err := exec.CommandContext(t.Context(), tool, "build", "-f", deployed+"/Containerfile", "../..").CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", tool, err, out)
		}
		return
	}
	t.Log("nothing here builds images")
}

func TestManifestsFitTogether(t *testing.T) {
	t.Parallel()
	nats := readFile(t, deployed+"/kubernetes/nats.yaml")
	managers := readFile(t, deployed+"/kubernetes/managers.yaml")
	_, address, ok := strings.Cut(managers, `value: "`)
	address, _, _ = strings.Cut(address, `"`)
	o, err := jetstream.Parse(strings.Replace(address, "/etc/nats/tls/ca.crt", rpctest.NewAuthority(t).File(), 1))
	if !ok || err != nil || len(o.Monitors) != 3 || strings.Count(o.Servers, "tls://") != 3 || o.CheckCredentials() != nil {
		t.Errorf("LEAGUE_ENGINE %q: got %+v, %v, want three servers, credentials, and how to ask each server how it syncs", address, o, err)
	}
	for _, want := range []string{"path: /readyz", "path: /livez", "replicas: 3", "maxUnavailable: 1"} {
		if !strings.Contains(managers, want) {
			t.Errorf("managers.yaml has no %q", want)
		}
	}
	if !strings.Contains(nats, "image: nats:"+server.VERSION) {
		t.Errorf("nats.yaml does not start version %s, which is tested here", server.VERSION)
	}
	tool, err := exec.LookPath("kubectl")
	if err != nil {
		return
	}
	out, err := exec.CommandContext(t.Context(), tool, "kustomize", deployed+"/kubernetes").CombinedOutput()
	if err != nil || strings.Count(string(out), "\nkind: StatefulSet") != 2 || !strings.Contains(string(out), "sync_interval: always") {
		t.Errorf("kubectl kustomize: %v\n%s", err, out)
	}
}

// Three nodes with the deployed configuration, apart from addresses, certificates and folders, are a cluster that the
// engine accepts without a warning.
func TestLongTheNATSConfigurationMakesACluster(t *testing.T) {
	o, err := jetstream.Parse(startDeployed(t))
	if err != nil {
		t.Fatal(err)
	}
	var warned text
	o.Logger, o.Patience = (&app{err: &warned}).logger(), rpctest.Patience
	e, err := jetstream.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Append(t.Context(), "league", 0, []byte("one")); err != nil {
		t.Error(err)
	}
	if warned.String() != "" {
		t.Errorf("the engine says %s", warned.String())
	}
}

// startDeployed runs three nodes as they are deployed, and returns their address as --engine takes it.
func startDeployed(t *testing.T) string {
	t.Helper()
	var routes []*url.URL
	var nodes []*server.Options
	authority := rpctest.NewAuthority(t)
	for n := range 3 {
		o := deployedNode(t, authority, n)
		routes = append(routes, &url.URL{Scheme: "tls", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Cluster.Port))})
		nodes = append(nodes, o)
	}
	var hosts, monitors []string
	var all []*server.Server
	for _, o := range nodes {
		o.Routes = routes
		s, err := server.NewServer(o)
		if err != nil {
			t.Fatal(err)
		}
		go s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		all = append(all, s)
		hosts = append(hosts, net.JoinHostPort(o.Host, strconv.Itoa(o.Port)))
		monitors = append(monitors, "http://"+net.JoinHostPort(o.HTTPHost, strconv.Itoa(o.HTTPPort)))
	}
	rpctest.Eventually(t, "a leader of the NATS servers", func() bool {
		return slices.ContainsFunc(all, func(s *server.Server) bool {
			return s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == len(all)
		})
	})
	return "tls://league:" + natsPassword + "@" + strings.Join(hosts, ",") + "?partitions=2&ca=" + authority.File() +
		"&monitor=" + strings.Join(monitors, ",")
}

// natsPassword is that of the deployed NATS servers in tests.
const natsPassword = "p0123456789abcdef"

// deployedNode returns the configuration of the n-th node, with addresses, certificates and a folder of this test.
func deployedNode(t *testing.T, authority *rpctest.Authority, n int) *server.Options {
	t.Helper()
	name := "nats-" + strconv.Itoa(n)
	t.Setenv("NATS_NAME", name)
	t.Setenv("NATS_PASSWORD", natsPassword)
	cert, key := authority.Files("127.0.0.1")
	text := strings.NewReplacer("/etc/nats/tls/tls.crt", cert, "/etc/nats/tls/tls.key", key, "/etc/nats/tls/ca.crt", authority.File()).
		Replace(readFile(t, deployed+"/kubernetes/nats.conf"))
	config := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := server.ProcessConfigFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if !o.SyncAlways || o.TLSConfig == nil || o.Cluster.TLSConfig == nil || !o.JetStream || o.Username != "league" || o.Password != natsPassword || len(o.Routes) != 3 || o.ServerName != name {
		t.Fatalf("got %+v", o)
	}
	o.Host, o.Port, o.HTTPHost, o.HTTPPort = "127.0.0.1", rpctest.Port(), "127.0.0.1", rpctest.Port()
	o.Cluster.Host, o.Cluster.Port, o.StoreDir = "127.0.0.1", rpctest.Port(), t.TempDir()
	o.NoSigs, o.NoLog, o.JetStreamMaxStore = true, true, 1<<30
	return o
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
