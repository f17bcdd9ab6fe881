package rpc

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"agentleague/dialect"
	"agentleague/protocol"
)

// An agent speaks league.v2 and MCP at one endpoint. The method and the headers of a request decide:
//
//	GET, DELETE, initialize, requests with a session ──▶ sessions   (MCP up to 2025-11-25)
//	MCP-Protocol-Version: 2026-07-28 or newer        ──▶ stateless  (each request is complete)
//	other methods of MCP, without any handshake      ──▶ bare       (one JSON answer)
//	everything else                                  ──▶ Answer     (league.v2, tools/call of its methods too)
//
// A message of one of this program's agents is recognized before any of these checks, and never reaches the MCP side.

// The headers of MCP, as net/http keeps them.
const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
)

// modern is the first version of MCP without sessions.
const modern = "2026-07-28"

// mcpMethods are the requests of clients in any version of MCP.
var mcpMethods = []string{
	"initialize", "ping", "server/discover", "subscriptions/listen", "tools/list", "tools/call",
	"resources/list", "resources/read", "resources/templates/list", "resources/subscribe", "resources/unsubscribe",
	"prompts/list", "prompts/get", "completion/complete", "logging/setLevel",
}

// A side is the part of a node that answers a request.
type side int

// The parts of a node that answer requests at one endpoint: league.v2, MCP with sessions, newer MCP without, and an MCP
// request without any handshake.
const (
	leagueSide side = iota
	sessionSide
	modernSide
	bareSide
)

// sideOf returns the side that answers a request with this body. takes reports whether the agent handles a message
// type.
func sideOf(r *http.Request, body []byte, takes func(protocol.Type) bool) side {
	if version := r.Header.Get(versionHeader); version >= modern {
		return modernSide
	}
	session := r.Header.Get(sessionHeader) != ""
	if !session && !mentionsMCP(body) {
		return leagueSide
	}
	p := peek(body)
	isMCP := slices.Contains(mcpMethods, p.method) || strings.HasPrefix(p.method, "notifications/")
	switch {
	case session && (isMCP || p.answers || p.batch):
		return sessionSide
	case !isMCP:
		return leagueSide
	case p.method == "initialize" || p.method == "server/discover":
		// such a client cannot read a stream, so it needs no session
		if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			return bareSide
		}
		return sessionSide
	case p.method == "ping", p.method == "tools/call" && isMessage(p.tool, takes):
		return leagueSide
	}
	return bareSide
}

// familiar lists byte sequences of which the name of each MCP method contains at least one, except ping, which is also
// a method of league.v2.
var familiar = [][]byte{
	[]byte("initialize"), []byte("tools/"), []byte("resources/"), []byte("prompts/"), []byte("notifications/"),
	[]byte("completion/"), []byte("logging/"), []byte("server/"), []byte("subscriptions/"),
}

// mentionsMCP reports whether a body may be an MCP request. The check is cheap and avoids parsing most other bodies
// twice.
func mentionsMCP(body []byte) bool {
	return bytes.IndexByte(body, '\\') >= 0 || // a method may be written with escapes
		slices.ContainsFunc(familiar, func(part []byte) bool { return bytes.Contains(body, part) })
}

// isMessage reports whether a tool name is that of a message, in any dialect, that the agent handles.
func isMessage(tool string, takes func(protocol.Type) bool) bool {
	return slices.ContainsFunc(dialect.TypesNamed(tool), takes) || dialect.IsCarrier(tool)
}

// A peeked holds the fields of a request that select its side.
type peeked struct {
	method  string
	tool    string // of tools/call
	answers bool   // it answers a request of the server's own
	batch   bool
}

// peek decodes the fields of a body that select its side. Names are matched exactly: decoding into a struct would
// accept "Method" too, unlike the parser of requests.
func peek(body []byte) (p peeked) {
	body = bytes.TrimLeft(body, " \t\r\n")
	if len(body) > 0 && body[0] == '[' {
		return peeked{batch: true}
	}
	var m, params map[string]json.RawMessage
	if json.Unmarshal(body, &m) != nil || protocol.RepeatedKey(body) != "" {
		return p
	}
	if _, called := m["method"]; !called {
		p.answers = m["result"] != nil || m["error"] != nil
		return p
	}
	if json.Unmarshal(m["method"], &p.method) == nil && p.method == "tools/call" &&
		json.Unmarshal(m["params"], &params) == nil {
		_ = json.Unmarshal(params["name"], &p.tool)
	}
	return p
}
