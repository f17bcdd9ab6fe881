package protocol

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// A family is the thousands digit of the numeric errors that a request may be answered with.
type family int

// The families of messages. They determine the JSON-RPC codes of errors.
const (
	anyFamily family = iota
	refereeRegistration
	playerRegistration
	coordination
	play
	report
	query
)

// A Spec is the protocol's entry for one message type.
type Spec struct {
	Type     Type
	Method   string        // the method of the request that carries it; empty for replies
	From, To string        // roles, for documentation
	Reply    Type          // the message that answers it; empty for replies
	Deadline time.Duration // how long the answer may take
	Needs    []string      // fields without which it cannot be acted on
	Required []string      // fields that the specification demands besides the envelope
	ReadOnly bool          // a question that changes nothing
	family   family
	body     reflect.Type
}

// New returns an empty message of this type.
func (s Spec) New() Message {
	m := reflect.New(s.body).Interface().(Message)
	m.Head().Protocol, m.Head().MessageType = Version, s.Type
	return m
}

// Has reports whether the message can have a member at a dotted path. In a value of any type all members are possible.
func (s Spec) Has(path string) bool {
	t := s.body
	for name := range strings.SplitSeq(path, ".") {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return true
		}
		if t = membersOf(t)[name]; t == nil {
			return false
		}
	}
	return true
}

// Lookup returns the protocol's entry for t.
func Lookup(t Type) (Spec, bool) {
	s, ok := specs[t]
	return s, ok
}

// ByMethod returns the message type whose requests have that method, and false for an unknown method.
func ByMethod(method string) (Spec, bool) {
	t, ok := methods[method]
	if !ok {
		return Spec{}, false
	}
	return Lookup(t)
}

// Specs lists every message in the order of the specification.
func Specs() []Spec { return append([]Spec(nil), table...) }

// IsAck reports whether any answer without an error acknowledges a message whose reply type is t.
func IsAck(t Type) bool {
	s, ok := Lookup(t)
	return ok && s.body == ackType && t != TypeStartMatchAck
}

// Words of the table, which would be repeated in every row.
const (
	second  = time.Second
	manager = "manager"
	referee = "referee"
	player  = "player"
	agent   = "agent"
	admin   = "admin"
)

