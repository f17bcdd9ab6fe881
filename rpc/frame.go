package rpc

import (
	"cmp"
	"encoding/json"
	"maps"

	"agentleague/protocol"
)

// frame encodes the answer to a request, a reply or an error, in the dialect of the request. It also returns the
// message in the answer, and the error in that message.
func (s *responder) frame(req request, reply protocol.Message, err error) ([]byte, protocol.Message, error) {
	if err == nil {
		var answer []byte
		req.complete(s, reply)
		if answer, err = req.write(reply); err == nil {
			return answer, reply, nil
		}
	}
	e := protocol.AsError(err)
	m := s.errorMessage(req, e)
	data, unwritable := s.encode(req, m)
	if unwritable != nil { // something in its context cannot be written
		e, err = protocol.AsError(unwritable), unwritable
		m = s.errorMessage(req, e)
		data, _ = s.encode(req, m)
	}
	if req.bare {
		return data, m, err
	}
	return framedError(req.id, wireError{
		Code: e.Kind.Numeric(req.spec.Type), Message: e.Kind.Name, Data: data,
		ErrorCode: e.Kind.Code, ErrorName: e.Kind.Name, ErrorDescription: e.Kind.Name,
	}), m, err
}

// encode fills in the envelope of an answer and encodes it.
func (s *responder) encode(req request, reply protocol.Message) (json.RawMessage, error) {
	req.complete(s, reply)
	return protocol.Encode(reply)
}

// complete fills in the envelope of an answer, which belongs to the conversation of its request.
func (r request) complete(s *responder, reply protocol.Message) {
	s.stamp(reply)
	reply.Head().ConversationID = r.conversation
	if r.auth != nil {
		r.auth.SignAnswer(reply, r.conversation)
	}
}

// errorMessage converts an error into the error message of this agent's role.
func (s *responder) errorMessage(req request, e *protocol.Error) protocol.Message {
	about, player := s.circumstances(req, e)
	detail, _ := about["detail"].(string)
	if role, _ := protocol.ParseSender(s.Sender()); role == protocol.RoleManager {
		return &protocol.LeagueError{
			Envelope:  protocol.Envelope{MessageType: protocol.TypeLeagueError},
			ErrorCode: e.Kind.Code, ErrorName: e.Kind.Name, ErrorDescription: e.Kind.Name, ErrorMessage: e.Kind.Name,
			Detail: detail, Suggestion: e.Suggestion(), TimeoutSeconds: e.Waited.Seconds(),
			OriginalMessageType: req.spec.Type, Context: about, Retryable: e.Retryable(),
		}
	}
	return &protocol.GameError{
		Envelope:  protocol.Envelope{MessageType: protocol.TypeGameError, MatchID: req.Text("match_id")},
		ErrorCode: e.Kind.Code, ErrorName: e.Kind.Name, ErrorDescription: e.Kind.Name, ErrorMessage: e.Kind.Name,
		Detail: detail, Suggestion: e.Suggestion(), TimeoutSeconds: e.Waited.Seconds(),
		PlayerID: player, AffectedPlayer: req.Text("player_id"),
		OriginalMessageType: req.spec.Type, Context: about, Retryable: e.Retryable(),
	}
}

// circumstances returns the context of an error: the action, the sender, the facts in the error, and the affected
// player. player is the player id in the request, or else the id of this agent.
func (s *responder) circumstances(req request, e *protocol.Error) (about map[string]any, player string) {
	sender := clip(protocol.Plain(req.Text("sender")))
	player = req.Text("player_id")
	concerned := cmp.Or(player, playerOf(sender))
	player = cmp.Or(player, playerOf(s.Sender()))
	about = map[string]any{"detail": e.Sentence(), "sender": sender, "player_id": clip(cmp.Or(concerned, player)),
		"action": cmp.Or(string(req.spec.Type), clip(req.method), clip(req.Text("message_type")))}
	maps.Copy(about, e.Context)
	for k, v := range about {
		if text, ok := v.(string); ok {
			about[k] = redact(text)
		}
	}
	maps.DeleteFunc(about, func(name string, v any) bool { return (name == "sender" || name == "player_id") && v == "" })
	return about, player
}

// playerOf returns the id in the sender name of a player, or "".
func playerOf(sender string) string {
	if role, id := protocol.ParseSender(sender); role == protocol.RolePlayer {
		return id
	}
	return ""
}
