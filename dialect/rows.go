package dialect

import (
	"slices"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// A Row describes an observed dialect: its framing, and the names and words that differ from the specification's.
// Agents that mix parts of several rows are understood too.
type Row struct {
	Name  string                   // one of notation.RowNames
	Frame string                   // one of the framers
	Names map[protocol.Type]string // the first name of a message, where it is not the specification's
	Words map[string]string        // values that are not ours, by "member our-value": see [Row.translate]
	Seen  string                   // a sentence for people: docs/guide/interop.md, the page, `league check`
}

// Rows lists the known dialects, the most common first. The first row with a framing is the default for agents with
// that framing. A new row needs a conversation in testdata/dialects and a name in notation.RowNames.
var Rows = []Row{
	{Name: "A", Frame: "call", Seen: "the specification's: a method for each message, the message in params"},
	{
		Name: "A'", Frame: "call", Names: map[protocol.Type]string{protocol.TypeChooseParityCall: "parity_choose"},
		Seen: "as A, but a choice is asked for with parity_choose",
	},
	{
		Name: "B", Frame: "type", Words: map[string]string{"status ACCEPTED": "REGISTERED"},
		Seen: "the method is the message type",
	},
	{
		Name: "C", Frame: "tool", Names: map[protocol.Type]string{
			protocol.TypeGameInvitation:    "receive_game_invitation",
			protocol.TypeGameOver:          "receive_game_over",
			protocol.TypeRoundAnnouncement: "receive_round_announcement",
		},
		Seen: "tools/call with a tool for each message, answers as content blocks",
	},
	{
		Name: "D", Frame: "message",
		Names: map[protocol.Type]string{protocol.TypeStartMatch: "ROUND_ANNOUNCEMENT+announcement"},
		Seen:  "one method, handle_message, with the message in params.message",
	},
	{Name: "E", Frame: "data", Seen: "no JSON-RPC: the envelope with everything else under data"},
	{
		Name: "F", Frame: "bare",
		Names: map[protocol.Type]string{protocol.TypeStartMatch: "ROUND_ANNOUNCEMENT+announcement"},
		Seen:  "no JSON-RPC: the message alone",
	},
	{Name: "G", Frame: "call", Seen: "registers with POST /register, then JSON-RPC with members of its own"},
	{
		Name: "N", Frame: "call", Names: map[protocol.Type]string{
			protocol.TypeGameInvitation:        "game_invitation",
			protocol.TypeGameOver:              "notify_game_over",
			protocol.TypeRoundAnnouncement:     "notify",
			protocol.TypeLeagueStandingsUpdate: "notify",
			protocol.TypeRoundCompleted:        "notify",
			protocol.TypeLeagueCompleted:       "notify",
		},
		Seen: "as A with names of its own, and one name, notify, for all news",
	},
	{
		Name: "P", Frame: "protocol", Names: map[protocol.Type]string{protocol.TypeGameInvitation: "GAME_INVITE"},
		Seen: "after the MCP handshake one method, protocol/message, with the message in params.message",
	},
	{Name: "M", Frame: "mcp", Seen: "a real MCP server with tools of its own"},
}

// rowNamed returns the row with that name; the specification's row if the name is unknown.
func rowNamed(name string) Row {
	for _, r := range Rows {
		if r.Name == name {
			return r
		}
	}
	return Rows[0]
}

// rowOf returns the first row with that framing.
func rowOf(frame string) Row {
	i := slices.IndexFunc(Rows, func(r Row) bool { return r.Frame == frame })
	return Rows[max(i, 0)]
}

// Like returns the row that is most similar to a peer's dialect, for display.
func Like(d notation.Dialect) Row {
	best := rowNamed(d.Row)
	for _, t := range []protocol.Type{
		protocol.TypeGameInvitation, protocol.TypeLeagueRegisterRequest, protocol.TypeStartMatch,
		protocol.TypeChooseParityCall,
	} {
		f, known := d.Forms[t]
		for _, row := range Rows {
			if known && row.Frame == f.Frame && (row.Names[t] == f.Name || best.Frame != f.Frame) {
				best = row
				break
			}
		}
	}
	return best
}

// translate replaces our words in m by those of the row. The shape "numbers" keeps the round a number.
func (r Row) translate(m fields, shape string) {
	if shape != "numbers" {
		textRound(m, r.Words["round_id"])
	}
	for _, member := range []string{"status", "sender"} {
		if said, ok := m.Text(member); ok {
			if theirs := r.Words[member+" "+said]; theirs != "" {
				m.Put(member, theirs)
			}
		}
	}
}
