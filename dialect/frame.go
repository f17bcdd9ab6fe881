package dialect

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// Frame encodes a message as a request body in the given encoding, with the words of the row. The zero encoding is that of
// this program's agents. It returns an error if m is not a request or the framing is unknown.
func Frame(row string, form notation.Form, m protocol.Message, id int64) ([]byte, error) {
	return FrameIn(nil, row, form, m, id)
}

// FrameIn is like [Frame] but may overwrite room and return a slice of it.
func FrameIn(room []byte, row string, form notation.Form, m protocol.Message, id int64) ([]byte, error) {
	t := m.Head().MessageType
	spec, ok := protocol.Lookup(t)
	if !ok || spec.Method == "" {
		return nil, protocol.Errorf(protocol.Internal, "%s is not a request", t)
	}
	if row == "" && form == (notation.Form{}) && m.Head().RoundForm == "" {
		return protocol.WriteRequest(room, m, id)
	}
	return reframe(row, form, m, id, spec.Method)
}

// reframe is Frame for a message that needs changes. It is a separate function so that Frame, which runs in every
// concurrent call, needs less stack.
func reframe(row string, form notation.Form, m protocol.Message, id int64, method string) ([]byte, error) {
	t := m.Head().MessageType
	ours := notation.Form{Frame: "call", Name: method}
	if form == (notation.Form{}) {
		form = ours
	}
	write, ok := framers[form.Frame]
	if !ok {
		return nil, protocol.Errorf(protocol.Internal, "nothing is framed as %q", form)
	}
	plain := isPlain(form, t) && rowNamed(row).Words == nil && m.Head().RoundForm == ""
	if plain && form == ours {
		return protocol.WriteRequest(nil, m, id)
	}
	params, err := protocol.Encode(m)
	if err != nil {
		return nil, err
	}
	if plain {
		return write(form, params, id), nil
	}
	var f fields
	if err := json.Unmarshal(params, &f); err != nil {
		return nil, err
	}
	arrange(form, rowNamed(row), t, f)
	textRound(f, m.Head().RoundForm)
	if params, err = json.Marshal(f); err != nil {
		return nil, err
	}
	if hasShape(form.Shape, string(camel)) {
		params = respell(params, camels, maxDepth)
	}
	return write(form, params, id), nil
}

// isPlain reports whether the members of a message of type t are the same in encoding f as in league.v2.
func isPlain(f notation.Form, t protocol.Type) bool {
	return f.Shape == "" && !needsWinnerWord(f, t) && (byName(f) || f.Name == "" || f.Name == string(t))
}

// needsWinnerWord reports whether encoding f needs a word in place of a null winner: see [nameMissingWinner].
func needsWinnerWord(f notation.Form, t protocol.Type) bool {
	return t == protocol.TypeMatchResultReport && f.Frame == "type"
}

// byName reports whether the encoding's name is a method or a tool, not a message type.
func byName(f notation.Form) bool { return f.Frame == "call" || f.Frame == "tool" }

// arrange changes the members m of a message of type t in place, to encoding f and the words of row r.
func arrange(f notation.Form, r Row, t protocol.Type, m fields) {
	for name := range strings.SplitSeq(f.Shape, ".") {
		if shape := shapes[name]; shape != nil {
			shape(t, m)
		}
	}
	if !byName(f) && f.Name != "" && f.Name != carriers[0] {
		m.Put("message_type", f.Name)
	}
	if needsWinnerWord(f, t) {
		nameMissingWinner(m)
	}
	r.translate(m, f.Shape)
}

// A framer returns the request body for a message in encoding f, whose framing it implements.
type framer func(f notation.Form, message json.RawMessage, id int64) []byte

// framers has a framer for each word of notation.Frames except "mcp": messages to a real MCP server are calls of its
// tools, see [Tool].
var framers = map[string]framer{
	"call": named,
	"type": named,
	"tool": func(f notation.Form, message json.RawMessage, id int64) []byte {
		args := nest(f.Body, message)
		return request("tools/call", marshalOr(map[string]any{"name": f.Name, "arguments": args}, nil), id)
	},
	"message": func(f notation.Form, message json.RawMessage, id int64) []byte {
		return carry(cmp.Or(f.One, carriers[0]), cmp.Or(f.Body, "message"), message, id)
	},
	"protocol": func(_ notation.Form, message json.RawMessage, id int64) []byte {
		return carry(mcpCarrier, "message", message, id)
	},
	"data": func(_ notation.Form, message json.RawMessage, _ int64) []byte { return underData(message) },
	"bare": func(f notation.Form, message json.RawMessage, _ int64) []byte { return nest(f.Body, message) },
	"rest": func(f notation.Form, message json.RawMessage, _ int64) []byte {
		return nest(f.Body, unwrapMeta(message))
	},
	"query": func(_ notation.Form, message json.RawMessage, _ int64) []byte { return message },
}

