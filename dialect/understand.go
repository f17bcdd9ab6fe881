package dialect

import (
	"encoding/json"
	"strings"

	"agentleague/protocol"
)

// Read decodes a message as [protocol.Decode] does, and also accepts third-party names and words. The warnings list
// absent members that were filled in and tolerated deviations. An error is a [*protocol.Error].
func Read(raw json.RawMessage, r protocol.Reading) (m protocol.Message, warnings []string, err error) {
	return protocol.DecodeWith(raw, r, understand)
}

// otherPaths maps paths of members in other descriptions of league.v2 and in observed agents to ours: {theirs, ours}.
// A member is copied to our path unless that exists.
var otherPaths = map[protocol.Type][][2]string{
	protocol.TypeLeagueRegisterRequest:  {{"player_meta.agent_version", "player_meta.version"}},
	protocol.TypeRefereeRegisterRequest: {{"referee_meta.agent_version", "referee_meta.version"}},
	protocol.TypeStartMatch:             orderPaths(),
	protocol.TypeGameInvitation:         {{"role", "role_in_match"}, {"opponent", "opponent_id"}, {"game_id", "match_id"}},
	protocol.TypeChooseParityCall:       {{"game_id", "match_id"}},
	protocol.TypeGameJoinAck:            {{"accepted", "accept"}, {"joined", "accept"}},
	protocol.TypeChooseParityResponse: {
		{"choice", "parity_choice"}, {"move_data.choice", "parity_choice"}, {"parity", "parity_choice"},
	},
	protocol.TypeGameMoveResponse: {
		{"choice", "move_data.choice"}, {"parity_choice", "move_data.choice"}, {"move", "move_data.choice"},
	},
	protocol.TypeGameOver: {
		{"winner_id", "game_result.winner_player_id"}, {"winner_player_id", "game_result.winner_player_id"},
		{"number_parity", "game_result.number_parity"}, {"winner", "game_result.winner_player_id"},
		{"drawn_number", "game_result.drawn_number"}, {"choices", "game_result.choices"},
		{"details.drawn_number", "game_result.drawn_number"}, {"details.parity", "game_result.number_parity"},
		{"game_id", "match_id"}, {"details.dice_roll", "game_result.drawn_number"},
		{"details.dice_parity", "game_result.number_parity"},
		{"details.your_opponent", "opponent_id"}, {"opponent", "opponent_id"},
	},
	protocol.TypeMatchResultReport: {
		{"result.details.parity", "result.details.number_parity"},
		{"winner", "result.winner"}, {"winner_id", "result.winner"},
		{"winner_player_id", "result.winner"}, {"result.winner_id", "result.winner"},
		{"result.winner_player_id", "result.winner"}, {"score", "result.score"}, {"scores", "result.score"},
		{"result.scores", "result.score"}, {"drawn_number", "result.details.drawn_number"},
		{"result.drawn_number", "result.details.drawn_number"}, {"choices", "result.details.choices"},
		{"result.choices", "result.details.choices"}, {"result.status", "result.details.status"},
		{"game_result.winner_player_id", "result.winner"}, {"game_result.choices", "result.details.choices"},
		{"game_result.drawn_number", "result.details.drawn_number"}, {"game_result.status", "result.details.status"},
		{"game_result.score", "result.score"}, {"details.drawn_number", "result.details.drawn_number"},
		{"details.choices", "result.details.choices"}, {"final_score", "result.score"},
		{"dice_roll", "result.details.drawn_number"}, {"status", "result.details.status"},
		{"result.match_id", "match_id"}, {"result.reason", "result.details.reason"},
	},
	protocol.TypeLeagueError: {{"error_message", "error_description"}},
	protocol.TypeGameError: {
		{"error_message", "error_description"}, {"affected_player", "player_id"}, {"player_id", "affected_player"},
		{"retry_info.retry_count", "retry_count"}, {"retry_info.max_retries", "max_retries"},
	},
	protocol.TypeRoundCompleted: {
		{"matches_played", "matches_completed"}, {"matches_completed", "matches_played"},
	},
	protocol.TypeLeagueQueryResponse:    standingsPaths,
	protocol.TypeQueryStandingsResponse: standingsPaths,
}

// standingsPaths connects the two places at which the answer to a query may have the standings, in both directions.
var standingsPaths = [][2]string{
	{"data.standings", "standings"}, {"data.current_round", "current_round"},
	{"standings", "data.standings"}, {"current_round", "data.current_round"},
}

