package dialect

import (
	"encoding/json"
	"fmt"
	"strings"

	"agentleague/protocol"
)

// A shape rearranges the members m of a message of type t in place. Shapes are used for peers that refuse our
// arrangement, and for START_MATCH orders, which third-party referees expect in other arrangements.
type shape func(t protocol.Type, m fields)

// shapes maps each word of notation.Shapes to its function.
var shapes = map[string]shape{
	"wide":         addAliases,
	"assignment":   assign,
	"announcement": announce,
	"rounds":       func(_ protocol.Type, m fields) { textRound(m, "ROUND_%d") },
	"numbers":      func(protocol.Type, fields) {}, // rounds are numbers in every row
	"spare":        spare,
	"named":        func(_ protocol.Type, m fields) { nameManager(m) },
	"formal":       func(_ protocol.Type, m fields) { nameManager(m); textRound(m, "ROUND_%d") },
	"terse":        minimal,
	"full":         func(_ protocol.Type, m fields) { m.DropNulls() },
	"camel":        func(protocol.Type, fields) {}, // of all members, when the rest is done: see [Frame]
}

// nameMissingWinner replaces a null winner by a word. Managers whose methods are message types accept null, but then
// count a loss for every player.
func nameMissingWinner(f fields) {
	if won := f.Get("result.winner"); won != nil && string(won) != "null" {
		return
	}
	word := "NONE"
	if textAt(f, "result.details.status") == protocol.Draw {
		word = protocol.Draw
	}
	f.Set("result.winner", quoted(word))
}

// assign rewrites a START_MATCH as a MATCH_ASSIGNMENT.
func assign(t protocol.Type, m fields) {
	addAliases(t, m)
	m.Put("message_type", "MATCH_ASSIGNMENT")
}

// announce rewrites a START_MATCH as the ROUND_ANNOUNCEMENT of a round with this
// match only, including the endpoints that the referee needs.
func announce(t protocol.Type, m fields) {
	addAliases(t, m)
	match := fields{}
	for _, name := range []string{
		"match_id", "round_id", "game_type", "player_A_id", "player_B_id", "player_A_endpoint", "player_B_endpoint",
		"attempt",
	} {
		if v, ok := m[name]; ok {
			match[name] = v
		}
	}
	match.Put("referee_id", textAt(m, "referee_id"))
	match.Put("referee_endpoint", textAt(m, "referee_endpoint"))
	for name := range m {
		if !envelopeMembers[name] {
			delete(m, name)
		}
	}
	delete(m, "match_id")
	m.Put("message_type", protocol.TypeRoundAnnouncement)
	m.Put("matches", []fields{match})
}

// spare removes all members that the specification does not require, for peers
// that refuse unknown members.
func spare(t protocol.Type, m fields) {
	s, _ := protocol.Lookup(t)
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

// nameManager adds an id to the manager's sender, which some agents require.
func nameManager(f fields) {
	if sender, _ := f.Text("sender"); sender == protocol.Manager {
		f.Put("sender", protocol.Manager+":LM01")
	}
}

// textRound formats the round as a string, with a format such as "R%d". An empty format keeps the number.
func textRound(f fields, format string) {
	var round protocol.Round
	if format != "" && json.Unmarshal(f["round_id"], &round) == nil && round > 0 {
		f.Put("round_id", fmt.Sprintf(format, round))
	}
}
