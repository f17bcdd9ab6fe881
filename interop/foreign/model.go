package foreign

import (
	"fmt"
	"regexp"
	"slices"
)

// check returns a refusal if the members of a message violate the model, and nil otherwise. data holds the members
// under data in the request; plain reports that the agent does not speak JSON-RPC.
func (m Model) check(c call, data object, plain bool) *answer {
	switch m {
	case ModelNested:
		place, ok := nested[c.kind]
		if !ok || c.message.object(place).text("opponent_id") != "" {
			return nil
		}
		if !plain {
			return invalidParams(c.id,
				fmt.Sprintf("Invalid params: 1 validation error\n%s\n  Field required [type=missing]", place))
		}
		return &answer{400, encode(object{"status": "error", "error": place + ": Field required"})}
	case ModelTerse:
		return checkTerse(c, data)
	}
	return nil
}

// nested maps a kind to the member in which ModelNested expects the subject of the message.
var nested = map[Kind]string{Invitation: "game_invitation", Choice: "parity_context"}

// terse lists the members that ModelTerse accepts.
var terse = map[Kind][]string{
	Invitation: {"match_id", "round_id", "opponent_id", "role_in_match", "timeout_ms", "match_context"},
	Choice:     {"match_id", "round_id", "opponent_history", "opponent_history_hash", "timeout_ms"},
	Result: {"match_id", "round_id", "player_a_choice", "player_b_choice", "random_number", "winner_id", "calculation",
		"round_duration_ms"},
}

// patterns maps members of ModelTerse to the pattern of their values.
var patterns = map[string]*regexp.Regexp{
	"match_id":        regexp.MustCompile(`^M-\d+$`),
	"opponent_id":     regexp.MustCompile(`^player:.+$`),
	"role_in_match":   regexp.MustCompile(`^[AB]$`),
	"player_a_choice": regexp.MustCompile(`^(even|odd)$`),
	"player_b_choice": regexp.MustCompile(`^(even|odd)$`),
}

// checkTerse returns a refusal as a strict Python model does: for an extra member, a value that does not match its
// pattern, or a missing member. It returns nil for an acceptable message.
func checkTerse(c call, data object) *answer {
	known, ok := terse[c.kind]
	if !ok {
		return nil
	}
	for name, v := range data {
		if !slices.Contains(known, name) {
			return invalidData(name, "Extra inputs are not permitted")
		}
		if want := patterns[name]; want != nil && !want.MatchString(fmt.Sprint(v)) {
			return invalidData(name, "String should match pattern '"+want.String()+"'")
		}
	}
	needed := known[:2]
	switch c.kind {
	case Invitation:
		needed = known[:4]
	case Result:
		needed = []string{
			"match_id", "round_id", "player_a_choice", "player_b_choice", "random_number", "calculation", "round_duration_ms",
		}
	}
	for _, name := range needed {
		if data[name] == nil {
			return invalidData(name, "Field required")
		}
	}
	return nil
}

// invalidData returns the error with which a validating framework refuses data.
func invalidData(name, what string) *answer {
	return &answer{
		422, encode(object{
			"detail": []object{{"loc": []string{"body"}, "msg": "Value error, Invalid payload: " + name + ": " + what}},
		}),
	}
}

// invalidParams is the same error in JSON-RPC.
func invalidParams(id any, what string) *answer {
	return &answer{400, encode(object{"jsonrpc": "2.0", "error": object{"code": -32602, "message": what}, "id": id})}
}
