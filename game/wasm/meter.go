package wasm

import (
	"errors"
	"fmt"
)

// Bounds of what a module may declare: each of them is memory before its code has run a step.
const (
	maxLocals   = 10_000 // of one function
	maxElements = 10_000 // of a table
)

// stepsLeft is the name by which a metered module shows how many steps it has left. It is below 0 when it ran out.
const stepsLeft = "league.steps_left"

// metered returns a module that does the same as code, counts its steps, and traps when it has made more than so many.
// What a module may not have is refused here: imports, and tables and functions of a size that no rules need.
//
// The count is a global variable that the module cannot name: a caller has to see that code is valid by itself, for
// otherwise it could use the number that this variable is going to have.
func metered(code []byte, steps int64) ([]byte, error) {
	parts, err := sections(code)
	if err == nil {
		err = errors.Join(checkImports(parts[importSection]), checkTables(parts[tableSection]))
	}
	if err != nil {
		return nil, err
	}
	m := meter{}
	parts[globalSection] = m.addGlobals(parts[globalSection], steps)
	parts[exportSection] = m.addExport(parts[exportSection])
	if parts[codeSection], err = m.functions(parts[codeSection]); err != nil {
		return nil, err
	}
	return assemble(parts), nil
}

// checkImports refuses a module that wants anything of its surroundings.
func checkImports(section []byte) error {
	s := &scanner{text: section}
	if section == nil || s.uint() == 0 {
		return s.err
	}
	from := s.take(int(s.uint()))
	name := s.take(int(s.uint()))
	return fmt.Errorf("it imports %.40q of %.40q: a game may import nothing", name, from)
}

// checkTables refuses large tables.
func checkTables(section []byte) error {
	if section == nil {
		return nil
	}
	s := &scanner{text: section}
	for n := s.uint(); n > 0 && s.err == nil; n-- {
		s.byte() // what is in it
		bounded := s.byte()&1 == 1
		if size := s.uint(); size > maxElements {
			return fmt.Errorf("it has a table of %d elements: want at most %d", size, maxElements)
		}
		if bounded {
			s.uint()
		}
	}
	return s.err
}

// A meter knows by which numbers the two variables go that it adds to a module.
type meter struct {
	left    uint32 // steps
	scratch uint32 // a number of the stack for a moment
}

// addGlobals adds the variables of the meter behind the module's own.
func (m *meter) addGlobals(section []byte, steps int64) []byte {
	s := &scanner{text: section}
	own := uint32(0)
	if section != nil {
		own = s.uint()
	}
	m.left, m.scratch = own, own+1
	out := appendUint(nil, own+2)
	out = append(out, s.text...)
	out = append(out, 0x7e, 1, opI64Const) // a variable of 64 bits
	out = append(appendInt(out, steps), opEnd)
	return append(out, 0x7f, 1, 0x41, 0, opEnd) // and one of 32
}

// addExport shows the steps that are left to the host.
func (m *meter) addExport(section []byte) []byte {
	s := &scanner{text: section}
	own := uint32(0)
	if section != nil {
		own = s.uint()
	}
	out := appendUint(nil, own+1)
	out = append(out, s.text...)
	out = appendSized(out, []byte(stepsLeft))
	return appendUint(append(out, 3), m.left)
}

// functions has every function pay for what it does.
func (m *meter) functions(section []byte) ([]byte, error) {
	if section == nil {
		return nil, errors.New("it has no code")
	}
	s := &scanner{text: section}
	count := s.uint()
	out := appendUint(nil, count)
	for ; count > 0 && s.err == nil; count-- {
		body, err := m.function(s.take(int(s.uint())))
		if err != nil {
			return nil, err
		}
		out = appendSized(out, body)
	}
	return out, s.err
}

// function has one function pay.
func (m *meter) function(body []byte) ([]byte, error) {
	s := &scanner{text: body}
	locals := uint64(0)
	for n := s.uint(); n > 0 && s.err == nil; n-- {
		locals += uint64(s.uint())
		s.byte() // their type
	}
	if s.err != nil {
		return nil, s.err
	}
	if locals > maxLocals {
		return nil, fmt.Errorf("it has a function with %d variables: want at most %d", locals, maxLocals)
	}
	code := s.text
	places, err := tolls(code)
	if err != nil {
		return nil, err
	}
	out, paid := append([]byte{}, body[:s.at]...), 0
	for _, t := range places {
		out = append(out, code[paid:t.at]...)
		out = m.pay(out, t)
		paid = t.at
	}
	return append(out, code[paid:]...), nil
}

// pay writes the code that takes steps away, and traps if there are none left.
func (m *meter) pay(out []byte, t toll) []byte {
	get := func(variable uint32) { out = appendUint(append(out, opGlobalGet), variable) }
	set := func(variable uint32) { out = appendUint(append(out, opGlobalSet), variable) }
	number := func(n int64) { out = appendInt(append(out, opI64Const), n) }
	if t.steps == 0 {
		set(m.scratch)
	}
	get(m.left)
	switch {
	case t.steps > 0:
		number(t.steps)
	case t.shift > 0:
		get(m.scratch)
		out = append(out, opI64ExtendU)
		number(int64(t.shift))
		out = append(out, opI64Shl)
	default:
		get(m.scratch)
		out = append(out, opI64ExtendU)
		number(int64(-t.shift))
		out = append(out, opI64ShrU)
	}
	out = append(out, opI64Sub)
	set(m.left)
	get(m.left)
	number(0)
	out = append(out, opI64Less, opIf, 0x40, opUnreachable, opEnd)
	if t.steps == 0 {
		get(m.scratch)
	}
	return out
}
