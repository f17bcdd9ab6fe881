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

// The results of a match. LOSS exists only from a player's perspective.
const (
	Win           = "WIN"
	Draw          = "DRAW"
	TechnicalLoss = "TECHNICAL_LOSS"
	Loss          = "LOSS"
)

// Acknowledged and Busy are the status words in answers to requests other than registrations.
const (
	Acknowledged = "ACKNOWLEDGED"
	Busy         = "BUSY"
)

// A Contender describes a player in an order to a referee.
type Contender struct {
	ID          string `json:"id"`
	CallsItself string `json:"calls_itself,omitempty"` // another id that it has for itself
	Endpoint    string `json:"endpoint"`               // where the referee calls it
	Dialect     string `json:"dialect,omitempty"`      // how it wants to be spoken to; "": as the specification has it
	Token       string `json:"token"`                  // authenticates the referee and the player to each other
	PublicKey   string `json:"public_key,omitempty"`   // of a native player, which signs its answers
	State       string `json:"state"`                  // a SUSPENDED one is asked once, without retries
	// its newest registration: earlier failures no longer count
	RegisteredAt string `json:"registered_at,omitempty"`
	Standings    Tally  `json:"standings"` // before the match, for the player's eyes

	Assumed bool `json:"-"` // the endpoint follows from the id, and no answer has shown the id there yet
}

// A Tally is a player's own row, as it is shown to it before a choice.
type Tally struct {
	Wins   int `json:"wins"`
	Losses int `json:"losses"` // technical ones among them
	Draws  int `json:"draws"`
	Points int `json:"points"` // by the scoring of its league
}

// StartMatch hands a match to a referee.
type StartMatch struct {
	Envelope
	GameType string    `json:"game_type"`
	PlayerA  Contender `json:"player_A"` // has the first seat, and moves first where that matters
	PlayerB  Contender `json:"player_B"`
	Attempt  int       `json:"attempt"`          // from 1; a later one replaces all before it
	DrawKey  string    `json:"draw_key"`         // hex; the referee keeps it to itself until the match is over
	Masked   bool      `json:"masked,omitempty"` // the key and the players' tokens are hidden, see Hide
	ReportTo string    `json:"report_to"`        // where the result is wanted
	Seal     string    `json:"seal,omitempty"`   // of the league

	// RulesSHA256 is set for a game with a rules file: a referee with another file must not judge.
	RulesSHA256 string `json:"rules_sha256,omitempty"`

	// DrawCommitment is sent to a guest referee in place of the key: it reports the moves, and the manager draws.
	DrawCommitment string `json:"draw_commitment,omitempty"`

	// OneLineRecord wants the record as a single line, as [MatchRecord.Line] writes it: the league is a large one.
	OneLineRecord bool `json:"one_line_record,omitempty"`

	RefereeID string `json:"referee_id,omitempty"` // the receiver, for a referee that checks it
	// the referee's own; only sent to third-party ones
	RefereeEndpoint string   `json:"referee_endpoint,omitempty"`
	Scoring         *Scoring `json:"scoring,omitempty"` // nil: the protocol's
}

// Hide returns a copy of the order whose draw key and player tokens are masked. Only the native referee with the given
// T can reveal them.
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

// masked returns a copy of the order with its secrets masked under the referee's token. Masking is its own inverse.
func (m *StartMatch) masked(referee string) *StartMatch {
	out := *m
	out.Masked = !m.Masked
	out.DrawKey = maskHex(m.DrawKey, m.mask(referee, "draw"))
	out.PlayerA.Token = maskToken(m.PlayerA.Token, m.mask(referee, m.PlayerA.ID))
	out.PlayerB.Token = maskToken(m.PlayerB.Token, m.mask(referee, m.PlayerB.ID))
	return &out
}

func (m *StartMatch) mask(referee, what string) func([32]byte) [32]byte {
	return func(b [32]byte) [32]byte { return maskSecret(referee, m.LeagueID, m.MatchID, m.Attempt, what, b) }
}

// Assignments lists the matches of a referee that polls instead of waiting for orders. Each is a START_MATCH in the
// widest form.
type Assignments struct {
	Envelope
	Matches []json.RawMessage `json:"matches"`
}

