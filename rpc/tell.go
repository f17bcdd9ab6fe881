package rpc

import (
	"context"

	"agentleague/dialect"
	"agentleague/protocol"
)

// Tell sends an answer by a callback, to a peer that expects it in no other way. The method is the message type, as
// those peers require.
func (n *Node) Tell(ctx context.Context, endpoint string, answer protocol.Message) error {
	n.stamp(answer)
	message, err := protocol.Encode(answer)
	if err != nil {
		return err
	}
	n.observe(Message{Sent: true, Peer: endpoint, Message: answer})
	status, body, err := n.Network.Post(ctx, endpoint, label(answer),
		dialect.AnswerAsCall(answer.Head().MessageType, message, n.nextID.Add(1)))
	if err != nil {
		return err
	}
	_, _, err = dialect.Unframe(status, body, protocol.TypeAnswerAck, protocol.Reading{})
	return err
}
