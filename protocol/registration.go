package protocol

import (
	"errors"
	"fmt"
)

// An AgentMeta describes an agent that registers.
type AgentMeta struct {
	// the visible name; the manager may change it if it is taken
	DisplayName          string   `json:"display_name"`
	Version              string   `json:"version"`                          // of the agent, not of the protocol
	Build                string   `json:"build,omitempty"`                  // version and commit of a native agent's program
	ProtocolVersion      string   `json:"protocol_version,omitempty"`       // another major version is refused
	GameTypes            []string `json:"game_types"`                       // which games it can play or judge
	ContactEndpoint      string   `json:"contact_endpoint"`                 // where it is called; it has to answer there
	MaxConcurrentMatches int      `json:"max_concurrent_matches,omitempty"` // referees
	Native               bool     `json:"match_tokens,omitempty"`           // it can recompute the tokens of a match
	PublicKey            string   `json:"public_key,omitempty"`             // identifies a native agent
	AgreementKey         string   `json:"agreement_key,omitempty"`          // with which a native agent computes its token
	Nonce                string   `json:"nonce,omitempty"`                  // a player's share in the draw
	Dialect              string   `json:"dialect,omitempty"`                // the dialect that it asks for, if any
}

// RefereeRegisterRequest registers a referee in a league.
type RefereeRegisterRequest struct {
	Envelope
	Meta AgentMeta `json:"referee_meta"`
}

// LeagueRegisterRequest registers a player in a league.
type LeagueRegisterRequest struct {
	Envelope
	Meta AgentMeta `json:"player_meta"`
}

// The answers to a registration.
const (
	Accepted = "ACCEPTED"
	Rejected = "REJECTED"
)

// An Admission holds the common members of the answers to both kinds of registration. A refusal has a reason and an
// error, and nulls for the rest.
type Admission struct {
	Envelope
	Status      string  `json:"status" enum:"ACCEPTED|REJECTED"`
	AuthToken   *string `json:"auth_token"` // a third-party agent's ticket; to a native agent the MAC of the answer
	LeagueID    *string `json:"league_id"`
	Reason      *string `json:"reason"`                 // one sentence for people
	Native      bool    `json:"match_tokens,omitempty"` // the manager's referees show tokens that the agent can recompute
	Strict      bool    `json:"strict,omitempty"`       // the league is in grading mode
	Seal        string  `json:"seal,omitempty"`         // of the league: the hash of the first line of its log
	ReadmitCode string  `json:"readmit_code,omitempty"` // with which the organiser can let the agent in
	ErrorCode   string  `json:"error_code,omitempty"`
	ErrorName   string  `json:"error_name,omitempty"`
	Suggestion  string  `json:"suggestion,omitempty"`   // of a refusal: the remedy
	Code        int     `json:"code,omitempty"`         // the JSON-RPC code of that error
	DisplayName string  `json:"display_name,omitempty"` // of a refusal: the name that was asked for
	// Of a refusal by a full league: how many agents of the role it has, and may have.
	CurrentPlayers  int `json:"current_players,omitempty"`
	MaxPlayers      int `json:"max_players,omitempty"`
	CurrentReferees int `json:"current_referees,omitempty"`
	MaxReferees     int `json:"max_referees,omitempty"`
	// of a native agent that comes back when the league is over: the league in which the same agents play on
	NextLeagueID string `json:"next_league_id,omitempty"`
	// of a native agent that comes back when the league is over and no other follows: there is nothing left to play
	LeagueOver bool `json:"league_over,omitempty"`
}

func (a *Admission) putToken(token string) { a.AuthToken = &token }

// RefereeRegisterResponse answers REFEREE_REGISTER_REQUEST.
type RefereeRegisterResponse struct {
	Admission
	RefereeID *string `json:"referee_id"`
}

// LeagueRegisterResponse answers LEAGUE_REGISTER_REQUEST.
type LeagueRegisterResponse struct {
	Admission
	PlayerID *string `json:"player_id"`
}

