package check

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"

	"agentleague/protocol"
)

// wireSteps test HTTP and JSON-RPC 2.0, which are the same for every role.
func wireSteps(letter string) []Step {
	ids := func(id string) func(context.Context, *session) finding {
		return func(ctx context.Context, s *session) finding { return s.echoes(ctx, id) }
	}
	return []Step{
		{letter + "01", "GET /health answers healthy", clauseRoles,
			`Serve GET /health with status 200 and {"status":"healthy","agent":"player:P01"}.`, health},
		{letter + "02", "/health says who the agent is", clauseRoles,
			`Put your sender, such as player:P01, into the member agent of /health.`, healthAgent},
		{letter + "03", "GET /mcp is refused", clauseRoles, `Answer anything but POST on /mcp with 405 Method Not Allowed.`,
			getRefused},
		{letter + "04", "requests are answered as JSON-RPC 2.0", clauseMessages,
			`Answer {"jsonrpc":"2.0","id":<that of the request>} with either result or error in it.`, speaksRPC},
		{letter + "05", "ping is answered with PONG", clauseQueries,
			`Add a method ping that answers with a PONG message with status "ok".`, pongs},
		{letter + "06", "an id that is a string is repeated", clauseMessages,
			`Copy the id of the request into the answer as it is, also when it is a string.`, ids(`"check-é-1"`)},
		{letter + "07", "ids are repeated byte for byte", clauseMessages,
			`Keep the id as raw JSON: 1.5 stays 1.5, and a long number keeps all its digits.`, exactIDs},
		{letter + "08", "a null id is a request too", clauseMessages,
			`Only a request without the member id is a notification; "id":null is answered with "id":null.`, ids(`null`)},
		{letter + "09", "a body that is not JSON is a parse error", clauseMessages,
			`Answer a body that is not JSON with the error -32700 and "id":null.`, parseError},
		{letter + "10", "a request without method or version is invalid", clauseMessages,
			`Answer a request whose jsonrpc is not "2.0" or whose method is not a string with the error -32600.`, invalidRequests},
		{letter + "11", "a member that occurs twice makes a request invalid", clauseEnvelope,
			`Refuse an object in which a name occurs twice with the error -32600.`, repeatedMember},
		{letter + "12", "a batch is answered as an array", clauseMessages,
			`Answer an array of requests with the array of their answers.`, batch},
		{letter + "13", "a notification gets no answer", clauseMessages,
			`Answer a request without id with status 202 and an empty body.`, notification},
		{letter + "14", "an unknown method is -32601", clauseMessages,
			`Answer a method that you do not have with the error -32601, Method not found.`, unknownMethod},
		{letter + "15", "names of methods are case-sensitive", clauseEnvelope,
			`Compare method names exactly: Ping is not ping.`, caseSensitive},
		{letter + "16", "an error has HTTP status 200", clauseMessages,
			`Send HTTP status 200 whenever there is a JSON-RPC answer, also with an error in it.`, errorStatus},
		{letter + "17", "a body of more than 1 MiB is refused", clauseMessages,
			`Limit how much of a body you read to 1 MiB, and answer larger ones with status 413.`, oversized},
		{letter + "18", "answers have the content type application/json", clauseMessages,
			`Send the header Content-Type: application/json with every answer.`, contentType},
	}
}

// contentType checks the header of an answer. Agents ignore it, but browsers and proxies do not, and a wrong type
// often comes with a wrong body.
func contentType(ctx context.Context, s *session) finding {
	if !s.Strict && !s.speaksRPC(ctx) {
		return skip("the agent does not speak JSON-RPC")
	}
	x, header := s.contentType(ctx, fmt.Sprintf(pingRequest, "1800"))
	kind, _, _ := mime.ParseMediaType(header)
	switch {
	case x.err != nil:
		return differ("it gave no answer: %v", x.err).in(x)
	case kind == "application/json" || kind == "text/event-stream": // of an MCP server
		return pass.in(x)
	}
	return differ("want the content type application/json, got %q", header).in(x)
}

// A page for people and for programs that watch over processes; a league is played without it.
func health(ctx context.Context, s *session) finding {
	x := s.get(ctx, s.page("/health"))
	var said struct{ Status string }
	_ = json.Unmarshal(x.got, &said)
	switch {
	case x.err != nil:
		return fail("it gave no answer: %v", x.err)
	case x.status != http.StatusOK:
		return differ("want status 200, got %d", x.status)
	case said.Status != "healthy":
		return differ(`want {"status":"healthy", …}`)
	}
	return pass
}

// healthAgent checks the agent's name at /health.
func healthAgent(ctx context.Context, s *session) finding {
	var said struct{ Agent string }
	_ = json.Unmarshal(s.get(ctx, s.page("/health")).got, &said)
	if !saneSender(said.Agent, s.role) {
		return differ("want the member agent with a sender such as %s, got %q", exampleSender(s.role), said.Agent)
	}
	return pass
}

