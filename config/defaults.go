package config

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"time"

	"agentleague/protocol"
)

// The defaults are kept as the files that are written: there is no second list of them in code.
//
//go:embed defaults/*.json
var defaults embed.FS

// fill puts value in the place of old. The rest of the text, which people are to read and change, keeps its form.
func fill(text []byte, field, old, value string) []byte {
	return bytes.Replace(text, fmt.Appendf(nil, "%q: %q", field, old), fmt.Appendf(nil, "%q: %q", field, value), 1)
}

// builtin returns the values of a default file, for fields that a file in the root omits.
func builtin[T any](name string) (v T) {
	if err := json.Unmarshal(embedded(name), &v); err != nil {
		panic(err) // the file is part of the program, and tested
	}
	return v
}

// embedded is a file of the defaults that the program brings along.
func embedded(name string) []byte {
	text, err := defaults.ReadFile("defaults/" + name + ".json")
	if err != nil {
		panic(err) // likewise
	}
	return text
}

func now() string { return protocol.Stamp(time.Now()) }
