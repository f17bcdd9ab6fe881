package main

import (
	"encoding/json"
	"strings"

	"agentleague/protocol"
)

// forfeits says in words what the code of a technical loss means.
var forfeits = map[string]string{
	protocol.Timeout.Code:            "it did not answer in time",
	protocol.Connection.Code:         "it could not be reached, or answered with an error",
	protocol.EndpointNotAllowed.Code: "its referee may not call its endpoint",
	protocol.InvalidChoice.Code:      "it gave no legal move",
	protocol.RateLimited.Code:        "it was too busy to answer",
	protocol.InvalidMessage.Code:     "its answer could not be understood",
	protocol.MissingField.Code:       "its answer lacked what was asked for",
	protocol.AgentShutdown:           "it had left the league; the match was not played",
	"DECLINED":                       "it declined the invitation",
	"":                               "its referee did not say why",
}

// meaning says why a player forfeited.
func meaning(code string) string {
	if words, ok := forfeits[code]; ok {
		return words
	}
	return "it failed with " + code
}

// lastWord is what the referee last told a player was wrong.
func lastWord(rec protocol.MatchRecord, player string) string {
	var detail string
	for _, e := range rec.Transcript {
		if e.MessageType != protocol.TypeGameError || e.To != protocol.Sender(protocol.RolePlayer, player) {
			continue
		}
		var m struct {
			Context struct {
				Detail string `json:"detail"`
			} `json:"context"`
		}
		if json.Unmarshal(e.Message, &m) == nil && m.Context.Detail != "" {
			detail = m.Context.Detail
		}
	}
	return detail
}

// hint says what to do about a player that refuses the referee of a single match.
func hint(detail string) string {
	if strings.Contains(detail, protocol.AuthTokenInvalid.Name) || strings.Contains(detail, protocol.AuthTokenMissing.Name) {
		return "It belongs to a league and answers the referees of that one only; start it without a manager to play it here."
	}
	return ""
}
