package protocol

import "encoding/json"

// The states of a match.
const (
	WaitingForPlayers = "WAITING_FOR_PLAYERS"
	CollectingChoices = "COLLECTING_CHOICES"
	DrawingNumber     = "DRAWING_NUMBER" // of Even/Odd
	ApplyingMoves     = "APPLYING_MOVES" // of every other game
	Finished          = "FINISHED"
)

// The seats of a match, by which some referees name its players.
const (
	SeatA = "PLAYER_A"
	SeatB = "PLAYER_B"
)

// How a match ends, seen from the match; LOSS is how a player hears of it.
const (
	Win           = "WIN"
	Draw          = "DRAW"
	TechnicalLoss = "TECHNICAL_LOSS"
	Loss          = "LOSS"
)

// Acknowledged and Busy are how requests are answered that are not registrations.
const (
	Acknowledged = "ACKNOWLEDGED"
	Busy         = "BUSY"
)

// A Contender is a player as the manager describes it to a referee.
type Contender struct {
	ID           string `json:"id"`
	CallsItself  string `json:"calls_itself,omitempty"` // another id that it has for itself
	Endpoint     string `json:"endpoint"`
	Dialect      string `json:"dialect,omitempty"`
	Token        string `json:"token"`                // what the referee shows to it and it to the referee
	PublicKey    string `json:"public_key,omitempty"` // of a native player, which signs its answers
	State        string `json:"state"`
	RegisteredAt string `json:"registered_at,omitempty"`
	Standings    Tally  `json:"standings"`
}

// A Tally is a player's own row, as it is shown to it before a choice.
type Tally struct {
	Wins   int `json:"wins"`
	Losses int `json:"losses"`
	Draws  int `json:"draws"`
	Points int `json:"points"`
}

// StartMatch hands a match to a referee.
type StartMatch struct {
	Envelope
	GameType string    `json:"game_type"`
	PlayerA  Contender `json:"player_A"`
	PlayerB  Contender `json:"player_B"`
	Attempt  int       `json:"attempt"`
	DrawKey  string    `json:"draw_key"`         // hex; the referee keeps it to itself until the match is over
	Masked   bool      `json:"masked,omitempty"` // the key and the players' tokens are hidden, see Hide
	ReportTo string    `json:"report_to"`
	Seal     string    `json:"seal,omitempty"` // of the league

	// RulesSHA256 is told of a game whose rules are a file: a referee with another one must not judge.
	RulesSHA256 string `json:"rules_sha256,omitempty"`

	// DrawCommitment is told to a guest in place of the key: it reports the moves, and the manager draws.
	DrawCommitment string `json:"draw_commitment,omitempty"`

	// OneLineRecord wants the record as a single line, as [MatchRecord.Line] writes it: the league is a large one.
	OneLineRecord bool `json:"one_line_record,omitempty"`

	RefereeID       string   `json:"referee_id,omitempty"` // to whom it goes, for a referee that looks for itself in it
	RefereeEndpoint string   `json:"referee_endpoint,omitempty"`
	Scoring         *Scoring `json:"scoring,omitempty"`
}

// Hide returns the order with its secrets, the draw key and what the players
// know their referee by, hidden from all but the native referee whose T is given.
func (m *StartMatch) Hide(referee string) *StartMatch {
	if m.Masked {
		return m
	}
	return m.masked(referee)
}

// Show returns the order as it was before Hide.
func (m *StartMatch) Show(referee string) *StartMatch {
	if !m.Masked {
		return m
	}
	return m.masked(referee)
}

// masked is the order with its secrets hidden under the referee's token, or shown again: done twice, it is the
// order as it was. The original is left alone.
func (m *StartMatch) masked(referee string) *StartMatch {
	out := *m
	out.Masked = !m.Masked
	out.DrawKey = maskHex(m.DrawKey, m.mask(referee, "draw"))
	out.PlayerA.Token = maskToken(m.PlayerA.Token, m.mask(referee, m.PlayerA.ID))
	out.PlayerB.Token = maskToken(m.PlayerB.Token, m.mask(referee, m.PlayerB.ID))
	return &out
}

func (m *StartMatch) mask(referee, what string) func([32]byte) [32]byte {
	return func(b [32]byte) [32]byte { return Mask(referee, m.LeagueID, m.MatchID, m.Attempt, what, b) }
}

// Assignments lists the matches that a referee is to play, for one that asks
// instead of being told. Each is a START_MATCH in the widest form.
type Assignments struct {
	Envelope
	Matches []json.RawMessage `json:"matches"`
}

// ParityMove is the move type that CHOOSE_PARITY_CALL asks for. All others go by GAME_MOVE_CALL.
const ParityMove = "choose_parity"

// StartMatchAck tells whether the referee plays the match.
type StartMatchAck struct {
	Envelope
	Status string `json:"status" enum:"ACCEPTED|BUSY"`

	Result *MatchResultReport `json:"-"` // told by a referee that played the match before it answered
}

// Fairness proves a draw: the commitment goes out before the choices, the key after them.
type Fairness struct {
	Commitment string `json:"commitment,omitempty"`
	Key        string `json:"key,omitempty"`
}

