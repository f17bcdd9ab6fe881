package protocol

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"unsafe"
)

// Maps of the types below are read and written without reflection, which would allocate each key and value. They
// cover the messages of a match; a map of any other type uses reflection.

// table reads an object into the map at p.
func (d *reader) table(p unsafe.Pointer, s *slot) bool {
	switch s.typ {
	case typeOfRaws:
		return d.raws((*map[string]json.RawMessage)(p))
	case typeOfTexts:
		return d.texts((*map[string]string)(p))
	case typeOfNumbers:
		return d.numbers((*map[string]int)(p))
	case typeOfTimings:
		return tableOf(d, (*map[string]Timing)(p), s.elem)
	case typeOfSigned:
		return tableOf(d, (*map[string]SignedAnswers)(p), s.elem)
	}
	return d.anyTable(s.at(p), s.elem)
}

// The types of maps in messages. Each has dedicated code, since reflection on maps is slow.
var (
	typeOfRaws    = reflect.TypeFor[map[string]json.RawMessage]()
	typeOfTexts   = reflect.TypeFor[map[string]string]()
	typeOfNumbers = reflect.TypeFor[map[string]int]()
	typeOfTimings = reflect.TypeFor[map[string]Timing]()
	typeOfSigned  = reflect.TypeFor[map[string]SignedAnswers]()
)

// raws reads an object with values of any kind.
func (d *reader) raws(into *map[string]json.RawMessage) bool {
	m := map[string]json.RawMessage{}
	*into = m
	return d.object(func(name string) bool {
		v, ok := d.raw()
		return ok && add(m, d.own(name), d.bytes(v))
	})
}

// texts reads an object of strings.
func (d *reader) texts(into *map[string]string) bool {
	m := map[string]string{}
	*into = m
	return d.object(func(name string) bool {
		v, ok := d.str()
		return ok && add(m, d.own(name), d.own(v))
	})
}

// numbers reads an object of whole numbers.
func (d *reader) numbers(into *map[string]int) bool {
	m := map[string]int{}
	*into = m
	return d.object(func(name string) bool {
		v, ok := d.number()
		return ok && add(m, d.own(name), v)
	})
}

// tableOf reads an object with values of a slot's type.
func tableOf[V any](d *reader, into *map[string]V, s *slot) bool {
	m := map[string]V{}
	*into = m
	v := new(V)
	return d.object(func(name string) bool {
		clear(unsafe.Slice(v, 1))
		return d.element(unsafe.Pointer(v), s) && add(m, d.own(name), *v)
	})
}

// add puts a value into a map, and is not ok if its name is a duplicate.
func add[V any](m map[string]V, name string, v V) bool {
	had := len(m)
	m[name] = v
	return len(m) > had
}

// anyTable reads an object into a map of any type.
func (d *reader) anyTable(v reflect.Value, s *slot) bool {
	v.Set(reflect.MakeMap(v.Type()))
	return d.object(func(name string) bool {
		key := reflect.ValueOf(d.own(name))
		elem := reflect.New(s.typ)
		if v.MapIndex(key).IsValid() {
			return false
		}
		ok := d.element(elem.UnsafePointer(), s)
		v.SetMapIndex(key, elem.Elem())
		return ok
	})
}

// element reads a value of a map, which may be null.
func (d *reader) element(p unsafe.Pointer, s *slot) bool {
	if d.null() {
		return d.nothing(p, s)
	}
	return d.value(p, s)
}

// appendMap writes the map at p in the order of its keys.
func (s *slot) appendMap(b []byte, p unsafe.Pointer) ([]byte, bool) {
	switch s.typ {
	case typeOfRaws:
		return appendTable(b, *(*map[string]json.RawMessage)(p), appendRaw)
	case typeOfTexts:
		return appendTable(b, *(*map[string]string)(p), appendText)
	case typeOfNumbers:
		return appendTable(b, *(*map[string]int)(p), appendInt)
	case typeOfTimings:
		return appendTable(b, *(*map[string]Timing)(p), appendAs[Timing](s.elem))
	case typeOfSigned:
		return appendTable(b, *(*map[string]SignedAnswers)(p), appendAs[SignedAnswers](s.elem))
	}
	return s.elem.appendAny(b, s.at(p))
}

func appendInt(b []byte, n int) ([]byte, bool) { return strconv.AppendInt(b, int64(n), 10), true }

// appendAs returns a function that writes a value by its slot.
func appendAs[V any](s *slot) func(b []byte, v V) ([]byte, bool) {
	return func(b []byte, v V) ([]byte, bool) { return s.append(b, unsafe.Pointer(&v)) }
}

// appendTable writes a map in the order of its keys.
func appendTable[V any](b []byte, m map[string]V, value func(b []byte, v V) ([]byte, bool)) (_ []byte, ok bool) {
	var room [8]string
	keys := slices.AppendSeq(room[:0], maps.Keys(m))
	slices.Sort(keys)
	b = append(b, '{')
	for i, k := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		if b, ok = appendText(b, k); !ok {
			return nil, false
		}
		if b, ok = value(append(b, ':'), m[k]); !ok {
			return nil, false
		}
	}
	return append(b, '}'), true
}

// appendAny writes a map of any type in the order of its keys.
func (s *slot) appendAny(b []byte, table reflect.Value) ([]byte, bool) {
	m := make(map[string]reflect.Value, table.Len())
	for entry := table.MapRange(); entry.Next(); {
		m[entry.Key().String()] = entry.Value()
	}
	value := reflect.New(s.typ)
	return appendTable(b, m, func(b []byte, v reflect.Value) ([]byte, bool) {
		value.Elem().Set(v)
		return s.append(b, value.UnsafePointer())
	})
}