// RegisterToLeague orders a referee to register with a manager.
type RegisterToLeague struct {
	Envelope
	LeagueEndpoint string `json:"league_endpoint,omitempty"`
}

// Welcome is the manager's challenge to the endpoint of an agent that registers.
type Welcome struct {
	Envelope
	Manager    string `json:"manager"`               // where the manager is reached
	Created    string `json:"created"`               // line 1 of the league's log; its SHA-256 is the seal
	ManagerKey string `json:"manager_key,omitempty"` // of a league that was upgraded: line 1 has none
	ID         string `json:"id"`                    // that is granted
	Epoch      int    `json:"epoch"`                 // of the agent's token
	Endpoint   string `json:"endpoint"`              // that the agent registered
	Nonce      string `json:"nonce"`
}

// WelcomeAck answers Welcome. It proves that the agent has the key it registered and has computed the token.
type WelcomeAck struct {
	Envelope
	Nonce     string `json:"nonce"`               // of the agent
	Signature string `json:"signature"`           // of the [Challenge]
	Confirm   string `json:"confirm"`             // see [Confirm]
	Organiser string `json:"organiser,omitempty"` // of a referee of the organiser: OrganiserMark of the signed text
}

// Identify asks the process at an endpoint to prove that it is a certain agent.
type Identify struct {
	Envelope
	Challenge string `json:"challenge"`
	Seal      string `json:"seal,omitempty"` // of the league in which it is that agent
}

// Identity answers Identify: the agent signs its endpoint and the challenge.
type Identity struct {
	Envelope
	Agent     string `json:"agent"` // its sender
	Signature string `json:"signature,omitempty"`
}

// A Grant is the outcome of an accepted registration.
type Grant struct {
	ID, Token, League string
	Seal              string // of the league, as a native agent was challenged; "": it was not
	Native            bool   // the manager is one of ours: its tokens can be recomputed
}

// Granted returns the referee's grant, or an error with the reason of the refusal. Some managers accept without an id;
// the grant then has the id own.
func (r *RefereeRegisterResponse) Granted(own string) (Grant, error) {
	return r.grant(r.RefereeID, own)
}

// Granted returns the player's grant, or an error with the reason of the refusal.
func (r *LeagueRegisterResponse) Granted(own string) (Grant, error) { return r.grant(r.PlayerID, own) }

// Later reports whether a refusal is temporary, so that the agent should retry: its endpoint did not answer the
// challenge, or too many agents registered at once.
func (a *Admission) Later() bool {
	return a.Status == Rejected && (a.ErrorCode == Connection.Code || a.ErrorCode == RateLimited.Code)
}

// Unreached reports whether the manager refused the agent because it could not, or may not, call the agent's endpoint.
func (a *Admission) Unreached() bool {
	return a.Status == Rejected && (a.ErrorCode == Connection.Code || a.ErrorCode == EndpointNotAllowed.Code)
}

// A LaterError is a registration that the manager did not accept yet, and that is repeated.
type LaterError struct{ Reason string }

func (e *LaterError) Error() string { return e.Reason }

// grant returns the outcome of a registration. own is the id that the applicant uses for itself: third-party managers
// that accept without an id mean that one, our managers always send one.
func (a *Admission) grant(id *string, own string) (Grant, error) {
	if a.Status != Accepted {
		return Grant{}, fmt.Errorf("the manager refused the registration: %s", orElse(a.Reason, "it gave no reason"))
	}
	if (id == nil || *id == "") && own != "" && !a.Native {
		id = &own
	}
	if id == nil || *id == "" {
		return Grant{}, errors.New("the manager accepted the registration without giving an id")
	}
	return Grant{ID: *id, Token: orElse(a.AuthToken, ""), League: orElse(a.LeagueID, ""), Native: a.Native}, nil
}

// orElse returns a text that may be null, or the alternative.
func orElse(s *string, otherwise string) string {
	if s == nil {
		return otherwise
	}
	return *s
}
