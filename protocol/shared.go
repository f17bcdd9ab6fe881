package protocol

import (
	"reflect"
	"slices"
	"unsafe"
)

// A Shared is the beginning of a list that many messages have in common, such as the top of the table in a round's
// news: it is written once, and copied into each of them. It never changes and may be used by many goroutines at once.
// Nil is a Shared of nothing.
type Shared struct {
	slot *slot                          // the list, among the members of its message
	same func(list unsafe.Pointer) bool // whether the list at an address begins so
	n    int                            // elements
	text []byte                         // they, as they stand between the brackets of the list
}

// Share writes the first elements of a list, which is a member of messages of type t. It returns nil if these messages
// are not written by plan or have no such list.
func Share[E comparable](t Type, member string, first []E) *Shared {
	p := plans[t]
	if p == nil || p.byName[member] == nil || p.byName[member].typ != reflect.TypeFor[[]E]() || len(first) == 0 {
		return nil
	}
	s, first := p.byName[member], slices.Clone(first)
	text, ok := s.elem.appendList(nil, reflect.ValueOf(first))
	if !ok {
		return nil
	}
	return &Shared{slot: s, n: len(first), text: text[1 : len(text)-1], same: func(list unsafe.Pointer) bool {
		l := *(*[]E)(list)
		return len(l) >= len(first) && slices.Equal(l[:len(first)], first)
	}}
}

// Begin declares that a list of the message may begin with the shared part. It affects only speed: any other list is
// written as usual.
func (e *Envelope) Begin(s *Shared) { e.shared = s }

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
