package wasmtest

import "strconv"

// A Guest is a handmade module, which needs no compiler and can do things that compilers prevent.
type Guest struct {
	Alloc    []byte          // code of alloc, which returns the place of the request; nil: a good one
	Handle   []byte          // code of handle
	Locals   []byte          // declarations of the variables of handle; nil: none
	Data     []string        // texts, each 4 KiB behind the one before, the first one at 4 KiB
	Pages    int             // of memory; 0: 2
	Sections map[byte][]byte // in place of the generated ones
}

// order is the order in which a module has its sections.
var order = []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11}

// Bytes returns the module.
func (g Guest) Bytes() []byte {
	if g.Alloc == nil {
		g.Alloc = I32(1024)
	}
	if g.Pages == 0 {
		g.Pages = 2
	}
	parts := map[byte][]byte{
		1:  {3, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 2, 0x7f, 0x7f, 1, 0x7e, 0x60, 0, 0}, // types of alloc, of handle, and of nothing
		3:  {2, 0, 1},
		5:  uleb([]byte{1, 0}, g.Pages),
		7:  Exports("memory", 2, 0, "alloc", 0, 0, "handle", 0, 1),
		10: Functions(Function(nil, g.Alloc), Function(g.Locals, g.Handle)),
	}
	if len(g.Data) > 0 {
		parts[11] = g.segments()
	}
	for id, payload := range g.Sections {
		parts[id] = payload
	}
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, id := range order {
		if payload, ok := parts[id]; ok {
			out = sized(append(out, id), payload)
		}
	}
	return out
}

// segments puts the texts at their places.
func (g Guest) segments() []byte {
	out := uleb(nil, len(g.Data))
	for n, text := range g.Data {
		out = append(append(out, 0), append(I32(Place(n)), 0x0b)...)
		out = sized(out, []byte(text))
	}
	return out
}

// Place is where a text of a guest is.
func Place(n int) int64 { return int64(n+1) << 12 }

// Exports is a section of them: a name, a kind and an index each.
func Exports(list ...any) []byte {
	out := []byte{byte(len(list) / 3)}
	for i := 0; i < len(list); i += 3 {
		out = sized(out, []byte(list[i].(string)))
		out = append(out, byte(list[i+1].(int)), byte(list[i+2].(int)))
	}
	return out
}

// Functions is a section of them.
func Functions(bodies ...[]byte) []byte {
	out := uleb(nil, len(bodies))
	for _, body := range bodies {
		out = sized(out, body)
	}
	return out
}

// Function is one: declarations of variables, and code.
func Function(locals, code []byte) []byte {
	if locals == nil {
		locals = []byte{0}
	}
	return Code(locals, code, []byte{0x0b})
}

// Code joins pieces of code.
func Code(pieces ...[]byte) (out []byte) {
	for _, p := range pieces {
		out = append(out, p...)
	}
	return out
}

// I32 puts a number of 32 bits on the stack.
func I32(n int64) []byte { return sleb([]byte{0x41}, n) }

// I64 puts a number of 64 bits on the stack.
func I64(n int64) []byte { return sleb([]byte{0x42}, n) }

// answer answers with the text of that number.
func answer(n int, text string) []byte { return I64(Place(n)<<32 | int64(len(text))) }

// ifLetter runs code only if the letter of the request at that place is that one.
func ifLetter(place int, letter byte, result byte, code ...[]byte) []byte {
	test := Code(uleb([]byte{0x20, 0, 0x2d, 0}, place), I32(int64(letter)), []byte{0x46, 0x04, result})
	return Code(append(append([][]byte{test}, code...), []byte{0x0b})...)
}

// onApply runs code only when the operation is apply, which begins with an a.
func onApply(code []byte) []byte { return ifLetter(len(`{"op":"`), 'a', 0x40, code) }

// Endless never ends; Trap ends with an error; Grow takes memory, a page at a time, and never ends; Deep calls handle
// again.
var (
	Endless = []byte{0x03, 0x40, 0x0c, 0, 0x0b}
	Trap    = []byte{0x00}
	Grow    = []byte{0x03, 0x40, 0x41, 1, 0x40, 0, 0x1a, 0x0c, 0, 0x0b}
	Deep    = []byte{0x20, 0, 0x20, 1, 0x10, 1, 0x1a}
)

// Scripted is a guest that gives one answer to info and another, after some code, to everything else.
func Scripted(info, rest string, before ...byte) Guest {
	other := Code([]byte{0x05}, before, answer(1, rest))
	return Guest{Handle: ifLetter(len(`{"op":"i`), 'n', 0x7e, answer(0, info), other), Data: []string{info, rest}}
}

// Info describes a game of a type for two, in which seat 0 plays 1 again and again.
func Info(gameType string, turns int) string {
	return `{"info":{"type":"` + gameType + `","name":"Odd One","rules":"Play.","move_types":["go"],"valid_choices":{"go":["1"]},` +
		`"min_seats":2,"max_seats":2,"max_turns":` + strconv.Itoa(turns) + `}}`
}

// Turn is a position of that game.
const Turn = `{"state":1,"to_move":[0],"views":[{"move_type":"go","valid_options":[1],"context":{}},{"context":{}}],"watch":{}}`

// Broken is the module of such a game that does something else in the first turn.
func Broken(gameType string, what []byte) []byte {
	return Scripted(Info(gameType, 3), Turn, onApply(what)...).Bytes()
}

// Many is a module of such a game with n further functions, each with the same variables and code.
func Many(gameType string, n int, locals, code []byte) []byte {
	g := Scripted(Info(gameType, 3), Turn)
	types := append(uleb(nil, n+2), 0, 1)
	bodies := [][]byte{Function(nil, I32(1024)), Function(nil, g.Handle)}
	for range n {
		types, bodies = append(types, 2), append(bodies, Function(locals, code))
	}
	g.Sections = map[byte][]byte{3: types, 10: Functions(bodies...)}
	return g.Bytes()
}

// Heavy is a module of such a game that takes a minute or more to compile, although no part of it is large: functions
// with many variables that each of many blocks may set.
func Heavy(gameType string) []byte {
	const variables, blocks = 1000, 3900
	var code []byte
	for i := range blocks {
		set := uleb(Code(I32(1), []byte{0x21}), i%variables)
		code = Code(code, []byte{0x20, 0, 0x04, 0x40}, set, []byte{0x0b})
	}
	return Many(gameType, 90, append(uleb([]byte{1}, variables), 0x7f), code)
}

// uleb writes an unsigned number.
func uleb(out []byte, n int) []byte {
	for ; n >= 0x80; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return append(out, byte(n))
}

// sleb writes a signed number.
func sleb(out []byte, n int64) []byte {
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// sized writes a payload behind its length.
func sized(out, payload []byte) []byte { return append(uleb(out, len(payload)), payload...) }
