package web

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
)

// The writers are pooled: each has a window that would otherwise be allocated for every answer.
var (
	packers = sync.Pool{New: func() any { w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed); return w }}
	pieces  = sync.Pool{New: func() any { w, _ := flate.NewWriter(nil, flate.BestSpeed); return w }}
)

// unpacks reports whether the client accepts gzip.
func unpacks(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") }

// pack compresses a body with gzip.
func pack(body []byte) []byte {
	var out bytes.Buffer
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(&out)
	_, _ = z.Write(body)
	_ = z.Close()
	return out.Bytes()
}

// packHead begins a gzip body that continues with pieces.
const packHead = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// packPiece compresses a part of a gzip body. It refers to nothing before it and ends at a byte, so that the same
// piece fits into any body, after any other; the reader can decode all of it at once.
func packPiece(body []byte) []byte {
	var out bytes.Buffer
	z := pieces.Get().(*flate.Writer)
	defer pieces.Put(z)
	z.Reset(&out)
	_, _ = z.Write(body)
	_ = z.Flush()
	return out.Bytes()
}
