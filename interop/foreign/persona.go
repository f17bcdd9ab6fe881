package foreign

import (
	"fmt"
	"time"
)

// A Persona describes one dialect of league.v2. Its fields are independent axes; [Persona.Check] returns an error for
// combinations that exclude each other.
type Persona struct {
	Name    string          // in the table
	Framing Framing         // how a request to it is built
	Names   map[Kind]string // its names for the messages that it accepts; others are unknown
	Path    string          // of its endpoint
	Serves  string          // where it really listens, if that is elsewhere
	Model   Model           // the members that it requires

	Body     Body     // where in a request the message lies
	One      string   // its one method for all messages, if that is not handle_message
	Spelling Spelling // of the names of its methods, tools and paths
	Camel    bool     // its members are spelled matchId, and no others

	Registration  Registration // the extent and position of its introduction
	RegisterName  string       // its method for that: register_player or league_register
	LeagueVersion bool         // it sends protocol_version "league.v2"
	Twice         bool         // it registers twice
	ListenLate    time.Duration
	League        string // a league from its configuration, which it names
	OwnID         string // the id it keeps independent of the granted one; "": it takes the granted one

	IDs       IDStyle
	Tools     bool    // it lists tools of MCP, which are for something else
	StrictTop bool    // it refuses members that JSON-RPC does not have; a real MCP server, those not in its schema
	Refuses   Refusal // its answer to unknown messages
	Busy      bool    // after an invitation it refuses others until GAME_OVER
	Health    bool    // it has /health; else 404
	LongNames bool    // it refuses news whose sender is not league_manager with an id, such as league_manager:LM01

	Reply    ReplyShape
	Join     JoinForm
	Choice   ChoiceForm
	Words    bool   // it joins and chooses in a sentence instead of a message
	Ack      string // the word with which it acknowledges; "": an empty result
	Callback Callback
	Token    TokenForm
	RoundID  RoundForm
	Time     TimeForm
}

// A Framing is how a request is built.
type Framing string

// The framings that were seen, by their letters.
const (
	FramingA      Framing = "A"    // JSON-RPC, the specification's method, flat envelope in params
	FramingAPrime Framing = "A'"   // the same with parity_choose
	FramingB      Framing = "B"    // JSON-RPC, the message type for a method
	FramingC      Framing = "C"    // tools/call with name and arguments, no handshake
	FramingD      Framing = "D"    // handle_message with the envelope in params.message
	FramingE      Framing = "E"    // no JSON-RPC: envelope, all else under data
	FramingF      Framing = "F"    // no JSON-RPC: the flat message
	FramingG      Framing = "G"    // registers by REST, then JSON-RPC with other field names
	FramingP      Framing = "P"    // protocol/message with the envelope in params.message
	FramingREST   Framing = "REST" // no JSON-RPC: a path for each message, the flat message
	FramingMCP    Framing = "MCP"  // a real MCP server, with handshake and schemas
)

// typed reports whether the framing identifies messages by their message_type.
func (f Framing) typed() bool {
	return f == FramingB || f == FramingD || f == FramingE || f == FramingF || f == FramingP
}

// plain reports whether the framing does not use JSON-RPC.
func (f Framing) plain() bool { return f == FramingE || f == FramingF || f == FramingREST }

// A Model is the set of members that a validating agent requires of a message.
type Model string

// The models that were seen.
const (
	ModelNone   Model = ""
	ModelNested Model = "nested" // the invitation in game_invitation, the context in parity_context
	ModelTerse  Model = "terse"  // its own few members and no other, ids written in its own way
)

// A Registration selects which JSON members a simulated agent includes in its registration request.
type Registration string

// The registration requests that third-party agents were seen to send.
const (
	RegisterFull     Registration = "full"     // the whole envelope
	RegisterTyped    Registration = "typed"    // protocol, message_type and player_meta
	RegisterMeta     Registration = "meta"     // player_meta and nothing else
	RegisterFlat     Registration = "flat"     // display_name and contact_endpoint
	RegisterREST     Registration = "rest"     // POST /register {display_name, version, endpoint}
	RegisterEnvelope Registration = "envelope" // POST /register, envelope and data
)

// An IDStyle selects how an agent handles JSON-RPC ids.
type IDStyle string

// The id styles that were seen.
const (
	IDEcho       IDStyle = "echo"
	IDCounter    IDStyle = "counter"    // answers with a separate counter
	IDNumbers422 IDStyle = "number/422" // refuses ids that are strings
	IDNumbers500 IDStyle = "number/500"
)

// A Refusal selects an agent's answer to unknown messages.
type Refusal string

