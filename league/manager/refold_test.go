package manager

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

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
		want, _, err := oneByOne(inLog(s.log, nil), league.DecodeBatch)
		if err != nil {
			t.Fatal(err)
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

// oneByOne makes a manager's state from its log without any haste.
func oneByOne(
	log iter.Seq2[engine.Entry, error], decode func([]byte) (time.Time, []league.Event, error),
) (*league.State, uint64, error) {
	s, last := league.NewSummaryState(), uint64(0)
	for e, err := range log {
		if err != nil {
			return nil, 0, err
		}
		at, events, err := decode(e.Data)
		for _, event := range events {
			if err == nil {
				err = s.Apply(at, event)
			}
		}
		if err != nil {
			return nil, 0, fmt.Errorf("entry %d: %w", e.Seq, err)
		}
		s.Written(e.Seq, e.Hash, events)
		last = e.Seq
	}
	return s, last, nil
}

// The law of foldAll: for any damage of a log, state and error equal those of a sequential fold.
func TestFoldAllOfADamagedLogSaysWhatIsWrongFirst(t *testing.T) {
	s := begun(t, 2, 6, league.Created{MaxForfeits: 2})
	if err := s.report("REF01", "R1M1", 1, protocol.ReportedResult{}); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(300) {
		draw := rand.New(rand.NewPCG(seed, 20))
		lines := slices.Clone(s.log)
		for range draw.IntN(4) {
			wound(draw, lines)
		}
		var broken error
		if draw.IntN(3) == 0 {
			lines, broken = lines[:draw.IntN(len(lines))], errors.New("disk on fire")
		}
		want, end, wantErr := oneByOne(inLog(lines, broken), league.DecodeLean)
		got, last, err := foldAll(inLog(lines, broken))
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || last != end || !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: got %v up to %d, want %v up to %d", seed, err, last, wantErr, end)
		}
	}
}

// wound damages a line of a log: a byte of it, its end, its place or all of it.
func wound(draw *rand.Rand, lines [][]byte) {
	n := draw.IntN(len(lines))
	switch line := slices.Clone(lines[n]); draw.IntN(5) {
	case 0:
		line[draw.IntN(len(line))] ^= 1 << draw.IntN(8)
		lines[n] = line
	case 1:
		lines[n] = line[:draw.IntN(len(line))]
	case 2:
		other := draw.IntN(len(lines))
		lines[n], lines[other] = lines[other], line
	case 3:
		lines[n] = lines[draw.IntN(len(lines))] // it repeats an entry
	case 4:
		lines[n] = []byte(`[{"kind":"Paused","at":"1999-01-01T00:00:00Z","event":{}}]`)
	}
}
