package shelf

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// partSize is the number of bytes of a compressed record per entry. With base64 encoding an entry stays well below the
// limit of a NATS message, one million bytes.
var partSize = 384 << 10

// mostParts limits the parts of a record. The largest record that a manager accepts needs far fewer.
const mostParts = 1024

// hashSize is the length of a record's hash in hexadecimal digits.
const hashSize = 64

// A part is an entry of the log.
type part struct {
	Match  string `json:"match"`
	SHA256 string `json:"sha256"` // of the whole record
	Part   int    `json:"part"`   // counted from 0
	Of     int    `json:"of"`
	Gzip   []byte `json:"gzip"` // so much of the packed record
}

// cutUp packs a record and cuts it into entries.
func cutUp(match, hash string, document []byte) (out [][]byte, err error) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(document); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	of := (packed.Len() + partSize - 1) / partSize
	for n := range of {
		text, err := json.Marshal(part{Match: match, SHA256: hash, Part: n, Of: of, Gzip: packed.Next(partSize)})
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// parse reads an entry.
func parse(text []byte) (p part, err error) {
	if err := json.Unmarshal(text, &p); err != nil {
		return p, err
	}
	if p.Match == "" || len(p.SHA256) != hashSize || p.Of < 1 || p.Of > mostParts || p.Part < 0 || p.Part >= p.Of {
		return p, fmt.Errorf("this is no part of a record: %.80q", text)
	}
	return p, nil
}

// parts are those of one record that were read.
type parts struct {
	have    [][]byte
	missing int
}

func newParts(of int) *parts { return &parts{have: make([][]byte, of), missing: of} }

// add stores a part and reports whether all parts are present. It is idempotent, because a writer repeats parts when it
// retries.
func (a *parts) add(p part) (whole bool) {
	if p.Part < len(a.have) && a.have[p.Part] == nil {
		a.have[p.Part] = p.Gzip
		a.missing--
	}
	return a.missing == 0
}

// document decompresses the joined parts.
func (a *parts) document() ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(bytes.Join(a.have, nil)))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(r)
	return out, errors.Join(err, r.Close())
}
