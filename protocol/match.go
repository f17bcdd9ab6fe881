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
	ID          string `json:"id"`
	CallsItself string `json:"calls_itself,omitempty"` // another id that it has for itself
	Endpoint    string `json:"endpoint"`               // where the referee calls it
	Dialect     string `json:"dialect,omitempty"`      // how it wants to be spoken to; "": as the specification has it
	Token       string `json:"token"`                  // what the referee shows to it and it to the referee
	PublicKey   string `json:"public_key,omitempty"`   // of a native player, which signs its answers
	State       string `json:"state"`                  // one that is SUSPENDED is asked once, without retries
	// its newest registration: what failed before it counts no more
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
	PlayerA  Contender `json:"player_A"` // who sits first, and moves first where that matters
	PlayerB  Contender `json:"player_B"`
	Attempt  int       `json:"attempt"`          // from 1; a later one replaces all before it
	DrawKey  string    `json:"draw_key"`         // hex; the referee keeps it to itself until the match is over
	Masked   bool      `json:"masked,omitempty"` // the key and the players' tokens are hidden, see Hide
	ReportTo string    `json:"report_to"`        // where the result is wanted
	Seal     string    `json:"seal,omitempty"`   // of the league

	// RulesSHA256 is told of a game whose rules are a file: a referee with another one must not judge.
	RulesSHA256 string `json:"rules_sha256,omitempty"`

	// DrawCommitment is told to a guest in place of the key: it reports the moves, and the manager draws.
	DrawCommitment string `json:"draw_commitment,omitempty"`

	// OneLineRecord wants the record as a single line, as [MatchRecord.Line] writes it: the league is a large one.
	OneLineRecord bool `json:"one_line_record,omitempty"`

	RefereeID string `json:"referee_id,omitempty"` // to whom it goes, for a referee that looks for itself in it
	// the referee's own; only foreign ones are told it
	RefereeEndpoint string   `json:"referee_endpoint,omitempty"`
	Scoring         *Scoring `json:"scoring,omitempty"` // nil: the protocol's
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
	RoleInMatch string   `json:"role_in_match" enum:"PLAYER_A|PLAYER_B"` // which seat it has
	Role        string   `json:"role" enum:"PLAYER_A|PLAYER_B"`          // the same again: some documents have this name
	PlayerID    string   `json:"player_id"`
	OpponentID  string   `json:"opponent_id"`
	Attempt     int      `json:"attempt"`  // of the match; an answer to another one is not taken
	Fairness    Fairness `json:"fairness"` // the promise of the draw, before anybody has chosen
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
	Context  ChooseContext `json:"context"`                     // what it may know: opponent, round, its own row
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
	MoveRequest MoveRequest `json:"move_request"` // what kind of move, which are legal, and what is seen
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

// A GameResult is the end of a match, seen from the match.
type GameResult struct {
	Status         string                     `json:"status" enum:"WIN|DRAW|TECHNICAL_LOSS"`
	WinnerPlayerID *string                    `json:"winner_player_id"`       // null: nobody
	DrawnNumber    Told[int]                  `json:"drawn_number,omitzero"`  // left out in games that draw none
	NumberParity   Told[string]               `json:"number_parity,omitzero"` // of that number
	Choices        map[string]json.RawMessage `json:"choices"`                // by player; null for one that made none
	Score          map[string]int             `json:"score,omitempty"`        // by player, in games that count
	Details        map[string]json.RawMessage `json:"details,omitempty"`      // what other games tell of their end
	Forfeits       map[string]string          `json:"forfeits,omitempty"`     // player id to error code
	Reason         string                     `json:"reason"`                 // one sentence for people
}

// GameOver tells a player how its match ended: nested from the match's side, flat from its own.
type GameOver struct {
	Envelope
	GameType       string          `json:"game_type"`
	PlayerID       string          `json:"player_id"`
	OpponentID     string          `json:"opponent_id"`
	GameResult     GameResult      `json:"game_result"`                                // the same for both players
	Result         string          `json:"result" enum:"WIN|LOSS|DRAW|TECHNICAL_LOSS"` // from this player's side
	Winner         *string         `json:"winner"`                                     // null: nobody
	DrawnNumber    Told[int]       `json:"drawn_number,omitzero"`
	YourChoice     json.RawMessage `json:"your_choice"`     // null: it made none that counts
	OpponentChoice json.RawMessage `json:"opponent_choice"` // null: likewise
	PointsEarned   int             `json:"points_earned"`   // by the league's scoring
	Attempt        int             `json:"attempt"`         // of the match
	// with the key now, from which everybody can draw again
	Fairness *Fairness `json:"fairness,omitempty"`
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
	AffectedPlayer      string         `json:"affected_player,omitempty"` // who forfeits if it comes to that
	ErrorCode           string         `json:"error_code"`                // such as E004
	ErrorName           string         `json:"error_name,omitempty"`      // the same in words of the specification
	ErrorDescription    string         `json:"error_description"`         // the name again
	Detail              string         `json:"detail,omitempty"`          // a sentence: what was wrong
	Suggestion          string         `json:"suggestion,omitempty"`      // what to do about it
	TimeoutSeconds      float64        `json:"timeout_seconds,omitempty"` // of a timeout: how long the answer was waited for
	GameState           string         `json:"game_state,omitempty"`
	ActionRequired      string         `json:"action_required,omitempty"`       // what the player should send next
	OriginalMessageType Type           `json:"original_message_type,omitempty"` // what the error is about
	Retryable           bool           `json:"retryable"`                       // whether it is asked again
	RetryCount          int            `json:"retry_count"`                     // how many tries have failed
	MaxRetries          int            `json:"max_retries"`                     // how many more than the first there are
	RetryInfo           *RetryInfo     `json:"retry_info,omitempty"`            // when the next one comes
	Consequence         string         `json:"consequence,omitempty"`           // what happens if no further answer is legal
	Attempt             int            `json:"attempt,omitempty"`
	Context             map[string]any `json:"context,omitempty"` // particulars, such as the legal choices
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
	Choices      map[string]json.RawMessage `json:"choices"` // by player, as they were sent
	Status       string                     `json:"status,omitempty"`
	Reason       string                     `json:"reason,omitempty"` // one sentence for people
	// by player, the code of the error that it forfeited by
	Forfeits map[string]string `json:"forfeits,omitempty"`
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
	Dialects     map[string]string `json:"dialects,omitempty"` // what was learned, by player id
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
	Moves    []PlayedMove             `json:"moves"`              // all, in their order; none can be changed afterwards
	Signed   map[string]SignedAnswers `json:"signed,omitempty"`   // what native players signed, by player
	Dialects map[string]string        `json:"dialects,omitempty"` // how players turned out to speak, by player
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
	What     string         `json:"what" enum:"MOVES|DRAW|FORFEIT|RESULT"` // which part of the end is wrong
	Detail   string         `json:"detail"`                                // one sentence for people
	Signed   *SignedAnswers `json:"signed,omitempty"`                      // what the player did answer
}

// What a player may protest against.
const (
	ProtestMoves   = "MOVES"   // a move that it did not make, or not that one
	ProtestDraw    = "DRAW"    // a key that is not the promised one
	ProtestForfeit = "FORFEIT" // a forfeit, although it answered
	ProtestResult  = "RESULT"  // a result that does not follow, or another one than it was told before
)
