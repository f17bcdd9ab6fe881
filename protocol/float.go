package protocol

import (
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// appendFloat writes a number as encoding/json does: as ECMAScript would, in the shortest form that reads back
// exactly. It is not ok for infinities and NaN, which JSON cannot represent.
func appendFloat(b []byte, f float64) (_ []byte, ok bool) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return b, false
	}
	if abs := math.Abs(f); abs == 0 || 1e-6 <= abs && abs < 1e21 {
		return strconv.AppendFloat(b, f, 'f', -1, 64), true
	}
	b = strconv.AppendFloat(b, f, 'e', -1, 64)
	if n := len(b); n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' { // e-09 is written e-9
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b, true
}

// float reads a number of any kind, as encoding/json does.
func (d *reader) float() (float64, bool) {
	start := d.skipSpace()
	for d.at < len(d.text) && strings.IndexByte("+-.0123456789eE", d.text[d.at]) >= 0 {
		d.at++
	}
	number := d.text[start:d.at]
	f, err := strconv.ParseFloat(number, 64)
	return f, err == nil && jsontext.Value(shared(number)).IsValid()
}