// ParityMove is the move type that CHOOSE_PARITY_CALL asks for. All others go by GAME_MOVE_CALL.
const ParityMove = "choose_parity"

// StartMatchAck tells the manager whether the referee accepts the match.
type StartMatchAck struct {
	Envelope
	Status string `json:"status" enum:"ACCEPTED|BUSY"`

	Result *MatchResultReport `json:"-"` // set by a referee that played the match before it answered
}

// Fairness proves a draw: the commitment is sent before the choices, the key after them.
type Fairness struct {
	Commitment string `json:"commitment,omitempty"`
	Key        string `json:"key,omitempty"`
}

// GameInvitation calls a player to a match.
type GameInvitation struct {
	Envelope
	GameType    string   `json:"game_type"`
	RoleInMatch string   `json:"role_in_match" enum:"PLAYER_A|PLAYER_B"` // which seat it has
	Role        string   `json:"role" enum:"PLAYER_A|PLAYER_B"`          // the same again: some documents have this name
	PlayerID    string   `json:"player_id"`
	OpponentID  string   `json:"opponent_id"`
	Attempt     int      `json:"attempt"`  // of the match; an answer to another one is not taken
	Fairness    Fairness `json:"fairness"` // the commitment to the draw, before any choice
}

// GameJoinAck accepts or declines an invitation.
type GameJoinAck struct {
	Envelope
	PlayerID         string `json:"player_id"`
	ArrivalTimestamp string `json:"arrival_timestamp" format:"date-time"`
	Accept           *bool  `json:"accept" null:"no"`
	Status           string `json:"status,omitempty"` // READY, which is the same as accept in another document
}

// Ready is the status of a player that joins.
const Ready = "READY"

// Accepts reports whether the player joins. Only an explicit false declines.
func (a *GameJoinAck) Accepts() bool { return a.Accept == nil || *a.Accept }

// ChooseContext informs a player before it chooses.
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
	Context  ChooseContext `json:"context"`                     // its view: opponent, round, its own row
	Deadline string        `json:"deadline" format:"date-time"` // when the answer counts no more, rounded up
	Attempt  int           `json:"attempt"`                     // of the match
}

// ChooseParityResponse is a player's choice. Both names of it are sent.
type ChooseParityResponse struct {
	Envelope
	PlayerID     string          `json:"player_id"`
	ParityChoice json.RawMessage `json:"parity_choice" enum:"even|odd"`  // raw, because players send many things
	Choice       json.RawMessage `json:"choice,omitempty"`               // the other name of it
	Proof        *Proof          `json:"proof,omitempty"`                // the signature of a native player
	Usage        json.RawMessage `json:"usage,omitempty" schema:"Usage"` // see [ReadUsage]
}

// A MoveRequest describes the moves that a player may play.
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
	MoveRequest MoveRequest `json:"move_request"` // the kind of move, the legal ones, and the view
	OpponentID  string      `json:"opponent_id"`
	Turn        int         `json:"turn"`                        // from 1, of the whole match
	View        string      `json:"view,omitempty"`              // the position as text, which the player signs with its move
	Deadline    string      `json:"deadline" format:"date-time"` // when the answer counts no more, rounded up
	Attempt     int         `json:"attempt"`                     // of the match
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
	MoveData MoveData `json:"move_data"`       // the move, of the kind that was asked for
	Proof    *Proof   `json:"proof,omitempty"` // the signature of a native player

	Usage json.RawMessage `json:"usage,omitempty" schema:"Usage"` // see [ReadUsage]
}

// A GameResult is the end of a match, independent of the player that receives it.
type GameResult struct {
	Status         string                     `json:"status" enum:"WIN|DRAW|TECHNICAL_LOSS"`
	WinnerPlayerID *string                    `json:"winner_player_id"`       // null: there is none
	DrawnNumber    Optional[int]              `json:"drawn_number,omitzero"`  // left out in games that draw none
	NumberParity   Optional[string]           `json:"number_parity,omitzero"` // of that number
	Choices        map[string]json.RawMessage `json:"choices"`                // by player; null if it made none
	Score          map[string]int             `json:"score,omitempty"`        // by player, in games that count
	Details        map[string]json.RawMessage `json:"details,omitempty"`      // other games' details of their end
	Forfeits       map[string]string          `json:"forfeits,omitempty"`     // player id to error code
	Reason         string                     `json:"reason"`                 // one sentence for people
}

