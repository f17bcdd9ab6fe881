package line

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"testing"
	"time"
)

// batches are possible contents of a log.
var batches = []string{"x", `["one"]`, "two\n", ` {}`, "\x00", `"\u0000"`, `{"a":1}}`, "[1]\r"}

// FuzzParse holds that no line is taken unless every byte of it is as it would be written.
func FuzzParse(f *testing.F) {
	for i, batch := range batches {
		text := Append(nil, uint64(i), Hash{byte(i)}, time.Unix(1e9, 0), Ready([]byte(batch)))
		f.Add(text)
		f.Add(text[:len(text)-5])
		f.Add(bytes.Replace(text, []byte("0"), []byte("\x00"), 1))
	}
	f.Add([]byte{})
	f.Add([]byte("{}"))
	f.Fuzz(rewrite)
}

// rewrite checks that a readable line equals its re-encoding.
func rewrite(t *testing.T, line []byte) {
	r, err := Parse(line)
	if err != nil {
		return
	}
	p := Ready(r.Payload)
	p.plain = bytes.Contains(line, slices.Concat([]byte(`Z","events":`), r.Payload, []byte(sealed)))
	again := Append(nil, r.Seq, r.Prev, time.Time{}, p)
	at := bytes.Index(again, []byte("0001-01-01T"))
	copy(again[at:at+len(stamp)], line[at:])
	sum := sha256.Sum256(again[:len(again)-sealSize])
	hex.Encode(again[len(again)-sealSize+len(sealed):], sum[:])
	if !bytes.Equal(again, line) {
		t.Errorf("%q would be written %q", line, again)
	}
}

// FuzzLine holds that any batch comes back from its line.
func FuzzLine(f *testing.F) {
	for _, batch := range batches {
		f.Add([]byte(batch))
	}
	f.Fuzz(func(t *testing.T, batch []byte) {
		line := Append(nil, 7, Hash{1}, time.Now(), Ready(batch))
		if bytes.ContainsAny(line, "\n\x00") {
			t.Fatalf("line %q is not one line of text", line)
		}
		r, err := Parse(line)
		if err != nil || r.Seq != 7 || r.Prev != (Hash{1}) || !bytes.Equal(r.Payload, batch) {
			t.Errorf("got %+v and error %v, want payload %q", r, err, batch)
		}
	})
}

// FuzzHead holds that no head is taken but one as it would be written.
func FuzzHead(f *testing.F) {
	f.Add(AppendHead(nil, 3, Hash{7}))
	f.Add(AppendHead(nil, 0, Hash{}))
	f.Add([]byte(`{"seq":03}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		seq, h, ok := ParseHead(text)
		if again := AppendHead(nil, seq, h); ok && !bytes.Equal(again, text) {
			t.Errorf("head %q would be written %q", text, again)
		}
	})
}
