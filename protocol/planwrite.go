package protocol

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"unsafe"
)

// expected returns the estimated size of the next struct: that of the last one, and a margin, since ids differ in
// length. P may be nil.
func (p *plan) expected() int {
	if p == nil || p.size.Load() == 0 {
		return 1 << 10
	}
	n := int(p.size.Load())
	return n + n/16 + 32
}

// append writes the struct at v.
func (p *plan) append(b []byte, v unsafe.Pointer) (_ []byte, ok bool) {
	return p.appendMessage(b, v, nil)
}

// appendMessage is append for a struct of which the beginning of a list may have been written already.
func (p *plan) appendMessage(b []byte, v unsafe.Pointer, shared *Shared) (_ []byte, ok bool) {
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
		b = append(b, s.quote...)
		if shared != nil && shared.slot == s && shared.same(f) {
			b, ok = shared.append(b, f)
		} else {
			b, ok = s.append(b, f)
		}
		if !ok {
			return nil, false
		}
	}
	return append(b, '}'), true
}

// append writes the value at v. A nil list or map is written empty, unless the slot has nulls.
func (s *slot) append(b []byte, v unsafe.Pointer) (_ []byte, ok bool) {
	if s.nulls && (s.kind == aList || s.kind == aMap) && *(*unsafe.Pointer)(v) == nil { // both begin with a pointer
		return append(b, "null"...), true
	}
	switch s.kind {
	case aText:
		return appendText(b, *(*string)(v))
	case aNumber, aRound:
		return strconv.AppendInt(b, int64(*(*int)(v)), 10), true
	case aFloat:
		return appendFloat(b, *(*float64)(v))
	case aBool:
		return strconv.AppendBool(b, *(*bool)(v)), true
	case aRaw:
		if s.tight != 0 && *(*bool)(unsafe.Add(v, s.tight)) {
			return append(b, *(*[]byte)(v)...), true
		}
		return appendRaw(b, *(*[]byte)(v))
	case aStruct:
		return s.inner.append(b, v)
	case aPointer, anOptional: // anOptional: the struct begins with its pointer
		to := *(*unsafe.Pointer)(v)
		if to == nil {
			return append(b, "null"...), true
		}
		return s.elem.append(b, to)
	case aList:
		return s.elem.appendList(b, s.at(v))
	}
	return s.appendMap(b, v)
}

// appendList writes the elements of a list. ok is false if one of them needs encoding/json.
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

// appendRaw adds JSON to b as encoding/json does: without space, and safe within HTML.
func appendRaw(b []byte, raw json.RawMessage) ([]byte, bool) {
	if tight(raw) {
		return append(b, raw...), true
	}
	compact, err := json.Marshal(json.RawMessage(raw))
	return append(b, compact...), err == nil
}

// appendFloat writes a number as encoding/json does: as ECMAScript would, in the shortest form that reads back
// exactly. It is not ok for infinities and NaN, which JSON cannot represent.
func appendFloat(b []byte, f float64) (_ []byte, ok bool) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return b, false
	}
	if abs := math.Abs(f); abs == 0 || 1e-6 <= abs && abs < 1e21 {
		return strconv.AppendFloat(b, f, 'f', -1, 64), true
	}
	b = strconv.AppendFloat(b, f, 'e', -1, 64)
	if n := len(b); n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' { // e-09 is written e-9
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b, true
}

// A Shared is the encoded prefix of a list that many messages contain, such as the top of the table in a round's news.
// It is encoded once and copied into each message. It is immutable and safe for concurrent use; nil is an empty prefix.
type Shared struct {
	slot *slot                          // the list, among the members of its message
	same func(list unsafe.Pointer) bool // whether the list at an address begins so
	n    int                            // elements
	text []byte                         // the encoded elements, without the brackets of the list
}

// append writes the list at v, which begins with the shared part.
func (s *Shared) append(b []byte, v unsafe.Pointer) (_ []byte, ok bool) {
	b = append(append(b, '['), s.text...)
	list := s.slot.at(v)
	for i := s.n; i < list.Len(); i++ {
		elem := s.slot.elem
		if b, ok = elem.append(append(b, ','), unsafe.Add(list.UnsafePointer(), uintptr(i)*elem.typ.Size())); !ok {
			return nil, false
		}
	}
	return append(b, ']'), true
}
