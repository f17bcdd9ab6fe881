package player

// put sets a value in a map, and allocates a nil map first. A process may host ten thousand idle players, and empty
// maps would take a twentieth of their memory.
func put[M ~map[K]V, K comparable, V any](m *M, key K, value V) {
	if *m == nil {
		*m = M{}
	}
	(*m)[key] = value
}
