package dialect

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"agentleague/protocol"
)

// allAliases maps each message type to pairs {path of a member in league.v2, path by which third-party agents read it}.
var allAliases = map[protocol.Type][][2]string{
	protocol.TypeGameInvitation: {
		{"opponent_id", "opponent"}, {"role_in_match", "your_role"}, {"game_type", "game"}, {"match_id", "game_id"},
		{"match_id", "game_invitation.match_id"}, {"game_type", "game_invitation.game_type"},
		{"role_in_match", "game_invitation.role_in_match"}, {"opponent_id", "game_invitation.opponent_id"},
	},
	protocol.TypeChooseParityCall: {
		{"context.opponent_id", "opponent_id"}, {"context.opponent_id", "opponent"},
		{"context.your_standings", "your_standings"}, {"match_id", "game_id"}, {"context", "parity_context"},
	},
	protocol.TypeGameOver: {
		{"game_result.status", "status"}, {"game_result.winner_player_id", "winner_id"},
		{"game_result.winner_player_id", "winner_player_id"}, {"game_result.number_parity", "number_parity"},
		{"game_result.number_parity", "parity"}, {"game_result.choices", "choices"},
		{"game_result.reason", "reason"}, {"game_result.score", "score"}, {"opponent_id", "opponent"},
	},
	protocol.TypeStartMatch: {
		{"player_A.id", "player_A_id"}, {"player_A.endpoint", "player_A_endpoint"},
		{"player_B.id", "player_B_id"}, {"player_B.endpoint", "player_B_endpoint"},
		{"player_A.id", "player_a_id"}, {"player_A.endpoint", "player_a_endpoint"},
		{"player_B.id", "player_b_id"}, {"player_B.endpoint", "player_b_endpoint"},
		{"player_A.id", "player1_id"}, {"player_A.endpoint", "player1_endpoint"},
		{"player_B.id", "player2_id"}, {"player_B.endpoint", "player2_endpoint"},
		{"player_A.token", "player_A_token"}, {"player_B.token", "player_B_token"},
		{"player_A.token", "player1_token"}, {"player_B.token", "player2_token"},
		{"player_A.id", "player_a"}, {"player_B.id", "player_b"},
		{"player_A.endpoint", "player_a_url"}, {"player_B.endpoint", "player_b_url"},
		{"player_A.id", "player1.display_name"}, {"player_B.id", "player2.display_name"},
		{"player_A.endpoint", "player1.endpoint"}, {"player_B.endpoint", "player2.endpoint"},
		{"report_to", "league_manager_endpoint"},
	},
	protocol.TypeMatchResultReport: {
		{"result.winner", "winner"}, {"result.winner", "winner_id"}, {"result.score", "score"},
		{"result.details.drawn_number", "drawn_number"}, {"result.details.choices", "choices"},
		{"result.details.status", "status"}, {"result.details.number_parity", "number_parity"},
		{"result.winner", "result.winner_player_id"}, {"result.details.drawn_number", "result.drawn_number"},
		{"result.details.choices", "result.choices"}, {"result.details.status", "result.status"},
		{"result.details.number_parity", "result.number_parity"}, {"result.details.reason", "result.reason"},
	},
	protocol.TypeLeagueRegisterRequest: {
		{"player_meta.display_name", "display_name"}, {"player_meta.contact_endpoint", "contact_endpoint"},
		{"player_meta.contact_endpoint", "endpoint"}, {"player_meta.version", "version"},
		{"player_meta.game_types", "game_types"}, {"player_meta.display_name", "name"},
	},
	protocol.TypeRefereeRegisterRequest: {
		{"referee_meta.display_name", "display_name"}, {"referee_meta.contact_endpoint", "contact_endpoint"},
		{"referee_meta.contact_endpoint", "endpoint"}, {"referee_meta.version", "version"},
		{"referee_meta.game_types", "game_types"}, {"referee_meta.display_name", "name"},
	},
}

// Wide encodes an order with each member under all the names that third-party referees are known to read.
func Wide(order *protocol.StartMatch) (json.RawMessage, error) {
	b, err := protocol.Encode(order)
	if err != nil {
		return nil, err
	}
	var f fields
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, err
	}
	addAliases(protocol.TypeStartMatch, f)
	return json.Marshal(f)
}

// addAliases copies members of a message to the third-party paths in [allAliases]. Existing members are kept.
func addAliases(t protocol.Type, m fields) {
	for _, pair := range allAliases[t] {
		if v := m.Get(pair[0]); v != nil && !m.Has(pair[1]) {
			m.Set(pair[1], v)
		}
	}
	switch t {
	case protocol.TypeMatchResultReport:
		addReportAliases(m)
	case protocol.TypeStartMatch:
		addOrderAliases(m)
	}
}

// addOrderAliases adds the lists of players, the endpoints by player and the versions that some referees read in a
// START_MATCH message.
func addOrderAliases(m fields) {
	for _, seat := range []string{"player1", "player2"} {
		m.Set(seat+".version", quoted("1.0.0"))
	}
	a, b := textAt(m, "player_A.id"), textAt(m, "player_B.id")
	m.Put("players", []string{a, b})
	m.Put("player_endpoints", map[string]string{
		a: textAt(m, "player_A.endpoint"), b: textAt(m, "player_B.endpoint"),
	})
}

// addReportAliases adds a result for each player, which some managers require, to a report with exactly two scores.
func addReportAliases(m fields) {
	var score fields
	_ = json.Unmarshal(m.Get("result.score"), &score)
	ids := slices.SortedFunc(maps.Keys(score), protocol.CompareIDs)
	if len(ids) != 2 {
		return
	}
	winner, status := textAt(m, "result.winner"), textAt(m, "result.details.status")
	players := map[string]any{}
	for i, side := range []string{"player_a", "player_b"} {
		ended := endOf(ids[i], winner, status)
		word := map[string]string{protocol.Win: "WIN", protocol.Draw: "TIE"}[ended]
		players[ids[i]] = map[string]any{"result": cmp.Or(word, "LOSS"), "points": score[ids[i]]}
		m.Put(side+"_id", ids[i])
		m.Put(side+"_result", ended)
		if v := m.Get("result.details.choices." + ids[i]); v != nil {
			m[side+"_choice"] = v
		}
	}
	m.Put("players", players)
}

// endOf returns the result of one player: win, loss, draw or technical loss.
func endOf(player, winner, status string) string {
	switch {
	case winner == player:
		return protocol.Win
	case status == protocol.TechnicalLoss:
		return protocol.TechnicalLoss
	case status != protocol.Draw && winner != "":
		return protocol.Loss
	}
	return protocol.Draw
}
