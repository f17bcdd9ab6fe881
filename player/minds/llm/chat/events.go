package chat

import (
	"bufio"
	"bytes"
	"io"
)

// events reads server-sent events and calls see with the data of each. It stops when see returns false or an error.
func events(body io.Reader, see func(data []byte) (more bool, err error)) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxBody)
	var data []byte
	for lines.Scan() {
		line := bytes.TrimSuffix(lines.Bytes(), []byte("\r"))
		if rest, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(append(data, bytes.TrimPrefix(rest, []byte(" "))...), '\n')
			continue
		}
		if len(line) > 0 || len(data) == 0 {
			continue // a comment, or another member of an event
		}
		if more, err := see(bytes.TrimSuffix(data, []byte("\n"))); err != nil || !more {
			return err
		}
		data = data[:0]
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if len(data) > 0 { // the last event may lack its empty line
		_, err := see(bytes.TrimSuffix(data, []byte("\n")))
		return err
	}
	return nil
}
