package rating

// solve returns x with Hx = b, where H is the information matrix of the games. It uses conjugate gradients, which need
// only products of H with a vector, so the cost grows with the games and not with the square of the players.
func (f *field) solve(b []float64) []float64 {
	x, r := make([]float64, len(b)), append([]float64(nil), b...)
	diagonal := f.diagonal()
	z := quotient(r, diagonal)
	p := append([]float64(nil), z...)
	rz := dot(r, z)
	enough := rz * 1e-12
	for range len(b) + 10 {
		if rz <= enough {
			break
		}
		h := f.times(p)
		step := rz / dot(p, h)
		for i := range x {
			x[i] += step * p[i]
			r[i] -= step * h[i]
		}
		z = quotient(r, diagonal)
		next := dot(r, z)
		for i := range p {
			p[i] = z[i] + next/rz*p[i]
		}
		rz = next
	}
	return x
}

// times returns Hx.
func (f *field) times(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, w := range f.added {
		y[i] = w * x[i]
	}
	for k, w := range f.weight {
		a, b := f.meetings[k].A, f.meetings[k].B
		d := w * (x[a] - x[b])
		y[a] += d
		y[b] -= d
	}
	return y
}

// diagonal returns the diagonal of the information matrix.
func (f *field) diagonal() []float64 {
	d := append([]float64(nil), f.added...)
	for k, w := range f.weight {
		d[f.meetings[k].A] += w
		d[f.meetings[k].B] += w
	}
	return d
}

// quotient divides element by element.
func quotient(a, b []float64) []float64 {
	q := make([]float64, len(a))
	for i := range a {
		q[i] = a[i] / b[i]
	}
	return q
}
