package foreign

// A row holds the manager's counters for one player.
type row struct{ wins, draws, losses int }

// count adds a report to the table, duplicates included. Without a winner both players lose, unless the report has
// the manager's word for a draw.
func (m *Manager) count(report object) {
	winner := report.object("result").text("winner")
	for _, p := range m.players {
		if m.table[p.id] == nil {
			m.table[p.id] = &row{}
		}
		switch winner {
		case p.id:
			m.table[p.id].wins++
		case "DRAW":
			m.table[p.id].draws++
		default:
			m.table[p.id].losses++
		}
	}
}

// standings is the table in the manager's form.
func (m *Manager) standings() (out []object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, p := range m.players {
		r := m.table[p.id]
		if r == nil {
			r = &row{}
		}
		out = append(out, object{
			"rank": i + 1, "player_id": p.id, "display_name": p.name, "played": r.wins + r.draws + r.losses, "wins": r.wins,
			"draws": r.draws, "losses": r.losses, "points": 3*r.wins + r.draws,
		})
	}
	return out
}

// Draws returns the number of draws that the manager has counted for a player.
func (m *Manager) Draws(id string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.table[id] == nil {
		return 0
	}
	return m.table[id].draws
}

// Polls returns the number of requests for matches from the referee.
func (m *Manager) Polls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.polls
}

// Times returns the number of reports by match.
func (m *Manager) Times() map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]int{}
	for match, n := range m.times {
		out[match] = n
	}
	return out
}
