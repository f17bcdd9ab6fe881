package rpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"agentleague/protocol"
	"agentleague/rpc"
)

// envelope returns the head of a message of type t.
func envelope(t protocol.Type) protocol.Envelope {
	return protocol.Envelope{MessageType: t, ConversationID: "conv-test", MatchID: "R1M1"}
}

func ping() *protocol.Tool { return &protocol.Tool{Envelope: envelope(protocol.TypePing)} }

func invitation() *protocol.GameInvitation {
	return &protocol.GameInvitation{Envelope: envelope(protocol.TypeGameInvitation), PlayerID: "P01"}
}

func gameOver() *protocol.GameOver {
	return &protocol.GameOver{Envelope: envelope(protocol.TypeGameOver)}
}

// joins is the handler of a player that accepts every invitation.
func joins(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
	yes := true
	return &protocol.GameJoinAck{
		Envelope: protocol.Envelope{MessageType: protocol.TypeGameJoinAck}, PlayerID: "P01", Accept: &yes,
	}, nil
}

// acknowledges is a handler that answers with an acknowledgement of type t.
func acknowledges(t protocol.Type) rpc.Handler {
	return func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
		return &protocol.Ack{Envelope: protocol.Envelope{MessageType: t}, Status: protocol.Acknowledged}, nil
	}
}

// refuses is a handler that always answers with err.
func refuses(err error) rpc.Handler {
	return func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) { return nil, err }
}

// newManager returns a node that takes registrations and queries.
func newManager(o rpc.Options) *rpc.Node {
	n := rpc.NewNode(protocol.Manager, o)
	n.Handle(protocol.TypeLeagueRegisterRequest,
		func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
			id := "P01"
			return &protocol.LeagueRegisterResponse{
				Admission: protocol.Admission{
					Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueRegisterResponse}, Status: protocol.Accepted,
				},
				PlayerID: &id,
			}, nil
		})
	answer := func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
		return &protocol.LeagueQueryResponse{
			Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueQueryResponse}, Success: true,
			Data: json.RawMessage(`{}`),
		}, nil
	}
	n.Handle(protocol.TypeLeagueQuery, answer)
	n.Handle(protocol.TypeGetStandings, answer)
	n.Handle(protocol.TypeRoundCompleted, acknowledges(protocol.TypeRoundCompletedAck))
	return n
}

// newPlayer returns a node that joins matches and takes their ends.
func newPlayer(o rpc.Options) *rpc.Node {
	n := rpc.NewNode("player:P01", o)
	n.Handle(protocol.TypeGameInvitation, joins)
	n.Handle(protocol.TypeGameOver, acknowledges(protocol.TypeGameOverAck))
	return n
}

// ask gives a body to a node, as from an address of this machine.
func ask(n *rpc.Node, body string) []byte {
	return n.Answer(context.Background(), rpc.From{Addr: "127.0.0.1"}, []byte(body))
}

// outline returns the id and outcome of every answer in a body: "ok" or the error's number. For a bare message it
// returns the type. It fails the test for any other body.
func outline(t testing.TB, body []byte) string {
	t.Helper()
	if body == nil {
		return "nothing"
	}
	if !json.Valid(body) {
		t.Fatalf("the answer is not JSON: %s", body)
	}
	if body[0] != '[' {
		return outlineOne(t, body)
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(body, &batch); err != nil || len(batch) == 0 {
		t.Fatalf("an empty batch of answers: %s", body)
	}
	var all []string
	for _, one := range batch {
		all = append(all, outlineOne(t, one))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

func outlineOne(t testing.TB, one json.RawMessage) string {
	t.Helper()
	var m map[string]json.RawMessage
	if json.Unmarshal(one, &m) != nil || m == nil {
		t.Fatalf("the answer is no object: %s", one)
	}
	if m["jsonrpc"] == nil {
		return "bare " + string(m["message_type"])
	}
	id, result, failure := m["id"], m["result"], m["error"]
	if string(m["jsonrpc"]) != `"2.0"` || id == nil || (result == nil) == (failure == nil) || len(m) != 3 {
		t.Fatalf("no JSON-RPC answer: %s", one)
	}
	if result != nil {
		return string(id) + " ok"
	}
	var e struct {
		Code    *int
		Message *string
	}
	if err := json.Unmarshal(failure, &e); err != nil || e.Code == nil || e.Message == nil {
		t.Fatalf("no JSON-RPC error: %s", failure)
	}
	return fmt.Sprint(string(id), " ", *e.Code)
}

// A notebook stores a node's observed messages and log entries.
type notebook struct {
	mu       sync.Mutex
	messages []rpc.Message
	lines    bytes.Buffer
}

func (b *notebook) observe(m rpc.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.messages = append(b.messages, m)
}

// Write takes log lines.
func (b *notebook) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lines.Write(line)
}

func (b *notebook) log() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lines.String()
}

// seen formats the observed messages, one per line.
func (b *notebook) seen() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for _, m := range b.messages {
		words := []string{"received"}
		if m.Sent {
			words[0] = "sent"
		}
		if m.Reply {
			words = append(words, "reply")
		}
		if m.Message == nil {
			words = append(words, "nothing")
		} else {
			words = append(words, string(m.Message.Head().MessageType))
		}
		if words = append(words, m.Peer); m.ErrorCode != "" {
			words = append(words, m.ErrorCode)
		}
		out = append(out, strings.Join(words, " "))
	}
	return strings.Join(out, "\n")
}
