package foreign

import (
	"encoding/json"
	"slices"
)

// A Kind is the type of a message, regardless of its name. Its value is the specification's message type.
type Kind string

// The kinds of messages that a player may get.
const (
	Invitation      Kind = "GAME_INVITATION"
	Choice          Kind = "CHOOSE_PARITY_CALL"
	Result          Kind = "GAME_OVER"
	Round           Kind = "ROUND_ANNOUNCEMENT"
	Standings       Kind = "LEAGUE_STANDINGS_UPDATE"
	RoundCompleted  Kind = "ROUND_COMPLETED"
	LeagueCompleted Kind = "LEAGUE_COMPLETED"
	GameError       Kind = "GAME_ERROR"
	Unknown         Kind = "" // a ping, a handshake, or nothing that could be read
)

// wordings lists the observed names of each kind, the specification's first.
var wordings = map[Kind][]string{
	Invitation:      {"handle_game_invitation", "game_invitation", "receive_game_invitation"},
	Choice:          {"choose_parity", "parity_choose", "receive_parity_call"},
	Result:          {"notify_match_result", "game_over", "notify_game_over", "receive_game_over"},
	Round:           {"notify_round", "announce_round", "round_announcement", "receive_round_announcement", "notify"},
	Standings:       {"update_standings", "notify_standings", "league_standings_update", "standings_update", "notify"},
	RoundCompleted:  {"notify_round_completed", "notify"},
	LeagueCompleted: {"notify_league_completed", "notify"},
	GameError:       {"notify_game_error"},
}

// typings lists the observed message types of each kind, besides the kind itself.
var typings = map[Kind][]string{
	Invitation: {"GAME_INVITE"}, Choice: {"CHOOSE_PARITY", "CHOOSE_PARITY_REQUEST"}, Result: {"MATCH_RESULT_REPORT"},
}

// kindOf maps a name or a message type in any wording to its kind.
func kindOf(name string) Kind {
	for kind := range wordings {
		if name == string(kind) || slices.Contains(wordings[kind], name) || slices.Contains(typings[kind], name) {
			return kind
		}
	}
	return Unknown
}

// KindOf returns the kind of a request in any framing: by a message type at any depth, or else by its method.
func KindOf(body []byte) Kind {
	var top object
	if json.Unmarshal(body, &top) != nil {
		return Unknown
	}
	if kind := kindWithin(top, 4); kind != Unknown {
		return kind
	}
	params := top.object("params")
	for _, name := range []string{top.text("method"), params.text("name")} {
		if kind := kindOf(name); kind != Unknown {
			return kind
		}
	}
	return Unknown
}

// kindWithin searches an object and its nested objects for a message type.
func kindWithin(o object, depth int) Kind {
	if kind := kindOf(o.text("message_type") + o.text("messageType")); kind != Unknown || depth == 0 {
		return kind
	}
	for name := range o {
		if kind := kindWithin(o.object(name), depth-1); kind != Unknown {
			return kind
		}
	}
	return Unknown
}
