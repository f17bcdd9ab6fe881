package protocol_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"

	"agentleague/protocol"
)

// A message is read by its message_type and handled by the type of its struct.
func ExampleDecode() {
	call := json.RawMessage(`{
		"protocol": "league.v2", "message_type": "CHOOSE_PARITY_CALL", "sender": "referee:REF01",
		"timestamp": "2025-01-15T10:15:05Z", "conversation_id": "conv-r1m1-001",
		"match_id": "R1M1", "player_id": "P01", "game_type": "even_odd", "deadline": "2025-01-15T10:15:35Z",
		"context": {"opponent_id": "P02", "round_id": 1, "your_standings": {"wins": 0, "losses": 0, "draws": 0, "points": 0}}
	}`)
	m, warnings, err := protocol.Decode(call, protocol.Reading{})
	if err != nil {
		log.Fatal(err)
	}
	switch m := m.(type) {
	case *protocol.ChooseParityCall:
		fmt.Println(m.Sender, "asks", m.PlayerID, "in", m.MatchID, "until", m.Deadline)
		fmt.Println("its opponent is", m.Context.OpponentID)
	}
	fmt.Println(len(warnings), "warnings")
	// Output:
	// referee:REF01 asks P01 in R1M1 until 2025-01-15T10:15:35Z
	// its opponent is P02
	// 0 warnings
}

// Absent envelope members are filled in with a warning; in strict mode they are an error with a code.
func ExampleDecode_strict() {
	ping := json.RawMessage(`{
		"protocol": "league.v2", "message_type": "PING", "sender": "player:P01", "timestamp": "2025-01-15T10:15:05Z"
	}`)

	_, warnings, err := protocol.Decode(ping, protocol.Reading{Conversation: "conv-1"})
	fmt.Println(len(warnings), "warning,", err)

	_, _, err = protocol.Decode(ping, protocol.Reading{Strict: true})
	fmt.Println(err)
	// Output:
	// 1 warning, <nil>
	// E003 MISSING_REQUIRED_FIELD: the envelope field conversation_id is missing
}

// A message is a struct with its envelope inside.
func ExampleEncode() {
	text, err := protocol.Encode(&protocol.Tool{Envelope: protocol.Envelope{
		Protocol: protocol.Version, MessageType: protocol.TypePing, Sender: "player:P01",
		Timestamp: "2025-01-15T10:15:01Z", ConversationID: "conv-1",
	}})
	if err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.String())
	// Output:
	// {
	//   "protocol": "league.v2",
	//   "message_type": "PING",
	//   "sender": "player:P01",
	//   "timestamp": "2025-01-15T10:15:01Z",
	//   "conversation_id": "conv-1"
	// }
}

// The message table has the method of each message, and its reply.
func ExampleLookup() {
	spec, _ := protocol.Lookup(protocol.TypeGameInvitation)
	fmt.Println(spec.Type, "is sent by the", spec.From, "with the method", spec.Method)
	fmt.Println(spec.Reply, "answers it within", spec.Deadline)
	// Output:
	// GAME_INVITATION is sent by the referee with the method handle_game_invitation
	// GAME_JOIN_ACK answers it within 5s
}
