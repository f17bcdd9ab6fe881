package wasm

import "fmt"

// Limits of a module's structure, far above those of compiled games. They are checked before a module is compiled,
// because compile time is quadratic in some of them.
const (
	maxFunctions = 10_000
	maxFunction  = 128 << 10 // bytes of one function
	maxLocals    = 10_000    // of one function
	maxNesting   = 500       // blocks within blocks
	maxBlocks    = 4_000     // block, loop and if of one function
	maxTargets   = 4_000     // of all br_table of one function
	maxTypes     = 10_000
	maxValues    = 100    // parameters, or results, of one type
	maxElements  = 10_000 // of a table
)

// structure counts the branches of one function.
type structure struct {
	blocks  int
	targets int64
}

// check counts the instruction op and returns an error if the function is now above a limit.
func (f *structure) check(op byte, nesting, at int) error {
	if op == opBlock || op == opLoop || op == opIf {
		f.blocks++
	}
	switch {
	case nesting > maxNesting:
		return fmt.Errorf("blocks are nested more than %d deep at byte %d", maxNesting, at)
	case f.blocks > maxBlocks:
		return fmt.Errorf("it has more than %d blocks, the next one at byte %d", maxBlocks, at)
	case f.targets > maxTargets:
		return fmt.Errorf("its br_table at byte %d brings it to %d targets: want at most %d in a function", at, f.targets, maxTargets)
	}
	return nil
}

// checkImports returns an error if a module imports anything.
func checkImports(section []byte) error {
	s := &scanner{text: section}
	if section == nil || s.uint() == 0 {
		return s.err
	}
	from := s.take(int(s.uint()))
	name := s.take(int(s.uint()))
	return fmt.Errorf("it imports %.40q of %.40q: a game may import nothing", name, from)
}

// checkTypes returns an error for too many types, parameters or results.
func checkTypes(section []byte) error {
	if section == nil {
		return nil
	}
	s := &scanner{text: section}
	count := s.uint()
	if count > maxTypes {
		return fmt.Errorf("it has %d types: want at most %d", count, maxTypes)
	}
	for n := range count {
		s.byte() // a function's
		for _, what := range []string{"parameters", "results"} {
			values := s.uint()
			if values > maxValues {
				return fmt.Errorf("type %d has %d %s: want at most %d", n, values, what, maxValues)
			}
			s.take(int(values))
		}
	}
	return s.err
}

// checkTables refuses large tables.
func checkTables(section []byte) error {
	if section == nil {
		return nil
	}
	s := &scanner{text: section}
	for n := s.uint(); n > 0 && s.err == nil; n-- {
		s.byte() // the content
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
