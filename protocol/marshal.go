package protocol

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// Marshal encodes v byte for byte as encoding/json does. A struct with a plan, such as most log events and the
// record of a match, takes at most two allocations; a pointer to one takes one.
func Marshal(v any) ([]byte, error) {
	if s, at := planned(v); s != nil {
		if b, ok := s.append(make([]byte, 0, max(1<<10, s.inner.expected())), at); ok {
			s.inner.size.Store(int64(len(b)))
			return b, nil
		}
	}
	return json.Marshal(v) // it has the error messages
}

// marshalIn is Marshal in the memory of room, if there is any, as far as it suffices.
func marshalIn(room []byte, v any) ([]byte, error) {
	if cap(room) == 0 {
		return Marshal(v)
	}
	return MarshalAppend(room[:0], v)
}

// MarshalAppend is Marshal, and writes behind b.
func MarshalAppend(b []byte, v any) ([]byte, error) {
	if s, at := planned(v); s != nil {
		if out, ok := s.append(b, at); ok {
			return out, nil
		}
	}
	text, err := json.Marshal(v)
	return append(b, text...), err
}

// planned returns how the struct is written that v is or points to, and where it stands. It has no slot for any other
// v.
func planned(v any) (*slot, unsafe.Pointer) {
	value := reflect.ValueOf(v)
	if value.Kind() == reflect.Pointer {
		if value.IsNil() {
			return nil, nil
		}
		return writingSlot(value.Type().Elem()), value.UnsafePointer()
	}
	if value.Kind() != reflect.Struct {
		return nil, nil
	}
	s := writingSlot(value.Type())
	if s == nil {
		return nil, nil
	}
	at := reflect.New(value.Type())
	at.Elem().Set(value)
	return s, at.UnsafePointer()
}

// writingSlots holds, by type, how a value of it is written by plan; nil: it is not.
var writingSlots sync.Map // reflect.Type to *slot

// writingSlot returns the slot to write a type without reflection on its members, nil if only encoding/json can write
// a part of it. The result is cached by type.
func writingSlot(t reflect.Type) *slot {
	if s, ok := writingSlots.Load(t); ok {
		return s.(*slot)
	}
	s := triedSlot(t)
	if s == nil || s.kind != aStruct || !s.writes() {
		s = nil
	}
	writingSlots.Store(t, s)
	return s
}

// writes makes a slot write nil as null, and reports whether all its parts can be written.
func (s *slot) writes() bool {
	s.nulls = true
	if s.kind != aRaw && s.kind != anOptional && hasMarshaler(reflect.PointerTo(s.typ)) {
		return false
	}
	switch s.kind {
	case aTime, aPicked, aChecked:
		return false
	case aPointer, anOptional, aList, aMap:
		return s.elem.writes()
	case aStruct:
		for _, member := range s.inner.slots {
			if !member.writes() {
				return false
			}
		}
		return !slices.ContainsFunc(reflect.VisibleFields(s.typ), isOdd)
	}
	return true
}

// hasMarshaler reports whether a type implements json.Marshaler or encoding.TextMarshaler. Callers pass the pointer
// type, whose method set includes that of its element.
func hasMarshaler(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// isOdd reports whether plans do not support the encoding of a field: under its Go name, or with an option other than
// omitempty.
func isOdd(f reflect.StructField) bool {
	name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
	if f.Anonymous || !f.IsExported() {
		return false
	}
	return name == "" || option != "" && option != "omitempty" && OptionalType(f.Type) == nil
}
