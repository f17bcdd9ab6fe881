package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"agentleague/protocol"
)

// say prints a result, as a JSON object or as a line.
func (a *app) say(object any, format string, args ...any) {
	if a.json {
		_ = a.print(object)
		return
	}
	fmt.Fprintf(a.out, format+"\n", args...)
}

// print writes one JSON object.
func (a *app) print(v any) error { return printJSON(a.out, v) }

// printJSON writes one object and a line feed in one call, so that lines of many goroutines do not mix. It escapes
// control characters: values may be third-party text on a terminal.
func printJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(protocol.PlainJSON(b.Bytes()))
	return err
}
