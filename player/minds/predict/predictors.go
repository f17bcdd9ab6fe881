package predict

import "slices"

// Frequency expects the move that was played most often, and of several such the newest.
func Frequency(before []string) (string, bool) { return mostOften(before) }

// Markov predicts the most frequent successor of the newest move.
func Markov(before []string) (string, bool) {
	if len(before) == 0 {
		return "", false
	}
	if next, ok := mostOften(followers(before, before[len(before)-1:])); ok {
		return next, true
	}
	return mostOften(before)
}

// Pattern finds the longest sequence of newest moves that occurred before, and predicts its successor then. A pattern
// of any length is recognized after one occurrence.
func Pattern(before []string) (string, bool) {
	for length := min(len(before)-1, longestPattern); length > 0; length-- {
		if next, ok := mostOften(followers(before, before[len(before)-length:])); ok {
			return next, true
		}
	}
	return mostOften(before)
}

// longestPattern is how many moves a pattern has at most.
const longestPattern = 32

// followers are the moves that followed on a stretch.
func followers(before, stretch []string) (out []string) {
	for end := len(stretch); end < len(before); end++ {
		if slices.Equal(before[end-len(stretch):end], stretch) {
			out = append(out, before[end])
		}
	}
	return out
}

// mostOften is the move that is there most often, and of several such the newest.
func mostOften(moves []string) (best string, ok bool) {
	count := map[string]int{}
	for _, m := range moves {
		if count[m]++; count[m] >= count[best] {
			best, ok = m, true
		}
	}
	return best, ok
}
