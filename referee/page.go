package referee

import "sync"

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
