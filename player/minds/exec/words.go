package exec

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
)

// split parses a command line into words like a shell: words end at spaces outside of quotes. In double quotes, and
// outside of quotes, a backslash escapes a quote, a space or a backslash; before any other character it is literal, as
// in Windows paths.
func split(command string) (words []string, err error) {
	var word strings.Builder
	var quote rune
	within, escaped := false, false
	for i, r := range command {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'' && i+1 < len(command) && strings.ContainsRune(`"' \`, rune(command[i+1])):
			escaped, within = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, within = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			if within {
				words = append(words, word.String())
				word.Reset()
			}
			within = false
		default:
			word.WriteRune(r)
			within = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed in the command of exec")
	}
	if within {
		words = append(words, word.String())
	}
	return words, nil
}

// prefixed writes each line with a prefix.
type prefixed struct {
	to     io.Writer
	prefix string

	mu   sync.Mutex
	rest []byte // of a line that is not whole yet
}

// longestWord is the size in bytes above which a line of the program's standard error is copied in parts.
const longestWord = 4096

func (p *prefixed) Write(text []byte) (int, error) {
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
		if _, err := io.WriteString(p.to, p.prefix+strings.TrimRight(string(p.rest[:at]), "\r")+"\n"); err != nil {
			return len(text), nil // write errors are ignored, and the program does not fail for them
		}
		p.rest = p.rest[min(at+1, len(p.rest)):]
	}
}
