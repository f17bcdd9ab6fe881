package rpc_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/protocol"
	"agentleague/rpc"
)

// mcpVersions are all versions of MCP that there are.
var mcpVersions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// dialMCP connects a client of the SDK that supports one version.
func dialMCP(t *testing.T, url, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, MaxRetries: -1},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("%s: %v", version, err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// served serves a node and returns its endpoint.
func served(t *testing.T, n http.Handler) string {
	t.Helper()
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	return server.URL + "/mcp"
}

func TestOneHandlerServesBothFaces(t *testing.T) {
	url := served(t, newPlayer(rpc.Options{}))
	for _, version := range mcpVersions {
		t.Run(version, func(t *testing.T) {
			s := dialMCP(t, url, version, nil)
			if got := s.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("got version %s", got)
			}
			list, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tool := range list.Tools {
				names = append(names, tool.Name)
			}
			if !slices.Contains(names, "handle_game_invitation") || !slices.Contains(names, "ping") {
				t.Errorf("got tools %q", names)
			}
			res, err := s.CallTool(t.Context(), &mcp.CallToolParams{
				Name: "handle_game_invitation", Arguments: map[string]any{"match_id": "R1M1"},
			})
			if err != nil || res.IsError {
				t.Fatalf("got %v %+v", err, res)
			}
			if got := res.Content[0].(*mcp.TextContent).Text; !strings.Contains(got, "GAME_JOIN_ACK") {
				t.Errorf("got %s", got)
			}
		})
	}
	answer := tellBody(t, url, `{"jsonrpc":"2.0","method":"handle_game_invitation","params":{"match_id":"R1M1"},"id":7}`,
		nil)
	if !strings.Contains(answer, "GAME_JOIN_ACK") || !strings.Contains(answer, `"id":7`) {
		t.Errorf("got %s", answer)
	}
}

// tellBody posts a body with some headers and returns the answer's.
func tellBody(t *testing.T, url, body string, header map[string]string) string {
	t.Helper()
	_, _, answer := postBody(t, url, body, header)
	return answer
}

