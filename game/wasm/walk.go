package wasm

import (
	"cmp"
	"fmt"
)

// The opcodes that matter to the meter.
const (
	opUnreachable  = 0x00
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opEnd          = 0x0b
	opBrTable      = 0x0e
	opCallIndirect = 0x11
	opSelectTyped  = 0x1c
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opMemoryGrow   = 0x40
	opI64Const     = 0x42
	opI64Less      = 0x53 // signed
	opI64Sub       = 0x7d
	opI64Shl       = 0x86
	opI64ShrU      = 0x88
	opI64ExtendU   = 0xad // from 32 bits
	opPrefix       = 0xfc
)

// A toll is a place in a function at which steps are subtracted.
type toll struct {
	at    int   // offset in the file: the instructions after it are paid for
	steps int64 // their number; 0: the number follows from the top of the stack
	shift int   // then: that number is shifted left by so much, or right where it is negative
}

// tolls returns the places at which a function must pay steps, in order. A function pays for all its instructions when
// it is called, and a loop pays for its own at each iteration. Other backward jumps do not exist, so every executed
// instruction is paid for. It returns an error with an offset for a function above the structural limits.
func tolls(s *scanner) ([]toll, error) {
	out := []toll{{at: s.at}}
	type block struct {
		toll  int // of a loop; -1: something else
		begun int64
	}
	open := []block{{toll: 0}}
	var shape structure
	for count := int64(1); len(open) > 0; count++ {
		at := s.at
		op := s.byte()
		switch op {
		case opBlock, opIf:
			s.skipInt()
			open = append(open, block{toll: -1})
		case opLoop:
			s.skipInt()
			open = append(open, block{toll: len(out), begun: count})
			out = append(out, toll{at: s.at})
		case opEnd:
			if last := open[len(open)-1]; last.toll >= 0 {
				out[last.toll].steps = count - last.begun
			}
			open = open[:len(open)-1]
		case opBrTable:
			shape.targets += s.branches()
		case opMemoryGrow:
			s.byte()
			out = append(out, toll{at: at, shift: 13}) // a page of 64 KiB, eight bytes a step
		case opPrefix:
			if s.prefixed() {
				out = append(out, toll{at: at, shift: -3})
			}
		default:
			s.immediates(op)
		}
		if err := cmp.Or(s.err, shape.check(op, len(open), at)); err != nil {
			return nil, err
		}
	}
	if len(s.text) > 0 {
		return nil, fmt.Errorf("it is damaged: %d bytes follow the end of a function", len(s.text))
	}
	return out, nil
}

// branches skips the targets of a br_table and returns their number.
func (s *scanner) branches() int64 {
	n := int64(s.uint()) + 1
	for range min(n, maxTargets+1) { // the caller refuses more
		s.uint()
	}
	return n
}

// immediates skips the operands of an instruction other than a block.
func (s *scanner) immediates(op byte) {
	switch {
	case op == opSelectTyped:
		s.take(int(s.uint()))
	case op == opCallIndirect, op >= 0x28 && op <= 0x3e: // a call by table; loads and stores
		s.uint()
		s.uint()
	case op == 0x0c, op == 0x0d, op == 0x10, op >= 0x20 && op <= 0x26, op == 0xd2: // an index follows
		s.uint()
	case op == 0x3f, op == 0xd0: // one byte follows
		s.byte()
	case op == 0x41, op == opI64Const:
		s.skipInt()
	case op == 0x43:
		s.take(4)
	case op == 0x44:
		s.take(8)
	case op <= 0x01, op == 0x05, op == 0x0f, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4, op == 0xd1: // nothing follows
	default:
		s.refuse(uint32(op))
	}
}

// prefixed skips an instruction after the prefix byte. It reports whether the run time of the instruction grows with the
// number on top of the stack.
func (s *scanner) prefixed() (long bool) {
	switch op := s.uint(); op {
	case 0, 1, 2, 3, 4, 5, 6, 7: // conversions of numbers
	case 8, 10, 12, 14: // memory.init, memory.copy, table.init, table.copy
		s.uint()
		s.uint()
		return true
	case 11, 17: // memory.fill, table.fill
		s.uint()
		return true
	case 9, 13, 16: // data.drop, elem.drop, table.size
		s.uint()
	default:
		s.refuse(opPrefix<<8 | op)
	}
	return false
}

// refuse sets the error for an instruction that is unknown or forbidden, such as table.grow.
func (s *scanner) refuse(op uint32) {
	if s.err == nil {
		s.err = fmt.Errorf("it has an instruction %#x, which is not allowed: build it without SIMD, threads, exceptions and "+
			"tail calls", op)
	}
}
