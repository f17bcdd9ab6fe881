package protocol

import (
	"encoding/json"
	"reflect"
	"unsafe"
)

// EvenOdd is the game whose messages always have the drawn number, which is null if none was drawn.
const EvenOdd = "even_odd"

// An Optional is a tri-state JSON member: value, null or absent. The zero value is absent, if its tag has omitzero.
type Optional[T any] struct {
	Value *T
	Null  bool // the value is null
}

// Present returns a member with a value.
func Present[T any](v T) Optional[T] { return Optional[T]{Value: &v} }

// DrawMember returns a member about a drawn number for a match of that game: Even/Odd sends null where nothing was drawn,
// and every other game omits the member.
func DrawMember[T any](gameType string, v *T) Optional[T] {
	return Optional[T]{Value: v, Null: v == nil && gameType == EvenOdd}
}

// IsZero reports whether the member is left out.
func (t Optional[T]) IsZero() bool { return t.Value == nil && !t.Null }

// MarshalJSON writes the value, or null.
func (t Optional[T]) MarshalJSON() ([]byte, error) { return json.Marshal(t.Value) }

// UnmarshalJSON reads a value, or null.
func (t *Optional[T]) UnmarshalJSON(text []byte) error {
	t.Value = nil
	err := json.Unmarshal(text, &t.Value)
	t.Null = err == nil && t.Value == nil
	return err
}

// optional returns the type of the value.
func (Optional[T]) optional() reflect.Type { return reflect.TypeFor[T]() }

// OptionalType returns the type of the value if t is an Optional, and nil otherwise.
func OptionalType(t reflect.Type) reflect.Type {
	if one, ok := reflect.Zero(t).Interface().(interface{ optional() reflect.Type }); ok {
		return one.optional()
	}
	return nil
}

// anyOptional is the memory layout of an Optional with any type of value.
type anyOptional struct {
	value unsafe.Pointer
	null  bool
}
