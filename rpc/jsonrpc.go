package rpc

import (
	"encoding/json"
	"slices"
	"strings"

	"agentleague/protocol"
)

// redact redacts the tokens in a text, since some errors quote the request.
func redact(text string) string { return protocol.RedactIn(text) }

// A wireError is the error member of an answer.
type wireError struct {
	Code             int    `json:"code"`
	Data             any    `json:"data"`
	ErrorCode        string `json:"error_code,omitempty"`
	ErrorDescription string `json:"error_description,omitempty"`
	ErrorName        string `json:"error_name,omitempty"`
	Message          string `json:"message"`
}

// framedError encodes a JSON-RPC error. The id is copied verbatim, since
// encoding/json would escape some of its characters.
func framedError(id json.RawMessage, e wireError) []byte {
	b, _ := json.Marshal(e) // its data are JSON or plain texts
	return slices.Concat([]byte(`{"error":`), b, []byte(`,"id":`), nullable(id), []byte(`,"jsonrpc":"2.0"}`))
}

// failure encodes a JSON-RPC error response with a code that JSON-RPC defines.
func failure(id json.RawMessage, code int, message, detail string) []byte {
	return framedError(id, wireError{Code: code, Message: message, Data: map[string]string{"detail": redact(detail)}})
}

func invalid(id json.RawMessage, detail string) []byte {
	return failure(id, protocol.InvalidRequest, "Invalid Request", detail)
}

// nullable returns the id for an answer: null if the request had no readable id.
func nullable(id json.RawMessage) json.RawMessage {
	if id == nil {
		return json.RawMessage("null")
	}
	return id
}

// clip truncates text of a peer for an error message.
func clip(s string) string {
	if len(s) > 64 {
		return strings.ToValidUTF8(s[:64], "") + "…"
	}
	return s
}