// A GET at the endpoint is neither lost nor an error of the server; real MCP servers open a stream there.
func getRefused(ctx context.Context, s *session) finding {
	x := s.get(ctx, s.peer.Endpoint)
	// an MCP server has streams there
	if x.err != nil || x.status < 400 && !x.stream || x.status == http.StatusNotFound || x.status >= 500 {
		return advise("want status 405, got %d", x.status)
	}
	return pass
}

// speaksRPC checks the JSON-RPC frame. A third-party agent may answer without it, which is understood and reported.
func speaksRPC(ctx context.Context, s *session) finding {
	if !s.Strict && !s.speaksRPC(ctx) {
		return differ("the answer to a JSON-RPC request is not JSON-RPC")
	}
	return s.echoes(ctx, "7")
}

// Both are ids that a number type of most languages would change: a trailing zero, and more digits than 2^53 has.
func exactIDs(ctx context.Context, s *session) finding {
	return first(s.echoes(ctx, "1.50"), s.echoes(ctx, "12345678901234567890"))
}

// The answer to a ping is a message with a type, from which its dialect is seen.
func pongs(ctx context.Context, s *session) finding {
	x, a, f := s.rpc(ctx, fmt.Sprintf(pingRequest, "8"))
	if f.level != passes {
		return f
	}
	var said struct {
		Type protocol.Type `json:"message_type"`
	}
	_ = json.Unmarshal(a["result"], &said)
	if said.Type != protocol.TypePong {
		return differ("want a PONG message in result").in(x)
	}
	return pass
}

// Torn JSON and no JSON at all: neither has an id to repeat.
func parseError(ctx context.Context, s *session) finding {
	return first(s.wantCode(ctx, `{"jsonrpc":"2.0","method":"ping",`, protocol.ParseError, "null"),
		s.wantCode(ctx, "\xff\xfe not json", protocol.ParseError, "null"))
}

// invalidRequests sends readable JSON that is no request of JSON-RPC 2.0: its id is known and has to be repeated.
func invalidRequests(ctx context.Context, s *session) finding {
	return first(
		s.wantCode(ctx, `{"jsonrpc":"1.0","method":"ping","params":{},"id":9}`, protocol.InvalidRequest, "9"),
		s.wantCode(ctx, `{"jsonrpc":"2.0","method":5,"params":{},"id":9}`, protocol.InvalidRequest, "9"),
	)
}

// Two members of one name mean different things to different parsers, which is how a checked value and a used one
// come apart.
func repeatedMember(ctx context.Context, s *session) finding {
	_, a, f := s.rpc(ctx, `{"jsonrpc":"2.0","method":"ping","params":{"a":1,"a":2},"id":9}`)
	if f.level == passes && a.code() != protocol.InvalidRequest {
		return differ("want the error %d", protocol.InvalidRequest)
	}
	return f
}

// batch allows any order of the answers, since each is identified by its id.
func batch(ctx context.Context, s *session) finding {
	x, _, f := s.rpc(ctx, "["+fmt.Sprintf(pingRequest, "21")+","+fmt.Sprintf(pingRequest, "22")+"]")
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

// notification expects no answer: without an id the sender could not match one.
func notification(ctx context.Context, s *session) finding {
	x, _, f := s.rpc(ctx, `{"jsonrpc":"2.0","method":"ping","params":{}}`)
	if f.level == passes && (x.status/100 != 2 || len(bytes.TrimSpace(x.got)) > 0) {
		return differ("want status 202 and no body, got %d and %d bytes", x.status, len(x.got))
	}
	return f
}

// unknownMethod expects -32601, which shows a client that the agent does not use this dialect.
func unknownMethod(ctx context.Context, s *session) finding {
	return s.wantCode(ctx, `{"jsonrpc":"2.0","method":"no_such_method","params":{},"id":9}`, protocol.MethodNotFound, "9")
}

// caseSensitive sends Ping, which is no method: an agent that folds case accepts messages that others refuse.
func caseSensitive(ctx context.Context, s *session) finding {
	return s.wantCode(ctx, `{"jsonrpc":"2.0","method":"Ping","params":{},"id":9}`, protocol.MethodNotFound, "9")
}

// An error of JSON-RPC is a successful exchange of HTTP: proxies and clients hide the body of anything else.
func errorStatus(ctx context.Context, s *session) finding {
	x, _, f := s.rpc(ctx, `{"jsonrpc":"2.0","method":"no_such_method_either","params":{},"id":9}`)
	if f.level == passes && x.status != http.StatusOK {
		return differ("want status 200, got %d", x.status)
	}
	return f
}

// oversized sends more than any client needs. Closing the connection is right as well.
func oversized(ctx context.Context, s *session) finding {
	body := append([]byte(`{"jsonrpc":"2.0","method":"ping","params":{"fill":"`),
		bytes.Repeat([]byte("x"), 1<<20+1<<10)...)
	x := s.post(ctx, append(body, `"},"id":9}`...))
	if parseAnswer(x.got).has("result") {
		return advise("a body of %d bytes was accepted", len(x.sent))
	}
	if s.get(ctx, s.page("/health")).err != nil {
		return fail("it no longer answers after a body of %d bytes", len(x.sent)).in(x)
	}
	return pass
}
