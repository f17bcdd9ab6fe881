package dialect

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"agentleague/protocol"
)

// contestants lists the pairs of member prefixes for the two players in reports with separate members for each.
var contestants = [][2]string{{"player_a", "player_b"}, {"player_A", "player_B"}, {"player1", "player2"}}

// seats replace the ids of players that such a report does not name. The manager maps seats to players.
var seats = [2]string{protocol.SeatA, protocol.SeatB}

// understandReport reads a report with separate members for each player, such as player_a_id and player_a_choice. It
// reports whether f changed.
func understandReport(f fields) (changed bool) {
	for _, side := range contestants {
		for i, player := range side {
			id := cmp.Or(textAt(f, player+"_id"), textAt(f, player), seats[i])
			if v, ok := f[player+"_choice"]; ok && !f.Has("result.details.choices."+id) && !strings.Contains(id, ".") {
				f.Set("result.details.choices."+id, v)
				changed = true
			}
			if textAt(f, player+"_result") == protocol.TechnicalLoss && !f.Has("result.details.status") {
				f.Set("result.details.status", quoted(protocol.TechnicalLoss))
				changed = true
			}
		}
	}
	return choicesInScore(f) || resultsByPlayer(f) || changed
}

// resultsByPlayer reads a report that has a result for each player and no winner: {"players": {"P01": {"result":
// "win", "points": 3}, …}}.
func resultsByPlayer(f fields) (changed bool) {
	var players map[string]struct {
		Result, Choice string
		Points, Score  *float64
	}
	if f.Has("result.winner") || json.Unmarshal(f["players"], &players) != nil || len(players) != 2 {
		return false
	}
	winner, draws := "", 0
	for _, id := range slices.Sorted(maps.Keys(players)) {
		p := players[id]
		if strings.Contains(id, ".") {
			return false
		}
		switch strings.ToLower(p.Result) {
		case "win", "won", "winner":
			winner = id
		case "draw", "tie", "drawn":
			draws++
		}
		if points := cmp.Or(p.Points, p.Score); points != nil && !f.Has("result.score."+id) {
			f.Put("result.score."+id, *points)
		}
		if p.Choice != "" && !f.Has("result.details.choices."+id) {
			f.Set("result.details.choices."+id, quoted(p.Choice))
		}
	}
	switch {
	case winner != "":
		f.Set("result.winner", quoted(winner))
	case draws == 2:
		f.Set("result.winner", json.RawMessage("null"))
		f.Set("result.details.status", quoted(protocol.Draw))
	default:
		return false
	}
	return true
}

// choicesInScore copies the choices from a score that contains choices instead of points.
func choicesInScore(f fields) bool {
	var score map[string]string
	if json.Unmarshal(f.Get("result.score"), &score) != nil || len(score) == 0 || f.Has("result.details.choices") {
		return false
	}
	f.Set("result.details.choices", f.Get("result.score"))
	return true
}

// overPaths maps paths in the result object of a GAME_OVER to members of our
// game_result: {theirs, ours}.
var overPaths = [][2]string{
	{"winner", "winner_player_id"}, {"winner_id", "winner_player_id"}, {"winner_player_id", "winner_player_id"},
	{"status", "status"}, {"drawn_number", "drawn_number"}, {"choices", "choices"}, {"reason", "reason"},
	{"details.drawn_number", "drawn_number"}, {"details.choices", "choices"},
	{"details.number_parity", "number_parity"}, {"details.status", "status"}, {"score", "score"}, {"scores", "scores"},
}

// understandOver normalizes a GAME_OVER whose result is an object or whose choices are separate members. A result that
// is neither an object nor a string is dropped. It reports whether f changed.
func understandOver(f fields) (changed bool) {
	changed = choicesBySide(f, f) || choicesBySide(f, f.Object("details"))
	changed = resultObject(f) || changed
	return scoreOf(f) || changed
}

// scorePaths lists the paths at which a GAME_OVER may have the points of its players.
var scorePaths = []string{"score", "scores", "points", "final_score", "game_result.scores", "game_result.points",
	"details.score", "details.scores", "details.points"}

// scoreOf copies the points of a match to game_result.score.
func scoreOf(f fields) bool {
	for _, path := range scorePaths {
		var score map[string]int
		v := f.Get(path)
		if v != nil && json.Unmarshal(v, &score) == nil && len(score) > 0 && !f.Has("game_result.score") {
			f.Set("game_result.score", v)
			return true
		}
	}
	return false
}

// choicesBySide copies choices such as player1_choice to game_result.choices, under the name in player1 or player1_id,
// or under the seat if there is none.
func choicesBySide(f, from fields) (changed bool) {
	if f.Has("game_result.choices") {
		return false
	}
	choices := fields{}
	for _, side := range contestants {
		for i, player := range side {
			if v, ok := from[player+"_choice"]; ok {
				choices[cmp.Or(textAt(from, player+"_id"), textAt(from, player), seats[i])] = v
			}
		}
	}
	if len(choices) == 0 {
		return false
	}
	f.Set("game_result.choices", marshalOr(choices, nil))
	return true
}

// resultObject moves the members of a result object to game_result and drops other results that are not strings. It
// reports whether f changed.
func resultObject(f fields) (changed bool) {
	result := f.Object("result")
	if result == nil {
		if f.Has("result") && f["result"][0] != '"' {
			delete(f, "result")
			return true
		}
		return false
	}
	delete(f, "result")
	for _, path := range overPaths {
		if v := result.Get(path[0]); v != nil && !f.Has("game_result."+path[1]) {
			f.Set("game_result."+path[1], v)
		}
	}
	return true
}
