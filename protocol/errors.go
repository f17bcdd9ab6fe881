package protocol

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Kind is one row of the protocol's error table.
type Kind struct {
	Code      string // E012
	Name      string // AUTH_TOKEN_INVALID
	Retryable bool
	numeric   map[family]int // by the family of the request; 0: any other

	Meaning    string // the problem, in words; the default detail of an error
	Suggestion string // the remedy
}

// The error codes that JSON-RPC itself defines.
const (
	ParseError     = -32700
	InvalidRequest = -32600
	MethodNotFound = -32601
	InvalidParams  = -32602
	InternalError  = -32603
)

func one(code int) map[family]int { return map[family]int{anyFamily: code} }

// auth is the JSON-RPC code of a refused token in each family of messages.
var auth = map[family]int{anyFamily: 6001, coordination: 3001, play: 4001, report: 5001, query: 6001}

// Kinds lists the error table in the order of its codes. Each declaration of a row appends itself.
var Kinds []*Kind

// newKind adds a row to the error table and returns the row.
func newKind(code, name string, retryable bool, numeric map[family]int, meaning, suggestion string) *Kind {
	k := &Kind{code, name, retryable, numeric, meaning, suggestion}
	Kinds = append(Kinds, k)
	return k
}

// The error table. A new error needs a row here and one in doc/protocol-spec.md. Package web has longer advice for some.
var (
	Internal = newKind(
		"E000", "INTERNAL_ERROR", false, one(InternalError),
		"the agent failed; its log says why",
		"Try again later, or ask whoever runs the agent",
	)
	Timeout = newKind(
		"E001", "TIMEOUT_ERROR", true, one(-1),
		"no answer came within the deadline",
		"Answer before the deadline in the message",
	)
	InvalidMessage = newKind(
		"E002", "INVALID_MESSAGE", false, one(InvalidParams),
		"the message cannot be understood: a field is of the wrong type or has a wrong value",
		"Correct the field that is named",
	)
	MissingField = newKind(
		"E003", "MISSING_REQUIRED_FIELD", false, one(InvalidParams),
		"a field that this message needs is missing",
		"Add the field that is named",
	)
	InvalidChoice = newKind(
		"E004", "INVALID_PARITY_CHOICE", true, one(4004),
		"this is not a legal move",
		"Answer with one of the options that were offered, spelled the same",
	)
	InvalidMove = newKind(
		"E004", "INVALID_MOVE", true, one(4004),
		InvalidChoice.Meaning, InvalidChoice.Suggestion,
	)
	PlayerNotRegistered = newKind(
		"E005", "PLAYER_NOT_REGISTERED", false, map[family]int{anyFamily: 4002, coordination: 3002, query: 3002},
		"no such player has registered",
		"Register first, and use the player_id from the answer",
	)
	MatchNotFound = newKind(
		"E006", "MATCH_NOT_FOUND", false, map[family]int{anyFamily: 4003, report: 5002},
		"there is no such match, or it is not yours",
		"Use a match_id that you were given",
	)
	OutOfTurn = newKind(
		"E007", "OUT_OF_TURN", false, one(4005),
		"this cannot be done now",
		"Wait until you are asked",
	)
	DeadlinePassed = newKind(
		"E008", "DEADLINE_PASSED", false, one(-1),
		"the answer came after its deadline and does not count",
		"Answer before the deadline in the message",
	)
	Connection = newKind(
		"E009", "CONNECTION_ERROR", true, map[family]int{anyFamily: 2003, refereeRegistration: 1002},
		"the agent could not be reached, or answered with an error",
		"Check that the agent runs and answers at its contact_endpoint",
	)
	RateLimited = newKind(
		"E010", "RATE_LIMITED", true, one(4290),
		"too many requests came in a second",
		"Wait a second and try again",
	)
	AuthTokenMissing = newKind(
		"E011", "AUTH_TOKEN_MISSING", false, auth,
		"auth_token is missing",
		"Send the auth_token that you were given",
	)
	AuthTokenInvalid = newKind(
		"E012", "AUTH_TOKEN_INVALID", false, auth,
		"auth_token is wrong or has expired",
		"Send the auth_token that you were given, or register again",
	)
	RefereeNotRegistered = newKind(
		"E013", "REFEREE_NOT_REGISTERED", false, one(5001),
		"no such referee has registered",
		"Register first with register_referee, and use the referee_id from the answer",
	)
	VersionMismatch = newKind(
		"E018", "PROTOCOL_VERSION_MISMATCH", false, one(InvalidParams),
		"this version of the protocol is not supported",
		"Use league.v2, protocol_version 2.0.0 or later",
	)
	RegistrationClosed = newKind(
		"E019", "REGISTRATION_CLOSED", false, map[family]int{anyFamily: 2001, refereeRegistration: 1001},
		"registration is closed",
		"Register before the league starts",
	)
	LeagueFull = newKind(
		"E020", "LEAGUE_FULL", false, map[family]int{anyFamily: 2001, refereeRegistration: 1001},
		"the league is full",
		"Ask the organiser for a place in another league",
	)
	InvalidTimestamp = newKind(
		"E021", "INVALID_TIMESTAMP", false, one(InvalidParams),
		"the timestamp is not a time in UTC",
		"Write it like 2025-01-15T10:15:00Z",
	)
	DuplicateName = newKind(
		"E022", "DUPLICATE_NAME", false, one(2002),
		"another agent has this name or this place",
		"Choose a different display_name",
	)
	UnsupportedGame = newKind(
		"E023", "UNSUPPORTED_GAME_TYPE", false, map[family]int{anyFamily: 2004, refereeRegistration: 1003},
		"this game is not played here",
		"Register with one of the league's games",
	)
	EndpointNotAllowed = newKind(
		"E024", "ENDPOINT_NOT_ALLOWED", false, map[family]int{anyFamily: 2003, refereeRegistration: 1002},
		"this endpoint may not be called",
		"Register an address that this league may call",
	)
	DuplicateReport = newKind(
		"E025", "DUPLICATE_REPORT", false, one(5003),
		"the match has been recorded with another result",
		"Report a match once; the first report counts",
	)
	UnknownQuery = newKind(
		"E026", "UNKNOWN_QUERY", false, one(6002),
		"there is no such query",
		"Use "+agentQueriesText(),
	)
	UnknownLeague = newKind(
		"E026", "UNKNOWN_LEAGUE", false, one(6003),
		"there is no such league here",
		"Use the league_id from your registration",
	)
	LeagueNotStarted = newKind(
		"E030", "LEAGUE_NOT_STARTED", false, one(4005),
		"the league has not started",
		"Wait for the first ROUND_ANNOUNCEMENT",
	)
	LeagueAlreadyComplete = newKind(
		"E031", "LEAGUE_ALREADY_COMPLETE", false, one(4005),
		"the league is over",
		"Nothing more can be changed; start another league",
	)
)

