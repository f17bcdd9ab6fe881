package check

import (
	"cmp"
	"strings"
)

// Quotations from the specification, word for word, for readers of a report. A test compares each with
// doc/protocol-spec.md.

// The clauses of the specification for each step, word for word: a test finds each of them in doc.
const (
	quoteServes = "Every agent serves `POST /mcp` (JSON-RPC 2.0) and `GET /health`, which answers " +
		"`{\"status\":\"healthy\",\"agent\":\"player:P01\"}`."
	quoteListens = "It listens on IPv4 and IPv6 loopback unless told otherwise, and does not register before it " +
		"listens."
	quotePosts    = "Requests go by `POST` with the whole message in `params`; the answer is the message in `result`."
	quoteIDs      = "ids are echoed byte for byte; a parse error and an unreadable request have `id:null`"
	quoteBatch    = "batches hold 1 to 64 requests and are answered as arrays"
	quoteNotify   = "A request without `id` is a notification, answered 202 without a body"
	quoteStatus   = "HTTP 200 whenever there is a JSON-RPC answer"
	quoteMost     = "A request has at most 1 MiB; a larger one is refused with status 413."
	quoteType     = "Requests and answers have the content type `application/json`."
	quoteAck      = "An ACK is `status:\"ACKNOWLEDGED\"` with the ids it is about"
	quoteFive     = "The first five are in every message."
	quoteCase     = "Names are case-sensitive at every depth: `Match_ID` is not `match_id`."
	quoteTwice    = "A member that occurs twice in one object makes the request invalid (-32600)."
	quoteUnknown  = "Members that nobody knows are ignored and kept."
	quoteTimes    = "Times are UTC: `Z` or `+00:00`, fractions allowed."
	quoteRepeats  = "An answer repeats the `conversation_id` of its request."
	quoteNeeded   = "| a field that the action needs | E003, naming it | E002, naming it:"
	quoteVersion  = "| `protocol` | filled in, warned of | E018 |"
	quoteSender   = "else not `role:id`: E002"
	quoteStamp    = "not UTC, which is any without `Z` or `+00:00`, or unreadable: E021"
	quoteDigits   = "nothing: strings are read by their digits"
	quoteNames    = "`message` and `error_description` are the *name*."
	quoteRedacted = "A token is never repeated: `\"provided_token\":\"tok_…(redacted)\"`."
	quoteSame     = "Our player binds a match to its M, answers and takes the result only with it, and gives the " +
		"same choice to a repeated call."
	quoteShows = "| M `tok_match_…` | T of the player, `match\\|league\\|match\\|attempt\\|referee` | what a " +
		"referee and a player show to each other in one match |"
	quoteManager = "what the manager shows to an agent in that type of message of that round (0 where there is none)"
	quoteNeedsT  = "On the manager every request after registration needs the A or the ticket of its `sender`, or the join key of a foreign agent, " +
		"except `ping` and the `get_*` tools"
	quoteJoin = "**GAME_JOIN_ACK** `match_id`, `player_id`, `arrival_timestamp`, `accept`. Only an explicit " +
		"`accept:false` declines."
	quoteParity = "**CHOOSE_PARITY_RESPONSE** `parity_choice`, exactly `\"even\"` or `\"odd\"`"
	quoteTries  = "Each stage has a first try and 3 retries, each with its own full deadline, 2 s apart"
	quoteBoth   = "Both players are asked at the same time, and neither learns the other's choice before both " +
		"have answered."
	quoteForfeit = "Who fails loses by TECHNICAL_LOSS, the other scores a win, and its open call is ended at once."
	quoteNoDraw  = "Then no number is drawn: `drawn_number`, `number_parity` and the missing choice are null."
	quoteAgain   = "Tried again are: no answer (E001), no connection (E009), too many requests (E010), an illegal " +
		"move (E004)."
	quoteOver   = "GAME_OVER goes out for every match that began, since some players stay busy without it."
	quoteReport = "From a referee that was never given the match: 5002."
	quoteLate   = "A late answer counts while its seat is open; after that it is E008."
	quoteMeta   = "`referee_meta` and `player_meta` hold `display_name`, `version`, `protocol_version`, " +
		"`game_types`, `contact_endpoint`"
	quotePolicy = "A refusal by policy (version, window, full, name, game, endpoint) is a *result* with " +
		"`status:\"REJECTED\"`"
	quoteGranted = "The id asked for in `sender` is granted when it is well-formed and free."
	quoteAnswer  = "The answer comes at once: `status`, the id, `auth_token`, `league_id`, `reason`."
	quoteQuery   = "The answer has `success`, `query_type` and `data`"
	quoteTools   = "Of a referee: `get_match_state`, `get_match_records`, `register_to_league`"
	quoteServer  = "A player may be an MCP server and nothing else: after the handshake its tools are called in " +
		"place of the " +
		"methods."
	quotePlayer = "Of a player: `get_player_state` (`state`, `agent_state`, statistics, history). Of all: `ping`."
)

