package dialect

import (
	"maps"
	"slices"
	"strings"

	"agentleague/protocol"
)

// isError reports whether an object is an error message: the assignment shows one as a result.
func (p place) isError() bool {
	named, _ := p.fields.Text("message_type")
	return protocol.Type(named) == protocol.TypeLeagueError || protocol.Type(named) == protocol.TypeGameError
}

// complains reports whether an object that is not a message describes an error.
func (p place) complains() bool {
	status, _ := p.fields.Text("status")
	status = strings.ToLower(status)
	switch status {
	case "error", "failed", "failure", "fail", "ignored":
		return true
	}
	return containsAny(status, "unknown", "unsupported") || p.fields.Has("error") || p.fields.Has("error_code") ||
		string(p.fields["isError"]) == "true" || string(p.fields["success"]) == "false"
}

// reportsUnknown reports whether an object describes an unknown message or method, under any member name.
func (p place) reportsUnknown() bool {
	refused := p.rejects() && p.fields.Has("error_name")
	return p.complains() && !refused && containsAny(strings.ToLower(string(p.text)), unknownWords...)
}

// rejects reports whether an answer refuses a registration. Such an answer may mention an error without being one.
func (p place) rejects() bool {
	status, _ := p.fields.Text("status")
	return strings.EqualFold(status, protocol.Rejected) || strings.EqualFold(status, "denied")
}

// read reads an object if it is a message of type want.
func (p place) read(want protocol.Type, r protocol.Reading) (protocol.Message, []string, bool) {
	if !p.holds(want) {
		return nil, nil, false
	}
	m, warnings, err := Read(p.text, r)
	return m, warnings, err == nil && m.Head().MessageType == want
}

// holds reports whether an object can be a message of type want: it names that type, or it names no known type and
// has the members of such a message.
func (p place) holds(want protocol.Type) bool {
	if named, ok := p.fields.Text("message_type"); ok && len(TypesNamed(named)) > 0 {
		return protocol.Type(named) == want || slices.Contains(TypesNamed(named), want)
	}
	if essence[want] == "status" && p.complains() && !p.rejects() {
		return false
	}
	f := maps.Clone(p.fields)
	understand(want, f)
	return f.Has(essence[want])
}

// essence is the member by which an answer without a message_type is known.
var essence = map[protocol.Type]string{
	protocol.TypeGameJoinAck:             "accept",
	protocol.TypeChooseParityResponse:    "parity_choice",
	protocol.TypeGameMoveResponse:        "move_data.choice",
	protocol.TypeLeagueRegisterResponse:  "status",
	protocol.TypeRefereeRegisterResponse: "status",
	protocol.TypeStartMatchAck:           "status",
	protocol.TypeMatchResultAck:          "status",
	protocol.TypePong:                    "status",
	protocol.TypeAssignments:             "matches",
	protocol.TypeLeagueQueryResponse:     "data",
}

// ImpliedReply returns the answer of type t that an agent without such an
// answer means when it answers with no error, or nil if nothing is implied.
func ImpliedReply(t protocol.Type) protocol.Message {
	switch t {
	case protocol.TypeStartMatchAck:
		return &protocol.StartMatchAck{Envelope: protocol.Envelope{MessageType: t}, Status: protocol.Accepted}
	case protocol.TypeMatchResultAck:
		return &protocol.MatchResultAck{Envelope: protocol.Envelope{MessageType: t}, Status: protocol.Accepted}
	}
	return nil
}

// informative are the members of which an accepting or informative answer has at least one.
var informative = []string{"status", "match_id", "success", "accepted", "accept", "ok", "started", "state", "winner"}

// SaysNothing reports whether an answer neither accepts nor names its subject. Some agents answer so to unknown
// methods.
func SaysNothing(answer []byte) bool {
	for _, p := range places(streamed(answer)) {
		if slices.ContainsFunc(informative, p.fields.Has) {
			return false
		}
	}
	return true
}

// ResultInAnswer returns the result of a match in the answer to its order, from a referee that plays before it
// answers and sends no report; nil without one. A null winner can also mean that the match has only begun: it is a
// draw if the status is absent or that of a finished match.
func ResultInAnswer(answer []byte, order *protocol.StartMatch) *protocol.MatchResultReport {
	for _, p := range places(streamed(answer)) {
		if _, told := p.fields["winner"]; !told || p.fields.Has("message_type") {
			continue
		}
		m, _, err := Read(p.text, protocol.Reading{Type: protocol.TypeMatchResultReport, Reply: true})
		r, ok := m.(*protocol.MatchResultReport)
		if !ok || err != nil || r.Result.Winner == nil && !isOverWord(r.Result.Details.Status) {
			continue
		}
		r.MatchID, r.RoundID, r.LeagueID, r.Attempt = order.MatchID, order.RoundID, order.LeagueID, order.Attempt
		return r
	}
	return nil
}

// overWords are the status values of a finished match. Values for success or progress are not among them.
var overWords = []string{"", "draw", "tie", "tied", "complete", "completed", "match_completed", "finished", "over",
	"game_over", "match_over", "ended", "done", "played"}

// isOverWord reports whether a status is that of a match that is over, or none.
func isOverWord(status string) bool { return slices.Contains(overWords, strings.ToLower(status)) }
