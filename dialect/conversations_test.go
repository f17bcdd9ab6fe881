package dialect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// The conversations of testdata/dialects are held with agents of other makes.
// A part of a file is what one side says:
//
//	they: TYPE at /path   a request of theirs, as it arrived
//	they answer           to our last request
//	they offer            the tools of a real MCP server
//	we: TYPE              our request, in the first form that we would offer
//	we answer             to their last request
//	read as               what we understood of what they said last
//
// The comment's first line is the dialect.
// What we say and read is written anew by -update; what they say never is.
type talk struct {
	t       *testing.T
	dialect notation.Dialect
	id      int64
	request Request
	theirID json.RawMessage
	last    protocol.Message // their last message, as we read it
	asked   protocol.Type
	tools   []Tool
}

// rowFile is where the conversation of a row is.
func rowFile(row string) string {
	return filepath.Join("testdata", "dialects", strings.ReplaceAll(row, "'", "_prime")+".txtar")
}

// startStyles are the ways in which referees of other makes are made to play.
var startStyles = []string{"start_match", "assign_match", "announcement", "run_match", "start_match_command", "poll"}

func TestEveryDialectHasItsConversation(t *testing.T) {
	for _, r := range Rows {
		t.Run(r.Name, func(t *testing.T) {
			said := replay(t, rowFile(r.Name), r.Name)
			for _, want := range []protocol.Type{
				protocol.TypeLeagueRegisterRequest, protocol.TypeRoundAnnouncement, protocol.TypeGameInvitation,
				protocol.TypeChooseParityCall, protocol.TypeGameOver, protocol.TypeLeagueStandingsUpdate,
			} {
				if !said[want] {
					t.Errorf("the conversation has no %s", want)
				}
			}
		})
	}
}

func TestEveryWayOfStartingAMatchHasItsConversation(t *testing.T) {
	for _, style := range startStyles {
		t.Run(style, func(t *testing.T) {
			said := replay(t, filepath.Join("testdata", "dialects", "referee_"+style+".txtar"), "")
			if !said[protocol.TypeStartMatch] && !said[protocol.TypeAssignedMatches] {
				t.Error("the conversation starts no match")
			}
		})
	}
}

func TestEveryConversationIsReplayed(t *testing.T) {
	known := map[string]bool{}
	for _, r := range Rows {
		known[filepath.Base(rowFile(r.Name))] = true
	}
	for _, style := range startStyles {
		known["referee_"+style+".txtar"] = true
	}
	files, _ := filepath.Glob("testdata/dialects/*")
	for _, file := range files {
		if !known[filepath.Base(file)] {
			t.Errorf("%s belongs to no row and no way of starting a match", file)
		}
	}
}