// byClause is the quotation from a section for a step without a specific one.
var byClause = map[string]string{
	clauseRoles: quoteServes, clauseEnvelope: quoteFive, clauseMessages: quotePosts,
	clausePayloads: "The [examples](message-examples) show every field, the [schemas](schema) which of them are " +
		"required.",
	clauseQueries: quoteQuery, clauseRegistration: quoteMeta, clauseErrors: quoteNames, clauseMatch: quoteTries,
	clauseDraw:   "Numbers come from the blocks `HMAC-SHA256(key, i)`, where i is four big-endian bytes counted from 0.",
	clauseTokens: quoteNeedsT,
}

// byStep is the quotation for a step: by its number if it means the same for all roles, or by its id.
var byStep = map[string]string{
	"04": quotePosts, "05": quotePlayer, "06": quoteIDs, "07": quoteIDs, "08": quoteNotify, "09": quoteIDs, "11": quoteTwice,
	"12": quoteBatch, "13": quoteNotify, "15": quoteCase, "16": quoteStatus, "17": quoteMost, "18": quoteType,
	"21": quoteListens, "50": quoteNeeded, "51": quoteNeeded, "52": quoteVersion, "53": quoteStamp, "54": quoteStamp,
	"55": quoteTimes, "56": quoteStamp, "57": quoteSender, "58": quoteUnknown, "59": quoteDigits, "60": quoteCase,
	"80": quotePosts, "81": quoteFive, "82": quoteFive, "83": quoteFive, "84": quoteTimes, "85": quoteRepeats,
	"88": quoteRedacted, "90": quoteAck,
	"P22": "| `GAME_INVITATION` | `handle_game_invitation` | referee | player | `GAME_JOIN_ACK` | 5 s |", "P23": quoteJoin,
	"P25": quoteParity, "P26": quoteParity, "P27": quoteSame, "P28": quoteShows, "P30": quoteAck, "P31": quoteAck,
	"P36": quoteSame, "P40": quoteAck, "P41": quoteAck, "P42": quoteAck, "P43": quoteManager, "P44": quotePlayer,
	"R22": quoteTools, "R26": quoteShows, "R28": quoteBoth, "R30": quoteTools, "R31": quoteBoth, "R32": quoteOver,
	"R41": quoteAgain, "R42": quoteAgain, "R43": quoteForfeit, "R44": quoteNoDraw, "R45": quoteForfeit, "R46": quoteForfeit,
	"R47": quoteManager, "R48": quoteManager, "R49": quoteNeeded, "R62": quoteLate,
	"M05": quotePlayer, "M21": quoteAnswer, "M22": quoteGranted, "M29": quotePolicy, "M30": quotePolicy, "M31": quotePolicy,
	"T61": quoteServer, "T62": quoteServer, "T64": quoteParity, "T65": quoteSame, "T70": quoteServer, "T71": quoteServer,
	"M32": quotePolicy, "M35": quoteNeeded, "M66": quoteReport,
}

// Quote returns the specification's text for a step, for a terminal, and its section.
func (s Step) Quote() string {
	text := cmp.Or(byStep[s.ID], byStep[s.ID[1:]], byClause[s.Clause])
	text = strings.NewReplacer("`", "", "**", "", "\\|", "|").Replace(text)
	return "“" + strings.Trim(text, "| ") + "” (the protocol, section " + s.Clause + ")"
}
