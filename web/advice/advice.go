// Package advice explains the errors of the protocol to the authors of agents: the meaning of each, and the remedy.
package advice

import (
	"strings"

	"agentleague/protocol"
)

// An Advice explains one kind of error: the specification's text, and the remedy for the agent's author.
type Advice struct {
	Code   string `json:"error_code"`
	Name   string `json:"error_name"`
	Retry  bool   `json:"retryable"`
	Says   string `json:"says"`
	Fix    string `json:"fix"`
	Clause string `json:"clause"` // a section of doc/protocol-spec.md
}

// table maps the name of an error to its advice, where that is more than the error table has: see [of]. Names are
// unique; codes are not.
var table = map[string]Advice{
	protocol.Internal.Name: {
		Says: "The agent failed while it made its answer.", Clause: "Errors",
		Fix: "Look for the failure in the agent's own log, and catch such failures so that every message gets an answer.",
	},
	protocol.Timeout.Name: {
		Says: "No answer came in time: 5 s for an invitation, 30 s for a choice, unless the league says otherwise. " +
			"The referee asks again while retries are left, " +
			"then the match is lost by forfeit.", Clause: "A match",
		Fix: "Answer before the deadline that the message carries. Answer GAME_INVITATION at once and think only " +
			"about the choice; limit the time of the calls that " +
			"your strategy makes, such as to a model, and have a default ready.",
	},
	protocol.InvalidMessage.Name: {
		Says: "A message could not be read, or one of its fields had the wrong type.", Clause: "Envelope",
		Fix: "Answer with one JSON object of the requested type. The detail names the field; " +
			"doc/message-examples shows every message.",
	},
	protocol.MissingField.Name: {
		Says: "A required field was missing. There is no retry.", Clause: "Envelope",
		Fix: "Send the field that the detail names, spelled as in doc/message-examples.",
	},
	protocol.InvalidChoice.Name: {
		Says: "The rules do not allow this move now. The referee asks again while retries are left.", Clause: "A match",
		Fix: "Play one of the choices that the message offers, exactly as written there: \"even\" or \"odd\" in lower case.",
	},
	protocol.InvalidMove.Name: {
		Says: "The rules do not allow this move now. The referee asks again while retries are left.", Clause: "A match",
		Fix: "Play one of valid_options, exactly as it is written there: a number is not a text.",
	},
	protocol.PlayerNotRegistered.Name: {
		Says: "The message names a player that is not in the league.", Clause: "Registration",
		Fix: "Register first, and use the player_id that the answer gave, not one of your own.",
	},
	protocol.MatchNotFound.Name: {
		Says: "The match is unknown, or belongs to another referee.", Clause: "A match",
		Fix: "Repeat the match_id of the message that you answer.",
	},
	protocol.OutOfTurn.Name: {
		Says: "It was not this agent's turn to send this message.", Clause: "Errors",
		Fix: "Answer only when you are asked; send no choice unasked.",
	},
	protocol.DeadlinePassed.Name: {
		Says: "An answer came after the referee had stopped waiting for it.", Clause: "A match",
		Fix: "Answer sooner. A late answer counts only while the referee is still waiting.",
	},
	protocol.Connection.Name: {
		Says: "The endpoint could not be reached, or answered with an error. The referee asks again while retries are left, " +
			"then the match is lost by forfeit. After several failures to connect, the agent is not called for a while, unless " +
			"it registers again.", Clause: "A match",
		Fix: "Keep the agent running at the endpoint that it registered, let it answer POST with JSON and status 200, " +
			"and register again if its address changes.",
	},
	protocol.RateLimited.Name: {
		Says: "There were too many requests. The call is retried.", Clause: "Errors",
		Fix: "Ask less often and wait between tries. A player that sends this error itself should accept two matches at once.",
	},
	protocol.AuthTokenMissing.Name: {
		Says: "The message needs the token from registration and had none.", Clause: "Tokens",
		Fix: "Keep auth_token from the answer to your registration and put it into every message.",
	},
	protocol.AuthTokenInvalid.Name: {
		Says: "The token is not the sender's, or has expired.", Clause: "Tokens",
		Fix: "Use the token of the newest registration, whole and unchanged. After a long silence register again.",
	},
	protocol.RefereeNotRegistered.Name: {
		Says: "The message is from a referee that is not in the league.", Clause: "Registration",
		Fix: "Register the referee first, and send as referee:ID with the id that the answer gave.",
	},
	protocol.VersionMismatch.Name: {
		Says: "The agent speaks another version of the protocol: below 2.0.0, or from 3 on.", Clause: "Registration",
		Fix: "Send \"protocol\":\"league.v2\" in every message, and protocol_version 2.0.0, or none, when you register.",
	},
	protocol.RegistrationClosed.Name: {
		Says: "Registration is over: the league has started, or its window has closed.", Clause: "Registration",
		Fix: "Register before the league starts. Agents that are already in it may register again at any time.",
	},
	protocol.LeagueFull.Name: {
		Says: "The league is full.", Clause: "Registration",
		Fix: "Ask the organiser to raise its limit, or join another league.",
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
		Says: "The manager or the referee is not allowed to call the address of the endpoint.", Clause: "Roles and addresses",
		Fix: "Register an address that others can reach. If it is on another machine, allow its network on the " +
			"manager and the referees.",
	},
	protocol.DuplicateReport.Name: {
		Says: "A different result was reported for a match that already has one.", Clause: "A match",
		Fix: "Report a match once, and repeat the same report if no answer came. The first one that is stored counts.",
	},
	protocol.UnknownQuery.Name: {
		Says: "There is no query with that name.", Clause: "Queries and tools",
		Fix: "Ask for one of the queries that the specification lists, such as GET_STANDINGS, GET_NEXT_MATCH or GET_PLAYER_MATCHES.",
	},
	protocol.UnknownLeague.Name: {
		Says: "The message is about a league that this manager does not run.", Clause: "Errors",
		Fix: "Use the league_id from the answer to your registration.",
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
		Code: protocol.Declined, Name: protocol.Declined, Says: "The player declined the invitation with accept:false " +
			"and lost the match; this cannot be undone.", Clause: "A match",
		Fix: "Answer GAME_INVITATION with accept:true whenever the agent can play.",
	},
	protocol.AgentShutdown: {
		Code: protocol.AgentShutdown, Name: protocol.AgentShutdown, Says: "The player was out of the league: its " +
			"owner or the organizer had withdrawn it, or it had forfeited too often in a row. Its later matches are lost by " +
			"forfeit.", Clause: "A league",
		Fix: "The errors above show why it is out, if it was not withdrawn. Once it plays, the organizer readmits it.",
	},
}

// On returns the advice on an error in a match of a game, by its code or its name. For an unknown error, the
// advice states that.
func On(game, code string) Advice {
	if k, ok := protocol.KindIn(game, code); ok {
		return of(k)
	}
	if a, ok := table[code]; ok {
		return a
	}
	return Advice{
		Code: code, Name: code, Says: "This error is not in the specification.", Clause: "Errors",
		Fix: "Ask the author of the referee what it means.",
	}
}

// of returns the advice on a kind of error. A kind without a row of advice has its meaning and suggestion instead.
func of(k *protocol.Kind) Advice {
	a, ok := table[k.Name]
	if !ok {
		a = Advice{Says: asSentence(k.Meaning), Fix: asSentence(k.Suggestion), Clause: "Errors"}
	}
	a.Code, a.Name, a.Retry = k.Code, k.Name, k.Retryable
	return a
}

// asSentence returns a text of the error table with a capital letter and a full stop.
func asSentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }
