package protocol

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// The states of a league, and of an agent in it.
const (
	WaitingForRegistrations = "WAITING_FOR_REGISTRATIONS"
	CreatingSchedule        = "CREATING_SCHEDULE"
	RunningLeague           = "RUNNING_LEAGUE"
	LeagueIsCompleted       = "LEAGUE_COMPLETED"
	LeagueIsCancelled       = "LEAGUE_CANCELLED"

	AgentInit       = "INIT"
	AgentRegistered = "REGISTERED"
	AgentActive     = "ACTIVE"
	AgentSuspended  = "SUSPENDED"
	AgentShutdown   = "SHUTDOWN"
)

// IsOver reports whether a state of a league is final.
func IsOver(state string) bool { return state == LeagueIsCompleted || state == LeagueIsCancelled }

// An AnnouncedMatch is a match as a round's announcement lists it.
type AnnouncedMatch struct {
	MatchID         string `json:"match_id"`
	GameType        string `json:"game_type"`
	PlayerAID       string `json:"player_A_id"`
	PlayerBID       string `json:"player_B_id"`
	RefereeID       string `json:"referee_id"`                  // the only referee that may judge it
	RefereeEndpoint string `json:"referee_endpoint"`            // where this referee is
	PlayerAEndpoint string `json:"player_A_endpoint,omitempty"` // only from third-party managers to referees
	// of third-party managers, which order a match by announcing it
	PlayerBEndpoint string `json:"player_B_endpoint,omitempty"`
	Attempt         int    `json:"attempt"`      // a later announcement of the match has a higher one
	Native          bool   `json:"match_tokens"` // the referee shows a token that the player can recompute
}

// RoundAnnouncement opens a round.
type RoundAnnouncement struct {
	Envelope
	Matches   []AnnouncedMatch `json:"matches"`
	Byes      []string         `json:"byes"`
	Total     int              `json:"total,omitempty"`     // how many matches the round has
	Truncated bool             `json:"truncated,omitempty"` // not all of them are listed
	Seal      string           `json:"seal,omitempty"`      // of the league
	LogHead   string           `json:"head,omitempty"`      // the newest: the hash of a line of the league's log
	Format    string           `json:"format,omitempty"`    // of a league that pairs round by round, such as swiss/1
	Stage     int              `json:"stage,omitempty"`     // the pairing or the bracket's stage, from 1, where rounds are legs
	Leg       int              `json:"leg,omitempty"`       // of the stage, from 1
	OfLegs    int              `json:"of_legs,omitempty"`   // the legs of the stage
}

// A Standing is one row of the table.
type Standing struct {
	// from 1; those that nothing separates have different ones all the same, see Ranks
	Rank            int    `json:"rank"`
	PlayerID        string `json:"player_id"`
	DisplayName     string `json:"display_name"`
	Played          int    `json:"played"` // technical losses and wins by them included
	Wins            int    `json:"wins"`
	Draws           int    `json:"draws"`
	Losses          int    `json:"losses"`           // technical ones among them
	TechnicalLosses int    `json:"technical_losses"` // matches that it forfeited
	Points          int    `json:"points"`           // by the league's scoring
}

// A Rating estimates the strength of a player on Elo's scale, with the mean of the league at 1500. It never
// decides a rank.
type Rating struct {
	Rating  int  `json:"rating"`
	Low     *int `json:"low"` // the ends of the 95 % interval; null: the league is too large for one
	High    *int `json:"high"`
	Matches int  `json:"matches"` // that it rests on: those of closed rounds that were played to their end
}

// String formats the rating with its margin: 1612 ±90.
func (r Rating) String() string {
	if r.Low == nil || r.High == nil {
		return strconv.Itoa(r.Rating)
	}
	return strconv.Itoa(r.Rating) + " ±" + strconv.Itoa((*r.High-*r.Low+1)/2)
}

// StandingsUpdate is the table after a round.
type StandingsUpdate struct {
	Envelope
	Standings []Standing `json:"standings"`
	Total     int        `json:"total,omitempty"`
	Truncated bool       `json:"truncated,omitempty"`
}

