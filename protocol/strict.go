package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
	"unsafe"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// StrictUnmarshal reads JSON text into the zero value that v points to, or into an empty list with zeroed capacity,
// as encoding/json does, but accepts only unambiguous text: an unknown member, a duplicate or a name in other case is
// an error that names it, at any depth, and so are bytes that are not UTF-8 and any text after the value. It is for
// data that is kept and checked later, such as a log or a record.
func StrictUnmarshal(data []byte, v any) error {
	into := reflect.ValueOf(v).Elem()
	if s := strictSlot(into.Type()); s != nil {
		known := lexicons.Get().(*lexicon)
		defer lexicons.Put(known)
		// with a lexicon, all that stays is a copy
		d := reader{scanner: scanner{text: unsafe.String(unsafe.SliceData(data), len(data))}, known: known}
		if d.value(into.Addr().UnsafePointer(), s) && d.end() {
			return nil
		}
		into.SetZero()
	}
	if !utf8.Valid(data) {
		return errors.New("it is not UTF-8")
	}
	err := jsonv2.Unmarshal(data, v, strict)
	if err == nil {
		return nil
	}
	into.SetZero()
	if wrong := json.Unmarshal(data, v); wrong != nil {
		return wrong // in words for people
	}
	var unknown *jsonv2.SemanticError
	var twice *jsontext.SyntacticError
	switch {
	case errors.As(err, &unknown) && unknown.Err == jsonv2.ErrUnknownName:
		path, like := pathIn(into.Type(), unknown.JSONPointer), written(unknown.GoType, unknown.JSONPointer.LastToken())
		if err = (&UnknownMemberError{path}); like != "" {
			err = fmt.Errorf("member %q is unknown%s", path, like)
		}
	case errors.As(err, &twice) && twice.Err == jsontext.ErrDuplicateName:
		err = fmt.Errorf("member %q occurs twice", pathIn(into.Type(), twice.JSONPointer))
	}
	return err
}

// written returns how a member of a t is written that differs from a name only in case, as the end of an error.
func written(t reflect.Type, name string) string {
	for right := range membersOf(t) {
		if strings.EqualFold(right, name) {
			return fmt.Sprintf(": it is written %q", right)
		}
	}
	return ""
}

// Checked decodes a value as strictly as any other and discards it.
type Checked[T any] struct{}

func (Checked[T]) as() reflect.Type { return reflect.TypeFor[T]() }

// UnmarshalJSON checks the value.
func (Checked[T]) UnmarshalJSON(text []byte) error { return StrictUnmarshal(text, new(T)) }

// check reads a value and forgets it.
func (d *reader) check(s *slot) bool {
	if d.known == nil {
		return false
	}
	v := d.known.room(s.typ)
	defer v.SetZero() // it may hold on to the text
	d.forgets = true
	ok := d.value(v.Addr().UnsafePointer(), s)
	d.forgets = false
	return ok
}

// strictSlots holds, by type, how a value of it is read by plan; nil: it is not.
var strictSlots sync.Map // reflect.Type to *slot

// strictSlot returns the slot to read a type strictly, nil if only encoding/json can. The result is cached by type.
func strictSlot(t reflect.Type) *slot {
	if s, ok := strictSlots.Load(t); ok {
		return s.(*slot)
	}
	s := triedSlot(t)
	strictSlots.Store(t, s)
	return s
}

// triedSlot returns nil for a type that no plan can be made of.
func triedSlot(t reflect.Type) (s *slot) {
	defer func() {
		if recover() != nil {
			s = nil
		}
	}()
	if turns(t, nil) {
		return nil
	}
	return slotOf(t)
}

// turns reports whether a type contains itself. A plan for such a type would be infinite.
func turns(t reflect.Type, above []reflect.Type) bool {
	if slices.Contains(above, t) {
		return true
	}
	above = append(above, t)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return turns(t.Elem(), above)
	case reflect.Struct:
		return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
			return MemberName(f) != "" && turns(f.Type, above)
		})
	}
	return false
}

// picked reads into f the member of the struct at p with the type that the struct picks.
func (d *reader) picked(p unsafe.Pointer, in *plan, f unsafe.Pointer, s *slot) bool {
	t := reflect.NewAt(in.typ, p).Interface().(picker).Pick()
	if t == nil {
		return false
	}
	chosen := strictSlot(t)
	if chosen == nil || d.known == nil {
		return false
	}
	elem := d.known.room(t)
	ok := d.value(elem.Addr().UnsafePointer(), chosen)
	s.at(f).Set(elem) // a copy
	return ok
}

// moment reads a time as encoding/json does. Events of one line have one time: the last is remembered.
func (d *reader) moment(t *time.Time) bool {
	text, ok := d.str()
	if !ok {
		return false
	}
	if d.known != nil && text == d.known.when {
		*t = d.known.moment
		return true
	}
	if t.UnmarshalText([]byte(text)) != nil {
		return false
	}
	if d.known != nil {
		d.known.when, d.known.moment = strings.Clone(text), *t
	}
	return true
}

// An UnknownMemberError names a member of a JSON document that its type does not have, regardless of case.
type UnknownMemberError struct{ Member string }

// Error names the member.
func (e *UnknownMemberError) Error() string { return fmt.Sprintf("member %q is unknown", e.Member) }