// The refusals that were seen.
const (
	RefuseNotFound Refusal = "200/-32601"
	RefuseAck      Refusal = "200/ACK" // it acknowledges receipt, and does nothing
	RefuseWords    Refusal = "200/words"
	RefuseStatus   Refusal = "200/status" // {status: unknown_message_type}
	RefuseNod      Refusal = "200/nod"    // it answers ok, and does nothing
	RefuseFields   Refusal = "200/fields" // it reports missing members of an envelope, unless they are where it reads them
	Refuse400      Refusal = "400"
	Refuse401      Refusal = "401"
	Refuse404      Refusal = "404"
	Refuse405      Refusal = "405"
	Refuse409      Refusal = "409"
	Refuse422      Refusal = "422"
	Refuse500      Refusal = "500"
	Refuse504      Refusal = "504"
)

// A ReplyShape is the position of the message in an agent's answer.
type ReplyShape string

// The shapes that were seen.
const (
	ReplyResult     ReplyShape = "result"
	ReplyNullError  ReplyShape = "result, error null"
	ReplyRequest    ReplyShape = "method and params"
	ReplyStatusData ReplyShape = "status and data"
	ReplyBare       ReplyShape = "bare"
	ReplyTwice      ReplyShape = "result.response"
	ReplyContent    ReplyShape = "content text"
	ReplyStructured ReplyShape = "structuredContent"
)

// A JoinForm is the form of an agent's join.
type JoinForm string

// The forms that were seen.
const (
	JoinAccept     JoinForm = "accept:true"
	JoinACCEPTED   JoinForm = "status:ACCEPTED"
	JoinACK        JoinForm = "status:ACK"
	JoinREADY      JoinForm = "status:READY"
	JoinAccepted   JoinForm = "accepted:true"
	JoinAcceptOnly JoinForm = "accept:true and nothing else"
)

// A ChoiceForm is the position of the choice in an agent's message.
type ChoiceForm string

// The forms that were seen.
const (
	ChoiceParity ChoiceForm = "parity_choice"
	ChoicePlain  ChoiceForm = "choice"
	ChoiceAlone  ChoiceForm = "choice and nothing else"
	ChoiceMove   ChoiceForm = "move_data.choice"
	ChoiceTyped  ChoiceForm = "choice in a PARITY_CHOICE"
)

// A Callback selects the answers that an agent sends by a callback.
type Callback struct {
	Join, Choice bool
	Early        bool  // it calls before it returns, not after
	Proof        Proof // the proof of the sender in the callback
}

// any reports whether it calls at all.
func (c Callback) any() bool { return c.Join || c.Choice }

// A Proof is the member of the question that a callback repeats to prove its sender.
type Proof string

// The proofs that were seen.
const (
	ProofConversation Proof = "conversation_id"
	ProofToken        Proof = "token"
	ProofNone         Proof = "none"      // only the id of the player
	ProofOwnToken     Proof = "own token" // in a separate conversation
	ProofMatch        Proof = "match"     // which it has for a conversation
)

// A TokenForm selects the token that an agent puts into its answers.
type TokenForm string

// The forms that were seen.
const (
	TokenNone        TokenForm = "none"
	TokenOwn         TokenForm = "own"
	TokenPlaceholder TokenForm = "placeholder"
	TokenNull        TokenForm = "null"
	TokenReferee     TokenForm = "the referee's"
)

// A RoundForm is how an agent writes a round.
type RoundForm string

// The forms that were seen.
const (
	RoundInt   RoundForm = "1"
	RoundLong  RoundForm = "ROUND_1"
	RoundShort RoundForm = "R1"
)

// A TimeForm is how an agent writes a time.
type TimeForm string

// The observed forms, as layouts of package time.
const (
	TimeZ        TimeForm = "2006-01-02T15:04:05Z"
	TimeOffset   TimeForm = "2006-01-02T15:04:05+00:00"
	TimeFraction TimeForm = "2006-01-02T15:04:05.000000Z"
	TimeBasic    TimeForm = "20060102T150405Z"
	TimeTorn     TimeForm = "20060102T15:04:05Z"
)

// write converts a received round number to form f.
func (f RoundForm) write(round any) any {
	n, ok := round.(float64)
	switch {
	case !ok:
		return round
	case f == RoundLong:
		return fmt.Sprintf("ROUND_%d", int(n))
	case f == RoundShort:
		return fmt.Sprintf("R%d", int(n))
	}
	return int(n)
}

// write writes a time.
func (f TimeForm) write(t time.Time) string { return t.UTC().Format(orElse(string(f), string(TimeZ))) }

// show puts a token into a message.
func (f TokenForm) show(m object, own, referees string) {
	switch f {
	case TokenOwn:
		m["auth_token"] = own
	case TokenPlaceholder:
		m["auth_token"] = "your-token-here"
	case TokenNull:
		m["auth_token"] = nil
	case TokenReferee:
		m["auth_token"] = referees
	}
}
