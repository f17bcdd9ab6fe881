package league

import (
	"encoding/json"
	"iter"
	"slices"
	"strconv"

	"agentleague/format"
	"agentleague/protocol"
)

// An Event is a fact about a league in its log. It is immutable. The state of a league is derived from its events
// alone.
type Event interface{ event() }

// Schemas of the log. From schema 2 on a native agent agrees on its token with the manager; the manager's agreement key
// is part of the log. In schema 3 the log has the pairings of each round. A league with a round robin that is fixed at
// the start has schema 2, so that older programs read it.
const (
	Schema       = 2
	FormatSchema = 3 // the newest one that this program reads
)

// Created is the first event of a league: its rules, and the commitment to its draws.
type Created struct {
	Schema      int    `json:"schema"` // of the log; a newer one is refused
	LeagueID    string `json:"league_id"`
	GameType    string `json:"game_type"`
	RulesSHA256 string `json:"rules_sha256,omitempty"` // of rules that are a file, a copy of which is beside the log
	// SeatMatters means that the schedule gives each player the first seat equally often.
	SeatMatters bool `json:"seat_matters,omitempty"`
	Cycles      int  `json:"cycles"`           // how often each pair meets
	Rounds      int  `json:"rounds,omitempty"` // play no more than these; 0: all
	// PairedDraws means that every second cycle repeats the random draws of the cycle before it, with swapped seats.
	PairedDraws bool             `json:"paired_draws,omitempty"`
	Scoring     protocol.Scoring `json:"scoring"`
	Tiebreakers []string         `json:"tiebreakers"` // in the order in which they decide
	// MaxForfeits is the number of consecutive forfeits after which a player is excluded; 0 means never.
	MaxForfeits int `json:"max_consecutive_forfeits"`
	// GuestsMayJudge means that guest referees may judge: in this game they cannot profit from information that they
	// get during a match.
	GuestsMayJudge bool   `json:"guests_may_judge,omitempty"`
	DrawCommitment string `json:"draw_commitment"`       // the hash of the secret, which is revealed at the end
	By             string `json:"by,omitempty"`          // the user that asked for the league
	ManagerKey     string `json:"manager_key,omitempty"` // agreement key of the manager; schema 1 has none
	Version        string `json:"version,omitempty"`     // of the program that created the league
	Commit         string `json:"commit,omitempty"`      // that it was built from
	// SwapsLaterRounds means that the players of each match swap seats in all rounds but the first.
	SwapsLaterRounds bool `json:"swaps_later_rounds,omitempty"`
	// Schedule holds the settings of the pairings from schema 3 on. Cycles and Rounds are used only by the fixed round
	// robin of older schemas.
	Schedule *format.Settings `json:"schedule,omitempty"`
}

// Upgraded continues a league of an older schema under a newer one. Older programs then reject the log. After an
// upgrade from schema 1 native agents must register again. Schema 3 ends a fixed round robin: its opened rounds stay,
// and later rounds are paired one by one.
type Upgraded struct {
	Schema     int              `json:"schema"`
	ManagerKey string           `json:"manager_key"`
	Version    string           `json:"version,omitempty"`
	Commit     string           `json:"commit,omitempty"`
	Schedule   *format.Settings `json:"schedule,omitempty"` // the rules of the pairings; of schema 3
}

// Epoch records that a manager took over the log. Its number is a fencing token: later writes by earlier managers fail.
type Epoch struct {
	Holder  string `json:"holder"`
	Version string `json:"version,omitempty"` // of the manager; logs of earlier versions do not have it
}

