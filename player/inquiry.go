package player

import (
	"slices"
	"time"

	"agentleague/game"
	"agentleague/protocol"
)

// An inquiry is a referee's question, independent of its message type.
type inquiry struct {
	attempt  int
	due      time.Time // when the answer counts no more, by this machine's clock; zero: the referee gave no deadline
	game     string
	opponent string
	standing protocol.Tally
	view     game.View
	shown    string // the position as text, which is signed with the move
}

// question returns the key of the inquiry within its match attempt.
func (q inquiry) question() question {
	var room [256]byte
	options := room[:0]
	for _, o := range q.view.Options {
		options = append(protocol.AppendMoveText(options, o), '\n')
	}
	return question{q.view.Turn, string(options)}
}

// offers reports whether a move is one of the options of the question.
func (q inquiry) offers(m game.Move) bool {
	return slices.ContainsFunc(q.view.Options,
		func(o game.Move) bool { return protocol.SameMove(o, m) })
}

// A reply is an answer to a question, ready to be sent.
type reply struct {
	move  game.Move
	proof *protocol.Proof // nil: no signature requested
	usage *protocol.Usage // nil: no language model was used
}

// reply returns the stored answer, ready to be sent again.
func (w Answer) reply() reply {
	return reply{game.Move(w.Move), &protocol.Proof{Head: w.Head, Move: w.Move, Signature: w.Signature}, w.Usage}
}

// inTime reports whether now is not after the deadline, or there is none.
func (q inquiry) inTime(now time.Time) bool {
	return q.due.IsZero() || !now.After(q.due)
}

// maxSkew is the clock difference between a referee and a player up to which a deadline is used unchanged.
const maxSkew = 5 * time.Second

// dueAt returns the deadline of an answer on this machine's monotonic clock. If the clocks differ by more than maxSkew,
// it allows the time between the message's timestamp and its deadline, less up to 2 s for their rounding.
func dueAt(h *protocol.Envelope, deadline string, now time.Time) time.Time {
	due, _, err := protocol.ParseTime(deadline)
	if err != nil {
		return time.Time{}
	}
	sent, _, err := protocol.ParseTime(h.Timestamp)
	if err != nil || now.Sub(sent).Abs() <= maxSkew {
		return now.Add(due.Sub(now))
	}
	given := due.Sub(sent)
	return now.Add(max(given/2, given-2*time.Second))
}
