package check

import (
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strings"

	"agentleague/protocol"
)

// wireSteps returns the steps about HTTP and JSON-RPC 2.0, which are the same for every role.
func wireSteps() map[string]judge {
	return map[string]judge{
		"01": health, "02": healthAgent, "03": getRefused, "04": answersRPC, "05": pongs, "12": batch, "17": oversized,
		"18": contentType,
	}
}

// contentType checks the Content-Type of an answer. Agents ignore it, but browsers and proxies do not, and a wrong type
// often comes with a wrong body.
func contentType(ctx context.Context, s *session) finding {
	if !s.wire.speaksRPC(ctx) {
		return skip("the agent does not speak JSON-RPC")
	}
	x, header := s.wire.fetch(ctx, http.MethodPost, s.wire.peer.Endpoint, ping("1800"))
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	switch {
	case x.err != nil:
		return differ("it gave no answer: %v", x.err).in(x)
	case kind == "application/json" || kind == "text/event-stream": // of an MCP server
		return pass.in(x)
	}
	return differ("want the content type application/json, got %q", header.Get("Content-Type")).in(x)
}

// health checks the /health page, which people and monitoring use. It is not needed to play.
func health(ctx context.Context, s *session) finding {
	x := s.wire.get(ctx, s.wire.page("/health"))
	var page struct{ Status string }
	_ = json.Unmarshal(x.got, &page)
	switch {
	case x.err != nil:
		return fail("it gave no answer: %v", x.err)
	case x.status != http.StatusOK:
		return differ("want status 200, got %d", x.status)
	case page.Status != "healthy":
		return differ(`want {"status":"healthy", …}`)
	}
	return pass
}

// healthAgent checks the agent's name at /health.
func healthAgent(ctx context.Context, s *session) finding {
	var page struct{ Agent string }
	_ = json.Unmarshal(s.wire.get(ctx, s.wire.page("/health")).got, &page)
	if !saneSender(page.Agent, s.role) {
		return differ("want the member agent with a sender such as %s, got %q", exampleSender(s.role), page.Agent)
	}
	return pass
}

// getRefused expects a GET to be answered at once. An event stream, as MCP servers offer, is accepted.
func getRefused(ctx context.Context, s *session) finding {
	x := s.wire.get(ctx, s.wire.peer.Endpoint)
	if x.err != nil || x.status < 400 && !x.stream || x.status == http.StatusNotFound || x.status >= 500 {
		return advise("want status 405, got %d", x.status)
	}
	return pass
}

// answersRPC reports an agent that answers without the JSON-RPC frame. Such an answer is understood, but not
// conformant.
func answersRPC(ctx context.Context, s *session) finding {
	if !s.wire.speaksRPC(ctx) {
		return differ("the answer to a JSON-RPC request is not JSON-RPC")
	}
	return s.wire.echoes(ctx, "7")
}

// pongs expects the answer to a ping to be a message with a type, which shows its dialect.
func pongs(ctx context.Context, s *session) finding {
	x, a, f := s.wire.call(ctx, ping("8"))
	if f.level != passes {
		return f
	}
	var pong struct {
		Type protocol.Type `json:"message_type"`
	}
	_ = json.Unmarshal(a["result"], &pong)
	if pong.Type != protocol.TypePong {
		return differ("want a PONG message in result").in(x)
	}
	return pass
}

// batch accepts the answers in any order, since each is identified by its id.
func batch(ctx context.Context, s *session) finding {
	x, _, f := s.wire.call(ctx, "["+ping("21")+","+ping("22")+"]")
	if f.level != passes {
		return f
	}
	var answers []rpcAnswer
	_ = json.Unmarshal(x.got, &answers)
	for _, id := range []string{"21", "22"} {
		if !slices.ContainsFunc(answers, func(a rpcAnswer) bool { return string(a["id"]) == id }) {
			return differ("want an array with an answer to each of the 2 requests")
		}
	}
	return pass
}

// oversized sends a larger body than any client needs. Closing the connection is accepted as a refusal.
func oversized(ctx context.Context, s *session) finding {
	x := s.wire.post(ctx, `{"jsonrpc":"2.0","method":"ping","params":{"fill":"`+strings.Repeat("x", 1<<20+1<<10)+`"},"id":9}`)
	if parseAnswer(x.got).has("result") {
		return advise("a body of %d bytes was accepted", len(x.sent))
	}
	if s.wire.get(ctx, s.wire.page("/health")).err != nil {
		return fail("it no longer answers after a body of %d bytes", len(x.sent)).in(x)
	}
	return pass
}