// otherWords maps third-party values to ours, by message type and member.
var otherWords = map[protocol.Type]map[string]map[string]string{
	protocol.TypeLeagueRegisterResponse:  {"status": admissions},
	protocol.TypeRefereeRegisterResponse: {"status": admissions},
}

// admissions maps the status words of third-party managers for a registration to ours.
var admissions = map[string]string{
	"REGISTERED": protocol.Accepted, "SUCCESS": protocol.Accepted, "OK": protocol.Accepted, "ACCEPTED": protocol.Accepted,
	"DENIED": protocol.Rejected, "ERROR": protocol.Rejected,
}

// understand translates a third-party message of type t to our names and words, and reports whether f changed.
func understand(t protocol.Type, f fields) (changed bool) {
	for _, path := range otherPaths[t] {
		if v := f.Get(path[0]); v != nil && !f.Has(path[1]) {
			f.Set(path[1], v)
			changed = true
		}
	}
	for member, table := range otherWords[t] {
		if said, ok := f.Text(member); ok {
			if ours, ok := table[strings.ToUpper(said)]; ok {
				f.Put(member, ours)
				changed = true
			}
		}
	}
	return understandMore(t, f) || changed
}

// understandMore translates the cases that no table covers.
func understandMore(t protocol.Type, f fields) (changed bool) {
	switch t {
	case protocol.TypeLeagueRegisterRequest:
		return understandMeta(f, "player_meta")
	case protocol.TypeRefereeRegisterRequest:
		return understandMeta(f, "referee_meta")
	case protocol.TypeLeagueRegisterResponse:
		return understandAdmission(f, "player_id")
	case protocol.TypeRefereeRegisterResponse:
		return understandAdmission(f, "referee_id")
	case protocol.TypeStartMatch:
		return understandPlayers(f)
	case protocol.TypeMatchResultReport:
		return understandReport(f)
	case protocol.TypeGameOver:
		return understandOver(f)
	case protocol.TypeGameJoinAck:
		return understandJoin(f)
	case protocol.TypeLeagueError, protocol.TypeGameError:
		return understandError(f)
	case protocol.TypeAssignments:
		return understandAssignments(f)
	case protocol.TypeLeagueQueryResponse, protocol.TypeQueryStandingsResponse:
		return understandAnswer(f)
	}
	return false
}

// joins maps the status words of a GAME_JOIN_ACK without accept to its meaning.
var joins = map[string]bool{
	"READY": true, "ACCEPTED": true, "ACK": true, "JOINED": true, "ACKNOWLEDGED": true, "OK": true,
	"REJECTED": false, "DECLINED": false, "REFUSED": false,
}

// understandJoin sets accept from the status of a join that has no accept.
func understandJoin(f fields) bool {
	status, _ := f.Text("status")
	if yes, ok := joins[strings.ToUpper(status)]; ok && !f.Has("accept") {
		f.Put("accept", yes)
		return true
	}
	return false
}

// understandError sets error_name if the description is the name of an error, and drops members of the wrong type.
func understandError(f fields) (changed bool) {
	for _, member := range []string{"detail", "suggestion"} { // third-party agents may have lists or objects here
		if _, text := f.Text(member); !text && f.Has(member) {
			delete(f, member)
			changed = true
		}
	}
	if v := f["timeout_seconds"]; v != nil && json.Unmarshal(v, new(float64)) != nil {
		delete(f, "timeout_seconds")
		changed = true
	}
	description, _ := f.Text("error_description")
	if k, ok := protocol.KindNamed(description); ok && !f.Has("error_name") {
		f.Put("error_name", k.Name)
		return true
	}
	return changed
}

// understandAssignments replaces matches: null by an empty list.
func understandAssignments(f fields) bool {
	if string(f["matches"]) != "null" {
		return false
	}
	f["matches"] = json.RawMessage("[]")
	return true
}

// understandAnswer normalizes the answer to a query that has players outside of data, or no success flag.
func understandAnswer(f fields) (changed bool) {
	if players, ok := f["players"]; ok && !f.Has("data") {
		f.Put("data", fields{"players": players})
		delete(f, "players")
		changed = true
	}
	if f.Has("success") {
		return changed
	}
	f.Put("success", f.Has("data") && !f.Has("error"))
	return true
}
