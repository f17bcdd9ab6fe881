package rpc

import (
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// peerHeader carries the address of a caller through the SDK to the tools. A value from the caller is overwritten.
const peerHeader = "League-Peer"

// CalledBy returns the origin of a tool call. A tool that the owner of a node has added uses it to identify the
// caller, as a [Handler] does.
func CalledBy(req *mcp.CallToolRequest) From { return fromExtra(req.Extra) }

// fromExtra returns where a request of MCP came from.
func fromExtra(extra *mcp.RequestExtra) From {
	if extra == nil || extra.Header == nil {
		return From{counted: true}
	}
	h := extra.Header
	return From{Addr: h.Get(peerHeader), Token: bearer(h), counted: true}
}

// bearer returns the token of the header Authorization, or "".
func bearer(h http.Header) string { return bearerToken(h.Get("Authorization")) }

// bearerToken returns the token of the value of that header, or "".
func bearerToken(value string) string {
	kind, token, _ := strings.Cut(value, " ")
	if !strings.EqualFold(kind, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
