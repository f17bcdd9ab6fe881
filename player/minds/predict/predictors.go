package predict

import "slices"

// Frequency expects the move that was played most often, and of several such the newest.
func Frequency(before []string) (string, bool) { return mostOften(before) }

// Markov expects what followed most often on the newest move.
func Markov(before []string) (string, bool) {
	if len(before) == 0 {
		return "", false
	}
	if next, ok := mostOften(followers(before, before[len(before)-1:])); ok {
		return next, true
	}
	return mostOften(before)
}

// Pattern looks for the longest stretch of newest moves that was played before, and
// expects what followed on it then. A habit of any length is found out when it has been seen once.
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
