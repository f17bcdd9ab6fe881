package dialect

import (
	"cmp"
	"slices"
	"strings"

	"agentleague/protocol"
)

// A wording lists the observed names of a message type: its methods or tools, and its message_type values. The most
// common comes first. A suffix such as "+wide" is the shape of the message under that name.
type wording struct {
	calls, types []string
	common       int // how many of calls are common, not just one or two agents' own; 0: four
	otherTypes   int // how many types are common besides the first
}

// commonly returns the number of common methods.
func (w wording) commonly() int { return cmp.Or(w.common, 4) }

// wordings lists the message types that have more names than the specification's.
var wordings = map[protocol.Type]wording{
	protocol.TypeLeagueRegisterRequest: {
		calls:  []string{"register_player", "league_register", "register", "register_to_league", "player_register"},
		types:  []string{"LEAGUE_REGISTER_REQUEST", "PLAYER_REGISTER_REQUEST", "REGISTER_PLAYER", "REGISTER_PLAYER_REQUEST"},
		common: 2,
	},
	protocol.TypeRefereeRegisterRequest: {
		calls:  []string{"register_referee", "referee_register", "register"},
		types:  []string{"REFEREE_REGISTER_REQUEST", "REGISTER_REFEREE", "REGISTER_REFEREE_REQUEST"},
		common: 2,
	},
	protocol.TypeRoundAnnouncement: {
		calls: []string{
			"notify_round", "announce_round", "round_announcement", "receive_round_announcement", "notify",
			"handle_round_announcement",
		},
		types:  []string{"ROUND_ANNOUNCEMENT"},
		common: 5,
	},
	protocol.TypeStartMatch: {
		calls: []string{
			"start_match+wide", "assign_match+assignment", "notify_round+announcement", "run_match+wide",
			"start_match_command+wide", "announce_round+announcement", "round_announcement+announcement",
			"match_assignment+assignment", "handle_match_assignment+assignment", "receive_match_assignment+assignment",
			"conduct_match+wide", "play_match+wide", "schedule_match+wide",
		},
		types: []string{
			"START_MATCH+wide", "MATCH_ASSIGNMENT+assignment", "ROUND_ANNOUNCEMENT+announcement",
			"START_MATCH_COMMAND+wide", "RUN_MATCH+wide", "SCHEDULE_MATCH+wide",
		},
		common: 5,
	},
	protocol.TypeGameInvitation: {
		calls: []string{
			"handle_game_invitation", "game_invitation", "receive_game_invitation", "handle_invitation", "invite_player",
			"join_game",
		},
		types:  []string{"GAME_INVITATION", "GAME_INVITE"},
		common: 3, otherTypes: 1,
	},
	protocol.TypeChooseParityCall: {
		calls: []string{
			"choose_parity", "parity_choose", "receive_parity_call", "choose_parity_call", "handle_choose_parity",
			"handle_choose_parity_call",
		},
		types:  []string{"CHOOSE_PARITY_CALL", "CHOOSE_PARITY", "CHOOSE_PARITY_REQUEST"},
		common: 3,
	},
	protocol.TypeGameMoveCall: {
		calls: []string{"game_move", "make_move", "game_move_call", "handle_game_move", "choose_move"},
		types: []string{"GAME_MOVE_CALL", "GAME_MOVE_REQUEST"},
	},
	protocol.TypeGameOver: {
		calls: []string{
			"notify_match_result", "game_over", "notify_game_over", "receive_game_over", "handle_game_over", "match_result",
		},
		types: []string{"GAME_OVER", "MATCH_RESULT_REPORT", "GAME_END"},
	},
	protocol.TypeGameError: {
		calls: []string{"notify_game_error", "game_error", "receive_game_error", "handle_game_error"},
		types: []string{"GAME_ERROR"},
	},
	protocol.TypeLeagueError: {
		calls: []string{"notify_league_error", "league_error", "receive_league_error", "handle_league_error"},
		types: []string{"LEAGUE_ERROR"},
	},
	protocol.TypeMatchResultReport: {
		calls: []string{
			"report_match_result+wide", "match_result_report+wide", "report_result+wide",
			"handle_match_result_report+wide", "match_result+wide", "submit_match_result+wide",
		},
		types:  []string{"MATCH_RESULT_REPORT+wide"},
		common: 2,
	},
	protocol.TypeLeagueStandingsUpdate: {
		calls: []string{
			"update_standings", "notify_standings", "league_standings_update", "standings_update", "notify",
			"receive_standings_update",
		},
		types:  []string{"LEAGUE_STANDINGS_UPDATE", "STANDINGS_NOTIFICATION", "STANDINGS_UPDATE"},
		common: 5,
	},
	protocol.TypeRoundCompleted: {
		calls: []string{
			"notify_round_completed", "round_completed", "notify", "receive_round_completed", "handle_round_completed",
		},
		types: []string{"ROUND_COMPLETED"},
	},
	protocol.TypeLeagueCompleted: {
		calls: []string{
			"notify_league_completed", "league_completed", "notify", "receive_league_completed", "handle_league_completed",
		},
		types: []string{"LEAGUE_COMPLETED"},
	},
	protocol.TypeLeagueQuery: {
		calls: []string{"league_query", "query_league", "handle_league_query"},
		types: []string{"LEAGUE_QUERY"},
	},
	protocol.TypeAssignedMatches: {
		calls: []string{"get_assigned_matches", "get_assigned_match", "get_my_matches", "get_next_assignment"},
		types: []string{"GET_ASSIGNED_MATCHES"},
	},
	protocol.TypeGameJoinAck: {
		calls: []string{"game_join_ack", "join_ack", "receive_game_join_ack", "handle_game_join_ack", "join_game_ack"},
		types: []string{"GAME_JOIN_ACK"},
	},
	protocol.TypeChooseParityResponse: {
		calls: []string{
			"choose_parity_response", "parity_response", "receive_parity_choice", "submit_parity_choice", "submit_choice",
			"parity_choice", "receive_choose_parity_response", "handle_choose_parity_response", "receive_parity_response",
		},
		types: []string{"CHOOSE_PARITY_RESPONSE", "PARITY_CHOICE_RESPONSE", "PARITY_CHOICE", "RESPONSE_PARITY_CHOOSE"},
	},
	protocol.TypeGameMoveResponse: {
		calls: []string{"game_move_response", "submit_move", "receive_game_move_response"},
		types: []string{"GAME_MOVE_RESPONSE"},
	},
}

