package protocol

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// shapes arrange the members of a message in another way than ours. They are
// used where a peer refuses ours, and to order a match of a referee that has no
// way of ours at all.
var shapes map[string]func(t Type, m fields)

func init() {
	shapes = map[string]func(t Type, m fields){
		"":             nil,
		"wide":         widen,
		"assignment":   assign,
		"announcement": announce,
		"rounds":       func(_ Type, m fields) { m.textRound("ROUND_%d") },
		"numbers":      func(Type, fields) {}, // our own number, whatever the row says
		"spare":        spare,
		"named":        func(_ Type, m fields) { m.nameManager() },
		"formal":       func(_ Type, m fields) { m.nameManager(); m.textRound("ROUND_%d") },
		"terse":        terse,
		"full":         func(_ Type, m fields) { m.dropNulls() },
	}
}

// knownShape reports whether every part of a shape is one of ours.
func knownShape(shape string) bool {
	for name := range strings.SplitSeq(shape, ".") {
		if _, ok := shapes[name]; !ok {
			return false
		}
	}
	return true
}

// wide lists, for a type, members that other agents look for and where ours are.
var wide = map[Type][][2]string{
	TypeGameInvitation: {
		{"opponent_id", "opponent"}, {"role_in_match", "your_role"}, {"game_type", "game"}, {"match_id", "game_id"},
		{"match_id", "game_invitation.match_id"}, {"game_type", "game_invitation.game_type"},
		{"role_in_match", "game_invitation.role_in_match"}, {"opponent_id", "game_invitation.opponent_id"},
	},
	TypeChooseParityCall: {
		{"context.opponent_id", "opponent_id"}, {"context.opponent_id", "opponent"}, {"context.your_standings", "your_standings"},
		{"match_id", "game_id"}, {"context", "parity_context"},
	},
	TypeGameOver: {
		{"game_result.status", "status"}, {"game_result.winner_player_id", "winner_id"}, {"game_result.winner_player_id", "winner_player_id"},
		{"game_result.number_parity", "number_parity"}, {"game_result.number_parity", "parity"}, {"game_result.choices", "choices"},
		{"game_result.reason", "reason"}, {"game_result.score", "score"}, {"opponent_id", "opponent"},
	},
	TypeStartMatch: {
		{"player_A.id", "player_A_id"}, {"player_A.endpoint", "player_A_endpoint"}, {"player_B.id", "player_B_id"}, {"player_B.endpoint", "player_B_endpoint"},
		{"player_A.id", "player_a_id"}, {"player_A.endpoint", "player_a_endpoint"}, {"player_B.id", "player_b_id"}, {"player_B.endpoint", "player_b_endpoint"},
		{"player_A.id", "player1_id"}, {"player_A.endpoint", "player1_endpoint"}, {"player_B.id", "player2_id"}, {"player_B.endpoint", "player2_endpoint"},
		{"player_A.token", "player_A_token"}, {"player_B.token", "player_B_token"},
		{"player_A.token", "player1_token"}, {"player_B.token", "player2_token"},
		{"player_A.id", "player_a"}, {"player_B.id", "player_b"},
		{"player_A.endpoint", "player_a_url"}, {"player_B.endpoint", "player_b_url"},
		{"player_A.id", "player1.display_name"}, {"player_B.id", "player2.display_name"},
		{"player_A.endpoint", "player1.endpoint"}, {"player_B.endpoint", "player2.endpoint"},
		{"report_to", "league_manager_endpoint"},
	},
	TypeMatchResultReport: {
		{"result.winner", "winner"}, {"result.winner", "winner_id"}, {"result.score", "score"}, {"result.details.drawn_number", "drawn_number"},
		{"result.details.choices", "choices"}, {"result.details.status", "status"}, {"result.details.number_parity", "number_parity"},
		{"result.winner", "result.winner_player_id"}, {"result.details.drawn_number", "result.drawn_number"}, {"result.details.choices", "result.choices"},
		{"result.details.status", "result.status"}, {"result.details.number_parity", "result.number_parity"}, {"result.details.reason", "result.reason"},
	},
	TypeLeagueRegisterRequest: {
		{"player_meta.display_name", "display_name"}, {"player_meta.contact_endpoint", "contact_endpoint"}, {"player_meta.contact_endpoint", "endpoint"},
		{"player_meta.version", "version"}, {"player_meta.game_types", "game_types"}, {"player_meta.display_name", "name"},
	},
	TypeRefereeRegisterRequest: {
		{"referee_meta.display_name", "display_name"}, {"referee_meta.contact_endpoint", "contact_endpoint"}, {"referee_meta.contact_endpoint", "endpoint"},
		{"referee_meta.version", "version"}, {"referee_meta.game_types", "game_types"}, {"referee_meta.display_name", "name"},
	},
}

