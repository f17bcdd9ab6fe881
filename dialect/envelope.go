package dialect

// envelopeMembers are the members that stay at the top when the rest of a message lies under data.
var envelopeMembers = map[string]bool{
	"protocol": true, "message_type": true, "sender": true, "timestamp": true, "conversation_id": true, "auth_token": true,
	"league_id": true, "round_id": true, "match_id": true,
}
