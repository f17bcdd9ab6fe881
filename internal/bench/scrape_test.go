package bench

import "testing"

// The average cost of a scrape may exceed the total cost of a short slice on a busy machine.
func TestNothingIsUsedLessThanNotAtAll(t *testing.T) {
	look := usage{mallocs: 100, cpu: 0.5, io: 3, writes: 1}
	used := usage{mallocs: 950, cpu: 6, io: 31, writes: 9, calls: 14, results: 1}
	got := used.without(look, 10)
	if got.mallocs != 0 || got.cpu != 1 || got.io != 1 || got.writes != 0 || got.calls != 14 || got.results != 1 {
		t.Errorf("got %+v", got)
	}
}