// table is the protocol's list of messages. Needs and Required are written as words.
var table = []Spec{
	row[RefereeRegisterRequest](TypeRefereeRegisterRequest, "register_referee", referee, manager,
		TypeRefereeRegisterResponse, 10*second, refereeRegistration,
		"referee_meta.display_name referee_meta.contact_endpoint",
		"referee_meta referee_meta.display_name referee_meta.version referee_meta.game_types referee_meta.contact_endpoint "+
			"referee_meta.max_concurrent_matches"),
	row[RefereeRegisterResponse](TypeRefereeRegisterResponse, "", manager, referee, "", 0, refereeRegistration, "status",
		"status referee_id reason"),
	row[LeagueRegisterRequest](TypeLeagueRegisterRequest, "register_player", player, manager, TypeLeagueRegisterResponse,
		10*second, playerRegistration,
		"player_meta.display_name player_meta.contact_endpoint",
		"player_meta player_meta.display_name player_meta.version player_meta.game_types player_meta.contact_endpoint"),
	row[LeagueRegisterResponse](TypeLeagueRegisterResponse, "", manager, player, "", 0, playerRegistration, "status",
		"status player_id reason"),
	row[RoundAnnouncement](TypeRoundAnnouncement, "notify_round", manager, player, TypeRoundAnnouncementAck,
		10*second, coordination,
		"round_id matches", "league_id round_id matches"),
	row[Ack](TypeRoundAnnouncementAck, "", player, manager, "", 0, coordination, "", "status player_id round_id"),
	row[StartMatch](TypeStartMatch, "start_match", manager, referee, TypeStartMatchAck, 10*second, play,
		"match_id player_A player_B",
		"league_id round_id match_id game_type player_A player_A.id player_A.endpoint player_A.token player_B player_B.id "+
			"player_B.endpoint player_B.token attempt report_to"),
	row[StartMatchAck](TypeStartMatchAck, "", referee, manager, "", 0, play, "", "status match_id"),
	row[GameInvitation](TypeGameInvitation, "handle_game_invitation", referee, player, TypeGameJoinAck, 5*second, play,
		"match_id", "league_id round_id match_id game_type role_in_match opponent_id"),
	row[GameJoinAck](TypeGameJoinAck, "", player, referee, "", 0, play, "", "match_id player_id arrival_timestamp accept"),
	row[ChooseParityCall](TypeChooseParityCall, "choose_parity", referee, player, TypeChooseParityResponse,
		30*second, play,
		"match_id",
		"match_id player_id game_type context context.opponent_id context.round_id context.your_standings deadline"),
	row[ChooseParityResponse](TypeChooseParityResponse, "", player, referee, "", 0, play, "",
		"match_id player_id parity_choice"),
	row[GameMoveCall](TypeGameMoveCall, "game_move", referee, player, TypeGameMoveResponse, 30*second, play,
		"match_id move_request",
		"match_id player_id game_type move_request move_request.move_type move_request.valid_options deadline"),
	row[GameMoveResponse](TypeGameMoveResponse, "", player, referee, "", 0, play, "",
		"match_id player_id move_data move_data.move_type move_data.choice"),
	row[GameOver](TypeGameOver, "notify_match_result", referee, player, TypeGameOverAck, 5*second, play,
		"match_id",
		"match_id game_type game_result game_result.status game_result.winner_player_id game_result.choices "+
			"game_result.reason"),
	row[Ack](TypeGameOverAck, "", player, referee, "", 0, play, "", "status player_id match_id"),
	row[GameError](TypeGameError, "notify_game_error", referee, player, TypeGameErrorAck, 10*second, play,
		"error_code", "match_id error_code error_description"),
	row[Ack](TypeGameErrorAck, "", player, referee, "", 0, play, "", "status player_id match_id"),
	row[MatchResultReport](TypeMatchResultReport, "report_match_result", referee, manager, TypeMatchResultAck,
		10*second, report,
		"result", "league_id round_id match_id game_type result result.winner result.score result.details"),
	row[MatchResultAck](TypeMatchResultAck, "", manager, referee, "", 0, report, "", "status match_id round_id"),
	row[StandingsUpdate](TypeLeagueStandingsUpdate, "update_standings", manager, player, TypeStandingsUpdateAck,
		10*second, coordination,
		"standings", "league_id round_id standings"),
	row[StandingsUpdate](TypeStandingsNotification, "", manager, player, TypeStandingsUpdateAck, 10*second, coordination,
		"standings", "standings"),
	row[Ack](TypeStandingsUpdateAck, "", player, manager, "", 0, coordination, "", "status player_id round_id"),
	row[RoundCompleted](TypeRoundCompleted, "notify_round_completed", manager, player, TypeRoundCompletedAck,
		10*second, coordination,
		"round_id", "league_id round_id next_round_id"),
	row[Ack](TypeRoundCompletedAck, "", player, manager, "", 0, coordination, "", "status player_id round_id"),
	row[LeagueCompleted](TypeLeagueCompleted, "notify_league_completed", manager, agent, TypeLeagueCompletedAck,
		10*second, coordination,
		"",
		"league_id total_rounds total_matches champion champion.player_id champion.display_name champion.points "+
			"final_standings"),
	row[Ack](TypeLeagueCompletedAck, "", agent, manager, "", 0, coordination, "", "status"),
	row[LeagueQuery](TypeLeagueQuery, "league_query", agent, manager, TypeLeagueQueryResponse, 10*second, query,
		"query_type", "query_type").readOnly(),
	row[LeagueQueryResponse](TypeLeagueQueryResponse, "", manager, agent, "", 0, query, "", "query_type success data"),
	row[LeagueQuery](TypeQueryStandingsRequest, "query_standings", agent, manager, TypeQueryStandingsResponse, 10*second,
		query, "", "").readOnly(),
	row[LeagueQueryResponse](TypeQueryStandingsResponse, "", manager, agent, "", 0, query, "", "standings"),
	row[LeagueError](TypeLeagueError, "notify_league_error", manager, agent, TypeLeagueErrorAck, 10*second, coordination,
		"", "error_code error_description"),
	row[Ack](TypeLeagueErrorAck, "", agent, manager, "", 0, coordination, "", "status"),
	row[Ack](TypeAnswerAck, "", referee, player, "", 0, play, "", "status"),
	row[Tool](TypePing, "ping", agent, agent, TypePong, 10*second, query, "", "").readOnly(),
	row[Pong](TypePong, "", agent, agent, "", 0, query, "", "status"),
	row[LeagueQuery](TypeGetStandings, "get_standings", agent, manager, TypeLeagueQueryResponse, 10*second, query, "",
		"").readOnly(),
	row[LeagueQuery](TypeGetLeagueStatus, "get_league_status", agent, manager, TypeLeagueQueryResponse, 10*second, query,
		"", "").readOnly(),
	row[LeagueQuery](TypeGetSchedule, "get_schedule", agent, manager, TypeLeagueQueryResponse, 10*second, query, "",
		"").readOnly(),
	row[LeagueQuery](TypeGetGames, "get_games", agent, manager, TypeLeagueQueryResponse, 10*second, query, "",
		"").readOnly(),
	row[Tool](TypeCreateSchedule, "create_schedule", admin, manager, TypeLeagueQueryResponse, 10*second, query, "", ""),
	row[Tool](TypeStartLeague, "start_league", admin, manager, TypeLeagueControlAck, 10*second, query, "", ""),
	row[Tool](TypePauseLeague, "pause_league", admin, manager, TypeLeagueControlAck, 10*second, query, "", ""),
	row[Tool](TypeResumeLeague, "resume_league", admin, manager, TypeLeagueControlAck, 10*second, query, "", ""),
	row[Tool](TypeWithdrawPlayer, "withdraw_player", admin, manager, TypeLeagueControlAck, 10*second, query,
		"player_id", "player_id"),
	row[RestPlayer](TypeRestPlayer, "rest_player", admin, manager, TypeLeagueControlAck, 10*second, query,
		"player_id rounds", "player_id rounds"),
	row[Tool](TypeCancelLeague, "cancel_league", admin, manager, TypeLeagueControlAck, 10*second, query, "", ""),
	row[Tool](TypeDrainLeague, "drain_league", admin, manager, TypeLeagueControlAck, 10*second, query, "", ""),
	row[EnlistAgent](TypeEnlistAgent, "enlist_agent", admin, manager, TypeLeagueControlAck, 10*second, query,
		"role endpoint", "role endpoint"),
	row[CreateLeague](TypeCreateLeague, "create_league", admin, manager, TypeLeagueControlAck, 10*second, query, "", ""),
	row[SetSeasons](TypeSetSeasons, "set_seasons", admin, manager, TypeLeagueControlAck, 10*second, query, "seasons",
		"seasons"),
	row[LeagueControlAck](TypeLeagueControlAck, "", manager, admin, "", 0, query, "", "status state"),
	row[ReadmitAgent](TypeReadmitAgent, "readmit_agent", admin, manager, TypeLeagueControlAck, 10*second, query,
		"agent_id", "agent_id"),
	row[RenameAgent](TypeRenameAgent, "rename_agent", admin, manager, TypeLeagueControlAck, 10*second, query,
		"agent_id display_name", "agent_id display_name"),
	row[MergeAgents](TypeMergeAgents, "merge_agents", admin, manager, TypeLeagueControlAck, 10*second, query,
		"kept_id gone_id", "kept_id gone_id"),
	row[AnnulMatch](TypeAnnulMatch, "annul_match", admin, manager, TypeLeagueControlAck, 10*second, query,
		"match_id", "match_id"),
	row[InviteAgents](TypeInviteAgents, "invite_agents", admin, manager, TypeInvitations, 10*second, query, "names",
		"role names"),
	row[Invitations](TypeInvitations, "", manager, admin, "", 0, query, "", "invitations"),
	row[Welcome](TypeWelcome, "welcome", manager, agent, TypeWelcomeAck, 5*second, coordination, "manager id",
		"manager created id epoch endpoint nonce"),
	row[WelcomeAck](TypeWelcomeAck, "", agent, manager, "", 0, coordination, "", "nonce signature confirm"),
	row[Identify](TypeIdentify, "identify", manager, agent, TypeIdentity, 5*second, coordination, "challenge",
		"challenge").readOnly(),
	row[Identity](TypeIdentity, "", agent, manager, "", 0, coordination, "", "agent"),
	row[MatchMovesReport](TypeMatchMovesReport, "report_match_moves", referee, manager, TypeMatchMovesAck, 10*second,
		report, "match_id moves", "match_id game_type attempt moves"),
	row[MatchMovesAck](TypeMatchMovesAck, "", manager, referee, "", 0, report, "", "status match_id result fairness"),
	row[MatchProtest](TypeMatchProtest, "protest_match", player, manager, TypeMatchProtestAck, 10*second, report,
		"match_id what", "match_id player_id attempt what detail"),
	row[Ack](TypeMatchProtestAck, "", manager, player, "", 0, report, "", "status match_id"),
	row[Tool](TypeGetMatchState, "get_match_state", agent, referee, TypeMatchState, 10*second, play, "match_id",
		"match_id").readOnly(),
	row[Tool](TypeCollectChoices, "collect_choices", agent, referee, TypeMatchState, 10*second, play, "match_id",
		"match_id").readOnly(),
	row[Tool](TypeDrawNumber, "draw_number", agent, referee, TypeMatchState, 10*second, play, "match_id",
		"match_id").readOnly(),
	row[Tool](TypeFinalizeMatch, "finalize_match", agent, referee, TypeMatchState, 10*second, play, "match_id",
		"match_id").readOnly(),
	row[MatchState](TypeMatchState, "", referee, agent, "", 0, play, "", "match_id state"),
	row[GetMatchRecords](TypeGetMatchRecords, "get_match_records", manager, referee, TypeMatchRecords, 10*second, play,
		"records", "records").readOnly(),
	row[MatchRecords](TypeMatchRecords, "", referee, manager, "", 0, play, "", "records"),
	row[GetAssignedMatches](TypeAssignedMatches, "get_assigned_matches", referee, manager, TypeAssignments, 10*second,
		play, "", ""),
	row[Assignments](TypeAssignments, "", manager, referee, "", 0, play, "", "matches"),
	row[RegisterToLeague](TypeRegisterToLeague, "register_to_league", agent, referee, TypeRefereeRegisterResponse,
		10*second, refereeRegistration, "", ""),
	row[Tool](TypeGetPlayerState, "get_player_state", agent, player, TypePlayerState, 10*second, play, "", "").readOnly(),
	row[PlayerState](TypePlayerState, "", player, agent, "", 0, play, "", "player_id state agent_state"),
}