// KindNamed returns the row with that name, including names from other documents. For third-party agents only names are
// reliable, numbers are not.
func KindNamed(name string) (*Kind, bool) {
	for _, k := range Kinds {
		if k.Name == name {
			return k, true
		}
	}
	k, ok := otherNames[name]
	return k, ok
}

// KindIn returns the row with that name or code. One code has two rows, and the
// game decides: an illegal choice in Even/Odd, or an illegal move in any other game.
func KindIn(gameType, nameOrCode string) (*Kind, bool) {
	if nameOrCode == InvalidMove.Code && gameType != EvenOdd {
		return InvalidMove, true
	}
	if k, ok := KindNamed(nameOrCode); ok {
		return k, true
	}
	i := slices.IndexFunc(Kinds, func(k *Kind) bool { return k.Code == nameOrCode })
	if i < 0 {
		return nil, false
	}
	return Kinds[i], true
}

// otherNames maps error names of other documents to our errors.
var otherNames = map[string]*Kind{
	"PROTOCOL_MISMATCH":        VersionMismatch,
	"INVALID_PROTOCOL_VERSION": VersionMismatch,
	"INVALID_FIELD_TYPE":       InvalidMessage,
	"INVALID_STATE":            OutOfTurn,
	"PLAYER_DISCONNECT":        Connection,
}

// An Error is a failure as messages transmit it: a row of the error table, with details.
type Error struct {
	Kind    *Kind
	Detail  string         // a sentence for people
	Context map[string]any // further facts about the cause
	Passing bool           // it is about the moment: the same request may succeed later
	Waited  time.Duration  // of a timeout: how long the answer was waited for
	Advice  string         // the remedy; "": that of its kind
}

// Errorf returns an error of kind k with a formatted detail.
func Errorf(k *Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Detail: fmt.Sprintf(format, args...)}
}

// Pass marks an error as temporary and returns it. Clients may retry the request.
func (e *Error) Pass() *Error {
	e.Passing = true
	return e
}

// Retryable reports whether the same request may succeed later.
func (e *Error) Retryable() bool { return e.Passing || e.Kind.Retryable }

// With adds a value to the error's context and returns the error.
func (e *Error) With(key string, value any) *Error {
	if e.Context == nil {
		e.Context = map[string]any{}
	}
	e.Context[key] = value
	return e
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %s: %s", e.Kind.Code, e.Kind.Name, e.Sentence())
}

// Sentence returns the description of the problem for a person.
func (e *Error) Sentence() string { return cmp.Or(e.Detail, e.Kind.Meaning, e.Kind.Name) }

// Suggestion returns the description of the remedy for a person.
func (e *Error) Suggestion() string { return cmp.Or(e.Advice, e.Kind.Suggestion) }

// Suggest sets the suggested remedy of an error and returns the error.
func (e *Error) Suggest(advice string) *Error {
	e.Advice = advice
	return e
}

// Illegal reports whether the error is about a move that violates the rules: the
// choice of a parity, or a move in another game.
func (k *Kind) Illegal() bool { return k.Code == InvalidChoice.Code }

// AboutPlayer returns the error's sentence in the third person, for readers other than the player concerned.
func (e *Error) AboutPlayer(id string) string {
	return strings.Replace(e.Sentence(), YourAgent, "the agent of "+id, 1)
}

// YourAgent is the name of the addressed agent in a sentence that is sent to it.
const YourAgent = "your agent"

// Is reports whether err has the kind k.
func Is(err error, k *Kind) bool {
	if err == nil { // as nearly always, and then e is no object
		return false
	}
	var e *Error
	return errors.As(err, &e) && e.Kind == k
}

// AsError returns err as a protocol error. Any other error becomes an internal error.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: Internal, Detail: Internal.Meaning}
}

// sentence returns the first non-empty text of: detail, the value of "detail" in about, and names.
func sentence(detail string, about map[string]any, names ...string) string {
	inContext, _ := about["detail"].(string)
	return cmp.Or(detail, inContext, cmp.Or(names...))
}

// Seconds formats a duration for a sentence: "30 seconds", "1 second", "0.5 seconds".
func Seconds(d time.Duration) string {
	if d == time.Second {
		return "1 second"
	}
	return strconv.FormatFloat(d.Seconds(), 'g', -1, 64) + " seconds"
}