// GameInvitation calls a player to a match.
type GameInvitation struct {
	Envelope
	GameType    string   `json:"game_type"`
	RoleInMatch string   `json:"role_in_match" enum:"PLAYER_A|PLAYER_B"`
	Role        string   `json:"role" enum:"PLAYER_A|PLAYER_B"`
	PlayerID    string   `json:"player_id"`
	OpponentID  string   `json:"opponent_id"`
	Attempt     int      `json:"attempt"`
	Fairness    Fairness `json:"fairness"`
}

// GameJoinAck accepts or declines an invitation.
type GameJoinAck struct {
	Envelope
	PlayerID         string `json:"player_id"`
	ArrivalTimestamp string `json:"arrival_timestamp" format:"date-time"`
	Accept           *bool  `json:"accept" null:"no"`
}

// Accepts reports whether the player joins. Only an explicit false declines.
func (a *GameJoinAck) Accepts() bool { return a.Accept == nil || *a.Accept }

// ChooseContext is what a player is told before it chooses.
type ChooseContext struct {
	OpponentID    string `json:"opponent_id"`
	RoundID       Round  `json:"round_id"`
	YourStandings Tally  `json:"your_standings"`
}

// ChooseParityCall asks a player for "even" or "odd".
type ChooseParityCall struct {
	Envelope
	PlayerID string        `json:"player_id"`
	GameType string        `json:"game_type"`
	Context  ChooseContext `json:"context"`
	Deadline string        `json:"deadline" format:"date-time"`
	Attempt  int           `json:"attempt"`
}

// ChooseParityResponse is a player's choice. Both names of it are sent.
type ChooseParityResponse struct {
	Envelope
	PlayerID     string          `json:"player_id"`
	ParityChoice json.RawMessage `json:"parity_choice" enum:"even|odd"`
	Choice       json.RawMessage `json:"choice,omitempty"`
	Proof        *Proof          `json:"proof,omitempty"`
	Usage        json.RawMessage `json:"usage,omitempty" schema:"Usage"` // see [ReadUsage]
}

// A MoveRequest says what a player may play.
type MoveRequest struct {
	MoveType     string            `json:"move_type"`
	ValidOptions []json.RawMessage `json:"valid_options"`
	Context      json.RawMessage   `json:"context"`
}

// GameMoveCall asks a player for a move in any game.
type GameMoveCall struct {
	Envelope
	PlayerID    string      `json:"player_id"`
	GameType    string      `json:"game_type"`
	MoveRequest MoveRequest `json:"move_request"`
	OpponentID  string      `json:"opponent_id"`
	Turn        int         `json:"turn"`
	View        string      `json:"view,omitempty"` // the position as text, which the player signs with its move
	Deadline    string      `json:"deadline" format:"date-time"`
	Attempt     int         `json:"attempt"`
}

// MoveData is a move in any game.
type MoveData struct {
	MoveType string          `json:"move_type"`
	Choice   json.RawMessage `json:"choice"`
}

// GameMoveResponse is a player's move.
type GameMoveResponse struct {
	Envelope
	PlayerID string   `json:"player_id"`
	GameType string   `json:"game_type"`
	MoveData MoveData `json:"move_data"`
	Proof    *Proof   `json:"proof,omitempty"`

	Usage json.RawMessage `json:"usage,omitempty" schema:"Usage"` // see [ReadUsage]
}

// A GameResult is the end of a match, seen from the match.
type GameResult struct {
	Status         string                     `json:"status" enum:"WIN|DRAW|TECHNICAL_LOSS"`
	WinnerPlayerID *string                    `json:"winner_player_id"`
	DrawnNumber    Told[int]                  `json:"drawn_number,omitzero"`
	NumberParity   Told[string]               `json:"number_parity,omitzero"`
	Choices        map[string]json.RawMessage `json:"choices"`
	Score          map[string]int             `json:"score,omitempty"`
	Details        map[string]json.RawMessage `json:"details,omitempty"`  // what other games tell of their end
	Forfeits       map[string]string          `json:"forfeits,omitempty"` // player id to error code
	Reason         string                     `json:"reason"`
}

// GameOver tells a player how its match ended: nested from the match's side, flat from its own.
type GameOver struct {
	Envelope
	GameType       string          `json:"game_type"`
	PlayerID       string          `json:"player_id"`
	OpponentID     string          `json:"opponent_id"`
	GameResult     GameResult      `json:"game_result"`
	Result         string          `json:"result" enum:"WIN|LOSS|DRAW|TECHNICAL_LOSS"`
	Winner         *string         `json:"winner"`
	DrawnNumber    Told[int]       `json:"drawn_number,omitzero"`
	YourChoice     json.RawMessage `json:"your_choice"`
	OpponentChoice json.RawMessage `json:"opponent_choice"`
	PointsEarned   int             `json:"points_earned"`
	Attempt        int             `json:"attempt"`
	Fairness       *Fairness       `json:"fairness,omitempty"`
}

// RetryInfo says how many tries are left and when the next one comes.
type RetryInfo struct {
	RetryCount  int     `json:"retry_count"`
	MaxRetries  int     `json:"max_retries"`
	NextRetryAt *string `json:"next_retry_at"`
}

