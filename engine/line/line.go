// Package line is the form in which every engine keeps an entry, so that a log
// that moves from one engine to another keeps its hashes.
//
//	{"seq":3,"prev":"<hash of line 2>","timestamp":"2026-01-01T00:00:00.000000Z","events":<payload>,"sha256":"<of all before this member>"}
//
// The hash of a line is the SHA-256 of all its bytes. The next line names it as
// prev, and so one hash covers the log up to there. Beside a log stands its head,
// a line that was acknowledged: a log cannot end before it.
package line

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

// stamp is the time format of a line, in UTC.
const stamp = "2006-01-02T15:04:05.000000Z"

// Hash is a SHA-256, zero before the first line.
type Hash [sha256.Size]byte

// String returns the hash in lower-case hex.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Of returns the hash of a line, less its newline.
func Of(line []byte) Hash { return sha256.Sum256(line) }

// Payload is a batch of events, encoded as the content of one line of the log file.
type Payload struct {
	batch []byte
	plain bool // it can stand in a line as it is
}

// Ready prepares a payload before its place in the log is known. The payload shares the batch's memory.
func Ready(batch []byte) Payload {
	return Payload{batch: batch, plain: isPlain(batch)}
}

// isPlain reports whether every parser of a line with batch in it finds the same bytes: valid JSON and UTF-8, on one
// line, without surrounding space, which parsers drop.
func isPlain(batch []byte) bool {
	return !bytes.ContainsAny(batch, "\r\n") && len(bytes.Trim(batch, " \t")) == len(batch) &&
		utf8.Valid(batch) && json.Valid(batch)
}

// Append appends the line of sequence seq, less its newline, to b. Its last member is the hash of all before it.
func Append(b []byte, seq uint64, prev Hash, at time.Time, p Payload) []byte {
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

// Record is the content of one line.
type Record struct {
	Seq     uint64
	Prev    Hash
	Hash    Hash   // of the line
	Text    []byte // the line itself, less its newline
	Payload []byte // shares memory with the line if it stood there as it is
}

// Why a line cannot be read.
var (
	ErrForm = errors.New("not a line of a journal")
	ErrSum  = errors.New("the line does not have the SHA-256 that it says")
)

// Parse reads a line without its newline. It accepts only the output of [Append]. The caller checks that the line
// stands at the right place.
func Parse(line []byte) (r Record, err error) {
	if len(line) < sealSize {
		return r, ErrForm
	}
	body, seal := line[:len(line)-sealSize], line[len(line)-sealSize:]
	sum, end, ok := cutHash(seal, sealed, true)
	ok = ok && string(end) == `"}`
	rest := body
	r.Seq, rest, ok = cutNumber(rest, `{"seq":`, ok)
	r.Prev, rest, ok = cutHash(rest, `,"prev":"`, ok)
	rest, ok = cutTime(rest, `","timestamp":"`, ok)
	if ok {
		r.Payload, ok = cutPayload(rest)
	}
	if !ok {
		return r, ErrForm
	}
	digest := sha256.New()
	digest.Write(body)
	if Hash(digest.Sum(nil)) != sum {
		return r, ErrSum
	}
	digest.Write(seal) // and so the hash of the whole line costs nothing more
	r.Hash, r.Text = Hash(digest.Sum(nil)), line
	return r, nil
}

// cutNumber takes a named number off a line. It is strict: a line has one form only, or its hash would not be that
// of its content.
func cutNumber(b []byte, name string, ok bool) (uint64, []byte, bool) {
	b, named := bytes.CutPrefix(b, []byte(name))
	digits := len(b) - len(bytes.TrimLeft(b, "0123456789"))
	n, err := strconv.ParseUint(string(b[:digits]), 10, 64)
	return n, b[digits:], ok && named && err == nil && (b[0] != '0' || digits == 1)
}

// cutHash takes a named hash off a line, in lower case.
func cutHash(b []byte, name string, ok bool) (h Hash, rest []byte, _ bool) {
	b, named := bytes.CutPrefix(b, []byte(name))
	if !ok || !named || len(b) < hex.EncodedLen(len(h)) {
		return h, b, false
	}
	text := b[:hex.EncodedLen(len(h))]
	_, err := hex.Decode(h[:], text)
	lower := !bytes.ContainsAny(text, "ABCDEF")
	return h, b[len(text):], err == nil && lower
}

// cutTime accepts digits where stamp has digits, and no date check: the line's hash protects them.
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

// cutPayload takes the payload off a line: JSON as it is, and anything else in base64.
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

// AppendHead encodes a head: the sequence and the hash of a line.
func AppendHead(b []byte, seq uint64, h Hash) []byte {
	b = strconv.AppendUint(append(b, `{"seq":`...), seq, 10)
	b = hex.AppendEncode(append(b, `,"line_sha256":"`...), h[:])
	return append(b, "\"}\n"...)
}

// ParseHead accepts only the output of [AppendHead].
func ParseHead(text []byte) (seq uint64, h Hash, ok bool) {
	seq, text, ok = cutNumber(text, `{"seq":`, true)
	h, text, ok = cutHash(text, `,"line_sha256":"`, ok)
	nothing := seq == 0 && h != Hash{} // before the first line there is nothing to hash
	return seq, h, ok && string(text) == "\"}\n" && !nothing
}
