package mailbox

// A ring is a map of the newest entries, at most [remembered]. The zero value is empty.
type ring[V any] struct {
	entries map[string]V
	order   []string // a circular buffer; the oldest entry is at next
	next    int
}

func (r *ring[V]) get(id string) (V, bool) {
	v, ok := r.entries[id]
	return v, ok
}

func (r *ring[V]) put(id string, v V) {
	if r.entries == nil {
		r.entries = map[string]V{}
	}
	if _, known := r.entries[id]; !known {
		if len(r.order) < remembered {
			r.order = append(r.order, id)
		} else {
			delete(r.entries, r.order[r.next])
			r.order[r.next] = id
			r.next = (r.next + 1) % remembered
		}
	}
	r.entries[id] = v
}
