package manager

import "log/slog"

// trouble says once that something fails, and once that it no longer does. It
// is tried again and again meanwhile, and nobody wants to read that each time.
func (m *Manager) trouble(what string, err error) {
	var known bool
	m.locked(func(v *volatile) { known = v.troubles[what]; v.troubles[what] = err != nil })
	switch {
	case err != nil && !known:
		m.warn(what+"; it is tried again until it can", slog.Any("error", err))
	case err == nil && known:
		m.info("no longer: " + what)
	}
}

func (m *Manager) troubled(what string) (yes bool) {
	m.locked(func(v *volatile) { yes = v.troubles[what] })
	return yes
}
