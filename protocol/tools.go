package protocol

import "encoding/json"

// A Tool is a request for one of an agent's utility tools.
type Tool struct {
	Envelope
	PlayerID string `json:"player_id,omitempty"`
}

// GetAssignedMatches asks for the matches of a referee.
type GetAssignedMatches struct {
	Envelope
	RefereeID string `json:"referee_id,omitempty"` // the sender, for a manager that ignores the envelope's
}

// Pong answers ping.
type Pong struct {
	Envelope
	Status string `json:"status"`
	Agent  string `json:"agent"`
}

// LeagueControlAck returns the state of the league after an order of its admin.
type LeagueControlAck struct {
	Envelope
	Status string `json:"status"`
	State  string `json:"state"` // after the order
	Paused bool   `json:"paused"`
	Reason string `json:"reason,omitempty"` // why it is paused, if it is

	AgentID  string    `json:"agent_id,omitempty"` // of an agent that was enlisted
	Calls    []ToolUse `json:"calls,omitempty"`    // of an MCP server: the tools for each message
	Endpoint string    `json:"endpoint,omitempty"` // of a league that was created, or where an MCP server was found below its address
}

// A ToolUse names the tool of an MCP server for a message.
type ToolUse struct {
	Message Type   `json:"message"`
	Tool    string `json:"tool,omitempty"` // none: it does not receive the message, and plays without an invitation
}

// EnlistAgent adds an agent that does not register itself.
type EnlistAgent struct {
	Envelope
	Role        Role   `json:"role" enum:"player|referee"`
	Endpoint    string `json:"endpoint"`
	DisplayName string `json:"display_name,omitempty"` // default: after its address

	// Tools names the tools of an MCP server that are not found by themselves, by the method of the message that they
	// take, such as choose_parity.
	Tools map[string]string `json:"tools,omitempty"`
}

// CreateLeague creates another league in the manager's process, with the league_id of its envelope, or a generated
// one from the game and the date.
type CreateLeague struct {
	Envelope
	GameType string `json:"game_type,omitempty"` // default even_odd
	Players  int    `json:"players,omitempty"`   // start once this many have joined; 0: when ordered
	Referees int    `json:"referees,omitempty"`  // and this number of referees
	Cycles   int    `json:"cycles,omitempty"`    // how often each pair meets; default 1
	// PairedDraws has every other cycle repeat the draws of the one before, with seats swapped. Agents that remember
	// draws gain by it.
	PairedDraws bool     `json:"paired_draws,omitempty"`
	Bots        []string `json:"house,omitempty"` // strategies of built-in players to add, with all wanted referees as built-in ones
	// Like is the id of a league with the description to copy; the other members change it.
	Like string `json:"like,omitempty"`
	// Settings are further keys of config/leagues/ID.json, as a JSON merge patch.
	Settings map[string]any `json:"settings,omitempty"`
}

// SetSeasons sets the total number of seasons of a league: the same agents play them one after the other.
type SetSeasons struct {
	Envelope
	Seasons int `json:"seasons"`
}

// RestPlayer keeps a player out of the next rounds; 0 ends its rest.
type RestPlayer struct {
	Envelope
	PlayerID string `json:"player_id"`
	Rounds   int    `json:"rounds"`
}

// ReadmitAgent readmits an agent that was refused or excluded.
type ReadmitAgent struct {
	Envelope
	AgentID string `json:"agent_id"`
	Code    string `json:"code,omitempty"` // that a refused registration was answered with
}

// RenameAgent gives an agent another name.
type RenameAgent struct {
	Envelope
	AgentID     string `json:"agent_id"`
	DisplayName string `json:"display_name"`
}

// MergeAgents merges two registrations without a key into one agent, before the league starts.
type MergeAgents struct {
	Envelope
	KeptID string `json:"kept_id"` // that remains
	GoneID string `json:"gone_id"`
}

// AnnulMatch has a match played again.
type AnnulMatch struct {
	Envelope
	Reason string `json:"reason,omitempty"`
}

// InviteAgents creates join keys for agents that will register.
type InviteAgents struct {
	Envelope
	Role  Role     `json:"role" enum:"player|referee"`
	Names []string `json:"names"`
}

// An Invitation is a join key: its holder is the agent of that name.
type Invitation struct {
	Role        Role   `json:"role" enum:"player|referee"`
	DisplayName string `json:"display_name"`
	Key         string `json:"key"`
	Address     string `json:"address"` // of the manager, for this agent alone
}

// Invitations answers InviteAgents.
type Invitations struct {
	Envelope
	Invitations []Invitation `json:"invitations"`
}

// A SeatState is the progress of one player of a running match. It shows whether the player has answered, never the
// answer.
type SeatState struct {
	PlayerID string `json:"player_id"`
	Joined   bool   `json:"joined"`
	ToMove   bool   `json:"to_move,omitempty"` // it is asked for a move
	Answered bool   `json:"answered"`
	Tries    int    `json:"tries"` // how often it was asked
}