// widen adds the members that others look for to ours.
func widen(t Type, m fields) {
	for _, pair := range wide[t] {
		if v := m.get(pair[0]); v != nil && !m.has(pair[1]) {
			m.set(pair[1], v)
		}
	}
	if t == TypeMatchResultReport {
		widenReport(m)
	}
	if t == TypeStartMatch {
		for _, seat := range []string{"player1", "player2"} {
			m.set(seat+".version", quoted("1.0.0"))
		}
		m.put("players", []string{textAt(m, "player_A.id"), textAt(m, "player_B.id")})
		m.put("player_endpoints", map[string]string{
			textAt(m, "player_A.id"): textAt(m, "player_A.endpoint"), textAt(m, "player_B.id"): textAt(m, "player_B.endpoint"),
		})
	}
}

// widenReport tells besides how the match ended for each player, as some managers want it.
func widenReport(m fields) {
	var score fields
	_ = json.Unmarshal(m.get("result.score"), &score)
	ids := slices.SortedFunc(maps.Keys(score), CompareIDs)
	if len(ids) != 2 {
		return
	}
	winner, status := textAt(m, "result.winner"), textAt(m, "result.details.status")
	players := map[string]any{}
	for i, side := range []string{"player_a", "player_b"} {
		ended := Draw
		switch {
		case winner == ids[i]:
			ended = Win
		case status == TechnicalLoss:
			ended = TechnicalLoss
		case status != Draw && winner != "":
			ended = Loss
		}
		word := map[string]string{Win: "WIN", Draw: "TIE"}[ended]
		players[ids[i]] = map[string]any{"result": cmp.Or(word, "LOSS"), "points": score[ids[i]]}
		m.put(side+"_id", ids[i])
		m.put(side+"_result", ended)
		if v := m.get("result.details.choices." + ids[i]); v != nil {
			m[side+"_choice"] = v
		}
	}
	m.put("players", players)
}

// nameNobody says with a word that nobody has won, as managers do whose methods
// are message types: to them whoever is not the winner has lost, and a null is not refused.
func (f fields) nameNobody() {
	if won := f.get("result.winner"); won != nil && string(won) != "null" {
		return
	}
	word := "NONE"
	if textAt(f, "result.details.status") == Draw {
		word = Draw
	}
	f.set("result.winner", quoted(word))
}

// assign writes a START_MATCH as a MATCH_ASSIGNMENT.
func assign(t Type, m fields) {
	widen(t, m)
	m.put("message_type", "MATCH_ASSIGNMENT")
}

// announce writes a START_MATCH as the announcement of a round with that match
// alone, and the endpoints that the referee needs.
func announce(t Type, m fields) {
	widen(t, m)
	match := fields{}
	for _, name := range []string{"match_id", "round_id", "game_type", "player_A_id", "player_B_id", "player_A_endpoint", "player_B_endpoint", "attempt"} {
		if v, ok := m[name]; ok {
			match[name] = v
		}
	}
	match.put("referee_id", textAt(m, "referee_id"))
	match.put("referee_endpoint", textAt(m, "referee_endpoint"))
	for name := range m {
		if !envelopeMembers[name] {
			delete(m, name)
		}
	}
	delete(m, "match_id")
	m.put("message_type", TypeRoundAnnouncement)
	m.put("matches", []fields{match})
}

// spare leaves only the members that the specification demands, for a peer
// that refuses any other.
func spare(t Type, m fields) {
	s, _ := Lookup(t)
	demanded := map[string]bool{}
	for _, path := range s.Required {
		name, _, _ := strings.Cut(path, ".")
		demanded[name] = true
	}
	for name := range m {
		if !envelopeMembers[name] && !demanded[name] {
			delete(m, name)
		}
	}
}

// nameManager gives the manager an id, which some agents want to see in a sender.
func (f fields) nameManager() {
	if sender, _ := f.text("sender"); sender == Manager {
		f.put("sender", Manager+":LM01")
	}
}

// dropNulls removes the members that are null, at every depth.
func (f fields) dropNulls() {
	var clean fields
	if json.Unmarshal(withoutNulls(mustMarshal(f, nil)), &clean) != nil {
		return
	}
	for name := range f {
		delete(f, name)
	}
	for name, v := range clean {
		f[name] = v
	}
}

// textRound writes the round as a text.
func (f fields) textRound(form string) {
	var round Round
	if form != "" && json.Unmarshal(f["round_id"], &round) == nil && round > 0 {
		f.put("round_id", fmt.Sprintf(form, round))
	}
}

func textAt(f fields, path string) string {
	var s string
	_ = json.Unmarshal(f.get(path), &s)
	return s
}
