package dialect

// envelopeMembers are the members that stay at the top level when the other members of a message are under "data".
var envelopeMembers = map[string]bool{
	"protocol": true, "message_type": true, "sender": true, "timestamp": true, "conversation_id": true, "auth_token": true,
	"league_id": true, "round_id": true, "match_id": true,
}
