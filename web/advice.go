package web

import (
	"encoding/json"

	"agentleague/protocol"
)

// An Advice is what is to be known of one kind of error: what the specification
// says of it, and what the author of the agent does about it.
type Advice struct {
	Code   string `json:"error_code"`
	Name   string `json:"error_name"`
	Retry  bool   `json:"retryable"`
	Says   string `json:"says"`
	Fix    string `json:"fix"`
	Clause string `json:"clause"` // a section of docs/protocol/protocol-spec.md
}

// advice is the one table of it, by the name of the error: one code has two.
var advice = map[string]Advice{
	protocol.Internal.Name: {
		Says: "The agent itself failed while it made its answer.", Clause: "Errors",
		Fix: "Look into the agent's own log for the failure; answer what you can and catch the rest.",
	},
	protocol.Timeout.Name: {
		Says: "No answer came in time: 5 s for an invitation, 30 s for a choice, unless the league says otherwise. There " +
			"are 3 retries, 2 s apart, then it is a technical loss.", Clause: "A match",
		Fix: "Answer before the deadline that the message carries. Answer GAME_INVITATION at once and think only about the " +
			"choice; bound the calls that your strategy makes, such as to a model, and have a default ready.",
	},
	protocol.InvalidMessage.Name: {
		Says:   "A message could not be read, or a field of it was of the wrong kind. It is not tried again.",
		Clause: "Envelope",
		Fix: "Answer with one JSON object of the type that was asked for. The detail names the field; " +
			"docs/protocol/message-examples has every message whole.",
	},
	protocol.MissingField.Name: {
		Says: "A field that the action needs was not there. It is not tried again.", Clause: "Envelope",
		Fix: "Send the field that the detail names, spelled as in docs/protocol/message-examples.",
	},
	protocol.InvalidChoice.Name: {
		Says: "The move was none that the rules allow now, whatever the game. It is tried again 3 times.", Clause: "A match",
		Fix: "Play one of the choices that the message offers, exactly as it is written there: \"even\" or \"odd\" in " +
			"lower case, or one of valid_options.",
	},
	protocol.PlayerNotRegistered.Name: {
		Says: "The message names a player that is not in the league.", Clause: "Registration",
		Fix: "Register first, and use the player_id that the answer gave, not one of your own.",
	},
	protocol.MatchNotFound.Name: {
		Says: "The match is unknown, or was not given to this referee.", Clause: "A match",
		Fix: "Repeat the match_id of the message that you answer.",
	},
	protocol.OutOfTurn.Name: {
		Says: "It was not this agent's turn to say that.", Clause: "Errors",
		Fix: "Answer when you are asked and only then: send no choice of your own accord.",
	},
	protocol.DeadlinePassed.Name: {
		Says: "An answer came after its seat was closed.", Clause: "A match",
		Fix: "Answer sooner. A late answer counts only as long as the referee still waits.",
	},
	protocol.Connection.Name: {
		Says: "The endpoint could not be reached, or answered with something that is no answer. There are 3 retries, 2 s " +
			"apart, then it is a technical loss; five failures open a breaker for 60 s.", Clause: "A match",
		Fix: "Keep the agent running at the endpoint that it registered, let it answer POST with JSON and status 200, and " +
			"register again when it has moved.",
	},
	protocol.RateLimited.Name: {
		Says: "There were too many requests. It is tried again.", Clause: "Errors",
		Fix: "Ask less often and wait between tries. A player that says it of itself should take two matches at once.",
	},
	protocol.AuthTokenMissing.Name: {
		Says: "The message needs the token that registration gave and had none.", Clause: "Tokens",
		Fix: "Keep auth_token from the answer to your registration and put it into every message.",
	},
	protocol.AuthTokenInvalid.Name: {
		Says: "The token is not the sender's, or has expired.", Clause: "Tokens",
		Fix: "Use the token of the newest registration, whole and unchanged. After a long silence register again.",
	},
	protocol.RefereeNotRegistered.Name: {
		Says: "The message is one of a referee that is not in the league.", Clause: "Registration",
		Fix: "Register the referee first, and send as referee:ID with the id that the answer gave.",
	},
	protocol.VersionMismatch.Name: {
		Says: "The agent speaks another version of the protocol: below 2.0.0, or from 3 on.", Clause: "Registration",
		Fix: "Send \"protocol\":\"league.v2\" in every message, and protocol_version 2.0.0, or none, when you register.",
	},
	protocol.RegistrationClosed.Name: {
		Says: "Registration is over: the league has started, or its window has closed.", Clause: "Registration",
		Fix: "Register before the league starts. Who was in it already may register again at any time.",
	},
	protocol.LeagueFull.Name: {
		Says: "The league has as many agents as it takes.", Clause: "Registration",
		Fix: "Ask whoever runs the league to raise its bound, or join another one.",
	},
	protocol.InvalidTimestamp.Name: {
		Says: "A timestamp was not UTC, or could not be read.", Clause: "Envelope",
		Fix: "Write times as 2025-01-15T10:30:00Z: ISO 8601, UTC, with a Z at the end.",
	},
	protocol.DuplicateName.Name: {
		Says: "Another agent of the league has that name.", Clause: "Registration",
		Fix: "Choose another display_name. If the agent was restarted, register with the same name from the same endpoint.",
	},
	protocol.UnsupportedGame.Name: {
		Says: "The agent does not play the game of this league.", Clause: "Registration",
		Fix: "List the league's game in game_types, in the league's own spelling.",
	},
	protocol.EndpointNotAllowed.Name: {
		Says: "The endpoint is at an address that the manager or the referee may not call.", Clause: "Roles and addresses",
		Fix: "Register an address that others reach. For one on another machine let manager and referees call its network.",
	},
	protocol.DuplicateReport.Name: {
		Says: "Another result was reported for a match that has one.", Clause: "A match",
		Fix: "Report a match once, and repeat the same report if no answer came. The first that is on disk counts.",
	},
	protocol.UnknownQuery.Name: {
		Says: "There is no query of that name.", Clause: "Queries and tools",
		Fix: "Ask for one of the queries that the specification lists, such as GET_STANDINGS or GET_NEXT_MATCH.",
	},
	protocol.UnknownLeague.Name: {
		Says: "The message is about another league than the manager's.", Clause: "Errors",
		Fix: "Use the league_id that the answer to your registration gave.",
	},
	protocol.LeagueNotStarted.Name: {
		Says: "The league has not started yet.", Clause: "A league",
		Fix: "Wait for the first ROUND_ANNOUNCEMENT before you ask for matches.",
	},
	protocol.LeagueAlreadyComplete.Name: {
		Says: "The league is over.", Clause: "A league",
		Fix: "Stop when LEAGUE_COMPLETED comes; its final table is in that message.",
	},
	protocol.Declined: {
		Code: protocol.Declined, Name: protocol.Declined,
		Says: "The player declined the invitation with accept:false, which is final: it lost that match.", Clause: "A match",
		Fix: "Answer GAME_INVITATION with accept:true whenever the agent can play.",
	},
	protocol.AgentShutdown: {
		Code: protocol.AgentShutdown, Name: protocol.AgentShutdown,
		Says: "The player had left the league: it was withdrawn, or forfeited too often in a row.", Clause: "A league",
		Fix: "Matches after that count as technical losses. See the errors before it for why it was taken out.",
	},
}

// adviceOn returns what is to be known of an error by its code or its name. Of
// one that is in no table it says so.
func adviceOn(code string) Advice {
	if k, ok := protocol.KindNamed(code); ok {
		return told(k)
	}
	for _, k := range protocol.Kinds {
		if k.Code == code {
			return told(k)
		}
	}
	if a, ok := advice[code]; ok {
		return a
	}
	return Advice{
		Code: code, Name: code, Says: "It is none of the specification's errors.", Clause: "Errors",
		Fix: "Ask the author of the referee what it means.",
	}
}

func told(k *protocol.Kind) Advice {
	a := advice[k.Name]
	a.Code, a.Name, a.Retry = k.Code, k.Name, k.Retryable
	return a
}

// failure reads a GAME_ERROR: its name, or else its code, and what its sender says of it.
func failure(message json.RawMessage) (name, detail string) {
	var m struct {
		Code    string `json:"error_code"`
		Name    string `json:"error_name"`
		Context struct {
			Detail string `json:"detail"`
		} `json:"context"`
	}
	_ = json.Unmarshal(message, &m) // what cannot be read says nothing
	if _, known := protocol.KindNamed(m.Name); !known && m.Code != "" {
		m.Name = m.Code
	}
	return m.Name, m.Context.Detail
}
