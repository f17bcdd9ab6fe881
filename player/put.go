package player

// put sets a value in a map, which is made with its first: a process may host ten thousand players that do nothing yet,
// and an empty map for each thing that they may come to know would be a twentieth of their memory.
func put[M ~map[K]V, K comparable, V any](m *M, key K, value V) {
	if *m == nil {
		*m = M{}
	}
	(*m)[key] = value
}
