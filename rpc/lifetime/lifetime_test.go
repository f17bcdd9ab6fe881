package lifetime_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/rpc/lifetime"
)

var errWhy = errors.New("somebody wanted it so")

// begun returns a context that has begun under another.
func begun(under context.Context) *lifetime.Context {
	c := &lifetime.Context{}
	c.Begin(under)
	return c
}

func TestAContextIsEndedOnceWithItsCause(t *testing.T) {
	c := begun(t.Context())
	if c.Err() != nil || context.Cause(c) != nil {
		t.Fatalf("it has ended before its end: %v", c.Err())
	}
	c.End(errWhy)
	c.End(errors.New("another"))
	if err := c.Err(); !errors.Is(err, context.Canceled) || !errors.Is(err, errWhy) || !errors.Is(context.Cause(c), errWhy) {
		t.Errorf("got %v because of %v, want it canceled because of %v", err, context.Cause(c), errWhy)
	}
	select {
	case <-c.Done():
	default:
		t.Error("Done is open after the end")
	}
}

func TestAContextThatEndsForNoReasonIsCanceled(t *testing.T) {
	c := begun(t.Context())
	done := c.Done()
	c.End(nil)
	<-done
	if c.Err() != context.Canceled || context.Cause(c) != context.Canceled {
		t.Errorf("got %v because of %v", c.Err(), context.Cause(c))
	}
}

// Each kind of context ends with its parent, with the same cause.
func TestWhatIsBelowEndsWithWhatIsAbove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		standard, end := context.WithCancelCause(t.Context())
		match := begun(standard)
		question := begun(match)
		bounded, cancel := context.WithTimeout(question, time.Hour)
		defer cancel()
		answer := begun(bounded)
		late := begun(t.Context())
		defer late.End(nil)
		end(errWhy)
		synctest.Wait()
		for name, ctx := range map[string]context.Context{
			"match": match, "question": question, "bounded": bounded, "answer": answer, "begun after it": begun(answer),
		} {
			<-ctx.Done()
			if !errors.Is(ctx.Err(), context.Canceled) || !errors.Is(context.Cause(ctx), errWhy) {
				t.Errorf("%s: got %v because of %v", name, ctx.Err(), context.Cause(ctx))
			}
		}
		if late.Err() != nil {
			t.Error("one that stands beside them has ended too")
		}
	})
}

func TestAnEndAboveIsToldBeforeEndReturnsAndNoneUpwards(t *testing.T) {
	match := begun(t.Context())
	a, b := begun(match), begun(match)
	a.End(errWhy)
	if match.Err() != nil || b.Err() != nil {
		t.Error("the end of one ended others that do not stand on it")
	}
	done := b.Done()
	match.End(nil)
	select {
	case <-done:
	default:
		t.Error("b goes on without its match")
	}
	if !errors.Is(context.Cause(a), errWhy) {
		t.Errorf("a's cause became %v", context.Cause(a))
	}
}

func TestADeadlineAboveIsOnesOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bounded, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, 7), time.Minute)
		defer cancel()
		c := begun(bounded)
		want, _ := bounded.Deadline()
		if got, ok := c.Deadline(); !ok || got != want || c.Value(key{}) != 7 {
			t.Errorf("got %v and %v, want the deadline and the value of the parent", got, c.Value(key{}))
		}
		<-c.Done()
		if !errors.Is(c.Err(), context.DeadlineExceeded) || errors.Is(c.Err(), context.Canceled) {
			t.Errorf("got %v, want that the deadline has passed", c.Err())
		}
	})
}

type key struct{}

// A listener counts its notifications.
type listener struct {
	hook lifetime.Hook
	told int
}

func (l *listener) Ended(error) { l.told++ }

func TestAListenerIsToldOnceUnlessItHasLeft(t *testing.T) {
	c := begun(t.Context())
	var all [4]listener
	for i := range all {
		all[i].hook.Who = &all[i]
		c.Tell(&all[i].hook)
	}
	if !c.Leave(&all[1].hook) || !c.Leave(&all[3].hook) || c.Leave(&all[1].hook) {
		t.Error("a listener cannot leave once before the end")
	}
	c.Tell(&all[3].hook)
	c.End(nil)
	var late listener
	late.hook.Who = &late
	c.Tell(&late.hook)
	if got := [5]int{all[0].told, all[1].told, all[2].told, all[3].told, late.told}; got != [5]int{1, 0, 1, 1, 1} {
		t.Errorf("told %v times", got)
	}
	if c.Leave(&all[0].hook) || c.Leave(&late.hook) {
		t.Error("who has been told has left in time")
	}
}

func TestAFunctionRunsAfterTheEndUnlessItIsStopped(t *testing.T) {
	c := begun(t.Context())
	ran := make(chan struct{})
	stop := context.AfterFunc(c, func() { close(ran) })
	stopped := context.AfterFunc(c, func() { t.Error("it was stopped") })
	if !stopped() {
		t.Error("too late to stop")
	}
	c.End(nil)
	<-ran
	if stop() {
		t.Error("stopped after it ran")
	}
}

// A layer stands on a context and adds nothing that ends it.
type layer struct{ context.Context }

func (l layer) Below() context.Context { return l.Context }

func TestOfFindsWhatEndsAContextAndNothingElse(t *testing.T) {
	c := begun(t.Context())
	shorter, cancel := context.WithCancel(c)
	defer cancel()
	for name, row := range map[string]struct {
		ctx  context.Context
		want *lifetime.Context
	}{
		"itself": {c, c}, "layers": {layer{layer{c}}, c},
		"one that may end sooner": {shorter, nil}, "a layer on that": {layer{shorter}, nil}, "another make": {t.Context(), nil},
	} {
		if got := lifetime.Of(row.ctx); got != row.want {
			t.Errorf("%s: got %p, want %p", name, got, row.want)
		}
	}
}

func TestManyBeginAndEndAtOnce(t *testing.T) {
	for range 50 {
		match := begun(t.Context())
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				question := begun(match)
				answer := begun(question)
				var l listener
				l.hook.Who = &l
				answer.Tell(&l.hook)
				question.End(errWhy)
				if answer.Leave(&l.hook) || answer.Err() == nil || l.told != 1 {
					t.Error("the answer goes on without its question")
				}
				answer.End(nil)
			})
		}
		wg.Go(func() { match.End(nil) })
		wg.Wait()
	}
}

func TestALifeTakesNoMemoryOfItsOwn(t *testing.T) {
	root := begun(t.Context())
	all := make([]struct{ match, question lifetime.Context }, 101)
	i := 0
	if got := testing.AllocsPerRun(100, func() {
		one := &all[i]
		i++
		one.match.Begin(root)
		one.question.Begin(&one.match)
		one.question.End(nil)
		one.match.End(nil)
	}); got != 0 {
		t.Errorf("it takes %v objects", got)
	}
}
