package protocol

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"
)

// A plan is how a struct is read and written.
type plan struct {
	typ    reflect.Type
	slots  []*slot
	byName map[string]*slot
	size   atomic.Int64 // how many bytes the last one was written in, of a message or by Marshal

	// Of a message:
	needs uint64       // the slots that have to be there
	room  reflect.Type // the message with its pointed-to values: see [makeRoom]
}

// A slot is one member of a struct, or the elements of a list or map.
type slot struct {
	name   string
	quote  string  // the encoded name with its punctuation
	n      int     // its place among the slots
	offset uintptr // of the struct's field
	room   uintptr // of a pointer: where in the message's room its value has its place; 0: it has none
	kind   kind
	typ    reflect.Type
	omit   bool    // it is not written when it is empty
	nulls  bool    // of a list or map: nil is written as null, not as an empty one
	inner  *plan   // of a struct
	tight  uintptr // of JSON: the offset of a bool that marks it as compact; 0: none
	elem   *slot   // of a pointer, list or map

	flat   bool                      // of the elements of a list: they hold nothing but texts, numbers and truths
	before atomic.Uint64             // a hash of how the last list began that was not familiar
	known  atomic.Pointer[knownList] // the list that is familiar; nil: none is
}

// at returns the value of the slot's type at p.
func (s *slot) at(p unsafe.Pointer) reflect.Value { return reflect.NewAt(s.typ, p).Elem() }

// empty reports whether the value at p is omitted if its slot has omit.
func (s *slot) empty(p unsafe.Pointer) bool {
	switch s.kind {
	case aText:
		return *(*string)(p) == ""
	case aNumber, aRound:
		return *(*int)(p) == 0
	case aFloat:
		return *(*float64)(p) == 0
	case aBool:
		return !*(*bool)(p)
	case aPointer:
		return *(*unsafe.Pointer)(p) == nil
	case anOptional:
		return *(*anyOptional)(p) == anyOptional{}
	case aRaw:
		return len(*(*[]byte)(p)) == 0
	case aList, aMap, aPairs:
		return s.at(p).Len() == 0
	}
	return false
}

// isDeep reports whether values of a slot hold more than a text, a number or a truth.
func (s *slot) isDeep() bool {
	switch s.kind {
	case aText, aNumber, aRound, aFloat, aBool:
		return false
	}
	return true
}

// A knownList is a list that was read before. It does not change.
type knownList struct {
	text     string
	elements []span        // where they stand in the text
	values   reflect.Value // a slice of them
}

// A span is a part of a text.
type span struct{ from, to int }

// A kind is how a value is read and written.
type kind int

const (
	aText kind = iota
	aNumber
	aRound // a number that is not negative
	aFloat
	aBool
	aRaw
	aStruct
	aPointer
	aList
	aMap
	anOptional
	aTime    // only read
	aPicked  // only read: of the type that its struct picks
	aChecked // only read: of a dropped value
	aPairs   // only read
)

// planOf returns the plan of a struct. It panics for an unsupported one, which is a mistake in quickTypes.
func planOf(t reflect.Type) *plan {
	p := &plan{typ: t, byName: map[string]*slot{}}
	for _, f := range reflect.VisibleFields(t) {
		name := MemberName(f)
		if name == "" {
			p.trust(f)
			continue
		}
		s := memberSlot(t, f)
		s.name, s.quote, s.n, s.offset = name, `"`+name+`":`, len(p.slots), offset(t, f.Index)
		s.omit = strings.HasSuffix(f.Tag.Get("json"), ",omitempty") || s.kind == anOptional
		p.slots, p.byName[name] = append(p.slots, s), s
	}
	if len(p.slots) > 64 || len(p.byName) != len(p.slots) {
		panic("protocol: no plan can be made of " + t.String())
	}
	return p
}

// trust reads the tag of a field such as `tight:"moves"`: the bool reports that the JSON of the member moves, which is
// declared before it, is compact and can be copied unchanged.
func (p *plan) trust(f reflect.StructField) {
	if s := p.byName[f.Tag.Get("tight")]; s != nil {
		s.tight = offset(p.typ, f.Index) - s.offset
	}
}

