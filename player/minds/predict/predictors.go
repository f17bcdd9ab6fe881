package predict

import "slices"

// Frequency predicts the most frequent move; on a tie, the one of them that was played last.
func Frequency(before []string) (string, bool) { return mostOften(before) }

// Markov predicts the most frequent successor of the last move.
func Markov(before []string) (string, bool) {
	if len(before) == 0 {
		return "", false
	}
	if next, ok := mostOften(followers(before, before[len(before)-1:])); ok {
		return next, true
	}
	return mostOften(before)
}

// Pattern finds the longest sequence of last moves that has occurred before, and predicts its successor. A repeating
// pattern is recognized after its first repetition.
func Pattern(before []string) (string, bool) {
	for length := min(len(before)-1, longestPattern); length > 0; length-- {
		if next, ok := mostOften(followers(before, before[len(before)-length:])); ok {
			return next, true
		}
	}
	return mostOften(before)
}

// longestPattern is the maximum length of the sequence that Pattern searches for.
const longestPattern = 32

// followers returns the moves that came directly after each occurrence of stretch.
func followers(before, stretch []string) (out []string) {
	for end := len(stretch); end < len(before); end++ {
		if slices.Equal(before[end-len(stretch):end], stretch) {
			out = append(out, before[end])
		}
	}
	return out
}

// mostOften returns the most frequent move; on a tie, the one of them that occurs last. It returns false if there is
// none.
func mostOften(moves []string) (best string, ok bool) {
	count := map[string]int{}
	for _, m := range moves {
		if count[m]++; count[m] >= count[best] {
			best, ok = m, true
		}
	}
	return best, ok
}
