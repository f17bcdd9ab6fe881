package cli

import (
	"context"
	"iter"
	"sync"

	"agentleague/protocol"
	"agentleague/referee"
)

// A lateRecorder is a recorder whose folder is known only when the referee has its id.
type lateRecorder struct {
	house *house
	id    func() string
	once  sync.Once
	inner recorder
	err   error
}

func (l *lateRecorder) open() (recorder, error) {
	l.once.Do(func() { l.inner.Records, l.err = l.house.Records(l.id()) })
	return l.inner, l.err
}

// close lets go of what was opened.
func (l *lateRecorder) close() error {
	r, err := l.open()
	if err != nil {
		return nil // nothing was
	}
	return r.Close()
}

func (l *lateRecorder) Record(ctx context.Context, f referee.Finished) error {
	r, err := l.open()
	if err != nil {
		return err
	}
	return r.Record(ctx, f)
}

func (l *lateRecorder) Learned(ctx context.Context, f referee.Finished) error {
	r, err := l.open()
	if err != nil {
		return err
	}
	return r.Learned(ctx, f)
}

func (l *lateRecorder) Reported(ctx context.Context, ref protocol.RecordRef) error {
	r, err := l.open()
	if err != nil {
		return err
	}
	return r.Reported(ctx, ref)
}

func (l *lateRecorder) Unreported(ctx context.Context) iter.Seq2[referee.Finished, error] {
	r, err := l.open()
	if err != nil {
		return func(yield func(referee.Finished, error) bool) { yield(referee.Finished{}, err) }
	}
	return r.Unreported(ctx)
}

func (l *lateRecorder) Document(ctx context.Context, ref protocol.RecordRef) ([]byte, error) {
	r, err := l.open()
	if err != nil {
		return nil, err
	}
	return r.Document(ctx, ref)
}

func (l *lateRecorder) Put(ctx context.Context, f referee.Finished) error {
	r, err := l.open()
	if err != nil {
		return err
	}
	return r.Put(ctx, f)
}

func (l *lateRecorder) All(ctx context.Context) iter.Seq2[referee.Finished, error] {
	r, err := l.open()
	if err != nil {
		return func(yield func(referee.Finished, error) bool) { yield(referee.Finished{}, err) }
	}
	return r.All(ctx)
}

func (l *lateRecorder) Remove(ctx context.Context, ref protocol.RecordRef) error {
	r, err := l.open()
	if err != nil {
		return err
	}
	return r.Remove(ctx, ref)
}
