package protocol

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
)

// quickly writes a message that has a plan, byte for byte as encoding/json
// would. It is not ok for any other.
func quickly(m Message) ([]byte, bool) {
	p := plans[m.Head().MessageType]
	v := reflect.ValueOf(m).Elem()
	if p == nil || v.Type() != p.spec.body {
		return nil, false
	}
	return p.append(make([]byte, 0, 1<<10), v)
}

func (p *plan) append(b []byte, v reflect.Value) (_ []byte, ok bool) {
	b = append(b, '{')
	first := true
	for _, s := range p.slots {
		f := v.FieldByIndex(s.index)
		if s.omit && empty(f, s) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		if b, ok = s.append(append(b, s.quote...), f); !ok {
			return nil, false
		}
	}
	return append(b, '}'), true
}

// append writes a value. A list or an object that is nil is written empty.
func (s *slot) append(b []byte, v reflect.Value) (_ []byte, ok bool) {
	switch s.kind {
	case aText:
		return appendText(b, v.String())
	case aNumber, aRound:
		return strconv.AppendInt(b, v.Int(), 10), true
	case aBool:
		return strconv.AppendBool(b, v.Bool()), true
	case aRaw:
		return appendRaw(b, v.Bytes())
	case aStruct:
		return s.inner.append(b, v)
	case aPointer:
		if v.IsNil() {
			return append(b, "null"...), true
		}
		return s.elem.append(b, v.Elem())
	case aList:
		return s.appendList(b, v)
	}
	return s.appendMap(b, v)
}

func (s *slot) appendList(b []byte, v reflect.Value) (_ []byte, ok bool) {
	b = append(b, '[')
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		if b, ok = s.elem.append(b, v.Index(i)); !ok {
			return nil, false
		}
	}
	return append(b, ']'), true
}

// appendMap writes a map in the order of its keys.
func (s *slot) appendMap(b []byte, v reflect.Value) (_ []byte, ok bool) {
	keys := make([]string, 0, v.Len())
	key := reflect.New(v.Type().Key()).Elem()
	for entry := v.MapRange(); entry.Next(); {
		key.SetIterKey(entry)
		keys = append(keys, key.String())
	}
	slices.Sort(keys)
	b = append(b, '{')
	for i, k := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		if b, ok = appendText(b, k); !ok {
			return nil, false
		}
		key.SetString(k)
		if b, ok = s.elem.append(append(b, ':'), v.MapIndex(key)); !ok {
			return nil, false
		}
	}
	return append(b, '}'), true
}

func appendRaw(b, raw []byte) ([]byte, bool) {
	if n := len(raw); n > 1 && raw[0] == '"' && raw[n-1] == '"' && ownJSON(raw[1:n-1]) || string(raw) == "null" {
		return append(b, raw...), true
	}
	compact, err := json.Marshal(json.RawMessage(raw))
	return append(b, compact...), err == nil
}