// offset returns the byte offset in t of the field at index, which may be in a nested struct.
func offset(t reflect.Type, index []int) (n uintptr) {
	for _, i := range index {
		if t.Kind() != reflect.Struct {
			panic("protocol: no plan can be made of a pointer to " + t.Elem().String() + " within a struct")
		}
		n += t.Field(i).Offset
		t = t.Field(i).Type
	}
	return n
}

// memberSlot returns the slot of a struct's field.
func memberSlot(t reflect.Type, f reflect.StructField) *slot {
	if f.Type.Kind() == reflect.Interface && reflect.PointerTo(t).Implements(reflect.TypeFor[picker]()) {
		return &slot{typ: f.Type, kind: aPicked}
	}
	return slotOf(f.Type)
}

// A picker is a struct with a member of a type that depends on the members before it.
type picker interface {
	// Pick returns the type of that member, or nil if it is unknown.
	Pick() reflect.Type
}

// A checked type reads itself and checks the result; as returns the type with the same encoding.
type checked interface{ as() reflect.Type }

// A pairing is Pairs of any type.
type pairing interface{ paired() reflect.Type }

// slotOf returns the slot for values of a type. Types with a special form come first: a time is a struct as well.
func slotOf(t reflect.Type) *slot {
	s := &slot{typ: t}
	switch {
	case t == rawMessage:
		s.kind = aRaw
	case t == reflect.TypeFor[time.Time]():
		s.kind = aTime
	case t == reflect.TypeFor[Round]():
		s.kind = aRound
	case OptionalType(t) != nil:
		s.kind, s.elem = anOptional, slotOf(OptionalType(t))
	case t.Implements(reflect.TypeFor[checked]()):
		s.kind, s.elem = aChecked, slotOf(reflect.Zero(t).Interface().(checked).as())
	case t.Implements(reflect.TypeFor[pairing]()):
		s.kind, s.elem = aPairs, slotOf(reflect.Zero(t).Interface().(pairing).paired())
	case t.Implements(reflect.TypeFor[json.Marshaler]()) || reads(t) &&
		!reflect.PointerTo(t).Implements(reflect.TypeFor[picker]()):
		panic("protocol: no plan can be made of " + t.String())
	case t.Kind() == reflect.String:
		s.kind = aText
	case t.Kind() == reflect.Int:
		s.kind = aNumber
	case t.Kind() == reflect.Float64:
		s.kind = aFloat
	case t.Kind() == reflect.Bool:
		s.kind = aBool
	case t.Kind() == reflect.Struct:
		s.kind, s.inner = aStruct, planOf(t)
	case t.Kind() == reflect.Pointer:
		s.kind, s.elem = aPointer, slotOf(t.Elem())
	case t.Kind() == reflect.Slice:
		s.kind, s.elem = aList, slotOf(t.Elem())
		s.elem.flat = s.elem.kind == aStruct && !slices.ContainsFunc(s.elem.inner.slots, (*slot).isDeep)
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
		s.kind, s.elem = aMap, slotOf(t.Elem())
	default:
		panic("protocol: no plan can be made of " + t.String())
	}
	return s
}

// A message about a match has half a dozen pointers, to texts and numbers that may be null. Allocated separately they
// would outnumber all other objects. They have their places in the message's room: a struct that begins with the
// message itself. It is one allocation, and lives as long as anything that points into it: copy a value of a message
// before keeping it long.

// makeRoom returns the type of a message's room and gives each pointer of the plan its place in it. Pointers within
// lists and maps, of which there may be any number, have none.
func makeRoom(p *plan) reflect.Type {
	fields := []reflect.StructField{{Name: "Message", Type: p.typ}}
	pointers := pointersIn(p)
	for i, s := range pointers {
		fields = append(fields, reflect.StructField{Name: "P" + strconv.Itoa(i), Type: s.elem.typ})
	}
	room := reflect.StructOf(fields)
	for i, s := range pointers {
		s.room = room.Field(i + 1).Offset
	}
	return room
}

// pointersIn lists the pointers of a struct, including those of nested structs.
func pointersIn(p *plan) (out []*slot) {
	for _, s := range p.slots {
		if s.kind == aPointer || s.kind == anOptional {
			out = append(out, s)
			s = s.elem
		}
		if s.kind == aStruct {
			out = append(out, pointersIn(s.inner)...)
		}
	}
	return out
}
