package protocol

import (
	"hash/maphash"
	"reflect"
	"strings"
	"unsafe"
)

// list decodes a JSON list into the slice v, which grows as needed. It returns false for another JSON value; the
// general decoder then reports the error.
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

// passed validates the elements of a list that need not be stored, one after another in the same memory. Afterwards v
// has one element, which marks a list that was not empty.
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

// Limits of the number of elements for which memory is allocated before they are read, so that a peer cannot cause
// large allocations.
const fewAtOnce, manyAtOnce = 2, 64

// more returns the number of elements to grow a list by, of which n began at start: the number of elements of average
// length that fit into the rest of the text, plus an eighth, since rows differ by a digit or two.
func (d *reader) more(n, start int) int {
	left := len(d.text) - d.at
	if n == 0 {
		return min(fewAtOnce, left/2+1)
	}
	left /= (d.at-start)/n + 1
	return min(left+left/8+1, max(n, manyAtOnce))
}

// A process with many players reads the same table once for each of them: the rows for all, and then the player's
// own. If a list of many elements begins like the last one, byte for byte, its elements are copied from a cached list
// instead of decoded again. Equal text at the same position always decodes equally, so the result is the same. Each
// reader gets its own elements; only their strings are shared, which are immutable.

// Limits of cached lists, in elements and bytes.
const (
	fewKnown   = 8
	manyKnown  = manyAtOnce
	knownBytes = 16 << 10
	opening    = 128 // length of the prefix that identifies a list
)

// knows reports whether lists of such elements may be cached. They may not if the reader interns texts or discards
// values.
func (d *reader) knows(elem *slot) bool { return elem.flat && d.known == nil && !d.forgets }

// again fills v with the elements at the beginning of a list that equal those of the previous list, and skips their
// text. It returns their number. A comma or the end of the list follows the skipped text.
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

// learn caches a list of n elements that was just decoded, of which the first familiar ones were cached already. It
// requires that the previous list had the same prefix, because a list that occurs once is not worth caching. It always
// returns true.
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

// listSeed is the seed of the hashes by which equal lists are found.
var listSeed = maphash.MakeSeed()

// readAgain decodes a list again, into separate memory.
func readAgain(text string, n int, list reflect.Type, elem *slot) *knownList {
	d := reader{scanner: scanner{text: strings.Clone(text)}}
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
