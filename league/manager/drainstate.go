package manager

import "sync"

// drainState is the flag that no further match may start. It is not logged, so a restart clears it.
type drainState struct {
	mu sync.Mutex
	on bool
	by string // the origin of the order, if any
}

// begin sets the flag, with the origin of the order. It reports whether this is the first drain order.
func (d *drainState) begin(by string) (first bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	first = d.by == ""
	d.on, d.by = true, by
	return first
}

// end lets matches be started again.
func (d *drainState) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.on, d.by = false, ""
}

// isOn reports whether the flag is set.
func (d *drainState) isOn() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.on
}

// orderedBy returns the origin of the drain order, or "".
func (d *drainState) orderedBy() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.by
}
