package agentleague_test

import (
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// termColumns are the words that plain technical English rarely needs: comments and documents name their subject instead.
var termColumns = []struct {
	name  string
	words *regexp.Regexp
}{
	{"who", regexp.MustCompile(`(?i)\b(who|whom|whose|whoever|whomever)\b`)},
	{"-body", regexp.MustCompile(`(?i)\b(some|any|every|no)(body|one)\b`)},
	{"what", regexp.MustCompile(`(?i)\bwhat(ever)?\b`)},
	{"told", regexp.MustCompile(`(?i)\b(tells?|told|telling|says?|said|saying)\b`)},
	{"one that", regexp.MustCompile(`(?i)\bone (that|who|which|whose)\b`)},
}

// mostTerms is the limit for each column, per 1,000 words of all comments together.
const mostTerms = 1.0

// mostTermsInDocuments is the limit for each column, per 1,000 words of all documents together.
const mostTermsInDocuments = 3.0

// unrevised are folders whose comments are not revised yet, including subfolders. Their figures are logged. Remove a
// folder here after its revision.
var unrevised = []string{
	"store",
}

// termCount counts the words of whole-line comments or of a document, and those of each column.
type termCount struct {
	folder string // or document
	words  int
	terms  [5]int
}

func (c *termCount) add(text string) {
	c.words += len(strings.Fields(text))
	for i, column := range termColumns {
		c.terms[i] += len(column.words.FindAllString(text, -1))
	}
}

// join adds the counts of another folder or document.
func (c *termCount) join(other *termCount) {
	c.words += other.words
	for i, n := range other.terms {
		c.terms[i] += n
	}
}

// limit fails a test for each column above a limit per 1,000 words.
func (c *termCount) limit(t *testing.T, most float64) {
	t.Helper()
	t.Log(c)
	for i, column := range termColumns {
		if got := c.per1000(i); got > most {
			t.Errorf("%s: %.2f words of the column %q per 1,000, at most %.1f: name the subject instead", c.folder, got, column.name, most)
		}
	}
}

// per1000 returns a column's count per 1,000 words.
func (c *termCount) per1000(column int) float64 {
	return 1000 * float64(c.terms[column]) / float64(max(c.words, 1))
}

// worst returns the highest column.
func (c *termCount) worst() (most float64) {
	for i := range termColumns {
		most = max(most, c.per1000(i))
	}
	return most
}

func (c *termCount) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%-28s %6d words:", c.folder, c.words)
	for i, column := range termColumns {
		fmt.Fprintf(&out, "  %s %.1f", column.name, c.per1000(i))
	}
	return out.String()
}

func TestCommentsUsePlainTerms(t *testing.T) {
	t.Parallel()
	revised := &termCount{folder: "all revised packages"}
	var done, open []*termCount
	for _, c := range termCounts(t) {
		if slices.ContainsFunc(unrevised, func(f string) bool { return c.folder == f || strings.HasPrefix(c.folder, f+"/") }) {
			open = append(open, c)
			continue
		}
		done = append(done, c)
		revised.join(c)
	}
	logFolders(t, "not revised yet", open, len(open))
	logFolders(t, "revised, the ten worst", done, 10)
	revised.limit(t, mostTerms)
}

// inlineCode is quoted text of a document, which may come from the program.
var inlineCode = regexp.MustCompile("`[^`]*`")

func TestDocumentsUsePlainTerms(t *testing.T) {
	t.Parallel()
	all := &termCount{folder: "all documents"}
	var counts []*termCount
	for _, name := range documents(t) {
		c := &termCount{folder: name}
		c.add(inlineCode.ReplaceAllString(fenced.ReplaceAllString(read(t, name), ""), "x"))
		all.join(c)
		counts = append(counts, c)
	}
	logFolders(t, "the ten worst documents", counts, 10)
	all.limit(t, mostTermsInDocuments)
}

func TestPlainTermsAreCounted(t *testing.T) {
	var c termCount
	c.add("Who says so is told nobody: whatever one that nods said.") // 11 words
	if want := [5]int{1, 1, 1, 3, 1}; c.words != 11 || c.terms != want {
		t.Errorf("got %d words and %v, want 11 and %v", c.words, c.terms, want)
	}
	c = termCount{}
	c.add("The caller returns an error.")
	if c.worst() != 0 {
		t.Errorf("got %v for a plain sentence, want 0", c.terms)
	}
}

// termCounts counts the whole-line comments of all Go files but tests, by folder.
func termCounts(t *testing.T) []*termCount {
	t.Helper()
	found := map[string]*termCount{}
	for _, name := range sources(t) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			continue
		}
		folder := path.Dir(name)
		if found[folder] == nil {
			found[folder] = &termCount{folder: folder}
		}
		for _, text := range wholeLineComments(t, name) {
			found[folder].add(text)
		}
	}
	out := make([]*termCount, 0, len(found))
	for _, c := range found {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *termCount) int { return strings.Compare(a.folder, b.folder) })
	return out
}

// wholeLineComments returns the comments of a Go file that have a line to themselves, without directives.
func wholeLineComments(t *testing.T, name string) (out []string) {
	t.Helper()
	text := read(t, name)
	lines := strings.Split(text, "\n")
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			line := strings.TrimSpace(lines[set.Position(c.Pos()).Line-1])
			words, isLine := strings.CutPrefix(c.Text, "//")
			if isLine && strings.HasPrefix(line, "//") && (words == "" || words[0] == ' ' || words[0] == '\t') {
				out = append(out, words)
			}
		}
	}
	return out
}

// logFolders logs the folders or documents with the highest columns.
func logFolders(t *testing.T, title string, counts []*termCount, most int) {
	t.Helper()
	slices.SortStableFunc(counts, func(a, b *termCount) int { return cmp.Compare(b.worst(), a.worst()) })
	t.Log(title)
	for _, c := range counts[:min(most, len(counts))] {
		t.Log(c)
	}
}
