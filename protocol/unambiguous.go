package protocol

import (
	"bytes"
	"encoding/json"
	"reflect"
	"unicode/utf8"
	"unsafe"
)

// unambiguous writes a record in one line as most readers understand it: of a duplicate member, as a player's answer
// may have, the last one counts, and bytes that are not UTF-8 are replaced. It may use the memory of room.
func (r *MatchRecord) unambiguous(room []byte) ([]byte, error) {
	line, err := marshalIn(room, r)
	if err != nil || !r.doubtful() || plainly(line) {
		return line, err
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// doubtful reports whether the encoding of a record may be ambiguous. Our own encoding is not: each member of a
// struct is written once, and strings as UTF-8. Only copied JSON can be, and the names of a map, of which two that
// are not UTF-8 may be written alike. TestOnlyWhatIsCopiedCanBeDoubtful restricts a record's type to these places.
func (r *MatchRecord) doubtful() bool {
	for i := range r.Transcript {
		if e := &r.Transcript[i]; !e.plain && !plainly(e.Message) {
			return true
		}
	}
	for i := range r.Moves {
		if !plainly(r.Moves[i].Move) {
			return true
		}
	}
	return oddValues(r.Result.Choices) || oddValues(r.Result.Details) || oddNames(r.Result.Score) ||
		oddNames(r.Result.Forfeits) || oddNames(r.Signed) || oddNames(r.Usage)
}

// plainly reports whether valid JSON is unambiguous for every reader: it is UTF-8, and no member occurs twice in it.
func plainly(text []byte) bool { return RepeatedKey(text) == "" && utf8.Valid(text) }

// EncodePlain is [Encode], and reports whether the output is surely unambiguous: it is UTF-8, and no member occurs
// twice in it. False is possible for an unambiguous message.
func EncodePlain(m Message) (text json.RawMessage, plain bool, err error) {
	if h := m.Head(); !h.dropNulls && (h.source == nil || h.plain) {
		if b, ok := quickly(newBuffer(m, 0), m); ok {
			return b, plans[h.MessageType].plainly(reflect.ValueOf(m).UnsafePointer()), nil
		}
	}
	text, err = encodeAny(m)
	return text, false, err
}

// plainly reports whether the struct at v is surely written as unambiguous JSON.
func (p *plan) plainly(v unsafe.Pointer) bool {
	for _, s := range p.slots {
		if !s.plainly(unsafe.Add(v, s.offset)) {
			return false
		}
	}
	return true
}

// plainly reports whether the value at v is surely written as unambiguous JSON. Strings and numbers are.
func (s *slot) plainly(v unsafe.Pointer) bool {
	switch s.kind {
	case aRaw:
		return plainly(*(*[]byte)(v))
	case aStruct:
		return s.inner.plainly(v)
	case aPointer, anOptional: // anOptional: the struct begins with its pointer
		to := *(*unsafe.Pointer)(v)
		return to == nil || s.elem.plainly(to)
	case aList:
		return s.elem.allPlainly(s.at(v))
	case aMap:
		return s.tablePlainly(v)
	}
	return true
}

// allPlainly is plainly for the elements of a list.
func (s *slot) allPlainly(list reflect.Value) bool {
	for i := range list.Len() {
		if !s.plainly(unsafe.Add(list.UnsafePointer(), uintptr(i)*s.typ.Size())) {
			return false
		}
	}
	return true
}

// tablePlainly is plainly for the map at v. It is sure only of those that the messages of a match have.
func (s *slot) tablePlainly(v unsafe.Pointer) bool {
	switch s.typ {
	case typeOfRaws:
		return !oddValues(*(*map[string]json.RawMessage)(v))
	case typeOfTexts:
		return !oddNames(*(*map[string]string)(v))
	case typeOfNumbers:
		return !oddNames(*(*map[string]int)(v))
	}
	return s.at(v).Len() == 0
}

// oddValues reports whether a map of JSON has an ambiguous value, or an odd name.
func oddValues(m map[string]json.RawMessage) bool {
	for _, raw := range m {
		if !plainly(raw) {
			return true
		}
	}
	return oddNames(m)
}

// oddNames reports whether a name of a map is no UTF-8.
func oddNames[V any](m map[string]V) bool {
	for name := range m {
		if !utf8.ValidString(name) {
			return true
		}
	}
	return false
}
