package chaos_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// Own is what the design says of an agent that cannot be called at its own address, and others of one at an address that is
// not the applicant's.
const (
	own    = "cannot reach http://%s/mcp: connection refused; start it with --host, or use `league connect`"
	others = "http://%s/mcp cannot be reached; start the agent with --host and an address that the manager can call, or use `league connect`"
)

// A farLeague is a league whose manager cannot call the agents on another machine, and has no room for their mailboxes.
type farLeague struct {
	t       *testing.T
	lan     *lan
	root    string
	manager string
	enter   []string // of a command on the agents' machine
}

// newFarLeague starts the manager. The agents' machine refuses connections, and one mailbox is there already.
func newFarLeague(t *testing.T) *farLeague {
	t.Helper()
	r := &farLeague{t: t, lan: newLAN(t), root: filepath.Join(t.TempDir(), "SHARED")}
	host := r.lan.address(firstManager)
	r.manager = "http://" + host + ":8000"
	if out, err := run("init", "--root", r.root); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file := filepath.Join(r.root, "config/system.json")
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), `"unused_per_address": 64`) {
		t.Fatalf("%s: %v", text, err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), `"unused_per_address": 64`, `"unused_per_address": 1`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	g := &group{t: t, lan: r.lan}
	m := g.on(firstManager, "manager", program, "manager", "--root", r.root, "--host", host, "--port", "8000", "--allow",
		r.lan.address(0)+"/24", "--start-after", "1h")
	rpctest.Eventually(t, "the manager", func() bool { return strings.Contains(m.said(), "Watch it at") })
	r.enter = r.lan.add(firstAgent)
	r.on("iptables", "-A", "INPUT", "-p", "tcp", "--syn", "-j", "REJECT", "--reject-with", "tcp-reset")
	r.on("curl", "-sSf", "-X", "POST", r.manager+"/mailboxes")
	return r
}

// on runs a command on the agents' machine, and returns its output.
func (r *farLeague) on(args ...string) string {
	r.t.Helper()
	args = append(r.enter[:len(r.enter):len(r.enter)], args...)
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		r.t.Fatalf("%q: %v: %s", args, err, out)
	}
	return string(out)
}

// register registers a player from the agents' machine.
func (r *farLeague) register(meta map[string]any) (answer struct{ Status, Reason string }) {
	r.t.Helper()
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "register_player", "params": map[string]any{
		"protocol": protocol.Version, "message_type": "LEAGUE_REGISTER_REQUEST", "sender": "player:x",
		"timestamp": protocol.Stamp(time.Now()), "conversation_id": fmt.Sprint("conv-", time.Now().UnixNano()), "player_meta": meta}})
	out := r.on("curl", "-sS", "-H", "Content-Type: application/json", "-d", string(body), r.manager+"/mcp")
	reply := struct {
		Result *struct{ Status, Reason string }
	}{&answer}
	if err := json.Unmarshal([]byte(out), &reply); err != nil {
		r.t.Fatalf("%s: %v", out, err)
	}
	return answer
}

// shows waits until `league status`, the page of the agents and that of the organizer show a sentence. Pages, which anybody
// may read, do not contain addresses.
func (r *farLeague) shows(want string) {
	r.t.Helper()
	shown := protocol.RedactText(want)
	for name, read := range map[string]func() string{
		want: r.status, shown + " (agents)": func() string { return r.page("agents") }, shown + " (run)": func() string { return r.page("run") },
	} {
		want, _, _ := strings.Cut(name, " (")
		rpctest.Until(r.t, name, func() (text string, ok bool) {
			text = read()
			return text, strings.Contains(text, want)
		})
	}
}

func (r *farLeague) status() string {
	out, err := run("status", "--root", r.root, "--manager", r.manager+"/mcp")
	if err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
	return out
}

// page is a page of the league as the organizer reads it.
func (r *farLeague) page(name string) string {
	token, err := os.ReadFile(filepath.Join(r.root, "data/admin.token"))
	if err != nil {
		r.t.Fatal(err)
	}
	req, _ := http.NewRequestWithContext(r.t.Context(), http.MethodGet, r.manager+"/leagues/league_2025_even_odd/"+name, nil)
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return html.UnescapeString(string(text))
}

