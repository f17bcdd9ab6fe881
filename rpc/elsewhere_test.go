package rpc_test

import (
	"testing"

	"agentleague/protocol"
)

// TestOneMethodForAllIsFoundBehindMissingFields calls peers that support only handle_message and answer all other
// methods with an error about missing envelope fields: that does not prove that the frame was right.
func TestOneMethodForAllIsFoundBehindMissingFields(t *testing.T) {
	const most = 8
	for _, said := range []string{
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Missing required fields: {'protocol', 'message_type'}"}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Missing required fields: {'message_type', 'sender'}"}}`,
		`{"status":"error","message":"Missing required field: message_type"}`,
		`{"error":"missing required fields: [\"sender\", \"message_type\"]"}`,
	} {
		for _, typ := range []protocol.Type{
			protocol.TypeGameInvitation, protocol.TypeRoundAnnouncement, protocol.TypeLeagueRegisterRequest,
			protocol.TypeMatchResultReport, protocol.TypeChooseParityCall, protocol.TypeGameOver,
		} {
			for _, row := range []string{"", "A", "B", "C", "F"} {
				calls, understood := meet(t, typ, manner{"message", string(typ)}, refusing{200, said}, row)
				if !understood || calls > most {
					t.Errorf("%s to row %q, refusing %s: understood %v after %d calls, want at most %d", typ, row, said,
						understood, calls, most)
				}
			}
		}
	}
}
