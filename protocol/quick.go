package protocol

import (
	"encoding/json"
	"reflect"
)

// quick reads a message that is written just as we write it: complete, nothing
// in it unknown, repeated or odd. It is not ok for any other, which says
// nothing about that.
func quick(raw []byte, r Reading) (m Message, ok bool) {
	d := reader{text: string(raw)}
	if m, ok = d.message(r.Type, r.Reply); ok && d.end() {
		return m, true
	}
	return nil, false
}

// ReadResult reads a message of type want that is the result in an answer of ours.
func ReadResult(body []byte, want Type) (m Message, ok bool) {
	d := reader{text: string(body)}
	ok = d.object(func(name string) (ok bool) {
		switch {
		case name == "jsonrpc" || name == "id":
			ok = d.scalar()
		case name == "result" && m == nil:
			m, ok = d.message(want, true)
		}
		return ok
	})
	return m, ok && m != nil && d.end()
}

// A Request is a JSON-RPC request with a message of ours.
type Request struct {
	ID      json.RawMessage
	Method  string
	Params  json.RawMessage
	Message Message
}

// ReadRequest reads a request that is written just as our agents write theirs,
// with a message that needs no remark. It is not ok for any other, which may be
// as good: the general way has to tell.
func ReadRequest(body []byte) (r Request, ok bool) {
	d := reader{text: string(body)}
	var version string
	ok = d.object(func(name string) (ok bool) {
		start := d.skipSpace()
		switch {
		case name == "jsonrpc" && version == "":
			version, ok = d.str()
		case name == "method" && r.Method == "":
			r.Method, ok = d.str()
		case name == "id" && r.ID == nil:
			ok = d.scalar() && d.text[start] != 't' && d.text[start] != 'f'
			r.ID = json.RawMessage(d.text[start:d.at])
		case name == "params" && r.Params == nil:
			r.Message, ok = d.message(methods[r.Method], false)
			r.Params = json.RawMessage(d.text[start:d.at])
		}
		return ok
	})
	return r, ok && version == "2.0" && r.Message != nil && r.ID != nil && d.end()
}

// message reads the message of a type that has a plan.
func (d *reader) message(t Type, reply bool) (Message, bool) {
	p := plans[t]
	if p == nil {
		return nil, false
	}
	v := reflect.New(p.spec.body)
	start := d.skipSpace()
	there, ok := d.fill(v.Elem(), p)
	m := v.Interface().(Message)
	if !ok || !reply && there&p.needs != p.needs || !ordinary(m, t) {
		return nil, false
	}
	m.Head().source, m.Head().plain = json.RawMessage(d.text[start:d.at]), true
	return m, true
}

// ordinary reports whether a message needs no remark and no translation:
// [fillEnvelope] has nothing to fill in, and package dialect nothing to move.
func ordinary(m Message, t Type) bool {
	h := m.Head()
	if h.Protocol != Version || h.MessageType != t || !validSender(h.Sender) || h.ConversationID == "" ||
		!plainTime(h.Timestamp) {
		return false
	}
	switch m := m.(type) {
	case *GameInvitation:
		return m.RoleInMatch != ""
	case *GameJoinAck:
		return m.Accept != nil && plainTime(m.ArrivalTimestamp)
	case *ChooseParityResponse:
		return len(m.ParityChoice) > 0 && string(m.ParityChoice) != "null"
	case *GameMoveResponse:
		return len(m.MoveData.Choice) > 0
	case *GameOver:
		return (m.Winner == nil || m.GameResult.WinnerPlayerID != nil) &&
			(m.DrawnNumber == nil || m.GameResult.DrawnNumber != nil)
	case *RoundCompleted:
		return (m.MatchesCompleted == 0) == (m.MatchesPlayed == 0)
	}
	return true
}

// plainTime reports whether a text is a time in the very form of [Stamp].
func plainTime(s string) bool {
	const form = "2006-01-02T15:04:05Z"
	if len(s) != len(form) {
		return false
	}
	_, plain, err := ParseTime(s)
	return plain && err == nil
}

