package protocol

// Scoring is what each ending is worth.
type Scoring struct {
	Win           int `json:"win_points"`
	Draw          int `json:"draw_points"`
	Loss          int `json:"loss_points"`
	TechnicalLoss int `json:"technical_loss_points"` // for who forfeits; its opponent has Win
}

// DefaultScoring is what each ending is worth unless a league says otherwise.
var DefaultScoring = Scoring{Win: 3, Draw: 1}

// TiebreakRules are the names of all rules that separate players with equal points, in the default order. Package league
// implements them.
var TiebreakRules = []string{"points", "wins", "draw_difference", "head_to_head", "player_id"}