// replay holds the conversation of a file and returns the types of the requests in it.
func replay(t *testing.T, file, row string) map[protocol.Type]bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("every row has a recorded conversation: %v", err)
	}
	archive := txtar.Parse(text)
	first, _, _ := strings.Cut(string(archive.Comment), "\n")
	c := &talk{t: t}
	c.dialect, err = notation.Parse(strings.TrimPrefix(first, "dialect: "))
	if err != nil || row != "" && c.dialect.Row != row {
		t.Fatalf("%s: dialect %q, %v; want %s", file, first, err, row)
	}
	said := map[protocol.Type]bool{}
	for i := range archive.Files {
		f := &archive.Files[i]
		ours, mine := c.part(f.Name, strings.TrimSpace(string(f.Data)), said)
		switch {
		case !mine:
		case *update:
			f.Data = append(ours, '\n')
		case string(ours) != strings.TrimSpace(string(f.Data)):
			t.Errorf("%s:\ngot  %s\nwant %s", f.Name, ours, f.Data)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return said
}

// part processes one part and returns its expected content, if it is ours.
func (c *talk) part(name, data string, said map[protocol.Type]bool) (ours []byte, mine bool) {
	c.t.Helper()
	who, what, _ := strings.Cut(name, ": ")
	switch who {
	case "they":
		typ, path, _ := strings.Cut(what, " at /")
		said[protocol.Type(typ)] = true
		c.hear(protocol.Type(typ), path, data)
	case "they answer":
		c.answered(data)
	case "they offer":
		c.offer(data)
	case "we":
		said[protocol.Type(what)] = true
		return c.say(protocol.Type(what)), true
	case "we answer":
		return c.answer(), true
	case "read as":
		return c.read(), true
	default:
		c.t.Fatalf("nobody says %q", name)
	}
	return nil, false
}

// hear decodes a request of the peer.
func (c *talk) hear(want protocol.Type, path, body string) {
	c.t.Helper()
	var f map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &f); err != nil {
		c.t.Fatalf("%s: %v", want, err)
	}
	ok := true
	c.theirID = f["id"]
	if f["jsonrpc"] != nil {
		var method string
		_ = json.Unmarshal(f["method"], &method)
		c.request = ParseCall(method, f["params"])
	} else {
		c.request, ok = ParseBare(path, json.RawMessage(body), f)
	}
	types := c.request.Types()
	if !ok || len(types) == 0 || types[0] != want {
		c.t.Fatalf("%s: read as %v", want, types)
	}
	if row := c.request.Row; want == protocol.TypeLeagueRegisterRequest && row != c.dialect.Row && c.dialect.Row != "M" {
		if rowNamed(row).Frame != rowNamed(c.dialect.Row).Frame {
			c.t.Errorf("registered in row %s, want %s", row, c.dialect.Row)
		}
	}
	m, _, err := Read(c.request.Message, protocol.Reading{Type: want, Now: arrival, Conversation: "conv-new"})
	if err != nil {
		c.t.Fatalf("%s: %v", want, err)
	}
	c.last, c.asked = m, want
}

// answer frames our answer as their request was framed.
func (c *talk) answer() []byte {
	spec, _ := protocol.Lookup(c.asked)
	raw, err := protocol.Encode(exampleOf(c.t, spec.Reply))
	if err != nil {
		c.t.Fatal(err)
	}
	return c.request.Answer(c.theirID, raw)
}

// say frames a message of ours in the first form that the peer would be offered.
func (c *talk) say(typ protocol.Type) []byte {
	c.t.Helper()
	m := exampleOf(c.t, typ)
	c.id++
	c.asked = typ
	form := Candidates(c.dialect, typ)[0]
	if form.Frame == "mcp" {
		tool, ok := pickTool(typ, c.tools)
		if !ok {
			return []byte("no tool")
		}
		args, err := tool.Arguments(m)
		if err != nil {
			c.t.Fatal(err)
		}
		return marshalOr(map[string]any{"name": tool.Name, "arguments": args}, nil)
	}
	body, err := Frame(c.dialect.Row, form, m, c.id)
	if err != nil {
		c.t.Fatalf("%s as %s: %v", typ, form, err)
	}
	return body
}

// answered reads their answer.
func (c *talk) answered(body string) {
	c.t.Helper()
	spec, _ := protocol.Lookup(c.asked)
	if Candidates(c.dialect, c.asked)[0].Frame == "mcp" {
		body = `{"result":` + body + `}`
	}
	m, _, err := Unframe(200, []byte(body), spec.Reply, protocol.Reading{Now: arrival, Conversation: "conv-asked"})
	if err != nil {
		c.t.Fatalf("%s: %v", spec.Reply, err)
	}
	if c.last = m; m == nil && protocol.IsAck(spec.Reply) {
		c.last = &protocol.Ack{Envelope: protocol.Envelope{MessageType: spec.Reply}}
	} else if m == nil {
		c.last = ImpliedReply(spec.Reply)
	}
	if c.last == nil || c.last.Head().MessageType != spec.Reply {
		c.t.Fatalf("no %s in %s", spec.Reply, body)
	}
}

// offer takes the tools of a server.
func (c *talk) offer(data string) {
	var tools []struct {
		Name        string          `json:"name"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	if err := json.Unmarshal([]byte(data), &tools); err != nil {
		c.t.Fatal(err)
	}
	for _, tool := range tools {
		c.tools = append(c.tools, Tool{Name: tool.Name, Schema: tool.InputSchema})
	}
}

// read encodes the decoded message in canonical form.
func (c *talk) read() []byte {
	return inOurWords(c.t, c.last)
}
