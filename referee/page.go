package referee

import "sync"

// A page is the memory that a record is written to before its recorder takes it: ten times what a message takes, once
// for each match.

// pages are those that no record is on.
var pages = sync.Pool{New: func() any { return new([]byte) }}

// maxPage is how many bytes a page may have that is kept for another record.
const maxPage = 64 << 10

// takePage returns the memory of a page, which is the record's until it is let go. What was on it may still be there.
func (f *Finished) takePage() []byte {
	f.page = pages.Get().(*[]byte)
	return *f.page
}

// letGo gives the page of a record back that its recorder has: nobody reads its document any more, and whoever wants it
// after all has it written again. Its hash stays, which is all that the report needs.
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

// released is told of each page that is given back, for tests that let nobody see it again.
var released = func([]byte) {}
