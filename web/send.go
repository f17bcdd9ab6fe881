package web

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// A document is a body with its ETag and its compressed form, each computed once, for the first reader that needs it.
// It is safe for concurrent use.
type document struct {
	kind   string // its media type
	body   []byte
	tag    func() string
	packed func() []byte
}

func newDocument(kind string, body []byte) *document {
	return &document{
		kind: kind, body: body,
		tag: sync.OnceValue(func() string {
			sum := sha256.Sum256(body)
			return `"` + hex.EncodeToString(sum[:12]) + `"`
		}),
		packed: sync.OnceValue(func() []byte { return packed(&packers, body, (*gzip.Writer).Close) }),
	}
}

// newJSON encodes a value as JSON with HTML characters escaped; nil: it cannot be encoded.
func newJSON(v any) *document {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return newDocument("application/json", append(text, '\n'))
}

// sendJSON sends a value as JSON.
func sendJSON(w http.ResponseWriter, r *http.Request, status int, v any) {
	newJSON(v).send(w, r, status)
}

// send writes the document, which browsers may cache but must revalidate. It answers a matching If-None-Match with 304,
// and with status 500 if there is no document.
func (d *document) send(w http.ResponseWriter, r *http.Request, status int) {
	if d == nil {
		http.Error(w, "the answer could not be encoded", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", d.kind)
	h.Set("Vary", "Accept-Encoding, Cookie")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-cache")
	}
	if status == http.StatusOK {
		h.Set("ETag", d.tag())
		if strings.Contains(r.Header.Get("If-None-Match"), d.tag()) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	body := d.body
	if len(body) > 1024 && unpacks(r) {
		h.Set("Content-Encoding", "gzip")
		body = d.packed()
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// The writers are pooled: each has a window that would otherwise be allocated for every answer.
var (
	packers = sync.Pool{New: func() any { w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed); return w }}
	pieces  = sync.Pool{New: func() any { w, _ := flate.NewWriter(nil, flate.BestSpeed); return w }}
)

// unpacks reports whether the client accepts gzip.
func unpacks(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") }

// packed compresses a body with a pooled writer, which end completes.
func packed[W interface {
	io.Writer
	Reset(w io.Writer)
}](pool *sync.Pool, body []byte, end func(W) error) []byte {
	var out bytes.Buffer
	z := pool.Get().(W)
	defer pool.Put(z)
	z.Reset(&out)
	_, _ = z.Write(body)
	_ = end(z)
	return out.Bytes()
}

// packHead begins a gzip body that continues with pieces.
const packHead = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// packPiece compresses a part of a gzip body. It refers to nothing before it and ends at a byte, so that the same
// piece fits into any body, after any other; the reader can decode all of it at once.
func packPiece(body []byte) []byte { return packed(&pieces, body, (*flate.Writer).Flush) }
