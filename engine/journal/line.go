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
	plain bool // it can stand in a line as it is
}

// newPayload does what can be done before the line's place is known.
func newPayload(batch []byte) payload {
	return payload{batch: batch, plain: isPlain(batch)}
}

// isPlain says that whoever parses a line with batch in it finds the same bytes: valid JSON and UTF-8, on
// one line, without space around it, which parsers drop.
func isPlain(batch []byte) bool {
	return !bytes.ContainsAny(batch, "\r\n") && len(bytes.Trim(batch, " \t")) == len(batch) &&
		utf8.Valid(batch) && json.Valid(batch)
}

// appendLine appends the line of sequence seq, less its newline, to b. Its last member is the hash of all before it.
func appendLine(b []byte, seq uint64, prev hash, at time.Time, p payload) []byte {
	start := len(b)
	b = strconv.AppendUint(append(b, `{"seq":`...), seq, 10)
	b = hex.AppendEncode(append(b, `,"prev":"`...), prev[:])
	b = at.UTC().AppendFormat(append(b, `","timestamp":"`...), stamp)
	if p.plain {
		b = append(append(b, `","events":`...), p.batch...)
	} else {
		b = base64.StdEncoding.AppendEncode(append(b, `","data":"`...), p.batch)
		b = append(b, '"')
	}
	sum := sha256.Sum256(b[start:])
	b = hex.AppendEncode(append(b, sealed...), sum[:])
	return append(b, `"}`...)
}

// sealed names the last member of a line.
const sealed = `,"sha256":"`

// sealSize is how long that member is, with the end of the line.
const sealSize = len(sealed) + 2*sha256.Size + len(`"}`)

// record is what one line says.
type record struct {
	seq     uint64
	prev    hash
	hash    hash   // of the line
	payload []byte // shares memory with the line if it stood there as it is
}

// Why a line cannot be read. What is wrong with its place is told by [chain].
var (
	errForm = errors.New("not a line of a journal")
	errSum  = errors.New("the line does not have the SHA-256 that it says")
)

// parseLine reads a line, less its newline. It takes nothing but what appendLine writes.
func parseLine(line []byte) (r record, err error) {
	if len(line) < sealSize {
		return r, errForm
	}
	body, seal := line[:len(line)-sealSize], line[len(line)-sealSize:]
	sum, end, ok := cutHash(seal, sealed, true)
	ok = ok && string(end) == `"}`
	rest := body
	r.seq, rest, ok = cutNumber(rest, `{"seq":`, ok)
	r.prev, rest, ok = cutHash(rest, `,"prev":"`, ok)
	rest, ok = cutTime(rest, `","timestamp":"`, ok)
	if ok {
		r.payload, ok = cutPayload(rest)
	}
	if !ok {
		return r, errForm
	}
	digest := sha256.New()
	digest.Write(body)
	if hash(digest.Sum(nil)) != sum {
		return r, errSum
	}
	digest.Write(seal) // and so the hash of the whole line costs nothing more
	r.hash = hash(digest.Sum(nil))
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

// cutTime takes digits where stamp has digits, whatever day that is: the line's hash guards them.
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
		return plain, true
	}
	text, named := bytes.CutPrefix(b, []byte(`","data":"`))
	text, ended := bytes.CutSuffix(text, []byte(`"`))
	if !named || !ended {
		return nil, false
	}
	data, err := base64.StdEncoding.Strict().AppendDecode(nil, text)
	// A decoder skips line ends; a journal has none.
	return data, err == nil && base64.StdEncoding.EncodedLen(len(data)) == len(text)
}
