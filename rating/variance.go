package rating

import "math"

// dispersion returns the ratio of the observed variance to that of independent games without draws. It is below 1 with
// draws and above 1 for players that repeat themselves. One even game is added to both variances, so that a few
// meetings have little effect.
func (f *field) dispersion() float64 {
	seen, possible := 0.0, 0.0
	for k, m := range f.meetings {
		missed := m.Points - float64(m.Games)*logistic(f.strength[m.A]-f.strength[m.B])
		seen += missed * missed
		possible += f.weight[k]
	}
	fitted := float64(len(f.strength) - 1)
	free := max(1-fitted/float64(max(len(f.meetings), 1)), 0) // the degrees of freedom left after the fit
	return (seen + 0.25) / (possible*free + 0.25)
}

// variances returns the variance of each strength relative to the mean of the
// field, for results without draws. It computes the inverse of the information
// matrix.
func (f *field) variances() []float64 {
	n := len(f.strength)
	inverse := f.information().inverse()
	all, rows := 0.0, make([]float64, n)
	for i := range n {
		for j := range n {
			rows[i] += inverse[i][j] / float64(n)
		}
		all += rows[i] / float64(n)
	}
	out := make([]float64, n)
	for i := range n {
		out[i] = inverse[i][i] - 2*rows[i] + all
	}
	return out
}

// information returns the information matrix of the games, whose inverse contains the variances. A meeting informs
// about the difference of two strengths, so it adds to their diagonal elements and subtracts between them.
func (f *field) information() matrix {
	m := newMatrix(len(f.strength))
	for i, w := range f.added {
		m[i][i] += w
	}
	for k, w := range f.weight {
		a, b := f.meetings[k].A, f.meetings[k].B
		m[a][a] += w
		m[b][b] += w
		m[a][b] -= w
		m[b][a] -= w
	}
	return m
}

// A matrix is square, symmetric and positive definite.
type matrix [][]float64

// newMatrix is a square matrix of zeros.
func newMatrix(n int) matrix {
	m := make(matrix, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// inverse returns the inverse of m = L Lᵀ as L⁻ᵀ L⁻¹, where L is the Cholesky factor.
func (m matrix) inverse() matrix {
	n := len(m)
	l := m.factor()
	inv := newMatrix(n) // row j is column j of L⁻¹
	for j := range n {
		inv[j][j] = 1 / l[j][j]
		for i := j + 1; i < n; i++ {
			inv[j][i] = -dot(l[i][j:i], inv[j][j:i]) / l[i][i]
		}
	}
	out := newMatrix(n)
	for i := range n {
		for j := i; j < n; j++ {
			out[i][j] = dot(inv[i][j:], inv[j][j:])
			out[j][i] = out[i][j]
		}
	}
	return out
}

// factor returns the Cholesky factor of m: the lower triangle L with m = L Lᵀ.
func (m matrix) factor() matrix {
	l := newMatrix(len(m))
	for i := range m {
		for j := range i {
			l[i][j] = (m[i][j] - dot(l[i][:j], l[j][:j])) / l[j][j]
		}
		l[i][i] = math.Sqrt(m[i][i] - dot(l[i][:i], l[i][:i]))
	}
	return l
}

// dot returns the product of two vectors of the same length.
func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
