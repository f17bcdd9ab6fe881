package protocol

// A list that grows by doubling is moved five times until it has the 21 rows of a table, and has room for 32 then. Most
// are as long as the last one at their place, so that is what they get room for at first.

// The fewest and the most elements that a list gets room for by what was before it or what may come: a stranger's takes
// no more memory by how it begins, or by how long another was.
const fewAtOnce, manyAtOnce = 2, 64

// more is for how many elements a list needs room, of which n began at start and fill the room that it has. A longer
// list than the last one gets room for as many as the rest of the text can have of that length, with an eighth to spare:
// rows differ by a digit or two.
func (d *reader) more(n, start int, elem *slot) int {
	left := len(d.text) - d.at
	if n == 0 {
		return min(max(int(elem.last.Load()), fewAtOnce), left/2+1)
	}
	left /= (d.at-start)/n + 1
	return min(left+left/8+1, max(n, manyAtOnce))
}

// lasted notes how long a list of such elements was.
func (s *slot) lasted(n int) {
	if n := int32(min(n, manyAtOnce)); s.last.Load() != n { // it hardly ever changes, and is every core's
		s.last.Store(n)
	}
}