// Registered is a first or repeated registration of an agent.
type Registered struct {
	Role        protocol.Role `json:"role"`
	ID          string        `json:"id"`
	CallsItself string        `json:"calls_itself,omitempty"` // another id that it has for itself
	Name        string        `json:"name"`                   // the name in the league, which may differ from the requested one
	Endpoint    string        `json:"endpoint"`               // as it gave it
	Dialect     string        `json:"dialect,omitempty"`      // how it wants to be spoken to
	Version     string        `json:"version,omitempty"`
	Build       string        `json:"build,omitempty"` // version and commit of a native agent's program
	GameTypes   []string      `json:"game_types,omitempty"`
	Capacity    int           `json:"capacity,omitempty"` // how many matches a referee takes at a time
	Place       string        `json:"place,omitempty"`    // of its endpoint: the address, the port and the path
	Key         string        `json:"key,omitempty"`      // the public key of a native agent; "": it is foreign
	// AgreementKey is the public key from which a native agent and the manager derive the agent's token. It never
	// changes for the same Key. Logs of schema 1 have none.
	AgreementKey string    `json:"agreement_key,omitempty"`
	Welcome      *Welcomed `json:"welcome,omitempty"`    // how a native agent showed that it has the key
	Organiser    bool      `json:"organiser,omitempty"`  // of a referee: it showed the data directory's referee secret
	Invitation   string    `json:"invitation,omitempty"` // the name that it was invited by
	Nonce        string    `json:"nonce,omitempty"`      // of its application: the same one again is a repetition
	Generation   int       `json:"generation"`           // epoch of its token: 1, plus 1 for each Readmitted with a Place
	By           string    `json:"by,omitempty"`         // the party that brought it, if the agent did not apply directly

	// MatchTokens and Conversation occur only in logs of versions without agent keys. They are never written.
	MatchTokens  bool   `json:"match_tokens,omitempty"` // an agent of this program
	Conversation string `json:"conversation,omitempty"` // of the request
}

// Native reports whether the agent is identified by a key. A native agent stays native.
func (r Registered) Native() bool { return r.Key != "" }

// HasMailbox reports whether the agent fetches its messages from a mailbox of the manager, because it cannot be called.
func (r Registered) HasMailbox() bool {
	_, yes := protocol.MailboxID(r.Endpoint)
	return yes
}

// Hosted reports whether the agent and its private key are in the manager's process: the host in its endpoint is that
// of the manager address that the agent signed.
func (r Registered) Hosted() bool {
	return r.Native() && r.Welcome != nil && origin(r.Endpoint) == origin(r.Welcome.Manager)
}

// Keyless reports whether a version without agent keys wrote the registration.
func (r Registered) Keyless() bool { return r.MatchTokens || r.Conversation != "" }

// Ours reports whether the agent is this program, of any version. Such agents register automatically, and such referees
// derive their draws from the league's secret.
func (r Registered) Ours() bool { return r.Native() || r.MatchTokens }

// Welcomed is the signature with which a native agent confirmed its id and endpoint, see [protocol.Challenge].
type Welcomed struct {
	Manager     string `json:"manager"`
	Challenge   string `json:"challenge,omitempty"` // nonce of the manager; schema 1 has none
	Nonce       string `json:"nonce"`               // of the agent
	TokenSHA256 string `json:"token_sha256,omitempty"`
	Signature   string `json:"signature"` // over all of these, with the agent's key
}

// Found records that a native agent proved with its signature that it answers there.
type Found struct {
	ID        string `json:"id"`
	Challenge string `json:"challenge"`
	Signature string `json:"signature"` // of [protocol.IdentityText]
}

// Invited reserves a name for the holder of the join key of that name.
type Invited struct {
	Role protocol.Role `json:"role"`
	Name string        `json:"name"`
	By   string        `json:"by,omitempty"`
}

// Readmitted readmits an excluded agent. If Place is set, it instead lets an applicant replace the agent under its id,
// and earlier tokens of that id become invalid: the applicant with public key Key at any address, or without a Key the
// one at address Place.
type Readmitted struct {
	ID    string `json:"id"`
	Key   string `json:"key,omitempty"`   // of the applicant; "": it has no key, or Place is not set
	Place string `json:"place,omitempty"` // of the applicant; "": the agent itself returns
	By    string `json:"by,omitempty"`    // the user that ordered it
}

// Renamed gives an agent another name, by order of the organizer. Later registrations of the agent do not change it.
type Renamed struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	By   string `json:"by,omitempty"`
}