func postBody(t *testing.T, url, body string, header map[string]string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for name, v := range header {
		req.Header.Set(name, v)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, string(raw)
}

// Some players greet their manager in MCP before they register in league.v2, one request at a time, without sessions or
// streams.
func TestWhoKnowsNoSessionIsAnswered(t *testing.T) {
	n := newPlayer(rpc.Options{})
	url := served(t, n)
	for _, accept := range []string{"", "application/json", "*/*"} {
		for _, c := range []struct {
			body, want string
			status     int
		}{
			{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"p","version":"1"}}}`,
				`"protocolVersion":"2024-11-05"`, 200},
			{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "", 202},
			{`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `"name":"handle_game_invitation"`, 200},
			{`{"jsonrpc":"2.0","id":3,"method":"resources/list","params":{}}`, `"resources":[]`, 200},
			{`{"jsonrpc":"2.0","id":4,"method":"prompts/list"}`, `"prompts":[]`, 200},
			{`{"jsonrpc":"2.0","id":5,"method":"ping"}`, `"PONG"`, 200},
			{`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"ping","arguments":{}}}`, `PONG`, 200},
			{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"nothing","arguments":{}}}`, `unknown tool`, 200},
		} {
			status, header, answer := postBody(t, url, c.body, map[string]string{"Accept": accept})
			if status != c.status || !strings.Contains(answer, c.want) {
				t.Errorf("Accept %q: %s: got %d %s, want %d and %s", accept, c.body, status, answer, c.status, c.want)
			}
			if status == 200 && header.Get("Content-Type") != "application/json" {
				t.Errorf("Accept %q: %s: got %s", accept, c.body, header.Get("Content-Type"))
			}
		}
	}
	if got := n.Sessions(); got != 0 {
		t.Errorf("they left %d sessions behind", got)
	}
}

func TestEachRequestGoesToItsSide(t *testing.T) {
	n := newPlayer(rpc.Options{})
	const both = "application/json, text/event-stream"
	call := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	}
	for _, c := range []struct{ session, version, accept, body, want string }{
		{"", "", both, call("initialize", "{}"), "session"},
		{"", "", "application/json", call("initialize", "{}"), "bare"},
		{"", "", both, call("server/discover", "{}"), "session"},
		{"S", "", both, call("tools/list", "{}"), "session"},
		{"S", "2025-11-25", both, call("ping", "{}"), "session"},
		{"S", "", both, `{"jsonrpc":"2.0","id":1,"result":{}}`, "session"},
		{"S", "", both, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`, "session"},
		{"S", "", both, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "session"},
		{"S", "", both, call("handle_game_invitation", "{}"), "league"},
		{"", "2026-07-28", both, call("tools/list", "{}"), "modern"},
		{"", "2026-07-28", both, call("no/such", "{}"), "modern"},
		{"", "2099-01-01", both, call("tools/list", "{}"), "modern"},
		{"", "2025-11-25", both, call("tools/list", "{}"), "bare"},
		{"", "", "", call("tools/list", "{}"), "bare"},
		{"", "", "", call("notifications/initialized", "{}"), "bare"},
		{"", "", "", call("ping", "{}"), "league"},
		{"", "", "", call("tools/call", `{"name":"handle_game_invitation"}`), "league"},
		{"", "", "", call("tools/call", `{"name":"join_game"}`), "league"}, // an alias, which tools/list does not have
		{"", "", "", call("tools/call", `{"name":"nobody_has_this"}`), "bare"},
		{"", "", "", call("handle_game_invitation", "{}"), "league"},
		{"", "", "", call("no/such", "{}"), "league"},
		{"", "", "", `{"jsonrpc":"2.0","id":1,"method":"tools\/list"}`, "bare"},
		{"", "", "", `{"jsonrpc":"2.0","id":1,"method":"\u0074ools/list"}`, "bare"},
		{"", "", "", `[` + call("tools/list", "{}") + `]`, "league"},
		{"", "", "", `{"jsonrpc":"2.0","id":1,"Method":"tools/list"}`, "league"},                 // it has no method
		{"", "", "", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, "league"}, // it has two
		{"", "", "", `{"message_type":"GAME_INVITATION","match_id":"R1M1"}`, "league"},
		{"", "", "", `{`, "league"}, {"", "", "", ``, "league"}, {"", "", "", `null`, "league"},
		{"", "", "", `"initialize"`, "league"},
	} {
		r := httptest.NewRequest("POST", "/mcp", nil)
		for name, v := range map[string]string{
			"Mcp-Session-Id": c.session, "Mcp-Protocol-Version": c.version, "Accept": c.accept,
		} {
			if v != "" {
				r.Header.Set(name, v)
			}
		}
		if got := n.SideOf(r, []byte(c.body)); got != c.want {
			t.Errorf("session %q, version %q, accept %q: %s: got %s, want %s", c.session, c.version, c.accept,
				c.body, got, c.want)
		}
	}
}

// FuzzGateway: every body is answered, and both sides agree on its protocol: a league.v2 request gets a league.v2
// answer.
func FuzzGateway(f *testing.F) {
	for _, body := range []string{pingBody, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize"}`,
		`{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"ping"}}`, `[]`, `{`, `{"METHOD":"tools/list"}`} {
		f.Add(body, "", "")
		f.Add(body, "2026-07-28", "application/json, text/event-stream")
	}
	n := newPlayer(rpc.Options{Limits: rpc.Limits{Open: -1, Failed: -1}})
	f.Fuzz(func(t *testing.T, body, version, accept string) {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(body))
		r.Header.Set("Mcp-Protocol-Version", version)
		r.Header.Set("Accept", accept)
		r.Header.Set("Content-Type", "application/json")
		side := n.SideOf(r, []byte(body))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // a subscription has no end
		defer cancel()
		w := httptest.NewRecorder()
		n.ServeHTTP(w, r.WithContext(ctx))
		if side == "league" && w.Code != 200 && w.Code != 202 {
			t.Errorf("%q: got %d", body, w.Code)
		}
	})
}

