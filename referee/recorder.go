package referee

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"sync"

	"agentleague/protocol"
)

// A Finished match is the data that a referee stores before it announces the result: the record, and the order, which
// has the tokens and addresses that the announcement needs. Only the record is public.
type Finished struct {
	Record protocol.MatchRecord
	Start  protocol.StartMatch

	document []byte                // of the record, once it was encoded and while it may be needed
	page     *[]byte               // the buffer of the document; nil: separate memory
	hash     string                // of the document
	overs    [2]*protocol.GameOver // by seat, as they are on record; nil: to be found there
}

// Document returns the encoded record, a single line of JSON. The encoding is cached until letGo is called.
func (f *Finished) Document() (doc []byte, err error) {
	if f.document == nil {
		f.document, f.hash, err = f.Record.LineIn(f.takePage())
	}
	return f.document, err
}

// Hash returns the hash of the document, in the form of [protocol.RecordHash]. It returns "" before the first call of
// Document.
func (f *Finished) Hash() string { return f.hash }

// report returns the result report of the record.
func (f *Finished) report() (*protocol.MatchResultReport, error) {
	if f.hash == "" {
		if _, err := f.Document(); err != nil {
			return nil, err
		}
	}
	return f.Record.Report(f.hash), nil
}

// A Recorder stores finished matches durably. It must not change its arguments nor use them after it returns: the
// referee reuses the buffer of the document.
type Recorder interface {
	// Record returns once f is durable.
	Record(ctx context.Context, f *Finished) error
	// Learned replaces the stored order of f's record. It does nothing if the result was reported, since it is then not
	// announced again.
	Learned(ctx context.Context, f *Finished) error
	// Reported records that the result of a record need not be sent again: the manager has acknowledged it or refused it
	// permanently.
	Reported(ctx context.Context, ref protocol.RecordRef) error
	// Unreported yields the matches for which Reported was not called.
	Unreported(ctx context.Context) iter.Seq2[Finished, error]
	// Document returns a record's bytes, or ErrNoRecord.
	Document(ctx context.Context, ref protocol.RecordRef) ([]byte, error)
}

// ErrNoRecord reports that a record does not exist.
var ErrNoRecord = errors.New("no such record")

// Memory is a Recorder in memory: its records are lost when the process ends.
type Memory struct {
	mu    sync.Mutex
	order []*kept
	byRef map[protocol.RecordRef]*kept
}

// A kept is the encoded record of a match, with whether its report has been acknowledged.
type kept struct {
	Finished
	document []byte
	reported bool
}

// Record keeps f.
func (m *Memory) Record(_ context.Context, f *Finished) error {
	doc, err := f.Document()
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byRef == nil {
		m.byRef = map[protocol.RecordRef]*kept{}
	}
	k := &kept{Finished: *f, document: bytes.Clone(doc)}
	k.Finished.document, k.Finished.page = k.document, nil
	m.order = append(m.order, k)
	m.byRef[f.Record.Ref()] = k
	return nil
}

// Learned keeps the order of f with its record.
func (m *Memory) Learned(_ context.Context, f *Finished) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.byRef[f.Record.Ref()]; k != nil {
		k.Start = f.Start
	}
	return nil
}

// Reported marks a record as reported.
func (m *Memory) Reported(_ context.Context, ref protocol.RecordRef) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.byRef[ref]; k != nil {
		k.reported = true
	}
	return nil
}

// Unreported yields the unreported matches, oldest first.
func (m *Memory) Unreported(context.Context) iter.Seq2[Finished, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	var open []Finished
	for _, k := range m.order {
		if !k.reported {
			open = append(open, k.Finished)
		}
	}
	return func(yield func(Finished, error) bool) {
		for _, f := range open {
			if !yield(f, nil) {
				return
			}
		}
	}
}

// Document returns a record's bytes.
func (m *Memory) Document(_ context.Context, ref protocol.RecordRef) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.byRef[ref]; k != nil {
		return k.document, nil
	}
	return nil, ErrNoRecord
}

// The variables and functions below pool the buffers, called pages, for encoding records, which are about ten times as
// large as messages.

// pages is the pool of unused buffers.
var pages = sync.Pool{New: func() any { return new([]byte) }}

// maxPage is the largest capacity, in bytes, of a page that returns to the pool.
const maxPage = 64 << 10

// takePage returns a buffer from the pool for the record, until letGo is called. It may contain old data.
func (f *Finished) takePage() []byte {
	f.page = pages.Get().(*[]byte)
	return *f.page
}

// letGo returns the page of a stored record to the pool. The caller must not use the document any more; Document
// encodes it again on demand. The hash, which the report needs, is kept.
func (f *Finished) letGo() {
	doc, page := f.document, f.page
	f.document, f.page = nil, nil
	if page == nil || cap(doc) > maxPage {
		return
	}
	released(doc[:cap(doc)])
	*page = doc
	pages.Put(page)
}

// released is called with each page that returns to the pool; tests replace it to detect use after release.
var released = func([]byte) {}
