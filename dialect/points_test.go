package dialect

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// A point is a peer that takes messages in one way on each axis, and no other.
type point struct {
	frame, body, one string
	spelling         spelling
	camel            bool
	nth              int // which of the common names it has
	refuses          refusing
}

// refusing is a peer's way to refuse unknown messages.
type refusing struct {
	status int
	body   string
}

var refusingWays = []refusing{
	{200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`},
	{200, `{"error":"Unknown method"}`},
	{200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params"}}`},
	{200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Missing required fields: {'protocol', 'message_type'}"}}`},
	{422, `{"detail":[{"type":"missing","loc":["body","message_type"],"msg":"Field required"}]}`},
	{422, `{"detail":[{"type":"missing","loc":["body","params","data"],"msg":"Field required"}]}`},
	{400, ``}, {401, ``}, {404, ``}, {405, `{"detail":"Method Not Allowed"}`}, {409, ``}, {500, `{"error":"KeyError: 'data'"}`},
}

// asked are the messages that a point is met with, in the order of a league.
var asked = []protocol.Message{
	&protocol.RoundAnnouncement{Envelope: protocol.Envelope{MessageType: protocol.TypeRoundAnnouncement, RoundID: 1}},
	&protocol.GameInvitation{Envelope: protocol.Envelope{MessageType: protocol.TypeGameInvitation, MatchID: "R1M1"},
		OpponentID: "P02", RoleInMatch: "PLAYER_A"},
	&protocol.ChooseParityCall{Envelope: protocol.Envelope{MessageType: protocol.TypeChooseParityCall, MatchID: "R1M1"},
		PlayerID: "P01"},
	&protocol.GameOver{Envelope: protocol.Envelope{MessageType: protocol.TypeGameOver, MatchID: "R1M1"}},
}

// points are all peers that differ in how they are spoken to, with one way of refusing. Each axis has all of its values;
// a name is of the common ones.
func points(r refusing) (out []point) {
	for _, frame := range []string{"call", "type", "tool", "message", "bare"} {
		for _, body := range slices.Concat([]string{"", "flat", "split", "beside"}, holders) {
			for _, s := range []spelling{snake, camel, pascal, kebab} {
				for _, camelled := range []bool{false, true} {
					p := point{frame: frame, body: body, spelling: s, camel: camelled, refuses: r}
					if p.exists() {
						out = append(out, p.named()...)
					}
				}
			}
		}
	}
	return out
}

// exists reports whether a point is one, and no other name for another.
func (p point) exists() bool {
	typed := p.frame == "type" || p.frame == "message" || p.frame == "bare"
	switch {
	case typed && p.spelling != snake, p.body == "flat" && p.frame != "message", p.body == "message" && p.frame == "message":
		return false
	case p.frame == "bare" && (p.body == "split" || p.body == "beside"): // that is the frame data
		return false
	case p.frame == "tool" && p.body == "beside": // it has arguments, not params
		return false
	}
	return true
}

// named returns the point with each of its names, and with methods for all messages.
func (p point) named() (out []point) {
	names := 1
	if p.frame == "call" || p.frame == "tool" {
		names = 3
	}
	for p.nth = range names {
		out = append(out, p)
	}
	if p.frame == "message" {
		for _, p.one = range []string{"process_message", "league.handle", "dispatch"} {
			out = append(out, p)
		}
	}
	return out
}

// name returns the point's name of a message.
func (p point) name(t protocol.Type) string {
	w := wordingOf(t)
	if p.frame != "call" && p.frame != "tool" {
		return string(t)
	}
	nth := p.nth
	if t.Registers() { // a third name is "register", which fits several spellings: such a peer cannot be distinguished from others
		nth %= 2
	}
	name, _, _ := strings.Cut(w.calls[nth%len(w.calls)], "+")
	return p.spelling.write(name)
}

// form is how the point is spoken to.
func (p point) form(t protocol.Type) notation.Form {
	f := notation.Form{Frame: p.frame, Body: p.body, One: p.one, Name: p.name(t)}
	if p.camel {
		f.Shape = string(camel)
	}
	return f
}

// takes reports whether a request has the exact form that the point understands for a message. It does not use the
// framers.
func (p point) takes(body []byte, t protocol.Type) bool {
	var top map[string]json.RawMessage
	_ = json.Unmarshal(body, &top)
	var method string
	_ = json.Unmarshal(top["method"], &method)
	carrier := top
	if p.frame != "bare" {
		member := "params"
		if p.body == "beside" {
			member = "data"
		}
		carrier = inside(top, member)
	}
	switch p.frame {
	case "call", "type":
		if method != p.name(t) {
			return false
		}
	case "tool":
		if method != "tools/call" || string(carrier["name"]) != `"`+p.name(t)+`"` {
			return false
		}
		carrier = inside(carrier, "arguments")
	case "message":
		if want := p.one; method != want && (want != "" || method != "handle_message") {
			return false
		}
		if p.body == "" {
			carrier = inside(carrier, "message")
		}
	case "bare":
		if method != "" {
			return false
		}
	}
	return p.finds(carrier, t)
}

// finds reports whether the message lies in its carrier where the point looks, in its spelling.
func (p point) finds(carrier map[string]json.RawMessage, t protocol.Type) bool {
	if slices.Contains(holders, p.body) {
		if len(carrier) != 1 {
			return false
		}
		carrier = inside(carrier, p.body)
	}
	member := "message_type"
	if p.camel {
		member = "messageType"
	}
	if p.body == "split" && inside(carrier, "data") == nil {
		return false
	}
	return string(carrier[member]) == `"`+string(t)+`"`
}

func inside(f map[string]json.RawMessage, member string) (inner map[string]json.RawMessage) {
	_ = json.Unmarshal(f[member], &inner)
	return inner
}

// refusal returns the point's answer to a request that it does not understand.
func (p point) refusal(t *testing.T) *protocol.Refusal {
	_, _, err := Unframe(p.refuses.status, []byte(p.refuses.body), protocol.TypeGameJoinAck, protocol.Reading{})
	var r *protocol.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("%v is no refusal: %v", p.refuses, err)
	}
	return r
}
