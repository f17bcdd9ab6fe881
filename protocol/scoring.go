package protocol

// Scoring holds the points for each ending.
type Scoring struct {
	Win           int `json:"win_points"`
	Draw          int `json:"draw_points"`
	Loss          int `json:"loss_points"`
	TechnicalLoss int `json:"technical_loss_points"` // for a player that forfeits; its opponent has Win
}

// DefaultScoring holds the default points for each ending.
var DefaultScoring = Scoring{Win: 3, Draw: 1}

// TiebreakRules are the names of all rules that separate players with equal points, in the default order. Package league
// implements them.
var TiebreakRules = []string{"points", "wins", "draw_difference", "head_to_head", "player_id"}