// named writes a request whose method is the encoding's name.
func named(f notation.Form, message json.RawMessage, id int64) []byte {
	return carry(f.Name, f.Body, message, id)
}

// carry returns a JSON-RPC request for method with the message at position body, see nest.
func carry(method, body string, message json.RawMessage, id int64) []byte {
	if body == "beside" {
		return requestWith(method, "data", message, id)
	}
	return request(method, nest(body, message), id)
}

// request returns a JSON-RPC request. The id is a small integer because some agents fail on other ids.
func request(method string, params json.RawMessage, id int64) []byte {
	return requestWith(method, "params", params, id)
}

// requestWith returns a JSON-RPC request that has the given member in place of params.
func requestWith(method, member string, params json.RawMessage, id int64) []byte {
	b := make([]byte, 0, len(params)+len(method)+64)
	b = append(append(b, `{"jsonrpc":"2.0","method":`...), quoted(method)...)
	b = append(append(append(b, `,"`...), member...), `":`...)
	b = append(append(b, params...), `,"id":`...)
	return append(strconv.AppendInt(b, id, 10), '}')
}

// Probe returns a request with a method name that no agent has, to learn how the peer answers unknown methods. The
// request contains no message, so no agent can act on it.
func Probe(form notation.Form, id int64) []byte {
	form.Name = "no_such_thing"
	write, ok := framers[form.Frame]
	if !ok || form.Frame == "bare" || form.Frame == "data" || form.Frame == "rest" {
		return nest(form.Body, json.RawMessage(`{"message_type":"NO_SUCH_THING"}`))
	}
	return write(form, json.RawMessage("{}"), id)
}

// AnswerAsCall returns a request that carries an answer of type t, for peers that accept answers only as calls. Its
// method is the answer's type.
func AnswerAsCall(t protocol.Type, answer json.RawMessage, id int64) []byte {
	return request(string(t), answer, id)
}

// underData keeps the envelope members of a message at the top and moves the rest under data. Ids appear in both
// places.
func underData(message json.RawMessage) []byte {
	f, _ := protocol.ParseFields(message)
	outer, inner := fields{}, fields{}
	for name, v := range f {
		ours := cmp.Or(snakes[name], name)
		if envelopeMembers[ours] {
			outer[name] = v
		}
		if !envelopeMembers[ours] || strings.HasSuffix(ours, "_id") && ours != "conversation_id" {
			inner[name] = v
		}
	}
	outer.Put("data", inner)
	return marshalOr(outer, message)
}

// Query encodes the strings and numbers of a message as a URL query, for encodings with the framing "query".
func Query(message json.RawMessage) string {
	f, _ := protocol.ParseFields(message)
	values := url.Values{}
	for name, v := range f {
		if text := textOf(v); text != "" {
			values.Set(name, text)
		}
	}
	return values.Encode()
}

// textOf returns a JSON string or number as text; "" for any other value.
func textOf(v json.RawMessage) string {
	var text string
	var number json.Number
	if json.Unmarshal(v, &text) == nil {
		return text
	}
	_ = json.Unmarshal(v, &number)
	return number.String()
}

// unwrapMeta flattens a registration for managers that take it by POST /register. They use one path for players and
// referees, so the object names the role. Other messages stay unchanged.
func unwrapMeta(message json.RawMessage) json.RawMessage {
	var f, meta fields
	_ = json.Unmarshal(message, &f)
	out := fields{}
	for _, role := range []protocol.Role{protocol.RolePlayer, protocol.RoleReferee} {
		if name := string(role) + "_meta"; f.Has(name) {
			_ = json.Unmarshal(f[name], &meta)
			out.Put("agent_type", role)
			out.Put("role", role)
		}
	}
	if meta == nil {
		return message
	}
	for name, v := range f {
		out[name] = v
	}
	for name, v := range meta {
		out[name] = v
	}
	out["endpoint"] = meta["contact_endpoint"]
	return marshalOr(out, message)
}
