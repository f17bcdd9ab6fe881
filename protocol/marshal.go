package protocol

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Marshal writes v, byte for byte as encoding/json does. A struct that a plan can be made of, such as most events of a
// log, is written by it, in two objects whatever it holds.
func Marshal(v any) ([]byte, error) {
	t := reflect.TypeOf(v)
	s := writingSlot(t)
	if s == nil {
		return json.Marshal(v)
	}
	at := reflect.New(t)
	at.Elem().Set(reflect.ValueOf(v))
	if b, ok := s.append(make([]byte, 0, 1<<10), at.UnsafePointer()); ok {
		return b, nil
	}
	return json.Marshal(v) // it has the words for what is wrong
}

// writingSlots holds, by type, how a value of it is written by plan; nil: it is not.
var writingSlots sync.Map // reflect.Type to *slot

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

// writes makes a slot one that writes nil as null, and reports whether all in it can be written.
func (s *slot) writes() bool {
	s.nulls = true
	switch s.kind {
	case aTime, aPicked, aChecked:
		return false
	case aPointer, aTold, aList, aMap:
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

// isOdd reports whether a field is written in a way that no plan knows: under its Go name, or with an option other than omitempty.
func isOdd(f reflect.StructField) bool {
	name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
	if f.Anonymous || !f.IsExported() {
		return false
	}
	return name == "" || option != "" && option != "omitempty" && toldType(f.Type) == nil
}
