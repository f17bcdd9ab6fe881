package protocol

import (
	"errors"
	"fmt"
)

// A Kind is one row of the protocol's error table.
type Kind struct {
	Code      string // E012
	Name      string // AUTH_TOKEN_INVALID
	Retryable bool
	numeric   map[family]int // by the family of the request; 0: any other
}

// JSON-RPC's own numeric errors.
const (
	ParseError     = -32700
	InvalidRequest = -32600
	MethodNotFound = -32601
	InvalidParams  = -32602
	InternalError  = -32603
)

func one(code int) map[family]int { return map[family]int{anyFamily: code} }

var auth = map[family]int{anyFamily: 6001, coordination: 3001, play: 4001, report: 5001, query: 6001}

// The error table.
var (
	Internal            = &Kind{"E000", "INTERNAL_ERROR", false, one(InternalError)}
	Timeout             = &Kind{"E001", "TIMEOUT_ERROR", true, one(-1)}
	InvalidMessage      = &Kind{"E002", "INVALID_MESSAGE", false, one(InvalidParams)}
	MissingField        = &Kind{"E003", "MISSING_REQUIRED_FIELD", false, one(InvalidParams)}
	InvalidChoice       = &Kind{"E004", "INVALID_PARITY_CHOICE", true, one(4004)}
	PlayerNotRegistered = &Kind{
		"E005", "PLAYER_NOT_REGISTERED", false, map[family]int{anyFamily: 4002, coordination: 3002, query: 3002},
	}
	MatchNotFound  = &Kind{"E006", "MATCH_NOT_FOUND", false, map[family]int{anyFamily: 4003, report: 5002}}
	OutOfTurn      = &Kind{"E007", "OUT_OF_TURN", false, one(4005)}
	DeadlinePassed = &Kind{"E008", "DEADLINE_PASSED", false, one(-1)}
	Connection     = &Kind{
		"E009", "CONNECTION_ERROR", true, map[family]int{anyFamily: 2003, refereeRegistration: 1002},
	}
	RateLimited          = &Kind{"E010", "RATE_LIMITED", true, one(4290)}
	AuthTokenMissing     = &Kind{"E011", "AUTH_TOKEN_MISSING", false, auth}
	AuthTokenInvalid     = &Kind{"E012", "AUTH_TOKEN_INVALID", false, auth}
	RefereeNotRegistered = &Kind{"E013", "REFEREE_NOT_REGISTERED", false, one(5001)}
	VersionMismatch      = &Kind{"E018", "PROTOCOL_VERSION_MISMATCH", false, one(InvalidParams)}
	RegistrationClosed   = &Kind{
		"E019", "REGISTRATION_CLOSED", false, map[family]int{anyFamily: 2001, refereeRegistration: 1001},
	}
	LeagueFull       = &Kind{"E020", "LEAGUE_FULL", false, map[family]int{anyFamily: 2001, refereeRegistration: 1001}}
	InvalidTimestamp = &Kind{"E021", "INVALID_TIMESTAMP", false, one(InvalidParams)}
	DuplicateName    = &Kind{"E022", "DUPLICATE_NAME", false, one(2002)}
	UnsupportedGame  = &Kind{
		"E023", "UNSUPPORTED_GAME_TYPE", false, map[family]int{anyFamily: 2004, refereeRegistration: 1003},
	}
	EndpointNotAllowed = &Kind{
		"E024", "ENDPOINT_NOT_ALLOWED", false, map[family]int{anyFamily: 2003, refereeRegistration: 1002},
	}
	DuplicateReport       = &Kind{"E025", "DUPLICATE_REPORT", false, one(5003)}
	UnknownQuery          = &Kind{"E026", "UNKNOWN_QUERY", false, one(6002)}
	UnknownLeague         = &Kind{"E026", "UNKNOWN_LEAGUE", false, one(6003)}
	LeagueNotStarted      = &Kind{"E030", "LEAGUE_NOT_STARTED", false, one(4005)}
	LeagueAlreadyComplete = &Kind{"E031", "LEAGUE_ALREADY_COMPLETE", false, one(4005)}
)

// Kinds is the whole error table in the order of its codes.
var Kinds = []*Kind{
	Internal, Timeout, InvalidMessage, MissingField, InvalidChoice, PlayerNotRegistered, MatchNotFound,
	OutOfTurn, DeadlinePassed, Connection, RateLimited, AuthTokenMissing, AuthTokenInvalid, RefereeNotRegistered,
	VersionMismatch, RegistrationClosed, LeagueFull, InvalidTimestamp, DuplicateName, UnsupportedGame,
	EndpointNotAllowed, DuplicateReport, UnknownQuery, UnknownLeague, LeagueNotStarted, LeagueAlreadyComplete,
}

// KindNamed returns the row with that name, or with what another document
// calls it. From a foreign agent the name is to be trusted, never the number.
func KindNamed(name string) (*Kind, bool) {
	for _, k := range Kinds {
		if k.Name == name {
			return k, true
		}
	}
	k, ok := otherNames[name]
	return k, ok
}

// otherNames are what other documents call errors of our table.
var otherNames = map[string]*Kind{
	"PROTOCOL_MISMATCH":        VersionMismatch,
	"INVALID_PROTOCOL_VERSION": VersionMismatch,
	"INVALID_FIELD_TYPE":       InvalidMessage,
	"INVALID_MOVE":             InvalidChoice,
	"INVALID_STATE":            OutOfTurn,
	"PLAYER_DISCONNECT":        Connection,
}

// An Error is a failure that crosses the wire.
type Error struct {
	Kind    *Kind
	Detail  string         // a sentence for the person who reads it
	Context map[string]any // what else helps to find the cause
	Passing bool           // it is about the moment: the same request may succeed later
}

// Errorf returns an error of kind k with a detail for its reader.
func Errorf(k *Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Detail: fmt.Sprintf(format, args...)}
}

// Pass says of an error that it passes, and returns it.
func (e *Error) Pass() *Error {
	e.Passing = true
	return e
}

// Retryable reports whether the same request may succeed later.
func (e *Error) Retryable() bool { return e.Passing || e.Kind.Retryable }

// With adds a fact to the error's context and returns the error.
func (e *Error) With(key string, value any) *Error {
	if e.Context == nil {
		e.Context = map[string]any{}
	}
	e.Context[key] = value
	return e
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %s: %s", e.Kind.Code, e.Kind.Name, e.Detail)
}

// Is reports whether err has the kind k.
func Is(err error, k *Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == k
}

// AsError returns err as an error of the protocol; what is not one is an internal error.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: Internal, Detail: "the agent failed; its log says why"}
}