// fill reads an object into a struct and tells which of its slots were there and not null.
func (d *reader) fill(v reflect.Value, p *plan) (there uint64, ok bool) {
	var seen uint64
	next := 0
	ok = d.object(func(name string) bool {
		s := p.at(name, next)
		if s == nil || seen&(1<<s.n) != 0 {
			return false
		}
		next = s.n + 1
		seen |= 1 << s.n
		null := d.null()
		if !null {
			there |= 1 << s.n
		}
		f := v.FieldByIndex(s.index)
		if s.kind == aPicked {
			return !null && d.picked(v, f)
		}
		return (null && d.nothing(f, s) || !null && d.value(f, s)) && !(s.omit && empty(f, s))
	})
	return there, ok
}

// at returns the slot of that name; most often it is the next one.
func (p *plan) at(name string, next int) *slot {
	if next < len(p.slots) && p.slots[next].name == name {
		return p.slots[next]
	}
	return p.byName[name]
}

// empty reports whether a value is one that is not written if its slot says omitempty.
func empty(v reflect.Value, s *slot) bool {
	switch s.kind {
	case aList, aMap, aRaw:
		return v.Len() == 0
	case aStruct:
		return false
	}
	return v.IsZero()
}

// nothing takes null for what can be null.
func (d *reader) nothing(v reflect.Value, s *slot) bool {
	if s.kind == aRaw {
		v.SetBytes([]byte("null"))
	}
	return s.kind == aRaw || s.kind == aPointer || s.kind == aList || s.kind == aMap
}

func (d *reader) value(v reflect.Value, s *slot) (ok bool) {
	switch s.kind {
	case aText:
		var text string
		text, ok = d.str()
		v.SetString(d.own(text))
	case aNumber, aRound:
		var n int64
		n, ok = d.number()
		v.SetInt(n)
		ok = ok && (s.kind == aNumber || n >= 0)
	case aBool:
		truth := d.eat("true")
		v.SetBool(truth)
		ok = truth || d.eat("false")
	case aRaw:
		var raw string
		raw, ok = d.raw()
		v.SetBytes([]byte(raw))
	case aStruct:
		_, ok = d.fill(v, s.inner)
	case aPointer:
		v.Set(reflect.New(s.typ.Elem()))
		ok = d.value(v.Elem(), s.elem)
	case aList:
		ok = d.list(v, s)
	case aMap:
		ok = d.table(v, s)
	case aTime:
		ok = d.moment(v)
	}
	return ok
}

func (d *reader) list(v reflect.Value, s *slot) bool {
	if !d.punct('[') {
		return false
	}
	if d.punct(']') {
		v.Set(reflect.MakeSlice(s.typ, 0, 0))
		return true
	}
	for n := 0; ; n++ {
		if n == v.Cap() {
			v.Grow(max(n, 2))
		}
		v.SetLen(n + 1)
		if d.null() || !d.value(v.Index(n), s.elem) {
			return false
		}
		if d.punct(']') {
			return true
		}
		if !d.punct(',') {
			return false
		}
	}
}

func (d *reader) table(v reflect.Value, s *slot) bool {
	switch m := v.Addr().Interface().(type) { // those that stand in every result
	case *map[string]json.RawMessage:
		return d.raws(m)
	case *map[string]Timing:
		return tableOf(d, m, s)
	case *map[string]SignedAnswers:
		return tableOf(d, m, s)
	}
	v.Set(reflect.MakeMap(s.typ))
	return d.object(func(name string) bool {
		key := reflect.ValueOf(d.own(name))
		elem := reflect.New(s.elem.typ).Elem()
		if v.MapIndex(key).IsValid() {
			return false
		}
		ok := d.null() && d.nothing(elem, s.elem) || d.value(elem, s.elem)
		v.SetMapIndex(key, elem)
		return ok
	})
}

// tableOf is table for a map whose type is known here, which spares most of the reflection.
func tableOf[V any](d *reader, m *map[string]V, s *slot) bool {
	*m = map[string]V{}
	into := reflect.New(s.elem.typ)
	elem, here := into.Elem(), into.Interface().(*V)
	return d.object(func(name string) bool {
		elem.SetZero()
		ok := d.null() && d.nothing(elem, s.elem) || d.value(elem, s.elem)
		had := len(*m)
		(*m)[d.own(name)] = *here
		return ok && len(*m) > had // else the name was there before
	})
}

// raws is tableOf for values of any kind.
func (d *reader) raws(m *map[string]json.RawMessage) bool {
	*m = map[string]json.RawMessage{}
	return d.object(func(name string) bool {
		raw, ok := d.raw()
		had := len(*m)
		(*m)[d.own(name)] = json.RawMessage(raw)
		return ok && len(*m) > had
	})
}
