package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"time"
	"unicode/utf8"
)

// stamp is how a line tells when it was written, in UTC.
const stamp = "2006-01-02T15:04:05.000000Z"

// hash is a SHA-256, zero before the first line.
type hash [sha256.Size]byte

// payload is a batch made ready for a line.
type payload struct {
	batch []byte
	sum   hash
	plain bool // it can stand in a line as it is
}

// newPayload does what can be done before the line's place is known.
func newPayload(batch []byte) payload {
	return payload{batch: batch, sum: sha256.Sum256(batch), plain: isPlain(batch)}
}

// isPlain says that whoever parses a line with batch in it finds the same bytes: valid JSON and UTF-8, on
// one line, without space around it, which parsers drop.
func isPlain(batch []byte) bool {
	return !bytes.ContainsAny(batch, "\r\n") && len(bytes.Trim(batch, " \t")) == len(batch) &&
		utf8.Valid(batch) && json.Valid(batch)
}

// appendLine appends the line of sequence seq, less its newline, to b.
func appendLine(b []byte, seq uint64, prev hash, at time.Time, p payload) []byte {
	b = strconv.AppendUint(append(b, `{"seq":`...), seq, 10)
	b = hex.AppendEncode(append(b, `,"prev":"`...), prev[:])
	b = hex.AppendEncode(append(b, `","sha256":"`...), p.sum[:])
	b = at.UTC().AppendFormat(append(b, `","timestamp":"`...), stamp)
	if p.plain {
		b = append(append(b, `","events":`...), p.batch...)
		return append(b, '}')
	}
	b = base64.StdEncoding.AppendEncode(append(b, `","data":"`...), p.batch)
	return append(b, `"}`...)
}

// record is what one line says.
type record struct {
	seq     uint64
	prev    hash
	payload []byte // shares memory with the line if it stood there as it is
}

// Why a line cannot be read. What is wrong with its place is told by [chain].
var (
	errForm    = errors.New("not a line of a journal")
	errPayload = errors.New("the payload does not have the SHA-256 that the line says")
)

// parseLine reads a line, less its newline. It takes nothing but what appendLine writes.
func parseLine(line []byte) (r record, err error) {
	var sum hash
	rest, ok := line, true
	r.seq, rest, ok = cutNumber(rest, `{"seq":`, ok)
	r.prev, rest, ok = cutHash(rest, `,"prev":"`, ok)
	sum, rest, ok = cutHash(rest, `","sha256":"`, ok)
	rest, ok = cutTime(rest, `","timestamp":"`, ok)
	if ok {
		r.payload, ok = cutPayload(rest)
	}
	if !ok {
		return r, errForm
	}
	if sha256.Sum256(r.payload) != sum {
		return r, errPayload
	}
	return r, nil
}

func cutNumber(b []byte, name string, ok bool) (uint64, []byte, bool) {
	b, named := bytes.CutPrefix(b, []byte(name))
	digits := len(b) - len(bytes.TrimLeft(b, "0123456789"))
	n, err := strconv.ParseUint(string(b[:digits]), 10, 64)
	return n, b[digits:], ok && named && err == nil && (b[0] != '0' || digits == 1)
}

func cutHash(b []byte, name string, ok bool) (h hash, rest []byte, _ bool) {
	b, named := bytes.CutPrefix(b, []byte(name))
	if !ok || !named || len(b) < hex.EncodedLen(len(h)) {
		return h, b, false
	}
	text := b[:hex.EncodedLen(len(h))]
	_, err := hex.Decode(h[:], text)
	lower := !bytes.ContainsAny(text, "ABCDEF")
	return h, b[len(text):], err == nil && lower
}

// cutTime takes digits where stamp has digits, whatever day that is: the next line's prev guards them.
func cutTime(b []byte, name string, ok bool) ([]byte, bool) {
	b, named := bytes.CutPrefix(b, []byte(name))
	if !ok || !named || len(b) < len(stamp) {
		return b, false
	}
	for i, want := range []byte(stamp) {
		if b[i] != want && !(isDigit(b[i]) && isDigit(want)) {
			return b, false
		}
	}
	return b[len(stamp):], true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func cutPayload(b []byte) ([]byte, bool) {
	if plain, ok := bytes.CutPrefix(b, []byte(`","events":`)); ok {
		return bytes.CutSuffix(plain, []byte("}"))
	}
	text, named := bytes.CutPrefix(b, []byte(`","data":"`))
	text, ended := bytes.CutSuffix(text, []byte(`"}`))
	if !named || !ended {
		return nil, false
	}
	data, err := base64.StdEncoding.Strict().AppendDecode(nil, text)
	// A decoder skips line ends; a journal has none.
	return data, err == nil && base64.StdEncoding.EncodedLen(len(data)) == len(text)
}