// GameError tells a player what went wrong in its match and what follows from it.
type GameError struct {
	Envelope
	PlayerID            string         `json:"player_id,omitempty"`
	AffectedPlayer      string         `json:"affected_player,omitempty"`
	ErrorCode           string         `json:"error_code"`
	ErrorName           string         `json:"error_name,omitempty"`
	ErrorDescription    string         `json:"error_description"`         // the name again
	Detail              string         `json:"detail,omitempty"`          // a sentence: what was wrong
	Suggestion          string         `json:"suggestion,omitempty"`      // what to do about it
	TimeoutSeconds      float64        `json:"timeout_seconds,omitempty"` // of a timeout: how long the answer was waited for
	GameState           string         `json:"game_state,omitempty"`
	ActionRequired      string         `json:"action_required,omitempty"`
	OriginalMessageType Type           `json:"original_message_type,omitempty"`
	Retryable           bool           `json:"retryable"`
	RetryCount          int            `json:"retry_count"`
	MaxRetries          int            `json:"max_retries"`
	RetryInfo           *RetryInfo     `json:"retry_info,omitempty"`
	Consequence         string         `json:"consequence,omitempty"`
	Attempt             int            `json:"attempt,omitempty"`
	Context             map[string]any `json:"context,omitempty"`
}

// Sentence says what was wrong, in words: those of others may stand elsewhere, or there is only a name.
func (e *GameError) Sentence() string {
	return sentence(e.Detail, e.Context, e.ErrorDescription, e.ErrorName, e.ErrorCode)
}

// A PlayedMove is one move of a match, in the order of play.
type PlayedMove struct {
	Turn     int             `json:"turn"`
	PlayerID string          `json:"player_id"`
	Move     json.RawMessage `json:"move"`
}

// ReportDetails is the part of a report that depends on the game.
type ReportDetails struct {
	DrawnNumber  Told[int]                  `json:"drawn_number,omitzero"`
	NumberParity Told[string]               `json:"number_parity,omitzero"`
	Choices      map[string]json.RawMessage `json:"choices"`
	Status       string                     `json:"status,omitempty"`
	Reason       string                     `json:"reason,omitempty"`
	Forfeits     map[string]string          `json:"forfeits,omitempty"`
}

// A ReportedResult is the outcome of a match as a referee reports it.
type ReportedResult struct {
	Winner  *string                    `json:"winner"`
	Score   map[string]json.RawMessage `json:"score"`
	Details ReportDetails              `json:"details"`
}

// MatchResultReport tells the manager how a match ended.
type MatchResultReport struct {
	Envelope
	GameType     string                   `json:"game_type"`
	Result       ReportedResult           `json:"result"`
	Attempt      int                      `json:"attempt"`
	Moves        []PlayedMove             `json:"moves,omitempty"`
	Signed       map[string]SignedAnswers `json:"signed,omitempty"` // by player id
	Fairness     *Fairness                `json:"fairness,omitempty"`
	RecordSHA256 string                   `json:"record_sha256,omitempty"`
	Dialects     map[string]string        `json:"dialects,omitempty"` // what was learned, by player id
	// how long each player took, apart from the referee's own delay
	AgentTiming map[string]Timing `json:"agent_timing,omitempty"`
	// what players say that their moves took of language models, by player id
	AgentUsage map[string]Usage `json:"agent_usage,omitempty"`
}

// MatchResultAck tells a referee that its result is on disk.
type MatchResultAck struct {
	Envelope
	Status string `json:"status" enum:"ACCEPTED"`
}

// MatchMovesReport is how a guest reports: the moves, from which the manager
// draws and decides. What it has shown is final.
type MatchMovesReport struct {
	Envelope
	GameType string                   `json:"game_type"`
	Attempt  int                      `json:"attempt"`
	Moves    []PlayedMove             `json:"moves"`
	Signed   map[string]SignedAnswers `json:"signed,omitempty"`
	Dialects map[string]string        `json:"dialects,omitempty"`
}

// MatchMovesAck tells a guest how the match ends, for GAME_OVER.
type MatchMovesAck struct {
	Envelope
	Status   string         `json:"status" enum:"ACCEPTED"`
	Result   ReportedResult `json:"result"`
	Fairness Fairness       `json:"fairness"`
}

// MatchProtest tells the manager what a player finds wrong in the end of a match.
type MatchProtest struct {
	Envelope
	PlayerID string         `json:"player_id"`
	Attempt  int            `json:"attempt"`
	What     string         `json:"what" enum:"MOVES|DRAW|FORFEIT|RESULT"`
	Detail   string         `json:"detail"`
	Signed   *SignedAnswers `json:"signed,omitempty"` // what the player did answer
}

// What a player may protest against.
const (
	ProtestMoves   = "MOVES"   // a move that it did not make, or not that one
	ProtestDraw    = "DRAW"    // a key that is not the promised one
	ProtestForfeit = "FORFEIT" // a forfeit, although it answered
	ProtestResult  = "RESULT"  // a result that does not follow, or another one than it was told before
)