// A RoundSummary counts how the matches of a round ended.
type RoundSummary struct {
	TotalMatches    int `json:"total_matches"`
	Wins            int `json:"wins"` // by either player, forfeits excluded
	Draws           int `json:"draws"`
	TechnicalLosses int `json:"technical_losses"` // matches that ended by forfeit
}

// RoundCompleted closes a round.
type RoundCompleted struct {
	Envelope
	MatchesCompleted int          `json:"matches_completed"` // all of them: a round ends with its last match
	MatchesPlayed    int          `json:"matches_played"`    // the same under its other name
	NextRoundID      *Round       `json:"next_round_id"`     // null: it was the last
	Byes             []string     `json:"byes"`              // the players without a match in it
	Summary          RoundSummary `json:"summary"`
	LogHead          string       `json:"head,omitempty"` // the hash of the line that closes the round
}

// A Champion is a player at the top of the final table.
type Champion struct {
	PlayerID    string `json:"player_id"`
	DisplayName string `json:"display_name"`
	Points      int    `json:"points"`
}

// LeagueCompleted ends the league and reveals the secret of its draws.
type LeagueCompleted struct {
	Envelope
	TotalRounds    int        `json:"total_rounds"`
	TotalMatches   int        `json:"total_matches"`
	Champion       Champion   `json:"champion"`
	CoChampions    []Champion `json:"co_champions"`    // level with the champion on every rule
	FinalStandings []Standing `json:"final_standings"` // in a large league the part that concerns the receiver
	Total          int        `json:"total,omitempty"` // rows of the whole table, if it was cut
	Truncated      bool       `json:"truncated,omitempty"`
	// the secret of all draws; its hash was published at the start
	DrawSecret string `json:"draw_secret,omitempty"`
	LogHead    string `json:"head,omitempty"`      // the hash of the line that ends the league
	Cancelled  bool   `json:"cancelled,omitempty"` // by the organizer, before the last match: there is no champion
	// the league in which the same agents continue; only sent to native ones
	NextLeagueID string `json:"next_league_id,omitempty"`
}

// An Ack confirms the receipt of a message.
type Ack struct {
	Envelope
	Status    string `json:"status"`
	PlayerID  string `json:"player_id,omitempty"`
	RefereeID string `json:"referee_id,omitempty"`
	LogHead   string `json:"head,omitempty"`      // of a player at the league's end: the head that it received
	Signature string `json:"signature,omitempty"` // and its FinalSignatureText, signed
}

// QueryParams narrow a query.
type QueryParams struct {
	PlayerID string `json:"player_id,omitempty"`
	RoundID  Round  `json:"round_id,omitempty"`
	Offset   int    `json:"offset,omitempty"` // how many to leave out, for long lists
	Limit    int    `json:"limit,omitempty"`  // the maximum; 0: as fits
}

// The queries that a manager answers.
const (
	QueryStandings       = "GET_STANDINGS"
	QuerySchedule        = "GET_SCHEDULE"
	QueryNextMatch       = "GET_NEXT_MATCH"
	QueryPlayerStats     = "GET_PLAYER_STATS"
	QueryPlayerMatches   = "GET_PLAYER_MATCHES" // those of a player that have a result
	QueryStatus          = "GET_STATUS"
	QueryGames           = "GET_GAMES"
	QueryPlayerDirectory = "GET_PLAYER_DIRECTORY"
	QueryRegistrations   = "GET_REGISTRATIONS" // a third-party alternative
)

// A Query is a row of the table of queries.
type Query struct {
	Name      string
	Open      Type // its own message type without authentication; "": only LEAGUE_QUERY, with a token
	Addresses bool // the answer has addresses of players: only referees and the admin may ask
}

