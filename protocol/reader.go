package protocol

import (
	"reflect"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// A reader reads values by their plans.
type reader struct {
	scanner
	known   *lexicon       // nil: values may share the text's memory
	forgets bool           // values are not kept
	room    unsafe.Pointer // of the message that is read: see [makeRoom]
}

// A lexicon holds short texts that were read lately. The same few names stand in every
// line of a log: they are kept once, and without the text around them.
type lexicon struct {
	texts   [1024]string
	scratch map[reflect.Type]reflect.Value // to read a value of a type into, before it is copied to where it belongs
	when    string                         // the last time that was read
	moment  time.Time
}

// lexicons are used again: a strict reading needs the same scratch values each time.
var lexicons = sync.Pool{New: func() any { return &lexicon{scratch: map[reflect.Type]reflect.Value{}} }}

// room returns a zero value of that type to read into.
func (l *lexicon) room(t reflect.Type) reflect.Value {
	v, ok := l.scratch[t]
	if !ok {
		v = reflect.New(t).Elem()
		l.scratch[t] = v
	}
	v.SetZero()
	return v
}

// shortText is the maximum length of interned texts.
const shortText = 24

// own returns a text that does not hold on to all that was read.
func (d *reader) own(text string) string {
	if d.known == nil || d.forgets {
		return text
	}
	if len(text) > shortText {
		return strings.Clone(text)
	}
	n := uint32(2166136261)
	for i := range len(text) {
		n = (n ^ uint32(text[i])) * 16777619
	}
	entry := &d.known.texts[n%uint32(len(d.known.texts))]
	if *entry != text {
		*entry = strings.Clone(text)
	}
	return *entry
}

// bytes returns a piece of the text as a read-only value. It copies the piece if the buffer belongs to the caller, and
// aliases the buffer otherwise. Equal short pieces, such as moves, may share memory.
func (d *reader) bytes(piece string) []byte {
	if d.known == nil {
		return shared(piece)
	}
	if len(piece) <= shortText {
		return shared(d.own(piece))
	}
	return []byte(piece)
}