// GameOver informs a player of the end of its match. GameResult is the same for both; Result and the choices are from
// the player's perspective.
type GameOver struct {
	Envelope
	GameType       string          `json:"game_type"`
	PlayerID       string          `json:"player_id"`
	OpponentID     string          `json:"opponent_id"`
	GameResult     GameResult      `json:"game_result"`                                // the same for both players
	Result         string          `json:"result" enum:"WIN|LOSS|DRAW|TECHNICAL_LOSS"` // from this player's side
	Winner         *string         `json:"winner"`                                     // null: there is none
	DrawnNumber    Optional[int]   `json:"drawn_number,omitzero"`
	YourChoice     json.RawMessage `json:"your_choice"`     // null: it made none that counts
	OpponentChoice json.RawMessage `json:"opponent_choice"` // null: likewise
	PointsEarned   int             `json:"points_earned"`   // by the league's scoring
	Attempt        int             `json:"attempt"`         // of the match
	// with the key now, from which any reader can replay the draw
	Fairness *Fairness                  `json:"fairness,omitempty"`
	Score    map[string]json.RawMessage `json:"score,omitempty"`   // the choices again, as the V2 page has them
	Details  *Ending                    `json:"details,omitempty"` // the result again, as the V2 page has it
}

// An Ending is the end of a match under the names of the V2 page.
type Ending struct {
	DrawnNumber Optional[int]    `json:"drawn_number,omitzero"`
	Parity      Optional[string] `json:"parity,omitzero"`
	Outcome     string           `json:"outcome,omitempty"` // PLAYER_A_WIN, PLAYER_B_WIN, DRAW or TECHNICAL_LOSS
}

// Ending returns the result under the names of the V2 page. playerA is the id of the player in the first seat.
func (r *GameResult) Ending(playerA string) *Ending {
	out := &Ending{DrawnNumber: r.DrawnNumber, Parity: r.NumberParity, Outcome: r.Status}
	switch {
	case r.Status != Win || r.WinnerPlayerID == nil:
	case *r.WinnerPlayerID == playerA:
		out.Outcome = SeatA + "_WIN"
	default:
		out.Outcome = SeatB + "_WIN"
	}
	return out
}

// RetryInfo holds the number of retries and the time of the next one.
type RetryInfo struct {
	RetryCount  int     `json:"retry_count"`
	MaxRetries  int     `json:"max_retries"`
	NextRetryAt *string `json:"next_retry_at"`
}

// GameError reports a failure in its match to a player, with the consequence.
type GameError struct {
	Envelope
	PlayerID            string         `json:"player_id,omitempty"`
	AffectedPlayer      string         `json:"affected_player,omitempty"` // the player that forfeits if it comes to that
	ErrorCode           string         `json:"error_code"`                // such as E004
	ErrorName           string         `json:"error_name,omitempty"`      // the same in words of the specification
	ErrorDescription    string         `json:"error_description"`         // the name again
	ErrorMessage        string         `json:"error_message,omitempty"`   // and again, as the V2 page has it
	Detail              string         `json:"detail,omitempty"`          // a sentence: the problem
	Suggestion          string         `json:"suggestion,omitempty"`      // the remedy
	TimeoutSeconds      float64        `json:"timeout_seconds,omitempty"` // of a timeout: how long the answer was waited for
	GameState           string         `json:"game_state,omitempty"`
	ActionRequired      string         `json:"action_required,omitempty"`       // the message that the player should send next
	OriginalMessageType Type           `json:"original_message_type,omitempty"` // the message that caused the error
	Retryable           bool           `json:"retryable"`                       // whether it is asked again
	RetryCount          int            `json:"retry_count"`                     // how many tries have failed
	MaxRetries          int            `json:"max_retries"`                     // how many more than the first there are
	RetryInfo           *RetryInfo     `json:"retry_info,omitempty"`            // when the next one comes
	Consequence         string         `json:"consequence,omitempty"`           // the consequence if no further answer is legal
	Attempt             int            `json:"attempt,omitempty"`
	Context             map[string]any `json:"context,omitempty"` // particulars, such as the legal choices
}

