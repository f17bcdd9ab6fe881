package manager

import "sync"

// drainage says whether no further match may start. It is the manager's own and ends with it.
type drainage struct {
	mu sync.Mutex
	on bool
	by string // who wanted it, if somebody did
}

// begin lets no further match start, and reports whether nobody wanted that before.
func (d *drainage) begin(by string) (first bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	first = d.by == ""
	d.on, d.by = true, by
	return first
}

// end lets matches be started again.
func (d *drainage) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.on, d.by = false, ""
}

// isOn reports whether no further matches are to be started.
func (d *drainage) isOn() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.on
}

// orderedBy returns who had the league drained, or "".
func (d *drainage) orderedBy() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.by
}
