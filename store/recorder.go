package store

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"sync"

	"agentleague/protocol"
	"agentleague/referee"
)

// A Recorder stores a referee's matches in its folder: finished ones, and those that wait for the manager's draw.
// It implements [referee.Recorder] and [referee.Shelf].
type Recorder struct{ *Records }

// Record stores a finished match and the order by which it was played.
func (r Recorder) Record(_ context.Context, f *referee.Finished) error {
	doc, err := f.Document()
	if err != nil {
		return err
	}
	b := orders.Get().(*[]byte)
	defer orders.Put(b)
	if *b, err = protocol.MarshalAppend((*b)[:0], &f.Start); err != nil {
		return err
	}
	return r.SaveHashed(f.Record.Ref(), doc, f.Hash(), *b)
}

// orders pools buffers for encoded orders. Records does not retain them.
var orders = sync.Pool{New: func() any { return new([]byte) }}

// Learned stores the order of a match again, with what the referee learned about the players when it announced the
// result.
func (r Recorder) Learned(_ context.Context, f *referee.Finished) error {
	order, err := protocol.Marshal(&f.Start)
	if err != nil {
		return err
	}
	return r.SaveOrder(f.Record.Ref(), order)
}

// Reported records that the manager has acknowledged a result.
func (r Recorder) Reported(_ context.Context, ref protocol.RecordRef) error {
	return r.Records.Reported(ref)
}

// Unreported yields the matches whose results the manager has not acknowledged.
func (r Recorder) Unreported(context.Context) iter.Seq2[referee.Finished, error] {
	return func(yield func(referee.Finished, error) bool) {
		for u, err := range r.Records.Unreported() {
			var f referee.Finished
			if err == nil {
				f.Record, err = protocol.ParseRecord(u.Document)
			}
			if err == nil {
				err = json.Unmarshal(u.Order, &f.Start)
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

// Document returns a record as it was kept.
func (r Recorder) Document(_ context.Context, ref protocol.RecordRef) ([]byte, error) {
	doc, err := r.Records.Document(ref)
	if errors.Is(err, ErrNoRecord) {
		return nil, referee.ErrNoRecord
	}
	return doc, err
}