// mergedEvent records that two third-party agents are one. The agent Kept remains, Gone leaves the league. If Kept
// moves to the endpoint of Gone, a registration with that endpoint follows in the log.
type mergedEvent struct {
	Kept string `json:"kept"`
	Gone string `json:"gone"`
	By   string `json:"by,omitempty"`
}

// AgentState records that an agent became active, suspended or excluded.
type AgentState struct {
	ID    string `json:"id"`
	State string `json:"state"`
	Why   string `json:"why,omitempty"`
}

// DialectLearned records the dialect that was detected in calls to an agent.
type DialectLearned struct {
	ID      string `json:"id"`
	Dialect string `json:"dialect"`
}

// StartOrdered is the admin's order to start without waiting for more agents.
type StartOrdered struct {
	By string `json:"by,omitempty"`
}

// Started fixes the initial players. The schedule of a fixed round robin follows from their order.
type Started struct {
	Players []string       `json:"players"`
	Seeds   []string       `json:"seeds,omitempty"`   // the players in the order of their seeds, if that is another
	Ratings map[string]int `json:"ratings,omitempty"` // of the players before the league, if the seeds depend on them
	// Deviations are those of Ratings that a ladder continues with.
	Deviations map[string]int `json:"deviations,omitempty"`
}

// RoundPaired has the pairings of the next round, in a league of schema 3.
type RoundPaired struct {
	Round   int               `json:"round"`
	Pairs   []Pairing         `json:"pairs"`
	Byes    []string          `json:"byes,omitempty"`
	Resting []string          `json:"resting,omitempty"`
	Stage   int               `json:"stage,omitempty"`
	Leg     int               `json:"leg,omitempty"`
	OfLegs  int               `json:"of_legs,omitempty"`
	Ratings map[string][2]int `json:"ratings,omitempty"` // rating and deviation of each player, if the pairs depend on them
}

// players yields all players that the event names.
func (e RoundPaired) players() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, p := range e.Pairs {
			if !yield(p.A) || !yield(p.B) {
				return
			}
		}
		for _, id := range slices.Concat(e.Byes, e.Resting) {
			if !yield(id) {
				return
			}
		}
	}
}

// playerJoined records that a registered player joins the running league.
type playerJoined struct {
	ID        string `json:"id"`
	From      int    `json:"from"`             // its first round
	Missed    int    `json:"missed,omitempty"` // points for the rounds before
	Rating    int    `json:"rating,omitempty"` // with which a ladder continues, and its deviation
	Deviation int    `json:"deviation,omitempty"`
}

// playerRested records that a player pauses for the next Rounds rounds, or with 0 that its pause ends.
type playerRested struct {
	ID     string `json:"id"`
	Rounds int    `json:"rounds"`
	By     string `json:"by,omitempty"`
}

// RoundOpened records that the matches of a round may be played.
type RoundOpened struct {
	Round int `json:"round"`
}

// MatchAssigned assigns a match to a referee. A further attempt replaces the previous one.
type MatchAssigned struct {
	Match   string `json:"match"`
	Referee string `json:"referee"`
	Attempt int    `json:"attempt"`
}

// ResultRecorded records the result of a match. One result of a match counts, unless it is annulled.
type ResultRecorded struct {
	Match        string  `json:"match"`
	Attempt      int     `json:"attempt"`           // 0: it was never played
	Referee      string  `json:"referee,omitempty"` // "": the manager itself, of a match that was not played
	Result       Result  `json:"result"`
	DrawKey      string  `json:"draw_key,omitempty"`      // anyone can replay the draw from it
	RecordSHA256 string  `json:"record_sha256,omitempty"` // the required hash of the record, which may come later
	Moves        []Moved `json:"moves,omitempty"`         // those that count, in their order
	// Signed holds the signed answers of native players, by their ids.
	Signed map[string]protocol.SignedAnswers `json:"signed,omitempty"`
	// Timing holds the response time of each player, without the referee's own delay.
	Timing map[string]protocol.Timing `json:"timing,omitempty"`
	// Usage is the language model usage that players report for their moves.
	Usage map[string]protocol.Usage `json:"usage,omitempty"`
	Note  string                    `json:"note,omitempty"` // an unusual trait of a third-party referee's report

	spared bool // the choices are not in the result, since they follow from the moves: see [ResultRecorded.Choices]
}

