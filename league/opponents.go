package league

import "agentleague/protocol"

// Buchholz and Sonneborn-Berger sum up the points of a player's opponents. A round that a player did not play, which
// includes forfeits, counts as a match against a dummy opponent with as many points as the player.

// buchholz sums the points of all opponents.
func buchholz(groups []level, met meetings, _ protocol.Scoring) func(*protocol.Standing) int {
	points, sums, played := pointsOf(groups), map[string]int{}, map[string]int{}
	for m := range met.of(nil) {
		if m.Result.Status != protocol.TechnicalLoss {
			sums[m.A], sums[m.B] = sums[m.A]+points[m.B], sums[m.B]+points[m.A]
			played[m.A]++
			played[m.B]++
		}
	}
	return func(s *protocol.Standing) int {
		return sums[s.PlayerID] + max(met.rounds-played[s.PlayerID], 0)*s.Points
	}
}

// sonnebornBerger sums the points of the opponents that a player defeated twice, and of those that it drew with once.
func sonnebornBerger(groups []level, met meetings, scoring protocol.Scoring) func(*protocol.Standing) int {
	points, sums := pointsOf(groups), map[string]int{}
	for m := range met.of(nil) {
		a, b := points[m.B], points[m.A]
		if m.Result.Status == protocol.TechnicalLoss {
			a, b = b, a
		}
		switch {
		case m.Result.Winner == m.A:
			sums[m.A] += 2 * a
		case m.Result.Winner == m.B:
			sums[m.B] += 2 * b
		case m.Result.Status == protocol.Draw:
			sums[m.A], sums[m.B] = sums[m.A]+a, sums[m.B]+b
		}
	}
	return func(s *protocol.Standing) int { return sums[s.PlayerID] + met.halves(s.PlayerID, scoring)*s.Points }
}

// halves returns the worth of byes and missed rounds: 2 for the points of a win, 1 for less.
func (m meetings) halves(id string, scoring protocol.Scoring) int {
	if m.credit == nil || scoring.Win <= 0 {
		return 0
	}
	points := m.credit(id, m.until)
	return 2*(points/scoring.Win) + min(points%scoring.Win, 1)
}

// pointsOf returns the points of all players of a table.
func pointsOf(groups []level) map[string]int {
	points := map[string]int{}
	for _, g := range groups {
		for _, row := range g {
			points[row.PlayerID] = row.Points
		}
	}
	return points
}
