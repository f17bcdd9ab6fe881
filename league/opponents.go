package league

import "agentleague/protocol"

// Buchholz and Sonneborn-Berger sum up the points of a player's opponents. A round that a player did not play, or lost
// by forfeit, counts as a match against a virtual opponent with the same points as the player.

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

// sonnebornBerger sums, for each match of a player, twice the opponent's points after a win and once after a draw.
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

// halves returns the worth of a player's byes and missed rounds, in half points: 2 if it got the points of a win, 1 if
// fewer.
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
