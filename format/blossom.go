package format

import "slices"

// addBlossom makes one outer vertex of the cycle from base over u and v back to base.
func (m *matcher) addBlossom(u, base, v vertex) {
	b := m.n + 1
	for b <= m.top && m.root[b] != 0 {
		b++
	}
	m.top = max(m.top, b)
	m.dual[b], m.label[b], m.mate[b], m.parent[b] = 0, outer, m.mate[base], m.parent[base]
	m.cycle[b] = append(m.cycle[b][:0], base)
	m.climb(b, u, base)
	slices.Reverse(m.cycle[b][1:])
	m.climb(b, v, base)
	m.setRoot(b, b)
	m.setArcs(b)
	m.findNearest(b)
}

// climb adds the vertices from x up to base to the cycle of b. The inner ones become outer.
func (m *matcher) climb(b, x, base vertex) {
	for x != base {
		y := m.root[m.mate[x]]
		m.cycle[b] = append(m.cycle[b], x, y)
		m.push(y)
		x = m.root[m.parent[y]]
	}
}

// setRoot makes b the outermost blossom of x and of all that it contains.
func (m *matcher) setRoot(x, b vertex) {
	m.root[x] = b
	for _, y := range m.cycle[x] {
		m.setRoot(y, b)
	}
}

// setArcs finds the tightest arc from a new blossom to each vertex, and the member with each player.
func (m *matcher) setArcs(b vertex) {
	first := m.cycle[b][0]
	for x := vertex(1); x <= m.top; x++ {
		*m.arc(b, x), *m.arc(x, b) = *m.arc(first, x), *m.arc(x, first)
	}
	clear(m.member[m.at(b, 0) : m.at(b, m.n)+1])
	for _, y := range m.cycle[b] {
		for x := vertex(1); x <= m.top; x++ {
			if m.root[x] != b && m.root[x] != 0 && m.slack(*m.arc(y, x)) < m.slack(*m.arc(b, x)) {
				*m.arc(b, x), *m.arc(x, b) = *m.arc(y, x), *m.arc(x, y)
			}
		}
		for x := vertex(1); x <= m.n; x++ {
			if m.member[m.at(y, x)] != 0 {
				m.member[m.at(b, x)] = y
			}
		}
	}
}

// expand replaces an inner blossom by its members. Those on the way from the parent to the mate stay in the tree.
func (m *matcher) expand(b vertex) {
	for _, x := range m.cycle[b] {
		m.setRoot(x, x)
	}
	entry := m.member[m.at(b, m.arc(b, m.parent[b]).from)]
	k := m.evenPlace(b, entry)
	cycle := m.cycle[b]
	for i := 0; i < k; i += 2 {
		in, out := cycle[i], cycle[i+1]
		m.parent[in], m.label[in], m.nearest[in] = m.arc(out, in).from, inner, 0
		m.label[out], m.nearest[out] = outer, 0
		m.push(out)
	}
	m.label[entry], m.parent[entry] = inner, m.parent[b]
	for _, x := range cycle[k+1:] {
		m.label[x] = free
		m.findNearest(x)
	}
	for i := 1; i < k; i += 2 {
		m.findNearest(cycle[i])
	}
	m.root[b], m.cycle[b] = 0, cycle[:0]
}

// setMate matches u along its arc to v, with all members if u is a blossom.
func (m *matcher) setMate(u, v vertex) {
	a := *m.arc(u, v)
	m.mate[u] = a.to
	if u <= m.n {
		return
	}
	base := m.member[m.at(u, a.from)]
	k := m.evenPlace(u, base)
	for i := range k {
		m.setMate(m.cycle[u][i], m.cycle[u][i^1])
	}
	m.setMate(base, v)
	rotate(m.cycle[u], k)
}

// rotate moves the first k elements behind the others.
func rotate(s []vertex, k int) {
	slices.Reverse(s[:k])
	slices.Reverse(s[k:])
	slices.Reverse(s)
}

// evenPlace returns the index of vertex x in the cycle of blossom b. If the index is odd, it reverses the cycle first,
// so that the index is even.
func (m *matcher) evenPlace(b, x vertex) int {
	cycle := m.cycle[b]
	k := slices.Index(cycle, x)
	if k%2 == 1 {
		slices.Reverse(cycle[1:])
		k = len(cycle) - k
	}
	return k
}
