package protocol

import (
	"encoding/json"
	"reflect"
	"unsafe"
)

// Pairs are the members of a small object in the order in which they stand in its text, each name once. They are read
// where such objects come by the hundred thousand and most are forgotten again: a map of two takes three allocations
// and 400 bytes, Pairs of two take one.
type Pairs[V any] []Pair[V]

// A Pair is one member of an object.
type Pair[V any] struct {
	Name  string
	Value V
}

// mostPairs limits the members of an object read as Pairs by plan, since a search takes linear time. Larger objects
// use the general decoder.
const mostPairs = 32

// Get returns the value of a name, and false if there is none.
func (p Pairs[V]) Get(name string) (v V, ok bool) {
	for i := range p {
		if p[i].Name == name {
			return p[i].Value, true
		}
	}
	return v, false
}

// Map returns the pairs as a map, nil if there are none.
func (p Pairs[V]) Map() map[string]V {
	if len(p) == 0 {
		return nil
	}
	out := make(map[string]V, len(p))
	for _, one := range p {
		out[one.Name] = one.Value
	}
	return out
}

// UnmarshalJSON reads an object as strictly as [StrictUnmarshal].
func (p *Pairs[V]) UnmarshalJSON(text []byte) error {
	var m map[string]V
	if err := StrictUnmarshal(text, &m); err != nil {
		return err
	}
	*p = nil
	for name, v := range m {
		*p = append(*p, Pair[V]{name, v})
	}
	return nil
}

// paired returns the type of a value of Pairs.
func (Pairs[V]) paired() reflect.Type { return reflect.TypeFor[V]() }

var (
	_ pairing          = Pairs[int](nil)
	_ json.Unmarshaler = (*Pairs[int])(nil)
)

// pairs reads an object into the Pairs at p. It is not ok for a name that occurs twice, nor for many names.
func (d *reader) pairs(p unsafe.Pointer, s *slot) bool {
	list, size := s.at(p), s.typ.Elem().Size()
	value := s.typ.Elem().Field(1).Offset
	return d.object(func(name string) bool {
		n := list.Len()
		for i := range n {
			if *(*string)(unsafe.Add(list.UnsafePointer(), uintptr(i)*size)) == name {
				return false
			}
		}
		if n == mostPairs {
			return false
		}
		if n == list.Cap() {
			list.Grow(max(n, 2))
		}
		list.SetLen(n + 1)
		one := unsafe.Add(list.UnsafePointer(), uintptr(n)*size)
		*(*string)(one) = d.own(name)
		return d.element(unsafe.Add(one, value), s.elem)
	})
}