// Choices returns the choices of the players by id. In a state of [NewSummaryState] Result.Choices may be empty; Choices then
// derives them from the moves.
func (r *ResultRecorded) Choices() map[string]json.RawMessage {
	if !r.spared {
		return r.Result.Choices
	}
	out := make(map[string]json.RawMessage, len(r.Moves))
	for _, m := range r.Moves {
		out[m.PlayerID] = m.Move
	}
	return out
}

// Moved is one move of a match in a recorded result.
type Moved = protocol.PlayedMove

// Contested records that an agent contests a recorded match: one of its players, or another referee that was assigned
// to it.
type Contested struct {
	Match   string `json:"match"`
	Attempt int    `json:"attempt"`
	By      string `json:"by"`   // a sender
	What    string `json:"what"` // one of the protests of the protocol
	Detail  string `json:"detail,omitempty"`
}

// Annulled removes the result of a match. The match is played again, with another draw key.
type Annulled struct {
	Match string `json:"match"`
	Why   string `json:"why,omitempty"`
	By    string `json:"by,omitempty"`
}

// RoundClosed records that all results of a round are in the log.
type RoundClosed struct {
	Round int `json:"round"`
}

// Announced records that a broadcast, or an order to a third-party referee, was sent, so that it is not repeated after
// a restart.
type Announced struct {
	What  string `json:"what"`
	Round int    `json:"round,omitempty"`
}

// Paused records an order that no further match may start.
type Paused struct {
	By string `json:"by,omitempty"`
}

// Resumed records an order that ends a pause or a drain.
type Resumed struct {
	By string `json:"by,omitempty"`
}

// Drained records that no further match may start until an operator resumes the league or a manager opens it again.
type Drained struct {
	By string `json:"by,omitempty"`
}

// Withdrawn records that a player has left the league.
type Withdrawn struct {
	ID string `json:"id"`
	By string `json:"by,omitempty"`
}

// Completed ends the league and reveals its draw secret.
type Completed struct {
	DrawSecret string `json:"draw_secret"`
}

// Cancelled ends the league before its last match, by order of the organizer, and reveals its draw secret. Recorded
// results stand; the other matches are not played, and the league has no champion.
type Cancelled struct {
	DrawSecret string `json:"draw_secret"`
	By         string `json:"by,omitempty"`
}

func (Created) event()        {}
func (Epoch) event()          {}
func (Upgraded) event()       {}
func (Found) event()          {}
func (Invited) event()        {}
func (Readmitted) event()     {}
func (Renamed) event()        {}
func (mergedEvent) event()    {}
func (Contested) event()      {}
func (Annulled) event()       {}
func (Registered) event()     {}
func (AgentState) event()     {}
func (DialectLearned) event() {}
func (StartOrdered) event()   {}
func (Started) event()        {}
func (RoundPaired) event()    {}
func (playerJoined) event()   {}
func (playerRested) event()   {}
func (calendarSet) event()    {}
func (RoundOpened) event()    {}
func (MatchAssigned) event()  {}
func (ResultRecorded) event() {}
func (RoundClosed) event()    {}
func (Announced) event()      {}
func (Paused) event()         {}
func (Resumed) event()        {}
func (Drained) event()        {}
func (Withdrawn) event()      {}
func (Completed) event()      {}
func (Cancelled) event()      {}

// Key returns the map key of an attempt, such as R1M2#1.
func (a MatchAssigned) Key() string { return a.Match + "#" + strconv.Itoa(a.Attempt) }

// says reports whether the recorded result equals other.
func (r *ResultRecorded) says(other Result) bool {
	recorded := r.Result
	recorded.Choices = r.Choices()
	return recorded.same(other)
}
