package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"agentleague/protocol"
)

// isError reports whether raw is an error message: the assignment shows one as a result.
func isError(raw json.RawMessage) bool {
	var f fields
	_ = json.Unmarshal(raw, &f)
	named, _ := f.Text("message_type")
	return protocol.Type(named) == protocol.TypeLeagueError || protocol.Type(named) == protocol.TypeGameError
}

// complains reports whether raw, which is no message, says that something went wrong.
func complains(raw json.RawMessage) bool {
	var f fields
	_ = json.Unmarshal(raw, &f)
	status, _ := f.Text("status")
	status = strings.ToLower(status)
	switch status {
	case "error", "failed", "failure", "fail", "ignored":
		return true
	}
	return saysAny(status, "unknown", "unsupported") || f.Has("error") || f.Has("error_code") ||
		string(f["isError"]) == "true" || string(f["success"]) == "false"
}

// knowsNoSuch reports whether raw says, whatever it calls itself, that there is no such message or method.
func knowsNoSuch(raw json.RawMessage) bool {
	var f fields
	_ = json.Unmarshal(raw, &f)
	return complains(raw) && !(rejects(f) && f.Has("error_name")) && saysAny(strings.ToLower(string(raw)), unknownWords...)
}

// rejects reports whether an answer refuses a registration. Such an answer may
// tell of an error and is none.
func rejects(f fields) bool {
	status, _ := f.Text("status")
	return strings.EqualFold(status, protocol.Rejected) || strings.EqualFold(status, "denied")
}

// holds reports whether raw can be a message of type want: it says so, or it
// names no type that is known and has what such a message is about.
func holds(raw json.RawMessage, want protocol.Type) bool {
	var f fields
	if json.Unmarshal(raw, &f) != nil || f == nil {
		return false
	}
	if named, ok := f.Text("message_type"); ok && len(TypesNamed(named)) > 0 {
		return protocol.Type(named) == want || slices.Contains(TypesNamed(named), want)
	}
	if essence[want] == "status" && complains(raw) && !rejects(f) {
		return false
	}
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
	for _, raw := range places(streamed(answer)) {
		var f fields
		_ = json.Unmarshal(raw, &f)
		if slices.ContainsFunc(telling, f.Has) {
			return false
		}
	}
	return true
}

// ResultInAnswer returns the result of a match that stands in the answer to its
// order, from a referee that plays before it answers and makes no report; nil
// if there is none.
func ResultInAnswer(answer []byte, order *protocol.StartMatch) *protocol.MatchResultReport {
	for _, raw := range places(streamed(answer)) {
		var f fields
		_ = json.Unmarshal(raw, &f)
		if _, told := f["winner"]; !told || f.Has("message_type") {
			continue
		}
		m, _, err := Read(raw, protocol.Reading{Type: protocol.TypeMatchResultReport, Reply: true})
		if r, ok := m.(*protocol.MatchResultReport); ok && err == nil {
			r.MatchID, r.RoundID, r.LeagueID, r.Attempt = order.MatchID, order.RoundID, order.LeagueID, order.Attempt
			return r
		}
	}
	return nil
}
