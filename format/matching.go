package format

// A vertex is a player, from 1 to n, or a blossom above n: an odd cycle that is treated as one vertex. 0 is none.
type vertex = int32

// An arc is the edge between two players by which two vertices are connected.
type arc struct{ from, to vertex }

// The labels of vertices in the search for an augmenting path.
const (
	free  int8 = -1 // not reached
	outer int8 = 0  // at an even distance from an unmatched vertex
	inner int8 = 1
)

// A matcher finds a perfect matching of minimal cost in a complete graph with Edmonds' blossom algorithm, in time
// O(n³). It keeps a dual value for each vertex. An edge is tight if its slack, a function of the dual values and the
// weight, is 0; only tight edges are used. Duals change until an augmenting path of tight edges exists.
//
//	stage:  label unmatched vertices outer ─▶ grow along tight edges ─▶ blossom, or augmenting path ─▶ next stage
//	                                            ▲                  │
//	                                            └── change duals ◀─┘ no tight edge left
type matcher struct {
	n, top   vertex   // the players, and the highest vertex in use
	weight   []int64  // of the edge of two players
	arcs     []arc    // between any two vertices, the tightest
	dual     []int64  // of each vertex
	mate     []vertex // the player on the other end of the matched edge of each vertex
	root     []vertex // the outermost blossom of each vertex, or itself; 0 for an unused blossom
	label    []int8   // of each outermost vertex
	parent   []vertex // the player by which an inner vertex, or outer by its mate, was reached
	nearest  []vertex // the outer player with the least slack towards each vertex; 0: none
	cycle    [][]vertex
	member   []vertex // for a blossom and a player, the blossom's direct member with the player
	visited  []int32  // for the search of a common ancestor
	searches int32
	queue    []vertex // outer players whose edges are not looked at
}

// match returns the partner of each of n vertices, so that the sum of costs is minimal. n must be even, costs at least
// 0 and below 2^58.
func match(n int, cost func(i, j int) int64) []int {
	m := newMatcher(n, cost)
	for m.stage() {
	}
	mates := make([]int, n)
	for i := range mates {
		mates[i] = int(m.mate[i+1]) - 1
	}
	return mates
}

func newMatcher(n int, cost func(i, j int) int64) *matcher {
	size := n + n/2 + 2
	m := &matcher{
		n: vertex(n), top: vertex(n), weight: make([]int64, (n+1)*(n+1)), arcs: make([]arc, size*size),
		dual: make([]int64, size), mate: make([]vertex, size), root: make([]vertex, size), label: make([]int8, size),
		parent: make([]vertex, size), nearest: make([]vertex, size), cycle: make([][]vertex, size),
		member: make([]vertex, size*(n+1)), visited: make([]int32, size),
	}
	most := int64(0)
	for i := range n {
		for j := range i {
			c := cost(j, i)
			m.weight[(i+1)*(n+1)+j+1], m.weight[(j+1)*(n+1)+i+1] = c, c
			most = max(most, c)
		}
	}
	for u := vertex(1); u <= m.n; u++ {
		m.root[u], m.dual[u], m.member[m.at(u, u)] = u, most, u
		for v := vertex(1); v <= m.n; v++ {
			m.weight[m.at(u, v)] = most - m.weight[m.at(u, v)]
			*m.arc(u, v) = arc{u, v}
		}
	}
	return m
}

// at returns the index of a vertex and a player.
func (m *matcher) at(u, v vertex) int { return int(u)*int(m.n+1) + int(v) }

func (m *matcher) arc(u, v vertex) *arc { return &m.arcs[int(u)*len(m.dual)+int(v)] }

// slack is twice the slack of an edge, so that half of it is an integer between outer vertices.
func (m *matcher) slack(a arc) int64 {
	return m.dual[a.from] + m.dual[a.to] - 2*m.weight[m.at(a.from, a.to)]
}

// stage increases the matching by one edge. It returns false if the matching is perfect.
func (m *matcher) stage() bool {
	m.queue = m.queue[:0]
	for x := vertex(1); x <= m.top; x++ {
		m.label[x], m.nearest[x] = free, 0
	}
	for x := vertex(1); x <= m.top; x++ {
		if m.root[x] == x && m.mate[x] == 0 {
			m.parent[x], m.label[x] = 0, outer
			m.push(x)
		}
	}
	if len(m.queue) == 0 {
		return false
	}
	for !m.grow() {
		if m.changeDuals() {
			break
		}
	}
	return true
}

// grow follows the tight edges of the queue. It returns true after it has augmented the matching.
func (m *matcher) grow() bool {
	for len(m.queue) > 0 {
		u := m.queue[len(m.queue)-1]
		m.queue = m.queue[:len(m.queue)-1]
		for v := vertex(1); v <= m.n; v++ {
			x := m.root[v]
			switch {
			case x == m.root[u] || m.label[x] == inner:
			case m.slack(arc{u, v}) > 0:
				m.closer(u, x)
			case m.found(arc{u, v}):
				return true
			}
		}
	}
	return false
}

// closer makes u the nearest player of x if no other is nearer.
func (m *matcher) closer(u, x vertex) {
	if near := m.nearest[x]; near == 0 || m.slack(*m.arc(u, x)) < m.slack(*m.arc(near, x)) {
		m.nearest[x] = u
	}
}

// findNearest computes the nearest player of x again.
func (m *matcher) findNearest(x vertex) {
	m.nearest[x] = 0
	for u := vertex(1); u <= m.n; u++ {
		if r := m.root[u]; r != x && m.label[r] == outer {
			m.closer(u, x)
		}
	}
}

// found uses a tight edge from an outer vertex. It returns true after it has augmented the matching.
func (m *matcher) found(a arc) bool {
	u, v := m.root[a.from], m.root[a.to]
	switch m.label[v] {
	case free:
		next := m.root[m.mate[v]]
		m.parent[v], m.label[v], m.label[next] = a.from, inner, outer
		m.nearest[v], m.nearest[next] = 0, 0
		m.push(next)
	case outer:
		if base := m.ancestor(u, v); base != 0 {
			m.addBlossom(u, base, v)
			return false
		}
		m.augment(u, v)
		m.augment(v, u)
		return true
	}
	return false
}

// push queues all players of a vertex that became outer.
func (m *matcher) push(x vertex) {
	if x <= m.n {
		m.queue = append(m.queue, x)
	}
	for _, y := range m.cycle[x] {
		m.push(y)
	}
}

// ancestor returns the nearest common ancestor of two outer vertices, or 0 if they are in different trees.
func (m *matcher) ancestor(u, v vertex) vertex {
	m.searches++
	for ; u != 0 || v != 0; u, v = v, u {
		if u == 0 {
			continue
		}
		if m.visited[u] == m.searches {
			return u
		}
		m.visited[u] = m.searches
		if u = m.root[m.mate[u]]; u != 0 {
			u = m.root[m.parent[u]]
		}
	}
	return 0
}

// augment swaps matched and unmatched edges from u to the root of its tree, and matches u with v.
func (m *matcher) augment(u, v vertex) {
	for {
		next := m.root[m.mate[u]]
		m.setMate(u, v)
		if next == 0 {
			return
		}
		up := m.root[m.parent[next]]
		m.setMate(next, up)
		u, v = up, next
	}
}
