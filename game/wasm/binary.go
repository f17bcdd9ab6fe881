package wasm

import (
	"errors"
	"fmt"
)

// The section ids of the WebAssembly format.
const (
	customSection = 0
	typeSection   = 1
	importSection = 2
	tableSection  = 4
	globalSection = 6
	exportSection = 7
	codeSection   = 10
)

// sectionOrder lists the section ids in the order that the format requires.
var sectionOrder = []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11}

// magic is how every module of version 1 begins.
const magic = "\x00asm\x01\x00\x00\x00"

// errCut reports a truncated module.
var errCut = errors.New("it is damaged: something in it ends too early")

// sections returns the payload of each section of a module, and the offset of the code section's payload in the file.
// It omits custom sections, such as names for debuggers.
func sections(code []byte) (parts map[byte][]byte, codeAt int, err error) {
	if len(code) < len(magic) || string(code[:len(magic)]) != magic {
		return nil, 0, errors.New("it is not a WebAssembly module of version 1")
	}
	parts = map[byte][]byte{}
	for r := (&scanner{text: code[len(magic):], at: len(magic)}); len(r.text) > 0; {
		id := r.byte()
		payload := r.take(int(r.uint()))
		switch {
		case r.err != nil:
			return nil, 0, r.err
		case id == customSection:
			continue
		case parts[id] != nil:
			return nil, 0, fmt.Errorf("section %d is in it twice", id)
		case id == codeSection:
			codeAt = r.at - len(payload)
		}
		parts[id] = append([]byte{}, payload...)
	}
	return parts, codeAt, nil
}

// assemble encodes a WebAssembly module from the payloads of its sections, by section id.
func assemble(parts map[byte][]byte) []byte {
	out := []byte(magic)
	for _, id := range sectionOrder {
		if payload, ok := parts[id]; ok {
			out = append(out, id)
			out = appendSized(out, payload)
		}
	}
	return out
}

// A scanner reads the binary format. After an error it sets err and returns zeros.
type scanner struct {
	text []byte
	at   int // offset of text
	err  error
}

// take returns the next n bytes.
func (s *scanner) take(n int) []byte {
	if s.err == nil && (n < 0 || n > len(s.text)) {
		s.err = errCut
	}
	if s.err != nil {
		return nil
	}
	out := s.text[:n]
	s.text = s.text[n:]
	s.at += n
	return out
}

// byte returns the next byte.
func (s *scanner) byte() byte {
	if b := s.take(1); b != nil {
		return b[0]
	}
	return 0
}

// uint reads an unsigned LEB128 number of at most 32 bits.
func (s *scanner) uint() (n uint32) {
	for shift := 0; shift < 35; shift += 7 {
		b := s.byte()
		n |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
	if s.err == nil {
		s.err = errors.New("it is damaged: a number in it is too long")
	}
	return 0
}

// skipInt skips a signed LEB128 number of any width.
func (s *scanner) skipInt() {
	for range 10 {
		if s.byte() < 0x80 {
			return
		}
	}
}

// appendUint writes an unsigned number.
func appendUint(out []byte, n uint32) []byte {
	for ; n >= 0x80; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return append(out, byte(n))
}

// appendInt writes a signed number.
func appendInt(out []byte, n int64) []byte {
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// appendSized appends a payload preceded by its length.
func appendSized(out, payload []byte) []byte {
	return append(appendUint(out, uint32(len(payload))), payload...)
}
