package referee

import (
	"context"
	"errors"
	"unicode/utf8"

	"agentleague/protocol"
	"agentleague/rpc"
)

// tellRecords returns the requested records as bytes, so that the manager can check their hashes: as many as fit into
// one answer. A record that is too large for one answer is sent in parts; the offset of the request selects the part.
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

// checkRecordsAsked returns an error for a request with too many records, or with an offset and several records.
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

// recordsRoom returns how many bytes of records fit into an answer of at most maxBody bytes. Encoding a record, which is
// JSON, as a JSON string takes up to twice its size; the rest is for the other fields.
func recordsRoom(maxBody int64) int { return int(maxBody) * 2 / 5 }

// partOf returns up to room bytes of a record from an offset on, cut at a character boundary.
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