// Queries returns the table of queries. Schemas, descriptions of tools and the advice on an unknown query are made
// from it.
func Queries() []Query { // no variable, because the error table is initialized first
	return []Query{
		{Name: QueryStandings, Open: TypeGetStandings},
		{Name: QuerySchedule, Open: TypeGetSchedule},
		{Name: QueryNextMatch},
		{Name: QueryPlayerStats},
		{Name: QueryPlayerMatches},
		{Name: QueryStatus, Open: TypeGetLeagueStatus},
		{Name: QueryGames, Open: TypeGetGames},
		{Name: QueryPlayerDirectory, Addresses: true},
		{Name: QueryRegistrations, Addresses: true},
	}
}

// QueryNamed returns the row of a query. For an unknown query the row has only the name.
func QueryNamed(name string) Query {
	for _, q := range Queries() {
		if q.Name == name {
			return q
		}
	}
	return Query{Name: name}
}

// AgentQueries returns the names of the queries that any agent may ask.
func AgentQueries() (names []string) {
	for _, q := range Queries() {
		if !q.Addresses {
			names = append(names, q.Name)
		}
	}
	return names
}

// agentQueriesText lists them in words.
func agentQueriesText() string {
	names := AgentQueries()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// LeagueQuery asks the manager.
type LeagueQuery struct {
	Envelope
	QueryType   string      `json:"query_type,omitempty" schema:"Query"`
	QueryParams QueryParams `json:"query_params"`
}

// A QueryError explains why a well-formed query has no answer.
type QueryError struct {
	ErrorCode        string `json:"error_code"`
	ErrorName        string `json:"error_name"`
	ErrorDescription string `json:"error_description"`
}

// LeagueQueryResponse answers a query. Standings and CurrentRound stand also at the top.
type LeagueQueryResponse struct {
	Envelope
	Success      bool            `json:"success"`
	QueryType    string          `json:"query_type"`
	Data         json.RawMessage `json:"data"`               // depends on the query
	Error        *QueryError     `json:"error,omitempty"`    // why there is no data
	Standings    []Standing      `json:"standings,omitzero"` // nil: not asked for
	CurrentRound *int            `json:"current_round,omitempty"`

	Players []RegisteredPlayer `json:"players,omitempty"` // for a third-party referee's query of its players
}

// Addresses returns the endpoints of the players by id, from the answer to a directory query.
// The answer may be a list, or an object with an endpoint or a player for each id.
func (r *LeagueQueryResponse) Addresses() map[string]string {
	var data struct{ Players json.RawMessage }
	_ = json.Unmarshal(r.Data, &data)
	out := map[string]string{}
	if json.Unmarshal(data.Players, &out) == nil {
		return out
	}
	var list []RegisteredPlayer
	var byID map[string]RegisteredPlayer
	_ = json.Unmarshal(data.Players, &list)
	_ = json.Unmarshal(data.Players, &byID)
	for id, p := range byID {
		p.PlayerID = id
		list = append(list, p)
	}
	out = map[string]string{}
	for _, p := range list {
		if at := cmp.Or(p.Endpoint, p.ContactEndpoint); at != "" {
			out[p.PlayerID] = at
		}
	}
	return out
}

// A RegisteredPlayer is a player in the answer to that query.
type RegisteredPlayer struct {
	PlayerID        string `json:"player_id"`
	DisplayName     string `json:"display_name"`
	Endpoint        string `json:"endpoint"`
	ContactEndpoint string `json:"contact_endpoint"`
}

// A ScheduledMatch is a match in the answer to GET_SCHEDULE.
type ScheduledMatch struct {
	MatchID         string  `json:"match_id"`
	GameType        string  `json:"game_type"`
	PlayerAID       string  `json:"player_A_id"`
	PlayerBID       string  `json:"player_B_id"`
	RefereeEndpoint *string `json:"referee_endpoint"` // null before it has a referee
	Status          string  `json:"status"`           // SCHEDULED, PENDING, or how it ended
	Winner          *string `json:"winner"`           // null: there is none, or not yet
	Proof           string  `json:"proof,omitempty"`  // the basis of the result: proven, judged, unproven or disputed
	Hosted          bool    `json:"hosted,omitempty"` // a player of the match runs in the manager's process
	Why             string  `json:"why,omitempty"`    // the reason of the pairing, in the answer about one round
}

// A ScheduledRound is a round in the answer to GET_SCHEDULE.
type ScheduledRound struct {
	RoundID int              `json:"round_id"`
	Matches []ScheduledMatch `json:"matches"`

	// The members below are of a league that pairs round by round.
	Byes    []string `json:"byes,omitempty"`
	Resting []string `json:"resting,omitempty"`
	Stage   int      `json:"stage,omitempty"` // as in the announcement
	Leg     int      `json:"leg,omitempty"`
	OfLegs  int      `json:"of_legs,omitempty"`
	Preview bool     `json:"preview,omitempty"` // it is not opened, and would be paired like this now
}

// A NextMatch answers GET_NEXT_MATCH.
type NextMatch struct {
	MatchID         string  `json:"match_id"`
	RoundID         int     `json:"round_id"`
	OpponentID      string  `json:"opponent_id"`
	RefereeEndpoint *string `json:"referee_endpoint"` // null before it has a referee
}

// A LeagueStatus answers GET_STATUS.
type LeagueStatus struct {
	DisplayName      string `json:"display_name,omitempty"` // how the organiser calls the league, if not by its id
	GameType         string `json:"game_type,omitempty"`
	State            string `json:"state"` // WAITING_FOR_REGISTRATIONS, RUNNING_LEAGUE, LEAGUE_COMPLETED …
	Paused           bool   `json:"paused"`
	PauseReason      string `json:"pause_reason,omitempty"` // why the manager itself rests; an ordered pause has none
	CurrentRound     int    `json:"current_round"`          // 0 before the first
	TotalRounds      int    `json:"total_rounds"`           // 0 before the start: it follows from the players
	OpenEnd          bool   `json:"open_end,omitempty"`     // total_rounds counts the rounds so far: more may follow
	MatchesCompleted int    `json:"matches_completed"`      // with a result that counts
	TotalMatches     int    `json:"total_matches"`
	Players          int    `json:"players"`
	Referees         int    `json:"referees"`
	DrawCommitment   string `json:"draw_commitment"` // the promise of the secret that all draws follow from
	Seal             string `json:"seal,omitempty"`  // the hash of the first line of the log
	// the newest: the hash of the line of the start, of a round's end, or of the league's
	LogHead string `json:"head,omitempty"`
	Missing string `json:"missing,omitempty"` // the obstacle to the start
	// WaitsFor names the referee that blocks a running league, and the remedy.
	WaitsFor string `json:"waits_for,omitempty"`
	// Before the start: the agents it needs, and the condition and time of an automatic start. See Starting.
	PlayersWanted  int    `json:"players_wanted,omitempty"`
	RefereesWanted int    `json:"referees_wanted,omitempty"`
	StartsByItself bool   `json:"starts_by_itself,omitempty"` // without an order
	StartsByNumber bool   `json:"starts_by_number,omitempty"` // when the wanted agents have joined
	StartsAt       string `json:"starts_at,omitempty"`        // at the latest, if enough agents have joined
	Unreachable    int    `json:"unreachable,omitempty"`      // players that have joined and cannot be reached

	NextRoundAt string `json:"next_round_at,omitempty"` // by the calendar: when the next round begins

	Results Basis `json:"results"` // their bases

	Warnings []Warning `json:"warnings,omitempty"` // recent refused attempts, the newest last; for the admin only
}

// A Warning describes a refused attempt that the organizer should know of, such as an uninvited referee.
type Warning struct {
	Text    string `json:"text"`
	Address string `json:"address"` // of the caller
	At      string `json:"at"`      // of the newest attempt
	Count   int    `json:"count"`   // attempts of this kind from this address
}

// A Basis counts results by their basis.
type Basis struct {
	Proven   int `json:"proven"`   // by signatures of the players
	Judged   int `json:"judged"`   // by the organiser's own referee
	Unproven int `json:"unproven"` // by a guest referee's word alone
	Disputed int `json:"disputed"` // contested by a player

	Hosted int `json:"hosted,omitempty"` // of all these, results with a player of the manager's process
}

// A GameInfo describes a game in the answer to GET_GAMES.
type GameInfo struct {
	DisplayName  string              `json:"display_name"`
	MoveTypes    []string            `json:"move_types"`
	ValidChoices map[string][]string `json:"valid_choices"` // by kind of move, where they are always the same
	MinPlayers   int                 `json:"min_players"`
	MaxPlayers   int                 `json:"max_players"`
	Rules        string              `json:"rules,omitempty"` // all of them in one paragraph, for a player new to the game
}

// An AgentInfo is the admin's view of an agent in GET_PLAYER_DIRECTORY.
type AgentInfo struct {
	Role        Role   `json:"role"`
	ID          string `json:"id"`
	DisplayName string `json:"display_name"`
	Endpoint    string `json:"endpoint"`
	Way         string `json:"way,omitempty"` // to an agent with a mailbox, for people
	State       string `json:"state"`
	Why         string `json:"why,omitempty"`   // it is in that state, for people
	Dialect     string `json:"dialect"`         // how it is spoken to
	Guest       bool   `json:"guest,omitempty"` // it is a referee that another party than the organizer runs
	Timing      Timing `json:"timing"`          // of a player its tries, of a referee those of all its matches
}

// An OrderInfo is a command of the organizer, such as start or withdraw, as GET_PLAYER_DIRECTORY lists it for admins.
type OrderInfo struct {
	Order   string `json:"order"` // created, enlisted, start, pause, resume, drain, cancel, withdraw, rest, invite, readmit or annul
	AgentID string `json:"agent_id,omitempty"`
	By      string `json:"by,omitempty"` // the origin of the order, if logged
	At      string `json:"at"`
}

// A RefusalInfo is the admin's view of a refused applicant in GET_PLAYER_DIRECTORY.
type RefusalInfo struct {
	AgentID     string `json:"agent_id"` // the agent that it would be
	Code        string `json:"code"`     // that lets it in, with READMIT_AGENT
	DisplayName string `json:"display_name"`
	Endpoint    string `json:"endpoint"`
	Address     string `json:"address"`         // from which it called
	Alive       bool   `json:"old_one_answers"` // the agent that it would be still answers where it was
	At          string `json:"at"`
}

// LeagueError reports a refusal of the manager, and its reason.
type LeagueError struct {
	Envelope
	ErrorCode           string         `json:"error_code"`
	ErrorName           string         `json:"error_name,omitempty"`
	ErrorDescription    string         `json:"error_description"`         // the name again
	ErrorMessage        string         `json:"error_message,omitempty"`   // and again, as the V2 page has it
	Detail              string         `json:"detail,omitempty"`          // a sentence: the problem
	Suggestion          string         `json:"suggestion,omitempty"`      // the remedy
	TimeoutSeconds      float64        `json:"timeout_seconds,omitempty"` // of a timeout: how long the answer was waited for
	OriginalMessageType Type           `json:"original_message_type,omitempty"`
	Context             map[string]any `json:"context,omitempty"` // particulars, such as which member was wrong
	Retryable           bool           `json:"retryable"`         // whether the same again may succeed
}

// Sentence returns the problem as a sentence. Third-party messages may have it in another member, or only an error
// name.
func (e *LeagueError) Sentence() string {
	return sentence(e.Detail, e.Context, e.ErrorDescription, e.ErrorName, e.ErrorCode)
}

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
var TiebreakRules = []string{"points", "wins", "draw_difference", "head_to_head", "buchholz", "sonneborn_berger", "player_id"}

// DefaultTiebreakers are the rules of a league that chooses none.
var DefaultTiebreakers = []string{"points", "wins", "draw_difference", "head_to_head", "player_id"}
