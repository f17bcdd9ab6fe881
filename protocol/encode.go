package protocol

import (
	"encoding/json"
	"reflect"

	jsonv2 "github.com/go-json-experiment/json"
)

// Encode encodes a message as JSON. A decoded message keeps the unknown members of its source. A nil list or object is
// encoded as empty, not null, because peers iterate over it.
func Encode(m Message) (json.RawMessage, error) {
	b, err := appendMessage(newBuffer(m, 0), m)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// appendMessage is like [Encode], but appends the JSON to b.
func appendMessage(b []byte, m Message) ([]byte, error) {
	start := len(b)
	b, err := appendUnsigned(b, m)
	if h := m.Head(); err == nil && h.signature != nil {
		err = h.signature.write(b[start:], h)
	}
	return b, err
}

// appendUnsigned is like appendMessage for a message whose token needs no MAC.
func appendUnsigned(b []byte, m Message) ([]byte, error) {
	if h := m.Head(); !h.dropNulls && (h.source == nil || h.plain) {
		if b, ok := quickly(b, m); ok {
			return b, nil
		}
	}
	text, err := encodeAny(m)
	return append(b, text...), err
}

// encodeAny encodes any message, with or without a plan.
func encodeAny(m Message) (json.RawMessage, error) {
	h := m.Head()
	b, ok := quickly(nil, m)
	if !ok {
		var err error
		if b, err = marshalGeneral(m); err != nil {
			return nil, err
		}
	}
	if h.source != nil && !h.plain {
		b = merge(b, h.source, reflect.TypeOf(m))
	}
	if h.dropNulls {
		b = withoutNulls(b)
	}
	return b, nil
}

// marshalGeneral encodes a message by reflection, for messages without a plan.
func marshalGeneral(m Message) ([]byte, error) { return jsonv2.Marshal(m, emptyLists) }

// WithoutNulls makes the encoder omit the null members of m, for a peer
// that refuses them. It changes m and returns it.
func WithoutNulls(m Message) Message {
	m.Head().dropNulls = true
	return m
}

// merge adds to ours, of type t, the members that only theirs has, at every depth. For members known to t the value in
// ours counts, even if it is empty.
func merge(ours, theirs json.RawMessage, t reflect.Type) json.RawMessage {
	switch {
	case t.Kind() == reflect.Pointer:
		return merge(ours, theirs, t.Elem())
	case t.Kind() == reflect.Struct:
		return mergeObjects(ours, theirs, membersOf(t))
	case t.Kind() == reflect.Slice && t != rawMessage:
		return mergeLists(ours, theirs, t.Elem())
	}
	return ours
}

// mergeObjects adds the unknown members of theirs, a sender's object, to ours, so that forwarding a message loses
// nothing. For known members the value in ours counts.
func mergeObjects(ours, theirs json.RawMessage, members map[string]reflect.Type) json.RawMessage {
	a, b := fieldsIn(ours), fieldsIn(theirs)
	if a == nil || b == nil {
		return ours
	}
	for name, v := range b {
		member, known := members[name]
		switch mine, there := a[name]; {
		case known && there:
			a[name] = merge(mine, v, member)
		case !known || isEmpty(v):
			a[name] = v
		}
	}
	return mustMarshal(a, ours)
}

// mergeLists merges lists of the same length element by element. If the lengths differ, elements cannot be matched, and
// the result is ours.
func mergeLists(ours, theirs json.RawMessage, element reflect.Type) json.RawMessage {
	var a, b []json.RawMessage
	if json.Unmarshal(ours, &a) != nil || json.Unmarshal(theirs, &b) != nil || len(a) != len(b) {
		return ours
	}
	for i := range a {
		a[i] = merge(a[i], b[i], element)
	}
	return mustMarshal(a, ours)
}

// isEmpty reports whether v is a JSON value that the struct tag omitempty omits.
func isEmpty(v json.RawMessage) bool {
	switch string(v) {
	case "null", `""`, "0", "false", "[]", "{}":
		return true
	}
	return false
}
