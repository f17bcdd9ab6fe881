package config

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"time"

	"agentleague/protocol"
)

// The embedded default files are the only definition of the defaults.
//
//go:embed defaults/*.json
var defaults embed.FS

// fill replaces the value old of a field by value. It keeps the formatting, because people edit these files.
func fill(text []byte, field, old, value string) []byte {
	return bytes.Replace(text, fmt.Appendf(nil, "%q: %q", field, old), fmt.Appendf(nil, "%q: %q", field, value), 1)
}

// builtin returns the values of a default file, for fields that a file in the data directory omits.
func builtin[T any](name string) (v T) {
	if err := json.Unmarshal(embedded(name), &v); err != nil {
		panic(err) // the file is part of the program, and tested
	}
	return v
}

// embedded returns the text of an embedded default file.
func embedded(name string) []byte {
	text, err := defaults.ReadFile("defaults/" + name + ".json")
	if err != nil {
		panic(err) // likewise
	}
	return text
}

func now() string { return protocol.Stamp(time.Now()) }
