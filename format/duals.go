package format

import "math"

// changeDuals changes the dual values until an edge gets tight or a blossom can be expanded. It returns true after it
// has augmented the matching.
func (m *matcher) changeDuals() bool {
	d := m.leastChange()
	for u := vertex(1); u <= m.n; u++ {
		switch m.label[m.root[u]] {
		case outer:
			m.dual[u] -= d
		case inner:
			m.dual[u] += d
		}
	}
	for b := m.n + 1; b <= m.top; b++ {
		switch {
		case m.root[b] != b:
		case m.label[b] == outer:
			m.dual[b] += 2 * d
		case m.label[b] == inner:
			m.dual[b] -= 2 * d
		}
	}
	return m.useTight()
}

// leastChange returns the largest change that keeps all slacks and the duals of all blossoms at 0 or above.
func (m *matcher) leastChange() int64 {
	d := int64(math.MaxInt64)
	for x := vertex(1); x <= m.top; x++ {
		if m.root[x] != x {
			continue
		}
		switch near := m.nearest[x]; {
		case m.label[x] == inner && x > m.n:
			d = min(d, m.dual[x]/2)
		case m.label[x] == inner || near == 0:
		case m.label[x] == outer:
			d = min(d, m.slack(*m.arc(near, x))/2)
		default:
			d = min(d, m.slack(*m.arc(near, x)))
		}
	}
	return d
}

// useTight uses the edges that got tight and expands inner blossoms whose dual is 0.
func (m *matcher) useTight() bool {
	for x := vertex(1); x <= m.top; x++ {
		near := m.nearest[x]
		if m.root[x] != x || near == 0 || m.label[x] == inner || m.root[near] == x {
			continue
		}
		if a := *m.arc(near, x); m.slack(a) == 0 && m.found(a) {
			return true
		}
	}
	for b := m.n + 1; b <= m.top; b++ {
		if m.root[b] == b && m.label[b] == inner && m.dual[b] == 0 {
			m.expand(b)
		}
	}
	return false
}