// MatchState is the public state of a match.
type MatchState struct {
	Envelope
	State      string      `json:"state"`
	GameType   string      `json:"game_type"`
	Attempt    int         `json:"attempt"`
	Turn       int         `json:"turn"` // from 1
	Players    []SeatState `json:"players"`
	Reported   bool        `json:"reported"`              // whether the manager has acknowledged the result
	GameResult *GameResult `json:"game_result,omitempty"` // nil while it is played

	Spectator json.RawMessage `json:"spectator,omitempty"` // the spectator's view, in the game's own JSON
}

// A RecordRef names one record of one attempt at a match.
type RecordRef struct {
	LeagueID string `json:"league_id"`
	MatchID  string `json:"match_id"`
	Attempt  int    `json:"attempt"`
}

// GetMatchRecords asks a referee for up to MaxRecords records. If only a part of a record fits in an
// answer, request the rest of this record alone, with the offset at which it begins.
type GetMatchRecords struct {
	Envelope
	Records []RecordRef `json:"records"`
	Offset  int         `json:"offset,omitempty"` // in bytes; 0: the records from their beginning
}

// MaxRecords is the maximum number of records in one call.
const MaxRecords = 64

// A RecordDocument is a record, byte for byte as it was hashed, or a part of a record that is too large for an
// answer.
type RecordDocument struct {
	RecordRef
	Document string `json:"document"`
	Size     int    `json:"size,omitempty"` // of the whole record in bytes, if this is a part of it
}

// MatchRecords returns those of the requested records that the referee has.
type MatchRecords struct {
	Envelope
	Records []RecordDocument `json:"records"`
}

// The states of a player in get_player_state.
const (
	PlayerUnregistered     = "UNREGISTERED"
	PlayerRegistered       = "REGISTERED"
	PlayerWaitingForRound  = "WAITING_FOR_ROUND"
	PlayerInMatch          = "IN_MATCH"
	PlayerWaitingForResult = "WAITING_FOR_RESULT"
)

// PlayerStats counts a player's own matches.
type PlayerStats struct {
	TotalMatches int `json:"total_matches"`
	Wins         int `json:"wins"`
	Losses       int `json:"losses"`
	Draws        int `json:"draws"`
}

// Plus returns the sum of two counts.
func (s PlayerStats) Plus(t PlayerStats) PlayerStats {
	return PlayerStats{s.TotalMatches + t.TotalMatches, s.Wins + t.Wins, s.Losses + t.Losses, s.Draws + t.Draws}
}

// Minus returns the difference of two counts.
func (s PlayerStats) Minus(t PlayerStats) PlayerStats {
	return PlayerStats{s.TotalMatches - t.TotalMatches, s.Wins - t.Wins, s.Losses - t.Losses, s.Draws - t.Draws}
}

// StatsOf counts the results of matches. A technical loss counts as a loss.
func StatsOf(matches []PlayerMatch) PlayerStats {
	s := PlayerStats{TotalMatches: len(matches)}
	for _, m := range matches {
		switch m.Result {
		case Win:
			s.Wins++
		case Draw:
			s.Draws++
		case Loss, TechnicalLoss: // others have no reported end
			s.Losses++
		}
	}
	return s
}

// A PlayerMatch is one finished match in a player's history.
type PlayerMatch struct {
	MatchID        string          `json:"match_id"`
	RoundID        Round           `json:"round_id"`
	Timestamp      string          `json:"timestamp"`
	OpponentID     string          `json:"opponent_id"`
	Result         string          `json:"result"` // from this player's side
	MyChoice       json.RawMessage `json:"my_choice"`
	OpponentChoice json.RawMessage `json:"opponent_choice"` // null: it made none that counts
	DrawnNumber    Optional[int]   `json:"drawn_number,omitzero"`
	PointsEarned   int             `json:"points_earned"` // by the league's scoring
	Attempt        int             `json:"attempt,omitempty"`
	Usage          *Usage          `json:"usage,omitempty"` // of a language model, all of it
}

// Clone returns a deep copy of the entry, in two allocations. Without it, the strings of the entry would keep the whole
// received message in memory.
func (m PlayerMatch) Clone() PlayerMatch {
	all := m.MatchID + m.OpponentID + m.Result + string(m.MyChoice) + string(m.OpponentChoice)
	for _, text := range []*string{&m.MatchID, &m.OpponentID, &m.Result} {
		*text, all = all[:len(*text)], all[len(*text):]
	}
	for _, raw := range []*json.RawMessage{&m.MyChoice, &m.OpponentChoice} {
		if n := len(*raw); n > 0 {
			*raw, all = shared(all[:n]), all[n:]
		}
	}
	if drawn := m.DrawnNumber.Value; drawn != nil {
		n := *drawn
		m.DrawnNumber.Value = &n
	}
	return m
}

// PlayerState is a player's report on itself.
type PlayerState struct {
	Envelope
	PlayerID    string        `json:"player_id"`
	DisplayName string        `json:"display_name"`
	State       string        `json:"state"`
	AgentState  string        `json:"agent_state"`
	Stats       PlayerStats   `json:"stats"`
	History     []PlayerMatch `json:"history"`
}
