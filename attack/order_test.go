package attack_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// admin is the admin token, which only the organiser has.
func (a *arena) admin() string {
	a.t.Helper()
	text, err := os.ReadFile(filepath.Join(a.root, "data", "admin.token"))
	if err != nil {
		a.t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// order gives an order as the organiser.
func (a *arena) order(kind protocol.Type, what message) answer {
	a.t.Helper()
	return post(a.t, a.url, forged(kind, "admin", a.admin(), what))
}

// A way is a channel for orders to the manager: a verb, a page, a tool or a message.
type way struct {
	name string
	give func(a *arena, kind protocol.Type, token string, what message) answer
}

// ways lists all ways to send an order. Those of the page answer 401 to every sender but the admin.
var ways = []way{
	{"by a request", func(a *arena, kind protocol.Type, token string, what message) answer {
		return post(a.t, a.url, forged(kind, "admin", token, what))
	}},
	{"by a tool", func(a *arena, kind protocol.Type, token string, what message) answer {
		return a.tool(kind, forged(kind, "admin", token, what), nil, nil)
	}},
	{"over MCP", func(a *arena, kind protocol.Type, token string, what message) answer {
		spec, _ := protocol.Lookup(kind)
		const version = "2026-07-28"
		header := http.Header{
			"Mcp-Protocol-Version": {version}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {spec.Method},
			"Accept": {"application/json, text/event-stream"},
		}
		return a.tool(kind, forged(kind, "admin", token, what), header, message{
			"io.modelcontextprotocol/protocolVersion":    version,
			"io.modelcontextprotocol/clientInfo":         message{"name": "mallory", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": message{},
		})
	}},
	{"over the API", func(a *arena, kind protocol.Type, token string, what message) answer {
		body, _ := json.Marshal(what)
		return a.page("/api/v1/leagues/"+leagueID+"/"+pageOrders[kind], "application/json", string(body), token)
	}},
	{"by the page", func(a *arena, kind protocol.Type, token string, what message) answer {
		form := url.Values{}
		for name, value := range what {
			form.Set(name, fmt.Sprint(value))
		}
		return a.page("/leagues/"+leagueID+"/"+pageOrders[kind], "application/x-www-form-urlencoded", form.Encode(), token)
	}},
}

// pageOrders are the orders as the page calls them.
var pageOrders = map[protocol.Type]string{
	protocol.TypeReadmitAgent: "readmit", protocol.TypeAnnulMatch: "annul", protocol.TypeInviteAgents: "invite",
	protocol.TypeRenameAgent: "rename", protocol.TypeMergeAgents: "merge",
}

// codeInText finds the code of an error, wherever it stands.
var codeInText = regexp.MustCompile(`E0\d\d`)

// tool calls a tool of the manager's.
func (a *arena) tool(kind protocol.Type, arguments message, header http.Header, meta message) answer {
	a.t.Helper()
	spec, _ := protocol.Lookup(kind)
	params := message{"name": spec.Method, "arguments": arguments}
	if meta != nil {
		params["_meta"] = meta
	}
	body, err := json.Marshal(message{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
	if err != nil {
		a.t.Fatal(err)
	}
	text, _ := a.send(a.url, "application/json", body, header)
	return answer{Code: codeInText.FindString(text), text: text}
}

// page gives an order where people do. A browser is sent to log in.
func (a *arena) page(path, kind, body, token string) answer {
	a.t.Helper()
	header := http.Header{}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	text, resp := a.send(strings.TrimSuffix(a.url, "/mcp")+path, kind, []byte(body), header)
	out := answer{text: fmt.Sprint(resp.Status, " ", text)}
	if resp.StatusCode == http.StatusUnauthorized || strings.HasPrefix(resp.Header.Get("Location"), "/login") {
		out.Code = "401"
	}
	return out
}

func (a *arena) send(to, kind string, body []byte, header http.Header) (string, *http.Response) {
	a.t.Helper()
	req, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header = header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("Content-Type", kind)
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := &http.Client{Timeout: rpctest.Patience, CheckRedirect: stay}
	resp, err := client.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return string(text), resp
}

// A loot is a token that is good for something else.
type loot struct {
	name string
	of   func(a *arena) string
}

// usurped returns attacks that send an order without the organiser's token: in every way, and with every other
// available token.
func usurped(kind protocol.Type, what func(a *arena) message, tokens ...loot) (rows []attack) {
	tokens = append([]loot{
		{"no token", func(*arena) string { return "" }},
		{"an invented token", func(*arena) string { return "tok_admin_made_up" }},
	}, tokens...)
	for _, w := range ways {
		for _, t := range tokens {
			want, told := "E012", string(kind)+" without the admin token was refused"
			switch {
			case strings.HasSuffix(w.name, "API") || strings.HasSuffix(w.name, "page"):
				want, told = "401", "POST /leagues/{league}/"+pageOrders[kind]+" without the admin token was refused"
			case t.name == "no token":
				want = "E011"
			}
			rows = append(rows, attack{name: fmt.Sprintf("%s %s with %s", kind, w.name, t.name), want: want, told: told,
				try: func(a *arena) answer {
					return w.give(a, kind, t.of(a), what(a))
				}})
		}
	}
	return rows
}
