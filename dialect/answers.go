package dialect

import (
	"maps"
	"slices"
	"strings"

	"agentleague/protocol"
)

// isError reports whether the object p of an answer is a LEAGUE_ERROR or GAME_ERROR message. The specification's
// example returns such an error as a JSON-RPC result.
func (p place) isError() bool {
	named, _ := p.fields.Text("message_type")
	return protocol.Type(named) == protocol.TypeLeagueError || protocol.Type(named) == protocol.TypeGameError
}

// complains reports whether p, an object in an answer that is not a message, describes an error.
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

// reportsUnknown reports whether any text in p reports an unknown message or method.
func (p place) reportsUnknown() bool {
	refused := p.rejects() && p.fields.Has("error_name")
	return p.complains() && !refused && containsAny(strings.ToLower(string(p.text)), unknownWords...)
}

// rejects reports whether p has a status that rejects a registration. A rejection may carry error members and is still
// a regular answer.
func (p place) rejects() bool {
	status, _ := p.fields.Text("status")
	return strings.EqualFold(status, protocol.Rejected) || strings.EqualFold(status, "denied")
}

// read decodes p as a message of type want. It returns false if p is another message or cannot be decoded.
// A GAME_MOVE_RESPONSE is read as the answer to a question for even or odd, and vice versa: the documents define both.
func (p place) read(want protocol.Type, r protocol.Reading) (protocol.Message, []string, bool) {
	if named, _ := p.fields.Text("message_type"); named != "" && protocol.Type(named) == Sibling(want) {
		r.Type = protocol.Type(named)
		if m, warnings, err := Read(p.text, r); err == nil {
			m = AsSibling(m)
			return m, warnings, m != nil
		}
		return nil, nil, false
	}
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
	if keyMember[want] == "status" && p.complains() && !p.rejects() {
		return false
	}
	f := maps.Clone(p.fields)
	understand(want, f)
	return f.Has(keyMember[want])
}

// keyMember maps a message type to the member that identifies an answer of that type without a message_type.
var keyMember = map[protocol.Type]string{
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

// ImpliedReply returns the acknowledgement of type t that any answer without an error implies. It returns nil for
// types with content, which cannot be implied.
func ImpliedReply(t protocol.Type) protocol.Message {
	switch t {
	case protocol.TypeStartMatchAck:
		return &protocol.StartMatchAck{Envelope: protocol.Envelope{MessageType: t}, Status: protocol.Accepted}
	case protocol.TypeMatchResultAck:
		return &protocol.MatchResultAck{Envelope: protocol.Envelope{MessageType: t}, Status: protocol.Accepted}
	}
	return nil
}

// informative lists the members of which every answer that accepts, or that describes its match, has at least one.
var informative = []string{"status", "match_id", "success", "accepted", "accept", "ok", "started", "state", "winner"}

// SaysNothing reports whether an answer has none of the [informative] members. Some agents answer unknown methods this
// way.
func SaysNothing(answer []byte) bool {
	for _, p := range places(streamed(answer)) {
		if slices.ContainsFunc(informative, p.fields.Has) {
			return false
		}
	}
	return true
}

// ResultInAnswer returns the result of a match from the answer to its START_MATCH order, or nil. It serves referees
// that play the match before they answer and send no separate report. A null winner is a draw only if the status is
// absent or that of a finished match; otherwise the match may have just begun.
func ResultInAnswer(answer []byte, order *protocol.StartMatch) *protocol.MatchResultReport {
	for _, p := range places(streamed(answer)) {
		if _, told := p.fields["winner"]; !told || p.fields.Has("message_type") {
			continue
		}
		m, _, err := Read(p.text, protocol.Reading{Type: protocol.TypeMatchResultReport, Reply: true})
		r, ok := m.(*protocol.MatchResultReport)
		if !ok || err != nil || r.Result.Winner == nil && !isFinishedStatus(r.Result.Details.Status) {
			continue
		}
		r.MatchID, r.RoundID, r.LeagueID, r.Attempt = order.MatchID, order.RoundID, order.LeagueID, order.Attempt
		return r
	}
	return nil
}

// finishedStatuses lists the status values of a finished match. Words for success or progress are not among them,
// because they may describe the order.
var finishedStatuses = []string{"", "draw", "tie", "tied", "complete", "completed", "match_completed", "finished", "over",
	"game_over", "match_over", "ended", "done", "played"}

// isFinishedStatus reports whether a status is empty or that of a finished match.
func isFinishedStatus(status string) bool {
	return slices.Contains(finishedStatuses, strings.ToLower(status))
}
