// Package chat queries a language model over HTTP. It supports two APIs: OpenAI's chat completions, which Ollama, vLLM
// and llama.cpp offer too, and Anthropic's messages.
//
//	Request ─▶ Client.Ask ─▶ POST …/chat/completions ─▶┐
//	              ▲   └────▶ POST …/messages ─────────▶├─▶ whole or streamed ─▶ Answer, with its Tokens
//	              └── again, while the time allows ◀───┘
//
// It is independent of games. The API key is sent only to the configured endpoint. Errors contain the endpoint, the
// status and the server's message, but not the key.
package chat

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
)

// An API is the protocol of a model server.
type API string

// The supported APIs.
const (
	OpenAI    API = "openai"    // chat completions
	Anthropic API = "anthropic" // messages
)

// A Client queries one model. Endpoint, API and Model are required. It is safe for concurrent use.
type Client struct {
	Endpoint string // the address that is posted to; see [Endpoint]
	API      API
	Model    string
	Key      string // "": none is sent
	Sampling Sampling
	Tries    int          // requests for one answer, at most; 0: 6
	HTTP     *http.Client // nil: a client that follows no redirect, so that the key goes nowhere else

	plain   atomic.Bool // the server refuses schemas
	renamed atomic.Bool // the server wants max_completion_tokens
}

// Sampling are the sampling parameters of a request. Nil parameters are not sent, so the server's defaults apply.
type Sampling struct {
	Temperature *float64 `json:"temperature,omitempty"`
	Seed        *int     `json:"seed,omitempty"` // of chat completions only
}

// A Turn is one message of a conversation.
type Turn struct {
	Role string `json:"role"` // User or Assistant
	Text string `json:"content"`
}

// The speaker of a turn.
const (
	User      = "user"
	Assistant = "assistant"
)

// A Request is a conversation that the model continues.
type Request struct {
	System    string          // the system prompt
	Turns     []Turn          // the last one is the user's
	Schema    json.RawMessage // the JSON Schema of the answer; nil: any text. A server may not obey it.
	MaxTokens int             // of the answer, including reasoning
}

// An Answer is a model's answer.
type Answer struct {
	Text    string // never empty
	Cut     bool   // it was longer than MaxTokens
	Model   string // the server's name for it; "": not given
	Tokens  Tokens
	Counted bool // the server sent its count of tokens

	refusal string // why the model will not
}

// Tokens is a token count of one or several answers, as reported by the server.
type Tokens struct {
	Input  int // all of the request, those from a cache too
	Cached int // those of Input that came from a cache
	Output int
}

// Plus returns both together.
func (t Tokens) Plus(other Tokens) Tokens {
	return Tokens{t.Input + other.Input, t.Cached + other.Cached, t.Output + other.Output}
}
