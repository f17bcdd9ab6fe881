package protocol

import (
	"reflect"
	"strings"
	"testing"
)

// TestTableNamesMembersThatExist guards the table's words against misspelling.
func TestTableNamesMembersThatExist(t *testing.T) {
	for _, spec := range Specs() {
		for _, path := range append(append([]string(nil), spec.Needs...), spec.Required...) {
			typ := reflect.TypeOf(spec.New()).Elem()
			for _, name := range strings.Split(path, ".") {
				member, ok := membersOf(typ)[name]
				if !ok {
					t.Errorf("%s: nothing is called %s", spec.Type, path)
					break
				}
				typ = member
			}
		}
	}
}
