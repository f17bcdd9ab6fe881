package protocol

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"unsafe"
)

// quickly writes a message that has a plan, byte for byte as encoding/json
// would. It is not ok for any other.
func quickly(m Message) ([]byte, bool) {
	p := plans[m.Head().MessageType]
	v := reflect.ValueOf(m).Elem()
	if p == nil || v.Type() != p.spec.body {
		return nil, false
	}
	return p.append(make([]byte, 0, 1<<10), v.Addr().UnsafePointer())
}

// append writes the struct at v.
func (p *plan) append(b []byte, v unsafe.Pointer) (_ []byte, ok bool) {
	b = append(b, '{')
	first := true
	for _, s := range p.slots {
		f := unsafe.Add(v, s.offset)
		if s.omit && s.empty(f) {
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

// append writes the value at v. A list or an object that is nil is written empty.
func (s *slot) append(b []byte, v unsafe.Pointer) (_ []byte, ok bool) {
	switch s.kind {
	case aText:
		return appendText(b, *(*string)(v))
	case aNumber, aRound:
		return strconv.AppendInt(b, int64(*(*int)(v)), 10), true
	case aBool:
		return strconv.AppendBool(b, *(*bool)(v)), true
	case aRaw:
		return appendRaw(b, *(*[]byte)(v))
	case aStruct:
		return s.inner.append(b, v)
	case aPointer, aTold: // a Told begins with its pointer
		to := *(*unsafe.Pointer)(v)
		if to == nil {
			return append(b, "null"...), true
		}
		return s.elem.append(b, to)
	case aList:
		return s.elem.appendList(b, s.at(v))
	}
	return s.elem.appendMap(b, s.at(v))
}

func (s *slot) appendList(b []byte, list reflect.Value) (_ []byte, ok bool) {
	b = append(b, '[')
	for i := range list.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		if b, ok = s.append(b, unsafe.Add(list.UnsafePointer(), uintptr(i)*s.typ.Size())); !ok {
			return nil, false
		}
	}
	return append(b, ']'), true
}

// appendMap writes a map in the order of its keys.
func (s *slot) appendMap(b []byte, table reflect.Value) (_ []byte, ok bool) {
	keys := make([]string, 0, table.Len())
	key := reflect.New(table.Type().Key()).Elem()
	for entry := table.MapRange(); entry.Next(); {
		key.SetIterKey(entry)
		keys = append(keys, key.String())
	}
	slices.Sort(keys)
	b = append(b, '{')
	value := reflect.New(s.typ)
	for i, k := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		if b, ok = appendText(b, k); !ok {
			return nil, false
		}
		key.SetString(k)
		value.Elem().Set(table.MapIndex(key))
		if b, ok = s.append(append(b, ':'), value.UnsafePointer()); !ok {
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
