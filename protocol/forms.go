package protocol

import (
	"encoding/json"
	"strings"
)

// The documents that describe league.v2 name some things differently. What
// each of them says is understood on input: the members below are copied, in
// the message of that type, to where our own form has them, unless they are
// there already.
var otherForms = map[Type][][2]string{
	TypeLeagueRegisterRequest:  {{"player_meta.agent_version", "player_meta.version"}},
	TypeRefereeRegisterRequest: {{"referee_meta.agent_version", "referee_meta.version"}},
	TypeGameInvitation:         {{"role", "role_in_match"}, {"opponent", "opponent_id"}, {"game_id", "match_id"}},
	TypeChooseParityCall:       {{"game_id", "match_id"}},
	TypeGameJoinAck:            {{"accepted", "accept"}, {"joined", "accept"}},
	TypeChooseParityResponse:   {{"choice", "parity_choice"}, {"move_data.choice", "parity_choice"}, {"parity", "parity_choice"}},
	TypeGameMoveResponse:       {{"choice", "move_data.choice"}, {"parity_choice", "move_data.choice"}, {"move", "move_data.choice"}},
	TypeGameOver: {
		{"winner_id", "game_result.winner_player_id"}, {"winner_player_id", "game_result.winner_player_id"}, {"number_parity", "game_result.number_parity"},
		{"winner", "game_result.winner_player_id"}, {"drawn_number", "game_result.drawn_number"}, {"choices", "game_result.choices"},
		{"details.drawn_number", "game_result.drawn_number"}, {"details.parity", "game_result.number_parity"}, {"game_id", "match_id"},
		{"details.dice_roll", "game_result.drawn_number"}, {"details.dice_parity", "game_result.number_parity"},
	},
	TypeMatchResultReport: {
		{"result.details.parity", "result.details.number_parity"}, {"winner", "result.winner"}, {"winner_id", "result.winner"},
		{"winner_player_id", "result.winner"}, {"result.winner_id", "result.winner"}, {"result.winner_player_id", "result.winner"},
		{"score", "result.score"}, {"scores", "result.score"}, {"result.scores", "result.score"}, {"drawn_number", "result.details.drawn_number"}, {"result.drawn_number", "result.details.drawn_number"},
		{"choices", "result.details.choices"}, {"result.choices", "result.details.choices"}, {"result.status", "result.details.status"},
		{"game_result.winner_player_id", "result.winner"}, {"game_result.choices", "result.details.choices"},
		{"game_result.drawn_number", "result.details.drawn_number"}, {"game_result.status", "result.details.status"}, {"game_result.score", "result.score"},
		{"details.drawn_number", "result.details.drawn_number"}, {"details.choices", "result.details.choices"}, {"final_score", "result.score"},
		{"dice_roll", "result.details.drawn_number"}, {"status", "result.details.status"}, {"result.match_id", "match_id"}, {"result.reason", "result.details.reason"},
	},
	TypeLeagueError: {{"error_message", "error_description"}},
	TypeGameError: {
		{"error_message", "error_description"}, {"affected_player", "player_id"}, {"player_id", "affected_player"},
		{"retry_info.retry_count", "retry_count"}, {"retry_info.max_retries", "max_retries"},
	},
	TypeRoundCompleted:         {{"matches_played", "matches_completed"}, {"matches_completed", "matches_played"}},
	TypeLeagueQueryResponse:    standingsForms,
	TypeQueryStandingsResponse: standingsForms,
}

// standingsForms are the two places where the answer to a query has the table.
var standingsForms = [][2]string{
	{"data.standings", "standings"}, {"data.current_round", "current_round"},
	{"standings", "data.standings"}, {"current_round", "data.current_round"},
}

// words are values that mean one of ours, by type and member.
var words = map[Type]map[string]map[string]string{
	TypeLeagueRegisterResponse:  {"status": admissions},
	TypeRefereeRegisterResponse: {"status": admissions},
}

// admissions are the status words with which other managers answer a registration.
var admissions = map[string]string{"REGISTERED": Accepted, "SUCCESS": Accepted, "OK": Accepted, "ACCEPTED": Accepted, "DENIED": Rejected, "ERROR": Rejected}

