package protocol

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Canonical names the dialect that our own agents speak: JSON-RPC 2.0, the
// method of the message table, the whole message in params.
const Canonical = "league.v2"

// canonicalForm returns the form of a message in the canonical dialect.
func canonicalForm(t Type) Form {
	s, _ := Lookup(t)
	return Form{Frame: "call", Name: s.Method}
}

// Frame puts a message into the body of a request, in a form and in the words
// of a row. The zero form is the canonical one.
func Frame(row string, form Form, m Message, id int64) ([]byte, error) {
	params, err := Encode(m)
	if err != nil {
		return nil, err
	}
	t := m.Head().MessageType
	if s, ok := Lookup(t); !ok || s.Method == "" {
		return nil, Errorf(Internal, "%s is not a request", t)
	}
	if form == (Form{}) {
		form = canonicalForm(t)
	}
	write, ok := framers[form.Frame]
	if !ok {
		return nil, Errorf(Internal, "nothing is framed as %q", form)
	}
	if form.plain(t) && rowNamed(row).Words == nil && m.Head().RoundForm == "" {
		return write(form.Name, params, id), nil
	}
	var f fields
	if err := json.Unmarshal(params, &f); err != nil {
		return nil, err
	}
	form.dress(rowNamed(row), t, f)
	f.textRound(m.Head().RoundForm)
	if params, err = json.Marshal(f); err != nil {
		return nil, err
	}
	return write(form.Name, params, id), nil
}

// plain reports whether the members of a message are as ours in this form.
func (f Form) plain(t Type) bool {
	return f.Shape == "" && !f.namesNobody(t) && (f.byName() || f.Name == "" || f.Name == string(t))
}

// namesNobody reports whether a message tells with a word that nobody has won.
func (f Form) namesNobody(t Type) bool { return t == TypeMatchResultReport && f.Frame == "type" }

// byName reports whether the form's name is a method or a tool, not a message type.
func (f Form) byName() bool { return f.Frame == "call" || f.Frame == "tool" }

// dress brings the members of a message of type t into this form.
func (f Form) dress(r Row, t Type, m fields) {
	for name := range strings.SplitSeq(f.Shape, ".") {
		if shape := shapes[name]; shape != nil {
			shape(t, m)
		}
	}
	if !f.byName() && f.Name != "" && f.Name != carriers[0] {
		m.put("message_type", f.Name)
	}
	if f.namesNobody(t) {
		m.nameNobody()
	}
	r.translate(m, f.Shape)
}

// translate puts the row's words in the place of ours.
func (r Row) translate(m fields, shape string) {
	var round Round
	if form := r.Words["round_id"]; form != "" && shape != "numbers" && json.Unmarshal(m["round_id"], &round) == nil && round > 0 {
		m.put("round_id", fmt.Sprintf(form, round))
	}
	for _, member := range []string{"status", "sender"} {
		if said, ok := m.text(member); ok {
			if theirs := r.Words[member+" "+said]; theirs != "" {
				m.put(member, theirs)
			}
		}
	}
}

// framers write a message into the body of a request. There are few ways to do that.
var framers = map[string]func(name string, message json.RawMessage, id int64) []byte{
	"call": func(name string, message json.RawMessage, id int64) []byte { return request(name, message, id) },
	"type": func(name string, message json.RawMessage, id int64) []byte { return request(name, message, id) },
	"tool": func(name string, message json.RawMessage, id int64) []byte {
		return request("tools/call", mustMarshal(map[string]any{"name": name, "arguments": message}, nil), id)
	},
	"message": func(_ string, message json.RawMessage, id int64) []byte {
		return request(carriers[0], mustMarshal(map[string]any{"message": message}, nil), id)
	},
	"protocol": func(_ string, message json.RawMessage, id int64) []byte {
		return request(wrapped, mustMarshal(map[string]any{"message": message}, nil), id)
	},
	"data":  func(_ string, message json.RawMessage, _ int64) []byte { return underData(message) },
	"bare":  func(_ string, message json.RawMessage, _ int64) []byte { return message },
	"rest":  func(_ string, message json.RawMessage, _ int64) []byte { return unwrapMeta(message) },
	"query": func(_ string, message json.RawMessage, _ int64) []byte { return message },
}

// request is a JSON-RPC request. Its id is a small integer: others make some agents fail.
func request(method string, params json.RawMessage, id int64) []byte {
	b := make([]byte, 0, len(params)+len(method)+64)
	b = append(append(append(b, `{"jsonrpc":"2.0","method":`...), quoted(method)...), `,"params":`...)
	b = append(append(b, params...), `,"id":`...)
	return append(strconv.AppendInt(b, id, 10), '}')
}

// Nonsense is a request in a frame for something that nobody has. It holds no
// message, so that nobody can act on it.
func Nonsense(frame string, id int64) []byte {
	const name = "no_such_thing"
	write, ok := framers[frame]
	if !ok || frame == "bare" || frame == "data" || frame == "rest" {
		return []byte(`{"message_type":"NO_SUCH_THING"}`)
	}
	return write(name, json.RawMessage("{}"), id)
}

// Told is a request that carries an answer: its method is the answer's type.
func Told(t Type, message json.RawMessage, id int64) []byte { return request(string(t), message, id) }

func quoted(s string) []byte { return mustMarshal(s, []byte(`""`)) }

// envelopeMembers are those that stay outside where the rest lies under data.
var envelopeMembers = map[string]bool{
	"protocol": true, "message_type": true, "sender": true, "timestamp": true, "conversation_id": true, "auth_token": true,
	"league_id": true, "round_id": true, "match_id": true,
}

// underData leaves the envelope where it is and puts the rest under data, and
// the ids in both places.
func underData(message json.RawMessage) []byte {
	var f fields
	_ = json.Unmarshal(message, &f)
	outer, inner := fields{}, fields{}
	for name, v := range f {
		if envelopeMembers[name] {
			outer[name] = v
		}
		if !envelopeMembers[name] || strings.HasSuffix(name, "_id") && name != "conversation_id" {
			inner[name] = v
		}
	}
	outer.put("data", inner)
	return mustMarshal(outer, message)
}

// Query writes the plain members of a message as the query of a URL, for a
// peer that takes a message in no other way. A form says so with its frame.
func Query(message json.RawMessage) string {
	var f fields
	_ = json.Unmarshal(message, &f)
	values := url.Values{}
	for name, v := range f {
		if text := plainText(v); text != "" {
			values.Set(name, text)
		}
	}
	return values.Encode()
}

// plainText returns a value that is a text or a number as a text.
func plainText(v json.RawMessage) string {
	var text string
	var number json.Number
	if json.Unmarshal(v, &text) == nil {
		return text
	}
	_ = json.Unmarshal(v, &number)
	return number.String()
}

// unwrapMeta writes a registration as a plain object, for a manager that takes
// it by POST /register.
func unwrapMeta(message json.RawMessage) []byte {
	var f, meta fields
	_ = json.Unmarshal(message, &f)
	for _, name := range []string{"player_meta", "referee_meta"} {
		_ = json.Unmarshal(f[name], &meta)
	}
	out := fields{}
	for name, v := range f {
		out[name] = v
	}
	for name, v := range meta {
		out[name] = v
	}
	out["endpoint"] = meta["contact_endpoint"]
	return mustMarshal(out, message)
}
