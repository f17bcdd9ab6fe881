package conform

import "agentleague/protocol"

// The documents, as doc/protocol-spec.md names them.
const (
	assignment = "assignment"
	contracts  = "contracts document"
	apiPage    = "API page"
)

// A rule is a rule of a document.
type rule struct {
	id       string
	document string
	section  string
}

// The rules. A rule about the members of a message has the section of its type instead, see sections.
var (
	jsonRPC          = rule{"json-rpc", contracts, "1.1"}                 // an answer is a JSON-RPC 2.0 object with jsonrpc, id and result
	protocolName     = rule{"envelope-protocol", assignment, "2.4.1"}     // protocol is "league.v2"
	messageType      = rule{"envelope-message-type", assignment, "2.4.1"} // message_type names the message
	senderForm       = rule{"envelope-sender", assignment, "2.4.4"}       // sender is the role and the id of the agent, as in player:P01
	timestamp        = rule{"envelope-timestamp", assignment, "2.4.1"}    // timestamp is a time in ISO 8601
	inUTC            = rule{"utc", assignment, "2.4.2"}                   // times are in UTC, with Z or +00:00
	conversation     = rule{"envelope-conversation", assignment, "2.4.1"} // conversation_id names the conversation
	sameConversation = rule{"same-conversation", contracts, "4.2"}        // an answer has the conversation_id of its question
	token            = rule{"auth-token", assignment, "2.4.5"}            // every message after the registration has the agent's auth_token
	required         = rule{"required-member", contracts, "1.2"}          // a message has all required members
	memberType       = rule{"member-type", contracts, "1.2"}              // a member has its documented type
	unknownMember    = rule{"unknown-member", assignment, "4"}            // messages have exactly the documented structure
	parityChoice     = rule{"parity-choice", assignment, "4.5.2"}         // parity_choice is exactly "even" or "odd"
	sameMatch        = rule{"same-match", apiPage, "Error Codes"}         // an answer names the match of its question
	samePlayer       = rule{"same-player", apiPage, "Error Codes"}        // an answer names the player that was asked
	documentedMethod = rule{"method", assignment, "5"}                    // a message is sent with its documented method
	responseTime     = rule{"response-time", assignment, "2.7"}           // an answer comes within its response time
	stability        = rule{"stability", assignment, "6.3.3"}             // an agent does not crash and handles errors
	tools            = rule{"tools", assignment, "6.2.1"}                 // an agent has the documented tools
)

// A section is the place where a document defines the members of a message.
type section struct{ document, number string }

// sections are the messages of agents whose members the documents define. Other messages, which only this program's
// agents send, are not compared.
var sections = map[protocol.Type]section{
	protocol.TypeRefereeRegisterRequest: {assignment, "4.1.1"},
	protocol.TypeLeagueRegisterRequest:  {assignment, "4.2.1"},
	protocol.TypeGameInvitation:         {assignment, "4.4.1"},
	protocol.TypeGameJoinAck:            {assignment, "4.4.2"},
	protocol.TypeChooseParityCall:       {assignment, "4.5.1"},
	protocol.TypeChooseParityResponse:   {assignment, "4.5.2"},
	protocol.TypeGameMoveCall:           {assignment, "3.8.2"},
	protocol.TypeGameMoveResponse:       {assignment, "3.8.2"},
	protocol.TypeGameOver:               {assignment, "4.6.1"},
	protocol.TypeMatchResultReport:      {assignment, "4.6.2"},
	protocol.TypeLeagueQuery:            {contracts, "7.1"},
	protocol.TypeRoundAnnouncementAck:   {contracts, "3.1"},
	protocol.TypeStandingsUpdateAck:     {contracts, "3.2"},
	protocol.TypeRoundCompletedAck:      {contracts, "3.3"},
	protocol.TypeLeagueCompletedAck:     {contracts, "3.4"},
	protocol.TypeGameOverAck:            {contracts, "4.3"},
	protocol.TypeGameErrorAck:           {contracts, "6.2"},
}
