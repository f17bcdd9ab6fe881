package protocol

import (
	"hash/maphash"
	"reflect"
	"strings"
	"unsafe"
)

// list reads a list into a slice, which grows as needed. It returns false for whatever is not plain; the general
// decoder then decides what is wrong with it.
func (d *reader) list(v reflect.Value, elem *slot) bool {
	if !d.punct('[') {
		return false
	}
	if d.punct(']') {
		*(*[]struct{})(v.Addr().UnsafePointer()) = []struct{}{} // empty, not nil, and nothing is allocated for it
		return true
	}
	if d.forgets {
		return d.passed(v, elem)
	}
	start := d.at
	n := d.again(v, elem)
	if n > 0 && !d.punct(',') {
		return d.punct(']')
	}
	for familiar := n; ; n++ {
		if n == v.Cap() {
			v.Grow(d.more(n, start))
		}
		v.SetLen(n + 1)
		if d.null() || !d.value(unsafe.Add(v.UnsafePointer(), uintptr(n)*elem.typ.Size()), elem) {
			return false
		}
		if !d.punct(',') {
			return d.punct(']') && d.learn(start, n+1, familiar, v, elem)
		}
	}
}

// passed reads the elements of a list that is forgotten, one after the other into the same place. The list at v is then
// one element long: not empty, which is all that anybody asks of it.
func (d *reader) passed(v reflect.Value, elem *slot) bool {
	one := d.known.room(elem.typ)
	defer one.SetZero() // it may hold on to the text
	p := one.Addr().UnsafePointer()
	*(*[]byte)(v.Addr().UnsafePointer()) = unsafe.Slice((*byte)(p), 1)
	for {
		if one.SetZero(); d.null() || !d.value(p, elem) {
			return false
		}
		if !d.punct(',') {
			return d.punct(']')
		}
	}
}

// Limits of the elements that a list gets room for before they are read, so that a peer cannot make it allocate more.
const fewAtOnce, manyAtOnce = 2, 64

// more returns by how many elements a list grows, of which n began at start: by as many elements of the average length
// as the rest of the text can hold, and an eighth more, since rows differ by a digit or two.
func (d *reader) more(n, start int) int {
	left := len(d.text) - d.at
	if n == 0 {
		return min(fewAtOnce, left/2+1)
	}
	left /= (d.at-start)/n + 1
	return min(left+left/8+1, max(n, manyAtOnce))
}

// A process with many players reads the same table once for each of them: the rows for all, and then the player's own.
// A list of many elements that begins as the last one did, byte for byte, is not read twice: its elements are copied
// from those of a list that was. What the same text says at the same place is always the same, so that changes nothing
// but the time. Each reader has the elements to itself; only their texts are shared, which nobody can change.

// A knownList is a list that was read before. It does not change.
type knownList struct {
	text     string
	elements []span        // where they stand in the text
	values   reflect.Value // a slice of them
}

// A span is a part of a text.
type span struct{ from, to int }

// Which lists are worth to be known: of so many elements, and up to so many bytes.
const (
	fewKnown   = 8
	manyKnown  = manyAtOnce
	knownBytes = 16 << 10
	opening    = 128 // so many bytes tell one list from another
)

// isDeep reports whether values of a slot hold more than a text, a number or a truth.
func (s *slot) isDeep() bool {
	switch s.kind {
	case aText, aNumber, aRound, aFloat, aBool:
		return false
	}
	return true
}

// knows reports whether lists of such elements may be known to the reader: one that keeps no text, or forgets what it
// reads, has its own ways.
func (d *reader) knows(elem *slot) bool { return elem.flat && d.known == nil && !d.forgets }

// again fills v with the elements at the beginning of a list that are those of the list before, and skips them. It
// returns how many they are; behind the last is a comma, or the end of the list.
func (d *reader) again(v reflect.Value, elem *slot) (n int) {
	if !d.knows(elem) {
		return 0
	}
	known := elem.known.Load()
	if known == nil {
		return 0
	}
	at := d.at
	for _, e := range known.elements {
		size := e.to - e.from
		if len(d.text)-at <= size || d.text[at:at+size] != known.text[e.from:e.to] {
			break
		}
		n++
		d.at = at + size
		if at = d.at + 1; d.text[d.at] != ',' {
			break
		}
	}
	if n > 0 {
		v.Grow(n + 1) // and the row of the player itself
		v.SetLen(n)
		reflect.Copy(v, known.values)
	}
	return n
}

// learn makes a list known that was just read and of which only so many elements were familiar, if the one before began
// as it does: a list that is read only once is not worth it. It is always true.
func (d *reader) learn(start, n, familiar int, v reflect.Value, elem *slot) bool {
	size := d.at - start
	if !d.knows(elem) || n < fewKnown || n > manyKnown || size < opening || size > knownBytes || familiar >= n-1 {
		return true
	}
	begins := maphash.String(listSeed, d.text[start:start+opening])
	if elem.before.Swap(begins) != begins {
		return true
	}
	if known := readAgain(d.text[start:d.at], n, v.Type(), elem); known != nil {
		elem.known.Store(known)
	}
	return true
}

// listSeed is that of the hashes of lists.
var listSeed = maphash.MakeSeed()

// readAgain reads a list that was read before, in memory of its own.
func readAgain(text string, n int, list reflect.Type, elem *slot) *knownList {
	d := reader{text: strings.Clone(text)}
	known := &knownList{text: d.text, elements: make([]span, n), values: reflect.MakeSlice(list, n, n)}
	for i := range known.elements {
		from := d.skipSpace()
		if !d.value(unsafe.Add(known.values.UnsafePointer(), uintptr(i)*elem.typ.Size()), elem) {
			return nil
		}
		known.elements[i] = span{from, d.at}
		d.punct(',')
	}
	return known
}