// The table by type and by method, for lookups; and the type of an acknowledgement, which many messages share.
var (
	specs   = map[Type]Spec{}
	methods = map[string]Type{}
	ackType = reflect.TypeFor[Ack]()
)

// init fills the lookups from the table.
func init() {
	for _, s := range table {
		specs[s.Type] = s
		if s.Method != "" {
			methods[s.Method] = s.Type
		}
	}
}

// row makes a row of the table: t is the message's type in Go, needs the members without which it is not understood,
// required those that the protocol asks for. Both are separated by spaces.
func row[T any](t Type, method, from, to string, reply Type, deadline time.Duration, f family, needs,
	required string) Spec {
	return Spec{
		Type: t, Method: method, From: from, To: to, Reply: reply, Deadline: deadline,
		Needs: strings.Fields(needs), Required: strings.Fields(required),
		family: f, body: reflect.TypeFor[T](),
	}
}

func (s Spec) readOnly() Spec { s.ReadOnly = true; return s }

// Numeric returns the JSON-RPC error code in an answer to a request of type t.
func (k *Kind) Numeric(t Type) int {
	if s, ok := Lookup(t); ok {
		if n, ok := k.numeric[s.family]; ok {
			return n
		}
	}
	return k.numeric[anyFamily]
}

// MemberNames lists the names of all members of all messages, at every depth. Keys that are ids are not among them.
func MemberNames() []string {
	names, seen := map[string]bool{}, map[reflect.Type]bool{}
	for _, s := range table {
		nameMembers(s.body, names, seen)
	}
	return slices.Sorted(maps.Keys(names))
}

// nameMembers adds the members of a type, and of its parts.
func nameMembers(t reflect.Type, names map[string]bool, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for name, inner := range membersOf(t) {
		names[name] = true
		nameMembers(inner, names, seen)
	}
}
