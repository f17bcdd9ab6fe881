package duel

import (
	"bytes"
	"context"
	"iter"
	"sync"

	"agentleague/protocol"
	"agentleague/referee"
)

// A scratch is an in-memory Recorder for a table at which many games are played. It deletes a record when it is read.
type scratch struct {
	mu   sync.Mutex
	docs map[protocol.RecordRef][]byte
}

// Record has the record.
func (s *scratch) Record(_ context.Context, f *referee.Finished) error {
	doc, err := f.Document()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.docs == nil {
		s.docs = map[protocol.RecordRef][]byte{}
	}
	s.docs[f.Record.Ref()] = bytes.Clone(doc)
	return nil
}

// Learned does nothing: no message is repeated after a restart.
func (*scratch) Learned(context.Context, *referee.Finished) error { return nil }

// Reported is of no use here either.
func (*scratch) Reported(context.Context, protocol.RecordRef) error { return nil }

// Unreported yields nothing.
func (*scratch) Unreported(context.Context) iter.Seq2[referee.Finished, error] {
	return func(func(referee.Finished, error) bool) {}
}

// Document returns a record's bytes, once.
func (s *scratch) Document(_ context.Context, ref protocol.RecordRef) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	doc, ok := s.docs[ref]
	if !ok {
		return nil, referee.ErrNoRecord
	}
	delete(s.docs, ref)
	return doc, nil
}
