package store

import (
	"context"
	"iter"
	"sync"

	"agentleague/files"
	"agentleague/protocol"
	"agentleague/referee"
)

// A LazyRecorder is a Recorder whose folder is known only when the referee has its id.
type LazyRecorder struct {
	Root *files.Root
	ID   func() string // of the referee

	once  sync.Once
	inner Recorder
	err   error
}

// open opens the records when the first match is kept: the id of the referee is not known before it is registered.
func (l *LazyRecorder) open() (Recorder, error) {
	l.once.Do(func() { l.inner.Records, l.err = l.Root.Records(l.ID()) })
	return l.inner, l.err
}

// Close lets go of what was opened.
func (l *LazyRecorder) Close() error {
	r, err := l.open()
	if err != nil {
		return nil // nothing was
	}
	return r.Close()
}

// Record is [Recorder.Record].
func (l *LazyRecorder) Record(ctx context.Context, f *referee.Finished) error {
	r, err := l.open()
	if err != nil {
		return err
	}
	return r.Record(ctx, f)
}

// Begun is [Recorder.Begun].
func (l *LazyRecorder) Begun(start *protocol.StartMatch) error {
	r, err := l.open()
	if err != nil {
		return err
	}
	return r.Begun(start)
}

// Learned is [Recorder.Learned].
func (l *LazyRecorder) Learned(ctx context.Context, f *referee.Finished) error {
	r, err := l.open()
	if err != nil {
		return err
	}
	return r.Learned(ctx, f)
}

// Reported is [Recorder.Reported].
func (l *LazyRecorder) Reported(ctx context.Context, ref protocol.RecordRef) error {
	r, err := l.open()
	if err != nil {
		return err
	}
	return r.Reported(ctx, ref)
}

// Unreported is [Recorder.Unreported].
func (l *LazyRecorder) Unreported(ctx context.Context) iter.Seq2[referee.Finished, error] {
	r, err := l.open()
	if err != nil {
		return func(yield func(referee.Finished, error) bool) { yield(referee.Finished{}, err) }
	}
	return r.Unreported(ctx)
}

// Document is [Recorder.Document].
func (l *LazyRecorder) Document(ctx context.Context, ref protocol.RecordRef) ([]byte, error) {
	r, err := l.open()
	if err != nil {
		return nil, err
	}
	return r.Document(ctx, ref)
}

// Put is [Recorder.Put].
func (l *LazyRecorder) Put(ctx context.Context, f *referee.Finished) error {
	r, err := l.open()
	if err != nil {
		return err
	}
	return r.Put(ctx, f)
}

// All is [Recorder.All].
func (l *LazyRecorder) All(ctx context.Context) iter.Seq2[referee.Finished, error] {
	r, err := l.open()
	if err != nil {
		return func(yield func(referee.Finished, error) bool) { yield(referee.Finished{}, err) }
	}
	return r.All(ctx)
}

// Remove is [Recorder.Remove].
func (l *LazyRecorder) Remove(ctx context.Context, ref protocol.RecordRef) error {
	r, err := l.open()
	if err != nil {
		return err
	}
	return r.Remove(ctx, ref)
}
