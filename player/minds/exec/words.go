package exec

import (
	"errors"
	"strings"
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
