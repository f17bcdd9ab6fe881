package child

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// A Prefixed writes each line with a prefix. It is safe for concurrent use.
type Prefixed struct {
	To     io.Writer
	Prefix string

	mu   sync.Mutex
	rest []byte // of a line that is not whole yet
}

// longestWord is the size in bytes above which a line of the program's standard error is copied in parts.
const longestWord = 4096

// Write writes the lines that are whole. It never fails, so that the program does not fail for it.
func (p *Prefixed) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rest = append(p.rest, text...)
	for {
		at := bytes.IndexByte(p.rest, '\n')
		if at < 0 && len(p.rest) < longestWord {
			return len(text), nil
		}
		if at < 0 {
			at = len(p.rest)
		}
		if _, err := io.WriteString(p.To, p.Prefix+strings.TrimRight(string(p.rest[:at]), "\r")+"\n"); err != nil {
			return len(text), nil // write errors are ignored, and the program does not fail for them
		}
		p.rest = p.rest[min(at+1, len(p.rest)):]
	}
}
