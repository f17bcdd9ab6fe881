package config

// indentation is the indentation per level of a document.
const indentation = "  "

// appendIndented appends text to out with the indentation of json.Indent. It assumes valid and compact JSON, so it
// reads each byte once, and skips most bytes within strings.
func appendIndented(out, text []byte) []byte {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			end := stringEnd(text, i)
			out = append(out, text[i:end]...)
			i = end - 1
		case '{', '[':
			if text[i+1] == c+2 { // in ASCII a bracket is closed by the next but one
				out = append(out, c, c+2)
				i++
				continue
			}
			depth++
			out = newLine(append(out, c), depth)
		case '}', ']':
			depth--
			out = append(newLine(out, depth), c)
		case ',':
			out = newLine(append(out, c), depth)
		case ':':
			out = append(out, ':', ' ')
		default:
			out = append(out, c)
		}
	}
	return out
}

// stringEnd returns the index after the string that begins at text[i].
func stringEnd(text []byte, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// newLine begins a line at a depth.
func newLine(out []byte, depth int) []byte {
	out = append(out, '\n')
	for range depth {
		out = append(out, indentation...)
	}
	return out
}
