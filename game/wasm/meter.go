package wasm

import (
	"cmp"
	"errors"
	"fmt"
)

// stepsLeft is the exported global variable with the remaining steps of a metered module. It is negative when the steps
// are used up.
const stepsLeft = "league.steps_left"

// metered returns an equivalent module that counts its steps and traps above the limit. It returns an error for
// imports, and for types, tables and functions of excessive size.
//
// The counter is a global variable after the module's own, which valid code cannot reference. The caller must
// therefore validate the original code first.
func metered(code []byte, steps int64) ([]byte, error) {
	parts, codeAt, err := sections(code)
	if err == nil {
		err = cmp.Or(checkImports(parts[importSection]), checkTypes(parts[typeSection]), checkTables(parts[tableSection]))
	}
	if err != nil {
		return nil, err
	}
	m := meter{}
	parts[globalSection] = m.addGlobals(parts[globalSection], steps)
	parts[exportSection] = m.addExport(parts[exportSection])
	if parts[codeSection], err = m.functions(parts[codeSection], codeAt); err != nil {
		return nil, err
	}
	return assemble(parts), nil
}

// A meter holds the indices of the two global variables that it adds to a module.
type meter struct {
	left    uint32 // steps
	scratch uint32 // a number of the stack for a moment
}

// addGlobals appends the meter's variables to the global section.
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

// addExport exports the remaining steps, for the host to read.
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

// functions adds the tolls to every function of the code section, whose payload is at offset codeAt of the file.
func (m *meter) functions(section []byte, codeAt int) ([]byte, error) {
	if section == nil {
		return nil, errors.New("it has no code")
	}
	s := &scanner{text: section, at: codeAt}
	count := s.uint()
	if count > maxFunctions {
		return nil, fmt.Errorf("it has %d functions: want at most %d", count, maxFunctions)
	}
	out := appendUint(nil, count)
	for n := range count {
		size := s.uint()
		if size > maxFunction {
			return nil, fmt.Errorf("function %d at byte %d has %d bytes: want at most %d", n, s.at, size, maxFunction)
		}
		at := s.at
		body, err := m.function(&scanner{text: s.take(int(size)), at: at})
		if s.err != nil {
			return nil, s.err
		}
		if err != nil {
			return nil, fmt.Errorf("function %d at byte %d: %w", n, at, err)
		}
		out = appendSized(out, body)
	}
	return out, s.err
}

// function returns one function with its tolls.
func (m *meter) function(s *scanner) ([]byte, error) {
	body, start := s.text, s.at
	locals := uint64(0)
	for n := s.uint(); n > 0 && s.err == nil; n-- {
		locals += uint64(s.uint())
		s.byte() // their type
	}
	if s.err != nil {
		return nil, s.err
	}
	if locals > maxLocals {
		return nil, fmt.Errorf("it has %d variables: want at most %d", locals, maxLocals)
	}
	places, err := tolls(s)
	if err != nil {
		return nil, err
	}
	var out []byte
	paid := 0
	for _, t := range places {
		out = append(out, body[paid:t.at-start]...)
		out = m.pay(out, t)
		paid = t.at - start
	}
	return append(out, body[paid:]...), nil
}

// pay appends code that subtracts the steps of a toll, and traps if none are left.
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
