package manager

import (
	"errors"
	"iter"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"agentleague/engine"
	"agentleague/league"
	"agentleague/protocol"
)

// inLog makes entries of lines.
func inLog(lines [][]byte, last error) iter.Seq2[engine.Entry, error] {
	return func(yield func(engine.Entry, error) bool) {
		for i, line := range lines {
			if !yield(engine.Entry{Mark: engine.Mark{Seq: uint64(i + 1)}, Data: line}, nil) {
				return
			}
		}
		if last != nil {
			yield(engine.Entry{}, last)
		}
	}
}

func TestFoldAllIsFold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which fails if anything is left running
		s := begun(t, 2, 6, league.Created{MaxForfeits: 2})
		if err := s.report("REF01", "R1M1", 1, protocol.ReportedResult{}); err != nil {
			t.Fatal(err)
		}
		want := league.NewLean()
		for line := range inLog(s.log, nil) {
			at, events, err := league.DecodeBatch(line.Data)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if err := want.Apply(at, e); err != nil {
					t.Fatal(err)
				}
			}
			want.Written(line.Seq, line.Hash, events)
		}
		got, last, err := foldAll(inLog(s.log, nil))
		if err != nil || last != uint64(len(s.log)) || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v up to %d, %v", got, last, err)
		}
	})
}

func TestFoldAllStopsAtTheFirstError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begun(t, 1, 2, league.Created{})
		bad := [][]byte{[]byte("junk"), []byte(`[{"kind":"Paused","at":"2999-01-01T00:00:00Z","event":{}}]`)}
		for range 1000 { // more than are read ahead
			bad = append(bad, bad[1])
		}
		if _, _, err := foldAll(inLog(append(s.log[:3:3], bad...), nil)); err == nil || !strings.HasPrefix(err.Error(),
			"entry 4: log entry: ") {
			t.Errorf("got %v, want that of entry 4", err)
		}
		burnt := errors.New("disk on fire")
		if _, _, err := foldAll(inLog(s.log, burnt)); err != burnt {
			t.Errorf("got %v, want %v", err, burnt)
		}
	})
}

// A process that dies while it reads leaves nothing behind.
func TestFoldAllEndsWithItsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begun(t, 1, 2, league.Created{})
		var wg sync.WaitGroup
		wg.Go(func() {
			_, _, _ = foldAll(func(yield func(engine.Entry, error) bool) {
				yield(engine.Entry{Data: s.log[0]}, nil)
				runtime.Goexit()
			})
		})
		wg.Wait()
	})
}
