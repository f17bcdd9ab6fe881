package shelf

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// partSize is how many bytes of a packed record one entry holds: with base64 and the rest of a line well below the
// million that a NATS message may have.
var partSize = 384 << 10

// mostParts is how many parts a record can have: far more than the largest that a manager takes.
const mostParts = 1024

// hashSize is how many letters the hash of a record has.
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

// add reports whether all parts are there. A writer that retries after an error repeats some parts.
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
