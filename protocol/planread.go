package protocol

import (
	"reflect"
	"strings"
	"time"
	"unsafe"
)

// fill reads an object into the struct at p and returns the set of slots that were present and not null.
func (d *reader) fill(p unsafe.Pointer, in *plan) (there uint64, ok bool) {
	if !d.punct('{') {
		return 0, false
	}
	if d.punct('}') {
		return 0, true
	}
	var seen uint64
	for next := 0; ; {
		s := d.member(in, next)
		if s == nil || seen&(1<<s.n) != 0 {
			return there, false
		}
		next = s.n + 1
		seen |= 1 << s.n
		f := unsafe.Add(p, s.offset)
		switch {
		case s.kind == aPicked:
			ok = d.picked(p, in, f, s)
		case d.null():
			ok = d.nothing(f, s) && !(s.omit && s.empty(f))
		default:
			there |= 1 << s.n
			ok = d.value(f, s) && !(s.omit && s.empty(f))
		}
		if !ok || !d.punct(',') {
			return there, ok && d.punct('}')
		}
	}
}

// member reads the name of a member and returns its slot, or nil. Most often it is one of the next.
func (d *reader) member(in *plan, next int) *slot {
	rest := d.text[d.skipSpace():]
	for _, s := range in.slots[next:min(next+4, len(in.slots))] {
		if strings.HasPrefix(rest, s.quote) {
			d.at += len(s.quote)
			return s
		}
	}
	name, ok := d.str()
	if !ok || !d.punct(':') {
		return nil
	}
	return in.byName[name]
}

// nothing reads null into a nullable slot.
func (d *reader) nothing(p unsafe.Pointer, s *slot) bool {
	if s.kind == aRaw {
		*(*[]byte)(p) = d.bytes("null")
	}
	if s.kind == anOptional {
		(*anyOptional)(p).null = true
	}
	return s.kind == aRaw || s.kind == aPointer || s.kind == aList || s.kind == aMap || s.kind == aPairs || s.kind == anOptional
}

// pointed returns a zero value for a slot that is a pointer to point to.
func (d *reader) pointed(s *slot) unsafe.Pointer {
	if s.room > 0 && d.room != nil {
		return unsafe.Add(d.room, s.room)
	}
	return reflect.New(s.elem.typ).UnsafePointer()
}

// value reads a value into p, which points to a zero value of the slot's type.
func (d *reader) value(p unsafe.Pointer, s *slot) (ok bool) {
	switch s.kind {
	case aText:
		var text string
		text, ok = d.str()
		*(*string)(p) = d.own(text)
	case aNumber, aRound:
		var n int
		n, ok = d.number()
		*(*int)(p) = n
		ok = ok && (s.kind == aNumber || n >= 0)
	case aFloat:
		*(*float64)(p), ok = d.float()
	case aBool:
		truth := d.eat("true")
		*(*bool)(p) = truth
		ok = truth || d.eat("false")
	case aRaw:
		var raw string
		raw, ok = d.raw()
		*(*[]byte)(p) = d.bytes(raw)
	case aStruct:
		_, ok = d.fill(p, s.inner)
	case aPointer, anOptional: // anOptional: the struct begins with its pointer
		to := d.pointed(s)
		*(*unsafe.Pointer)(p) = to
		ok = d.value(to, s.elem)
	case aList:
		ok = d.list(s.at(p), s.elem)
	case aMap:
		ok = d.table(p, s)
	case aPairs:
		ok = d.pairs(p, s)
	case aTime:
		ok = d.moment((*time.Time)(p))
	case aChecked:
		ok = d.check(s.elem)
	}
	return ok
}
