package protocol

import (
	"bytes"
	"encoding/json"
)

// MoveText returns a move as it is signed: its JSON without spaces. Invalid JSON is returned unchanged.
func MoveText(move json.RawMessage) string {
	if tight(move) {
		return string(move)
	}
	return string(AppendMoveText(nil, move))
}

// AppendMoveText appends the text of a move to b.
func AppendMoveText(b []byte, move json.RawMessage) []byte {
	if tight(move) {
		return append(b, move...)
	}
	var out bytes.Buffer // separate, so that b may be on the caller's stack
	if json.Compact(&out, move) != nil {
		return append(b, move...)
	}
	return append(b, out.Bytes()...)
}

// SameMove reports whether two moves have the same text.
func SameMove(a, b json.RawMessage) bool {
	if tight(a) && tight(b) {
		return bytes.Equal(a, b)
	}
	return MoveText(a) == MoveText(b)
}

// SealMove returns a copy of a move as it goes over the wire, byte for byte as encoding/json writes it, or an error if
// it is no JSON.
func SealMove(move json.RawMessage) (json.RawMessage, error) {
	text, ok := appendRaw(make([]byte, 0, len(move)), move)
	if !ok {
		return json.Marshal(move) // for its words
	}
	return text, nil
}
