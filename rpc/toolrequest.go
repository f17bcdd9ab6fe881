package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/protocol"
)

// peerHeader is the header that carries the caller's address through the SDK to the tools. A value set by the caller is
// overwritten.
const peerHeader = "League-Peer"

// CalledBy returns the origin of a tool call, by which tools that are no league.v2 messages identify the caller.
func CalledBy(req *mcp.CallToolRequest) From { return fromExtra(req.Extra) }

// fromExtra returns the origin of an MCP request.
func fromExtra(extra *mcp.RequestExtra) From {
	if extra == nil || extra.Header == nil {
		return From{counted: true}
	}
	h := extra.Header
	return From{Addr: h.Get(peerHeader), Token: bearer(h), counted: true}
}

// bearer returns the bearer token of the Authorization header, or "".
func bearer(h http.Header) string { return bearerToken(h.Get("Authorization")) }

// bearerToken returns the bearer token in the value of an Authorization header, or "".
func bearerToken(value string) string {
	kind, token, _ := strings.Cut(value, " ")
	if !strings.EqualFold(kind, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// ReadArguments decodes the arguments of a tool into a struct. Its errors are for a model or a person, so they use the
// terms of JSON rather than of Go.
func ReadArguments(raw json.RawMessage, into any) error {
	err := json.Unmarshal(arguments(raw), into)
	if err == nil {
		return nil
	}
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return errors.New("the arguments are not JSON")
	case wrong.Field == "":
		return fmt.Errorf("the arguments are %s; use an object", jsonValue(wrong.Value))
	}
	return fmt.Errorf("%s: use %s, not %s", wrong.Field, protocol.JSONKind(wrong.Type), jsonValue(wrong.Value))
}

// jsonValue describes a JSON value by the decoder's data: its kind, and for a number its digits.
func jsonValue(kind string) string {
	switch kind {
	case "string":
		return "a string"
	case "bool":
		return "true or false"
	case "array":
		return "an array"
	case "object":
		return "an object"
	case "number":
		return "a number"
	}
	return "the " + kind
}

// arguments returns the arguments of a call, or an empty object if there are none.
func arguments(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	return raw
}