// A token is the same identity whether it comes in the message or beside it, on both faces.
func TestBearerIsTheTokenOfAMessageWithoutOne(t *testing.T) {
	heads := make(chan protocol.Envelope, 1)
	n := rpc.NewNode(protocol.Manager, rpc.Options{})
	n.Handle(protocol.TypeLeagueQuery, func(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
		heads <- *m.Head()
		return &protocol.LeagueQueryResponse{
			Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueQueryResponse}, Success: true,
		}, nil
	})
	url := served(t, n)
	for _, c := range []struct{ bearer, params, token, sender string }{
		{"Bearer tok_player_P01_x", `{"query_type":"GET_STATUS"}`, "tok_player_P01_x", "player:P01"},
		{"bearer  tok_referee_REF01_x ", `{"query_type":"GET_STATUS"}`, "tok_referee_REF01_x", "referee:REF01"},
		{"Bearer tok_admin_x", `{"query_type":"GET_STATUS"}`, "tok_admin_x", "admin"},
		{"Bearer tok_player_P01_x", `{"query_type":"GET_STATUS","sender":"player:P02","auth_token":"own"}`, "own",
			"player:P02"},
		{"Bearer tok_player_P01_x", `{"query_type":"GET_STATUS","sender":"player:P02"}`, "tok_player_P01_x", "player:P02"},
		{"Basic dXNlcjpwYXNz", `{"query_type":"GET_STATUS"}`, "", ""},
		{"", `{"query_type":"GET_STATUS"}`, "", ""},
	} {
		for face, body := range map[string]string{
			"league": `{"jsonrpc":"2.0","id":1,"method":"league_query","params":` + c.params + `}`,
			"dialect C": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"league_query","arguments":` +
				c.params + `}}`,
			"MCP": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"league_query","arguments":` + c.params +
				`,"_meta":` + modernMeta + `}}`,
		} {
			header := map[string]string{"Authorization": c.bearer, "Accept": "application/json, text/event-stream"}
			if face == "MCP" {
				header["Mcp-Protocol-Version"], header["Mcp-Method"], header["Mcp-Name"] =
					"2026-07-28", "tools/call", "league_query"
			}
			answer := tellBody(t, url, body, header)
			select {
			case h := <-heads:
				if h.AuthToken != c.token || h.Sender != c.sender {
					t.Errorf("%s, %q, %s: got token %q of %q, want %q of %q", face, c.bearer, c.params, h.AuthToken, h.Sender,
						c.token, c.sender)
				}
			default:
				t.Errorf("%s: %s did not arrive: %s", face, body, answer)
			}
		}
	}
}

// modernMeta is the metadata in every request of 2026-07-28.
const modernMeta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// The caller of a tool is identified by its connection, whatever address its message claims.
func TestToolsLearnTheAddressOfTheirCaller(t *testing.T) {
	seen := make(chan string, 1)
	n := rpc.NewNode("player:P01", rpc.Options{})
	n.Handle(protocol.TypeGameInvitation, func(ctx context.Context, f rpc.From, m protocol.Message) (
		protocol.Message, error) {
		seen <- f.Addr
		return joins(ctx, f, m)
	})
	url := served(t, n)
	tellBody(t, url,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"handle_game_invitation","arguments":{"match_id":"R1M1"},"_meta":`+
			modernMeta+`}}`,
		map[string]string{
			"League-Peer": "192.0.2.1", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
			"Mcp-Name": "handle_game_invitation", "Accept": "application/json, text/event-stream",
		})
	if got := <-seen; got != "127.0.0.1" {
		t.Errorf("got %q", got)
	}
}

// Requests for which the SDK has another answer, such as a fractional id or an invalid body, are answered by our code.
func TestPlainFaceNeverMeetsTheSDK(t *testing.T) {
	url := served(t, newPlayer(rpc.Options{}))
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:                                             `"id":1.5`,
		`{"jsonrpc":"2.0","id":"a\u0041","method":"tools/call","params":{"name":"ping"}}`:        `"id":"a\u0041"`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"ping"}}`: `"id":9007199254740993`,
		`{`: `-32700`,
	} {
		if got := tellBody(t, url, body, nil); !strings.Contains(got, want) {
			t.Errorf("%s: got %s", body, got)
		}
	}
}

