package referee

import (
	"context"
	"errors"
	"unicode/utf8"

	"agentleague/protocol"
	"agentleague/rpc"
)

// tellRecords returns records as bytes, so that their hash can be checked: of the requested ones, up to the size of
// one answer. A record that is too large for an answer is sent in parts; the offset selects the next part.
func (r *Referee) tellRecords(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	ask := m.(*protocol.GetMatchRecords)
	if err := r.manager.check(m.Head()); err != nil {
		return nil, err
	}
	if err := checkRecordsAsked(ask); err != nil {
		return nil, err
	}
	out := &protocol.MatchRecords{Envelope: protocol.Envelope{MessageType: protocol.TypeMatchRecords},
		Records: []protocol.RecordDocument{}}
	room := recordsRoom(r.Node.MaxBody)
	for _, ref := range ask.Records {
		doc, err := r.opts.Recorder.Document(ctx, ref)
		if errors.Is(err, ErrNoRecord) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(out.Records) > 0 && len(doc) > room {
			break
		}
		told, err := partOf(doc, ask.Offset, room)
		if err != nil {
			return nil, err
		}
		told.RecordRef = ref
		out.Records = append(out.Records, told)
		room -= len(told.Document)
	}
	return out, nil
}

// checkRecordsAsked refuses a request that does not fit into one answer, or whose offset is ambiguous between several
// records.
func checkRecordsAsked(ask *protocol.GetMatchRecords) error {
	switch n := len(ask.Records); {
	case n > protocol.MaxRecords:
		return protocol.Errorf(protocol.InvalidMessage, "records: want at most %d, got %d", protocol.MaxRecords, n)
	case ask.Offset < 0:
		return protocol.Errorf(protocol.InvalidMessage, "offset: want 0 or more, got %d", ask.Offset)
	case ask.Offset > 0 && n > 1:
		return protocol.Errorf(protocol.InvalidMessage, "records: want one with an offset, got %d", n)
	}
	return nil
}

// recordsRoom returns the bytes of records that fit into an answer of at most maxBody bytes. As a string of JSON a
// record takes up to twice its size, since it is JSON itself; the rest is left to the other members.
func recordsRoom(maxBody int64) int { return int(maxBody) * 2 / 5 }

// partOf returns the part of a record from an offset on that fits into room, cut at a character boundary.
func partOf(doc []byte, offset, room int) (part protocol.RecordDocument, err error) {
	if offset > 0 && (offset >= len(doc) || !utf8.RuneStart(doc[offset])) {
		return part, protocol.Errorf(protocol.InvalidMessage, "offset: no part of this record begins at %d", offset)
	}
	end := len(doc)
	if room < end-offset {
		for end = offset + room; end > offset && !utf8.RuneStart(doc[end]); end-- {
		}
	}
	if end-offset < len(doc) {
		part.Size = len(doc)
	}
	part.Document = string(doc[offset:end])
	return part, nil
}
