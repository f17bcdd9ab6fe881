package referee

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"sync"

	"agentleague/protocol"
)

// A Finished match is the data that a referee keeps before it announces the end: the record, and the order to play
// it, which holds the tokens and addresses needed for the announcement. Only the record is ever shown.
type Finished struct {
	Record protocol.MatchRecord
	Start  protocol.StartMatch

	document []byte                // of the record, once it was encoded and while it may be needed
	page     *[]byte               // the buffer of the document; nil: separate memory
	hash     string                // of the document
	overs    [2]*protocol.GameOver // by seat, as they are on record; nil: to be found there
}

// Document returns the bytes of the record, a single line, which are written once.
func (f *Finished) Document() (doc []byte, err error) {
	if f.document == nil {
		f.document, f.hash, err = f.Record.LineIn(f.takePage())
	}
	return f.document, err
}

// Hash returns the hash of the document, as [protocol.RecordHash] writes it, once Document has returned that.
func (f *Finished) Hash() string { return f.hash }

// report writes the record as the report of its result.
func (f *Finished) report() (*protocol.MatchResultReport, error) {
	if f.hash == "" {
		if _, err := f.Document(); err != nil {
			return nil, err
		}
	}
	return f.Record.Report(f.hash), nil
}

// A Recorder stores finished matches durably. Its arguments belong to the referee: it must not change them, nor use
// them after it returns. The bytes of the document are reused for another record.
type Recorder interface {
	// Record returns once f is durable.
	Record(ctx context.Context, f *Finished) error
	// Learned replaces the order that the record of f was kept with, unless the result was reported: then it is not
	// announced again.
	Learned(ctx context.Context, f *Finished) error
	// Reported notes that the manager has a record's result.
	Reported(ctx context.Context, ref protocol.RecordRef) error
	// Unreported yields the matches without a confirmed report.
	Unreported(ctx context.Context) iter.Seq2[Finished, error]
	// Document returns a record's bytes, or ErrNoRecord.
	Document(ctx context.Context, ref protocol.RecordRef) ([]byte, error)
}

// ErrNoRecord reports that there is no such record.
var ErrNoRecord = errors.New("no such record")

// Memory is a Recorder that lasts as long as the program.
type Memory struct {
	mu    sync.Mutex
	order []*kept
	byRef map[protocol.RecordRef]*kept
}

// A kept match is a record in memory, as written, and whether its report has been acknowledged.
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

// Reported notes that a record was reported.
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

// A page is the buffer that a record is encoded into before its recorder stores it: ten times the size of a message,
// once per match.

// pages are those that no record is on.
var pages = sync.Pool{New: func() any { return new([]byte) }}

// maxPage is how many bytes a page may have that is kept for another record.
const maxPage = 64 << 10

// takePage returns the buffer of a page, which is the record's until letGo. It may hold old content.
func (f *Finished) takePage() []byte {
	f.page = pages.Get().(*[]byte)
	return *f.page
}

// letGo returns the page of a stored record to the pool: its document has no more readers, and is encoded again on
// demand. The hash stays, which is all that the report needs.
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

// released is called with each returned page; tests overwrite it to detect later use.
var released = func([]byte) {}