// program starts an agent on the agents' machine.
func (r *farLeague) program(dir string, args ...string) *agent {
	r.t.Helper()
	return (&agent{t: r.t, name: args[0], dir: dir, argv: append(r.enter[:len(r.enter):len(r.enter)], args[0]), args: args[1:]}).begin()
}

// TestLongAnUnreachableAgentIsToldEverywhere reads the sentences about true reachability at each surface: the answer to the
// registration, `league status`, the page, our player, a kit and a seat.
func TestLongAnUnreachableAgentIsToldEverywhere(t *testing.T) {
	if !onOwnNetwork(t) {
		return
	}
	r := newFarLeague(t)
	here := r.lan.address(firstAgent)
	began := time.Now()
	for _, at := range []string{here + ":8201", r.lan.address(firstAgent+1) + ":8202"} {
		if got := r.register(map[string]any{"display_name": "Foreign " + at, "contact_endpoint": "http://" + at + "/mcp"}); got.Status != "ACCEPTED" {
			t.Errorf("a foreign agent, which may listen later, is answered %+v", got)
		}
	}
	if text := r.status() + r.page("agents"); time.Since(began) < 8*time.Second && strings.Contains(text, "cannot") {
		t.Errorf("within the grace of 10 s: %s", text)
	}
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	native := map[string]any{"display_name": "Native", "version": "1.0.0", "protocol_version": protocol.Release, "game_types": []string{"even_odd"},
		"contact_endpoint": "http://" + here + ":8203/mcp", "public_key": protocol.PublicKey(key),
		"agreement_key": protocol.AgreementPublic(protocol.AgreementKey(key.Seed())), "match_tokens": true}
	if got := r.register(native); got.Status != "REJECTED" || !strings.HasPrefix(got.Reason, fmt.Sprintf(own, here+":8203")) {
		t.Errorf("the answer to the registration is %+v", got)
	}
	native["contact_endpoint"] = "http://" + r.lan.address(firstAgent+1) + ":8203/mcp"
	if got := r.register(native); !strings.HasPrefix(got.Reason, fmt.Sprintf(others, r.lan.address(firstAgent+1)+":8203")) {
		t.Errorf("the answer to a registration with the address of another machine is %+v", got)
	}
	ours := r.program(t.TempDir(), program, "player", "--name", "Ours", "--host", here, "--port", "8204", "--manager", r.manager+"/mcp")
	kit := filepath.Join(t.TempDir(), "kit")
	if out, err := run("new", "player", kit, "--lang", "python"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	kits := r.program(kit, "python3", "player.py", "--host", here, "--port", "8205", "--manager", r.manager+"/mcp")
	for p, at := range map[*agent]string{ours: here + ":8204", kits: here + ":8205"} {
		want := fmt.Sprintf(own, at)
		rpctest.Until(t, want, func() (string, bool) { return p.said(), strings.Contains(p.said(), want) })
	}
	r.seat(here + ":8206")
	r.shows(fmt.Sprintf(own, here+":8201"))
	r.shows(fmt.Sprintf(others, r.lan.address(firstAgent+1)+":8202"))
}

// seat takes a seat on the agents' machine as an MCP host does, and reads the sentence in the answer of a tool.
func (r *farLeague) seat(at string) {
	r.t.Helper()
	host, port, _ := strings.Cut(at, ":")
	args := append(r.enter[1:len(r.enter):len(r.enter)], program, "seat", "--stdio", "--name", "Seat", "--host", host, "--port", port,
		"--manager", r.manager+"/mcp", "--root", filepath.Join(r.t.TempDir(), "SHARED"))
	ctx, cancel := context.WithTimeout(r.t.Context(), rpctest.Patience)
	defer cancel()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil).Connect(ctx,
		&mcp.CommandTransport{Command: exec.Command(r.enter[0], args...)}, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	defer c.Close()
	want := fmt.Sprintf(own, at)
	rpctest.Until(r.t, want+" in wait_for_turn", func() (string, bool) {
		res, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "wait_for_turn", Arguments: map[string]any{"wait_seconds": 2}})
		if err != nil {
			return err.Error(), false
		}
		text, _ := json.Marshal(res.Content)
		return string(text), strings.Contains(strings.ReplaceAll(string(text), `\u0060`, "`"), want)
	})
}
