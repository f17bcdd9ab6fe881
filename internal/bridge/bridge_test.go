package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/internal/bridge"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// TestMain is the program of the tests too: an MCP server whose behaviour its first argument names.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "program" {
		os.Exit(program(os.Args[2], os.Args[3]))
	}
	os.Exit(m.Run())
}

// program serves the tools choose_parity, environment and secret over standard input and output. It notes each start in
// a file.
func program(behaviour, notes string) int {
	f, err := os.OpenFile(notes, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 1
	}
	fmt.Fprintln(f, "started")
	starts, _ := os.ReadFile(notes)
	first := strings.Count(string(starts), "started") == 1
	switch behaviour {
	case "ends":
		return 3
	case "prints":
		fmt.Print("Hello, I am a player!\n\n")
	}
	text := func(say string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: say}}}
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "program", Version: "1"}, nil)
	add := func(name string, answer func(*mcp.ServerSession) string) {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object","properties":{}}`)},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return text(answer(r.Session)), nil
			})
	}
	add("choose_parity", func(s *mcp.ServerSession) string {
		switch {
		case behaviour == "crashes" && first:
			os.Exit(7)
		case behaviour == "samples":
			_, err := s.CreateMessage(context.Background(), &mcp.CreateMessageParams{MaxTokens: 1})
			fmt.Fprintln(f, err)
		case behaviour == "environment":
			fmt.Fprintln(f, strings.Join(os.Environ(), "\n"))
		}
		return "even"
	})
	add("delete_everything", func(*mcp.ServerSession) string { fmt.Fprintln(f, "deleted"); return "done" })
	_ = server.Run(context.Background(), &mcp.StdioTransport{})
	if behaviour == "stays" {
		select {}
	}
	return 0
}

// A lines is a log for tests.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// started starts the program behind a bridge, which ends with the test, and returns the file of its notes.
func started(t *testing.T, behaviour string, o bridge.Options) (b *bridge.Bridge, notes string, log *lines) {
	t.Helper()
	notes, log = filepath.Join(t.TempDir(), "notes"), &lines{}
	o.Command, o.Log = []string{os.Args[0], "program", behaviour, notes}, log
	o.Chosen = bridge.ForGame(protocol.TypeChooseParityCall, nil)
	b, err := bridge.Start(t.Context(), o)
	if err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b, notes, log
}

// chooses asks the program for a choice as a referee does.
func chooses(t *testing.T, endpoint string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), rpctest.Patience)
	defer cancel()
	m := &protocol.ChooseParityCall{Envelope: protocol.Envelope{
		MessageType: protocol.TypeChooseParityCall, ConversationID: "conv-1", LeagueID: "league", RoundID: 1, MatchID: "R1M1"}}
	reply, err := rpc.NewNode("referee:REF01", rpc.Options{}).Call(ctx, rpc.Peer{Endpoint: endpoint, Dialect: "M"}, m)
	if choice, ok := reply.(*protocol.ChooseParityResponse); ok {
		return string(choice.ParityChoice), err
	}
	return "", err
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestProgramPlaysThroughTheBridge(t *testing.T) {
	t.Parallel()
	for behaviour, starts := range map[string]int{"plain": 1, "crashes": 2, "samples": 1, "stays": 1} {
		t.Run(behaviour, func(t *testing.T) {
			t.Parallel()
			b, notes, log := started(t, behaviour, bridge.Options{})
			for range 2 {
				if got, err := chooses(t, b.Endpoint); got != `"even"` || err != nil {
					t.Errorf("got %q, %v\n%s", got, err, log)
				}
			}
			if got := strings.Count(read(t, notes), "started"); got != starts {
				t.Errorf("%d starts, want %d\n%s", got, starts, log)
			}
			if refused := strings.Contains(read(t, notes), "sampling is not supported"); refused != (behaviour == "samples") {
				t.Errorf("the notes are %s", read(t, notes))
			}
			if restarted := strings.Contains(log.String(), "The program has ended (exit status 7); it is started again."); restarted != (starts == 2) {
				t.Errorf("the log is %s", log)
			}
		})
	}
}

func TestTextOnStandardOutputIsIgnoredAndExplained(t *testing.T) {
	t.Parallel()
	notes := filepath.Join(t.TempDir(), "notes")
	log := &lines{}
	b, err := bridge.Start(t.Context(), bridge.Options{
		Command: []string{os.Args[0], "program", "prints", notes}, Log: log, Chosen: bridge.ForGame(protocol.TypeChooseParityCall, nil),
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	defer b.Close()
	if got, err := chooses(t, b.Endpoint); got != `"even"` || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if got := log.String(); !strings.Contains(got, "print to standard error instead") || !strings.Contains(got, "Hello, I am a player!") {
		t.Errorf("the log is %q", got)
	}
}

func TestProgramGetsNoKeys(t *testing.T) {
	for name, value := range map[string]string{"LEAGUE_JOIN_KEY": "secret-1", "BRIDGE_API_KEY": "secret-2", "BRIDGE_TOKEN": "passed", "BRIDGE_MODE": "plain"} {
		t.Setenv(name, value)
	}
	b, notes, _ := started(t, "environment", bridge.Options{Env: []string{"BRIDGE_TOKEN"}})
	if _, err := chooses(t, b.Endpoint); err != nil {
		t.Fatal(err)
	}
	got := read(t, notes)
	for text, want := range map[string]bool{"secret-": false, "BRIDGE_TOKEN=passed": true, "BRIDGE_MODE=plain": true} {
		if strings.Contains(got, text) != want {
			t.Errorf("%s in the environment: %v, want %v", text, !want, want)
		}
	}
}

func TestOnlyToolsOfTheGameAreCalled(t *testing.T) {
	t.Parallel()
	b, notes, _ := started(t, "plain", bridge.Options{})
	network := rpc.NewHTTP(1 << 20)
	tools, err := network.Tools(t.Context(), b.Endpoint)
	if err != nil || len(tools) != 2 {
		t.Errorf("listed %v, %v; want both", tools, err)
	}
	_, err = network.CallTool(t.Context(), b.Endpoint, "delete_everything", json.RawMessage(`{}`))
	if err == nil || !strings.Contains(err.Error(), "is not one of those that were chosen for the game") {
		t.Errorf("got %v", err)
	}
	if strings.Contains(read(t, notes), "deleted") {
		t.Error("it was called")
	}
}

func TestRequestsOfWebPagesAreRefused(t *testing.T) {
	t.Parallel()
	b, _, _ := started(t, "plain", bridge.Options{})
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"choose_parity","arguments":{}}}`
	for name, change := range map[string]func(*http.Request){
		"another origin": func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"its own origin": func(r *http.Request) { r.Header.Set("Origin", strings.TrimSuffix(b.Endpoint, "/mcp")) },
		"another host":   func(r *http.Request) { r.Host = "evil.example" },
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.Endpoint, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		change(req)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		said, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: got %d %s, want 403", name, resp.StatusCode, said)
		}
	}
}

func TestProgramThatIsNoMCPServerIsRefused(t *testing.T) {
	t.Parallel()
	notes := filepath.Join(t.TempDir(), "notes")
	for want, command := range map[string][]string{
		"the program cannot be started":                                             {filepath.Join(t.TempDir(), "none")},
		"the program has ended (exit status 3) before it answered as an MCP server": {os.Args[0], "program", "ends", notes},
	} {
		_, err := bridge.Start(t.Context(), bridge.Options{
			Command: command, Log: io.Discard, Chosen: bridge.ForGame(protocol.TypeChooseParityCall, nil),
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", command, err, want)
		}
	}
}
