package agentleague_test

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// documents lists every document of the repository.
func documents(t *testing.T) (out []string) {
	t.Helper()
	for _, file := range sources(t) {
		if strings.HasSuffix(file, ".md") && (!strings.Contains(file, "/") || strings.HasPrefix(file, "docs/") || strings.HasPrefix(file, "doc/")) {
			out = append(out, file)
		}
	}
	return out
}

var (
	fenced  = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	link    = regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]*))?\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// The targets of links in documents exist: files, folders and headings.
func TestDocumentsPointToWhatIsThere(t *testing.T) {
	t.Parallel()
	headings := map[string][]string{}
	for _, file := range documents(t) {
		for _, found := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(read(t, file), ""), -1) {
			headings[file] = append(headings[file], anchor(found[1]))
		}
	}
	for _, file := range documents(t) {
		for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(read(t, file), ""), -1) {
			target := file
			if found[1] != "" {
				target = path.Join(path.Dir(file), found[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			if found[2] != "" && !slices.Contains(headings[target], found[2]) {
				t.Errorf("%s: %s has no heading #%s", file, target, found[2])
			}
		}
	}
}

// anchor returns the name of a heading in links: in lower case, with hyphens for spaces, and only with letters, digits,
// hyphens and underscores.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}
