package wasm

// A guest is a module put together by hand, so that it can do what no compiler would let it do.
type guest struct {
	alloc    []byte   // code of alloc, which returns the place of the request; nil: 1024
	handle   []byte   // code of handle
	locals   []byte   // declarations of the variables of handle; nil: none
	data     []string // texts, 4 KiB apart from each other, the first one at 4 KiB
	pages    uint32   // of memory; 0: 2
	extra    map[byte][]byte
	noMemory bool
}

// place is where a text of a guest is.
func place(n int) int64 { return int64(n+1) << 12 }

// bytes returns the module.
func (g guest) bytes() []byte {
	if g.alloc == nil {
		g.alloc = constant(0x41, 1024)
	}
	if g.pages == 0 {
		g.pages = 2
	}
	parts := map[byte][]byte{
		1: {3, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 2, 0x7f, 0x7f, 1, 0x7e, 0x60, 0, 0}, // types of alloc, handle and no parameters
		3: {2, 0, 1},
		5: appendUint([]byte{1, 0}, g.pages),
		7: exports("memory", 2, 0, "alloc", 0, 0, "handle", 0, 1),
	}
	if g.noMemory {
		parts[7] = exports("alloc", 0, 0, "handle", 0, 1)
	}
	parts[10] = append([]byte{2}, appendSized(nil, function(nil, g.alloc))...)
	parts[10] = appendSized(parts[10], function(g.locals, g.handle))
	if len(g.data) > 0 {
		parts[11] = appendUint(nil, uint32(len(g.data)))
		for n, text := range g.data {
			parts[11] = append(append(parts[11], 0), append(constant(0x41, place(n)), opEnd)...)
			parts[11] = appendSized(parts[11], []byte(text))
		}
	}
	for id, payload := range g.extra {
		parts[id] = payload
	}
	return assemble(parts)
}

// exports is a section of them: a name, a kind and an index each.
func exports(list ...any) []byte {
	out := []byte{byte(len(list) / 3)}
	for i := 0; i < len(list); i += 3 {
		out = appendSized(out, []byte(list[i].(string)))
		out = append(out, byte(list[i+1].(int)), byte(list[i+2].(int)))
	}
	return out
}

// function is a body.
func function(locals, code []byte) []byte {
	if locals == nil {
		locals = []byte{0}
	}
	return append(append(append([]byte{}, locals...), code...), opEnd)
}

// constant puts a number on the stack.
func constant(op byte, n int64) []byte { return appendInt([]byte{op}, n) }

// answers is code of handle that answers with the text of that number.
func answers(n int, text string) []byte { return constant(opI64Const, place(n)<<32|int64(len(text))) }

// scripted is a guest that gives one answer to info and another, after some code, to everything else: it tells them apart by
// the second letter of the operation.
func scripted(info, rest string, before ...byte) guest {
	code := []byte{0x20, 0, 0x2d, 0, 8, 0x41} // local.get 0, i32.load8_u offset 8, i32.const
	code = appendInt(code, 'n')
	code = append(code, 0x46, opIf, 0x7e) // i32.eq, if -> i64
	code = append(code, answers(0, info)...)
	code = append(code, 0x05) // else
	code = append(code, before...)
	code = append(code, answers(1, rest)...)
	code = append(code, opEnd)
	return guest{handle: code, data: []string{info, rest}}
}
