package board

import (
	"hash/fnv"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The styles of the boards of all games, derived from the texts of their cells. A game chooses its texts, and the
// style sheets define these classes.

// class returns the style classes of a board: its kind, its number of columns and the length of its texts.
func (b Board) class() string {
	columns := b.Width
	if b.RowHeads != nil {
		columns++
	}
	kind := "squares"
	switch {
	case b.sheet():
		kind = sheetClass
	case b.discs():
		kind = "discs"
	case b.longest() > 3:
		kind = "tiles"
	}
	return kind + " n" + strconv.Itoa(min(columns, 20)) + " " + lengthClass(b.longest())
}

// sheetClass is the class of a score sheet.
const sheetClass = "sheet"

// lengthClass returns the style class for the size of letters.
func lengthClass(longest int) string {
	for _, most := range []int{1, 2, 4, 8} {
		if longest <= most {
			return "t" + strconv.Itoa(most)
		}
	}
	return "t16"
}

// discs reports whether pieces are drawn as discs: on a larger board with single-letter marks of at most two kinds.
func (b Board) discs() bool {
	kinds := map[string]bool{"": true}
	for _, mark := range b.Cells {
		kinds[mark] = true
	}
	return b.longest() <= 1 && len(kinds) <= 3 && b.Width >= 5 && len(b.Cells)/b.Width >= 5
}

// look returns a function from the text of a cell to its style class on this board.
func (b Board) look() func(text string) string {
	if b.sheet() {
		return sheetLook
	}
	return markLook
}

// sheetLook returns the style class of a score sheet's cell: good or bad for its player, or neutral.
func sheetLook(text string) string {
	word := strings.ToLower(text)
	if i := strings.LastIndexByte(word, ' '); i >= 0 && (outcomes[word] == "") {
		word = word[i+1:]
	}
	switch n, err := strconv.Atoi(word); {
	case outcomes[word] != "":
		return outcomes[word]
	case len(word) > 1 && strings.HasSuffix(word, "*"):
		return "good" // it won the step
	case err == nil && n > 0 && word[0] == '+':
		return "good"
	case err == nil && n < 0:
		return "poor"
	}
	return "plain"
}

// outcomes maps words of score sheets to style classes.
var outcomes = map[string]string{
	"win": "good", "won": "good", "w": "good", "yes": "good", "right": "good", "✓": "good", "cooperate": "good", "c": "good",
	"loss": "poor", "lost": "poor", "lose": "poor", "l": "poor", "no": "poor", "wrong": "poor", "✗": "poor", "defect": "poor", "d": "poor",
	"draw": "level", "drew": "level", "tie": "level", "=": "level",
}

// MarkLook returns the style class of a mark on a board, as its cells have it.
func MarkLook(mark string) string { return markLook(mark) }

// markLook returns the style class of a board's cell: every mark has a separate colour.
func markLook(text string) string {
	switch text {
	case "":
		return "free"
	case "?", "#", "*":
		return "back" // of a card
	case "X", "R", "x":
		return "m1"
	case "O", "Y", "o", "0":
		return "m2"
	}
	if utf8.RuneCountInString(text) > 3 {
		return "m" + strconv.Itoa(3+int(hashed(text)%6))
	}
	return "m" + strconv.Itoa(1+int(hashed(text)%8))
}

// hashed returns a hash of a text, the same in every process: for colours, not for secrets.
func hashed(text string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // it never fails
	return h.Sum32()
}