// joins are the status words with which a GAME_JOIN_ACK without accept says yes or no.
var joins = map[string]bool{
	"READY": true, "ACCEPTED": true, "ACK": true, "JOINED": true, "ACKNOWLEDGED": true, "OK": true,
	"REJECTED": false, "DECLINED": false, "REFUSED": false,
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

// understand brings a message of type t that is written in another document's form into ours.
func understand(t Type, f fields) (changed bool) {
	for _, form := range otherForms[t] {
		if v := f.get(form[0]); v != nil && !f.has(form[1]) {
			f.set(form[1], v)
			changed = true
		}
	}
	for member, table := range words[t] {
		if said, ok := f.text(member); ok {
			if ours, ok := table[strings.ToUpper(said)]; ok {
				f.put(member, ours)
				changed = true
			}
		}
	}
	switch t {
	case TypeLeagueRegisterRequest:
		changed = understandMeta(f, "player_meta") || changed
	case TypeRefereeRegisterRequest:
		changed = understandMeta(f, "referee_meta") || changed
	case TypeLeagueRegisterResponse:
		changed = understandAdmission(f, "player_id") || changed
	case TypeRefereeRegisterResponse:
		changed = understandAdmission(f, "referee_id") || changed
	case TypeStartMatch:
		changed = understandPlayers(f) || changed
	case TypeMatchResultReport:
		changed = understandReport(f) || changed
	case TypeGameOver:
		changed = understandOver(f) || changed
	case TypeGameJoinAck:
		changed = understandJoin(f) || changed
	case TypeLeagueError, TypeGameError:
		changed = understandError(f) || changed
	case TypeAssignments:
		if string(f["matches"]) == "null" { // there are none
			f["matches"] = json.RawMessage("[]")
			changed = true
		}
	case TypeLeagueQueryResponse, TypeQueryStandingsResponse:
		if players, ok := f["players"]; ok && !f.has("data") {
			f.put("data", fields{"players": players})
			delete(f, "players")
		}
		if !f.has("success") {
			f.put("success", f.has("data") && !f.has("error"))
			changed = true
		}
	}
	return changed
}

// sides are what the players of a match are called in reports that are flat.
var sides = [][2]string{{"player_a", "player_b"}, {"player_A", "player_B"}, {"player1", "player2"}}

// understandReport reads a report that tells of each player in members of its
// own. Who they are it may leave to the manager: then the seats stand for them.
func understandReport(f fields) (changed bool) {
	for _, seats := range sides {
		for i, seat := range seats {
			id := orText(textAt(f, seat+"_id"), orText(textAt(f, seat), []string{SeatA, SeatB}[i]))
			if v, ok := f[seat+"_choice"]; ok && !f.has("result.details.choices."+id) && !strings.Contains(id, ".") {
				f.set("result.details.choices."+id, v)
				changed = true
			}
			if textAt(f, seat+"_result") == TechnicalLoss && !f.has("result.details.status") {
				f.set("result.details.status", quoted(TechnicalLoss))
				changed = true
			}
		}
	}
	return f.choicesInScore() || changed
}

// The seats of a match, by which some referees name its players.
const (
	SeatA = "PLAYER_A"
	SeatB = "PLAYER_B"
)

// choicesInScore finds the choices in a score that tells them instead of points.
func (f fields) choicesInScore() bool {
	var score map[string]string
	if json.Unmarshal(f.get("result.score"), &score) != nil || len(score) == 0 || f.has("result.details.choices") {
		return false
	}
	f.set("result.details.choices", f.get("result.score"))
	return true
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// understandOver reads a result that is an object, as in a report, or is said under other words.
func understandOver(f fields) (changed bool) {
	result := f.object("result")
	if result == nil {
		if f.has("result") && f["result"][0] != '"' {
			delete(f, "result")
			return true
		}
		return false
	}
	delete(f, "result")
	for _, pair := range [][2]string{
		{"winner", "winner_player_id"}, {"winner_id", "winner_player_id"}, {"winner_player_id", "winner_player_id"}, {"status", "status"},
		{"drawn_number", "drawn_number"}, {"choices", "choices"}, {"reason", "reason"}, {"details.drawn_number", "drawn_number"},
		{"details.choices", "choices"}, {"details.number_parity", "number_parity"}, {"details.status", "status"},
	} {
		if v := result.get(pair[0]); v != nil && !f.has("game_result."+pair[1]) {
			f.set("game_result."+pair[1], v)
		}
	}
	return true
}

// understandJoin reads from its status word whether a player joins.
func understandJoin(f fields) bool {
	status, _ := f.text("status")
	if yes, ok := joins[strings.ToUpper(status)]; ok && !f.has("accept") {
		f.put("accept", yes)
		return true
	}
	return false
}

// understandError takes a description that is the name of an error for that name.
func understandError(f fields) bool {
	description, _ := f.text("error_description")
	if k, ok := KindNamed(description); ok && !f.has("error_name") {
		f.put("error_name", k.Name)
		return true
	}
	return false
}

// get returns the value at a dotted path, or nil.
func (f fields) get(path string) json.RawMessage {
	name, rest, nested := strings.Cut(path, ".")
	v, ok := f[name]
	if !ok || !nested {
		return v
	}
	var inner fields
	if json.Unmarshal(v, &inner) != nil {
		return nil
	}
	return inner.get(rest)
}

// set puts a value at a dotted path, unless something that is no object is in the way.
func (f fields) set(path string, v json.RawMessage) {
	name, rest, nested := strings.Cut(path, ".")
	if !nested {
		f[name] = v
		return
	}
	inner := fields{}
	if old, ok := f[name]; ok && json.Unmarshal(old, &inner) != nil {
		return
	}
	if inner == nil {
		inner = fields{}
	}
	inner.set(rest, v)
	f.put(name, inner)
}