// wordingOf returns the names of a type: the specification's own names if no others are known.
func wordingOf(t protocol.Type) wording {
	w, ok := wordings[t]
	if !ok {
		s, _ := protocol.Lookup(t)
		w = wording{types: []string{string(t)}}
		if s.Method != "" {
			w.calls = []string{s.Method}
		}
	}
	return w
}

// carriers lists the methods that take a message of any type, in a member of their params. Requests use the first
// unless the peer has shown another.
var carriers = []string{
	"handle_message", "mcp_message", "process_message", "receive_message", "league.handle", "send_message", "message",
	mcpCarrier,
}

// mcpCarrier is the carrier method of servers that require the MCP handshake first.
const mcpCarrier = "protocol/message"

// IsCarrier reports whether a method takes a message of any type.
func IsCarrier(method string) bool { return slices.Contains(carriers, method) }

// aliases maps every known name to the message types that it may mean. If there are several,
// the content of the message decides.
var aliases = map[string][]protocol.Type{}

// messageTypeNames contains the names that are message_type values rather than methods.
var messageTypeNames = map[string]bool{}

// init collects all names by which a message is known, ours and third-party ones.
func init() {
	for _, s := range protocol.Specs() {
		w := wordingOf(s.Type)
		for _, name := range w.calls {
			addAlias(name, s.Type)
		}
		for _, name := range w.types {
			addAlias(name, s.Type)
			messageTypeNames[name] = true
		}
		addAlias(string(s.Type), s.Type)
	}
}

// addAlias adds t to the message types that a name may mean.
func addAlias(name string, t protocol.Type) {
	name, shape, _ := strings.Cut(name, "+")
	if shape == "announcement" { // the receiver reads it as a ROUND_ANNOUNCEMENT
		return
	}
	if !slices.Contains(aliases[name], t) {
		aliases[name] = append(aliases[name], t)
	}
}

// TypesNamed returns the message types that a method, tool or message_type name may mean. The type to which the
// specification gives the name comes first. It returns nil for an unknown name.
//
// Names of several words may be in any spelling, and message types may be in lower case.
func TypesNamed(name string) []protocol.Type {
	if types := typesNamed(name); types != nil || name == "" {
		return types
	}
	ours := snakeOf(name)
	if !strings.Contains(ours, "_") { // a spelling shows in names of several words; methods are case-sensitive
		return nil
	}
	if types := typesNamed(ours); types != nil {
		return types
	}
	return typesNamed(strings.ToUpper(ours))
}

// typesNamed is like [TypesNamed] for names in snake case and message types in upper case.
func typesNamed(name string) []protocol.Type {
	found := aliases[name]
	own, ok := protocol.Lookup(protocol.Type(name))
	if !ok {
		own, ok = protocol.ByMethod(name)
	}
	if !ok {
		return found
	}
	out := []protocol.Type{own.Type}
	for _, t := range found {
		if t != own.Type {
			out = append(out, t)
		}
	}
	return out
}