// Every tool describes when to call it, and its results match its schemas.
func TestEveryToolSaysWhatItIsFor(t *testing.T) {
	n := rpc.NewNode(protocol.Manager, rpc.Options{})
	methods := 0
	for _, spec := range protocol.Specs() {
		if spec.Method == "" {
			continue
		}
		methods++
		n.Handle(spec.Type, func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
			return nil, protocol.Errorf(protocol.AuthTokenInvalid, "not you")
		})
	}
	s := dialMCP(t, served(t, n), "2025-11-25", nil)
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		methods--
		if len(tool.Description) < 30 || tool.Title == "" || !strings.HasSuffix(tool.Description, ".") {
			t.Errorf("%s: %q: %q", tool.Name, tool.Title, tool.Description)
		}
		spec, _ := protocol.ByMethod(tool.Name)
		if a := tool.Annotations; a == nil || spec.ReadOnly && !a.ReadOnlyHint || a.ReadOnlyHint && *a.DestructiveHint {
			t.Errorf("%s: annotations %+v", tool.Name, a)
		}
		in, _ := json.Marshal(tool.InputSchema)
		if strings.Contains(string(in), `"additionalProperties":false`) {
			t.Errorf("%s is closed: %s", tool.Name, in)
		}
	}
	if methods != 0 {
		t.Errorf("%d methods are no tools", methods)
	}
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "start_league"})
	if err != nil || !res.IsError || !strings.Contains(res.Content[0].(*mcp.TextContent).Text,
		"E012 AUTH_TOKEN_INVALID: not you") {
		t.Errorf("got %v %+v", err, res)
	}
}

// A stream outlives the time that a request of league.v2 has, and ends with the server.
func TestStreamLivesAsLongAsItsServer(t *testing.T) {
	n := newPlayer(rpc.Options{})
	server, err := rpc.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	server.Hurry(300 * time.Millisecond)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, n) }()
	defer stop()
	n.Subscribable(func(uri string) bool { return uri == "test://x" })
	updates := make(chan string, 10)
	s := dialMCP(t, server.URL(), "2025-11-25", &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			updates <- r.Params.URI
		},
	})
	for _, uri := range []string{"test://x", "test://nowhere"} {
		if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
			t.Fatal(err)
		}
	}
	outlastRequest(t, server.Port())
	for _, uri := range []string{"test://nowhere", "test://x"} {
		if err := n.MCP().ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-updates; got != "test://x" {
		t.Errorf("heard of %s", got)
	}
	start := time.Now()
	stop()
	if err := <-ended; err != nil && err != http.ErrServerClosed {
		t.Error(err)
	}
	if took := time.Since(start); took > 1900*time.Millisecond {
		t.Errorf("the server took %v to end: it waited for the stream", took)
	}
}

// outlastRequest returns after the maximum time that a server allows for a request: it sends an endless one, and waits
// until the server has closed the connection.
func outlastRequest(t *testing.T, port int) {
	t.Helper()
	c, err := net.Dial("tcp", fmt.Sprintf("localhost:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const begun = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{"
	if _, err := io.WriteString(c, begun); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, c); err != nil {
		t.Fatal(err)
	}
}

// The answer to a call may come bit by bit.
func TestProgressComesBeforeTheAnswer(t *testing.T) {
	n := newPlayer(rpc.Options{})
	told := make(chan struct{})
	n.MCP().AddTool(&mcp.Tool{Name: "slow", Description: "slow", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: req.Params.GetProgressToken(), Progress: 1,
			})
			<-told
			return &mcp.CallToolResult{}, nil
		})
	url := served(t, n)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{},"_meta":` +
		strings.Replace(modernMeta, "{", `{"progressToken":7,`, 1) + `}}`
	req, _ := http.NewRequest("POST", url, strings.NewReader(body))
	for name, v := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "slow",
	} {
		req.Header.Set(name, v)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "notifications/progress") {
			close(told)
		}
		if strings.Contains(lines.Text(), `"result"`) {
			return
		}
	}
	t.Error("there was no answer")
}

// No method of MCP is overlooked because of how bodies are sifted.
func TestEveryMethodOfMCPIsFound(t *testing.T) {
	n := newPlayer(rpc.Options{})
	for _, method := range rpc.MCPMethods {
		r := httptest.NewRequest("POST", "/mcp", nil)
		got := n.SideOf(r, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{"name":"x"}}`, method))
		if want := "bare"; got != want && method != "ping" {
			t.Errorf("%s: got %s, want %s", method, got, want)
		}
	}
}
