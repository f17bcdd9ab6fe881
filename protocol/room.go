package protocol

import (
	"reflect"
	"strconv"
)

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
		if s.kind == aPointer || s.kind == aTold {
			out = append(out, s)
			s = s.elem
		}
		if s.kind == aStruct {
			out = append(out, pointersIn(s.inner)...)
		}
	}
	return out
}