// Sentence returns the problem as a sentence. Third-party messages may have it in another member, or only an error
// name.
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
	DrawnNumber  Optional[int]              `json:"drawn_number,omitzero"`
	NumberParity Optional[string]           `json:"number_parity,omitzero"`
	Choices      map[string]json.RawMessage `json:"choices"` // by player, as they were sent
	Status       string                     `json:"status,omitempty"`
	Reason       string                     `json:"reason,omitempty"` // one sentence for people
	// by player, the code of the error that it forfeited by
	Forfeits map[string]string `json:"forfeits,omitempty"`
	Parity   Optional[string]  `json:"parity,omitzero"`   // number_parity again, as the V2 page has it
	Outcome  string            `json:"outcome,omitempty"` // see [Ending]
}

// A ReportedResult is the outcome of a match as a referee reports it.
type ReportedResult struct {
	Winner  *string                    `json:"winner"`
	Score   map[string]json.RawMessage `json:"score"`
	Details ReportDetails              `json:"details"`
}

// MatchResultReport reports the result of a match to the manager.
type MatchResultReport struct {
	Envelope
	GameType string         `json:"game_type"`
	Result   ReportedResult `json:"result"`
	Attempt  int            `json:"attempt"` // only the manager's newest order counts
	// all, in their order, so that the manager can replay the match
	Moves  []PlayedMove             `json:"moves,omitempty"`
	Signed map[string]SignedAnswers `json:"signed,omitempty"` // by player id
	// with the key, from which the manager draws again
	Fairness *Fairness `json:"fairness,omitempty"`
	// the hash of the record, which is fetched later
	RecordSHA256 string            `json:"record_sha256,omitempty"`
	Dialects     map[string]string `json:"dialects,omitempty"` // learned dialects, by player id
	// how long each player took, apart from the referee's own delay
	AgentTiming map[string]Timing `json:"agent_timing,omitempty"`
	// the language model usage that players report for their moves, by player id
	AgentUsage map[string]Usage `json:"agent_usage,omitempty"`
}

// MatchResultAck confirms to a referee that its result is on disk.
type MatchResultAck struct {
	Envelope
	Status string `json:"status" enum:"ACCEPTED"`
}

// MatchMovesReport is the report of a guest referee: the moves, from which the manager draws and decides. Shown moves
// are final.
type MatchMovesReport struct {
	Envelope
	GameType string                   `json:"game_type"`
	Attempt  int                      `json:"attempt"`
	Moves    []PlayedMove             `json:"moves"`              // all, in their order; none can be changed afterwards
	Signed   map[string]SignedAnswers `json:"signed,omitempty"`   // signed answers of native players, by player
	Dialects map[string]string        `json:"dialects,omitempty"` // how players turned out to speak, by player
}

// MatchMovesAck returns the result of the match to a guest referee, for GAME_OVER.
type MatchMovesAck struct {
	Envelope
	Status   string         `json:"status" enum:"ACCEPTED"`
	Result   ReportedResult `json:"result"`
	Fairness Fairness       `json:"fairness"`
}

// MatchProtest sends a player's objection to the result of a match to the manager.
type MatchProtest struct {
	Envelope
	PlayerID string         `json:"player_id"`
	Attempt  int            `json:"attempt"`
	What     string         `json:"what" enum:"MOVES|DRAW|FORFEIT|RESULT"` // which part of the end is wrong
	Detail   string         `json:"detail"`                                // one sentence for people
	Signed   *SignedAnswers `json:"signed,omitempty"`                      // the player's actual answers
}

// The objections of a player.
const (
	ProtestMoves   = "MOVES"   // a move that it did not make, or not that one
	ProtestDraw    = "DRAW"    // a key that is not the promised one
	ProtestForfeit = "FORFEIT" // a forfeit, although it answered
	ProtestResult  = "RESULT"  // a result that does not follow, or differs from the one announced before
)
