package protocol

import (
	"encoding/json"
	"reflect"
	"unsafe"
)

// EvenOdd is the game whose messages always have the drawn number, which is null if none was drawn.
const EvenOdd = "even_odd"

// A Told is a tri-state JSON member: value, null or absent. The zero value is absent, if its tag has omitzero.
type Told[T any] struct {
	Value *T
	Null  bool // the value is null
}

// Tell returns a member with a value.
func Tell[T any](v T) Told[T] { return Told[T]{Value: &v} }

// ToldIn returns a member about a drawn number for a match of that game: Even/Odd sends null where nothing was drawn,
// and every other game omits the member.
func ToldIn[T any](gameType string, v *T) Told[T] {
	return Told[T]{Value: v, Null: v == nil && gameType == EvenOdd}
}

// IsZero reports whether the member is left out.
func (t Told[T]) IsZero() bool { return t.Value == nil && !t.Null }

// MarshalJSON writes the value, or null.
func (t Told[T]) MarshalJSON() ([]byte, error) { return json.Marshal(t.Value) }

// UnmarshalJSON reads a value, or null.
func (t *Told[T]) UnmarshalJSON(text []byte) error {
	t.Value = nil
	err := json.Unmarshal(text, &t.Value)
	t.Null = err == nil && t.Value == nil
	return err
}

// told returns the type of the value.
func (Told[T]) told() reflect.Type { return reflect.TypeFor[T]() }

// toldType returns the type of the value if t is a Told, and nil of any other.
func toldType(t reflect.Type) reflect.Type {
	if one, ok := reflect.Zero(t).Interface().(interface{ told() reflect.Type }); ok {
		return one.told()
	}
	return nil
}

// anyTold is the memory layout of a Told with any type of value.
type anyTold struct {
	value unsafe.Pointer
	null  bool
}
