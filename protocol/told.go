package protocol

import (
	"encoding/json"
	"reflect"
	"unsafe"
)

// EvenOdd is the game whose messages always tell of a drawn number: null if none was drawn.
const EvenOdd = "even_odd"

// A Told is a member that a message tells, tells as null, or leaves out. The
// zero value is left out, where its tag says omitzero.
type Told[T any] struct {
	Value *T
	Null  bool // there is no value, and the message says so
}

// Tell returns a member with a value.
func Tell[T any](v T) Told[T] { return Told[T]{Value: &v} }

// ToldIn returns a member about a drawn number, as a message about a match of
// that game has it: Even/Odd tells null where nothing was drawn, and every
// other game has no such member.
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

// anyTold is a Told in memory, whatever its value's type.
type anyTold struct {
	value unsafe.Pointer
	null  bool
}
