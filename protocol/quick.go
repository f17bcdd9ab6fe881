package protocol

import (
	"reflect"
	"slices"
	"unsafe"
)

// The frequent messages of a league are in canonical form. They are read and written by plan: one pass over the text,
// straight from and into memory, without the general path of encoding/json. Any other form is left to the general
// path, so that a plan never changes a result: FuzzQuick and TestLongQuickAgrees compare the two.

// quickTypes are the messages that have a plan: those of every match and round.
var quickTypes = []Type{
	TypeStartMatch, TypeStartMatchAck, TypeGameInvitation, TypeGameJoinAck, TypeChooseParityCall, TypeChooseParityResponse,
	TypeGameMoveCall, TypeGameMoveResponse, TypeGameOver, TypeGameOverAck, TypeMatchResultReport, TypeMatchResultAck,
	TypeRoundAnnouncement, TypeRoundAnnouncementAck, TypeLeagueStandingsUpdate, TypeStandingsUpdateAck,
	TypeRoundCompleted, TypeRoundCompletedAck, TypeGetMatchRecords, TypeMatchRecords,
}

// plans holds the plan of every such message.
var plans = makePlans()

// makePlans builds the plans to read and write the most frequent messages without reflection. All others go by the
// general path, to the same bytes.
func makePlans() map[Type]*plan {
	out := map[Type]*plan{}
	for _, spec := range table {
		if !slices.Contains(quickTypes, spec.Type) {
			continue
		}
		p := planOf(spec.body)
		for _, need := range spec.Needs {
			p.needs |= 1 << p.byName[need].n
		}
		p.room = makeRoom(p)
		out[spec.Type] = p
	}
	return out
}

// quick reads a message in canonical form: complete, without unknown, repeated or odd members. It is not ok for any
// other, which may still be valid.
func quick(raw []byte, r Reading) (m Message, ok bool) {
	if plans[r.Type] == nil { // it need not be copied to find that out
		return nil, false
	}
	d := reader{scanner: scanner{text: string(raw)}}
	if m, ok = d.message(r.Type, r.Reply); ok && d.end() {
		return m, true
	}
	return nil, false
}

// message reads the message of a type that has a plan.
func (d *reader) message(t Type, reply bool) (Message, bool) {
	p := plans[t]
	if p == nil {
		return nil, false
	}
	d.room = reflect.New(p.room).UnsafePointer()
	start := d.skipSpace()
	there, ok := d.fill(d.room, p)
	m := reflect.NewAt(p.typ, d.room).Interface().(Message)
	if !ok || !reply && there&p.needs != p.needs || !ordinary(m, t) {
		return nil, false
	}
	m.Head().source, m.Head().plain = d.bytes(d.text[start:d.at]), true
	return m, true
}

// ordinary reports whether a message needs no remark and no translation:
// [fillEnvelope] has nothing to fill in, and package dialect nothing to move.
func ordinary(m Message, t Type) bool {
	h := m.Head()
	if h.Protocol != Version || h.MessageType != t || !validSender(h.Sender) || h.ConversationID == "" ||
		!plainTime(h.Timestamp) {
		return false
	}
	switch m := m.(type) {
	case *GameInvitation:
		return m.RoleInMatch != ""
	case *GameJoinAck:
		return m.Accept != nil && plainTime(m.ArrivalTimestamp)
	case *ChooseParityResponse:
		return len(m.ParityChoice) > 0 && string(m.ParityChoice) != "null"
	case *GameMoveResponse:
		return len(m.MoveData.Choice) > 0
	case *GameOver:
		return (m.Winner == nil || m.GameResult.WinnerPlayerID != nil) &&
			(m.DrawnNumber.Value == nil || m.GameResult.DrawnNumber.Value != nil)
	case *RoundCompleted:
		return (m.MatchesCompleted == 0) == (m.MatchesPlayed == 0)
	}
	return true
}

// plainTime reports whether a text is a time in the very form of [Stamp].
func plainTime(s string) bool {
	const form = "2006-01-02T15:04:05Z"
	if len(s) != len(form) {
		return false
	}
	_, plain, err := ParseTime(s)
	return plain && err == nil
}

// quickly adds a message that has a plan to b, byte for byte as encoding/json
// would. It is not ok for any other.
func quickly(b []byte, m Message) (_ []byte, ok bool) {
	p := plans[m.Head().MessageType]
	v := reflect.ValueOf(m)
	if p == nil || v.Type().Elem() != p.typ {
		return b, false
	}
	before := len(b)
	written, ok := p.appendMessage(b, v.UnsafePointer(), m.Head().shared)
	if !ok {
		return b, false
	}
	p.size.Store(int64(len(written) - before))
	return written, true
}

// newBuffer returns room for a message and for more bytes around it: so much as the last of its type has taken.
func newBuffer(m Message, more int) []byte {
	return make([]byte, 0, plans[m.Head().MessageType].expected()+more)
}

// Share writes the first elements of a list, which is a member of messages of type t. It returns nil if these messages
// are not written by plan or have no such list.
func Share[E comparable](t Type, member string, first []E) *Shared {
	p := plans[t]
	if p == nil || p.byName[member] == nil || p.byName[member].typ != reflect.TypeFor[[]E]() || len(first) == 0 {
		return nil
	}
	s, first := p.byName[member], slices.Clone(first)
	text, ok := s.elem.appendList(nil, reflect.ValueOf(first))
	if !ok {
		return nil
	}
	return &Shared{slot: s, n: len(first), text: text[1 : len(text)-1], same: func(list unsafe.Pointer) bool {
		l := *(*[]E)(list)
		return len(l) >= len(first) && slices.Equal(l[:len(first)], first)
	}}
}
