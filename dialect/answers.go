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

// complains reports whether an object, which is no message, says that something went wrong.
func (p place) complains() bool {
	status, _ := p.fields.Text("status")
	status = strings.ToLower(status)
	switch status {
	case "error", "failed", "failure", "fail", "ignored":
		return true
	}
	return saysAny(status, "unknown", "unsupported") || p.fields.Has("error") || p.fields.Has("error_code") ||
		string(p.fields["isError"]) == "true" || string(p.fields["success"]) == "false"
}

// knowsNoSuch reports whether an object says, whatever it calls itself, that there is no such message or method.
func (p place) knowsNoSuch() bool {
	refused := p.rejects() && p.fields.Has("error_name")
	return p.complains() && !refused && saysAny(strings.ToLower(string(p.text)), unknownWords...)
}

// rejects reports whether an answer refuses a registration. Such an answer may
// tell of an error and is none.
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

// holds reports whether an object can be a message of type want: it says so, or
// it names no type that is known and has what such a message is about.
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

// telling are the members of which at least one is in an answer that says yes
// in any way, or tells what it is about.
var telling = []string{"status", "match_id", "success", "accepted", "accept", "ok", "started", "state", "winner"}

// SaysNothing reports whether an answer neither says yes in any way nor tells
// what it is about. Some agents answer so to what they do not know.
func SaysNothing(answer []byte) bool {
	for _, p := range places(streamed(answer)) {
		if slices.ContainsFunc(telling, p.fields.Has) {
			return false
		}
	}
	return true
}

// ResultInAnswer returns the result of a match that stands in the answer to its
// order, from a referee that plays before it answers and makes no report; nil
// if there is none. A winner that is null may also say that the match has only
// begun: it is a draw if no status stands beside it, or one of a match that is over.
func ResultInAnswer(answer []byte, order *protocol.StartMatch) *protocol.MatchResultReport {
	for _, p := range places(streamed(answer)) {
		if _, told := p.fields["winner"]; !told || p.fields.Has("message_type") {
			continue
		}
		m, _, err := Read(p.text, protocol.Reading{Type: protocol.TypeMatchResultReport, Reply: true})
		r, ok := m.(*protocol.MatchResultReport)
		if !ok || err != nil || r.Result.Winner == nil && !saysOver(r.Result.Details.Status) {
			continue
		}
		r.MatchID, r.RoundID, r.LeagueID, r.Attempt = order.MatchID, order.RoundID, order.LeagueID, order.Attempt
		return r
	}
	return nil
}

// overWords are what a status says of a match that is over. That it went well, or is under way, says nothing of that.
var overWords = []string{"", "draw", "tie", "tied", "complete", "completed", "match_completed", "finished", "over",
	"game_over", "match_over", "ended", "done", "played"}

// saysOver reports whether a status is that of a match that is over, or none.
func saysOver(status string) bool { return slices.Contains(overWords, strings.ToLower(status)) }
