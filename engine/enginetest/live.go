package enginetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentleague/engine"
)

// liveLaws are about messages that are delivered once and not stored.
var liveLaws = []law{
	{"a message reaches every subscriber in order", messageReachesSubscribers},
	{"a message reaches its own subject only", messageKeepsToItsSubject},
	{"messages are copies", messagesAreCopies},
	{"a slow subscriber holds nobody up", slowSubscriberHoldsNobodyUp},
	{"a subscription ends with its context", subscriptionEndsWithContext},
}

// Messages are delivered in order to all current subscribers. Later subscribers get nothing: data that must not be
// lost is in the log.
func messageReachesSubscribers(r *rig) {
	a, b := r.pair()
	ins := []<-chan []byte{r.subscribe(a, "live"), r.subscribe(b, "live")}
	for _, in := range ins {
		r.meet(a, "live", in)
	}
	for i := range 10 {
		r.must("publish", a.Publish("live", fmt.Appendf(nil, "event %d", i)))
	}
	for _, in := range ins {
		for i := range 10 {
			r.hears(in, fmt.Sprintf("event %d", i))
		}
	}
}

// Leagues have separate subjects; none receives another's messages.
func messageKeepsToItsSubject(r *rig) {
	e := r.open()
	r.must("publish to nobody", e.Publish("other", []byte("lost")))
	in := r.subscribe(e, "live")
	r.meet(e, "live", in)
	r.must("publish elsewhere", e.Publish("other", []byte("elsewhere")))
	r.must("publish", e.Publish("live", []byte("here")))
	r.hears(in, "here")
}

// A publisher reuses its buffer at once, and a subscriber may write into a received message.
func messagesAreCopies(r *rig) {
	e := r.open()
	first, second := r.subscribe(e, "live"), r.subscribe(e, "live")
	r.meet(e, "live", first)
	r.meet(e, "live", second)
	message := []byte("truth")
	r.must("publish", e.Publish("live", message))
	copy(message, "false")
	copy(r.hears(first, "truth"), "worse")
	r.hears(second, "truth")
}

// A slow page must not stop a league: messages that it does not take in time are dropped for it alone.
func slowSubscriberHoldsNobodyUp(r *rig) {
	a, b := r.pair()
	r.subscribe(b, "live")
	quick := r.subscribe(b, "live")
	r.must("publish", r.within("publish past a slow subscriber", func() (err error) {
		for range 5000 {
			err = errors.Join(err, a.Publish("live", []byte("flood")))
		}
		return err
	}))
	r.meet(a, "live", quick)
}

// The channel is closed, so that a loop over it ends.
func subscriptionEndsWithContext(r *rig) {
	e := r.open()
	ctx, cancel := context.WithCancel(r.Context())
	ends, stays := r.subscribeUntil(ctx, e, "live"), r.subscribe(e, "live")
	cancel()
	r.ends(ends)
	r.meet(e, "live", stays)
}

// hello is sent to subscribers until they receive it; it is ignored otherwise.
const hello = "hello"

// subscribe listens until the test ends.
func (r *rig) subscribe(e engine.Engine, subject string) <-chan []byte {
	r.Helper()
	return r.subscribeUntil(r.Context(), e, subject)
}

// subscribeUntil listens until ctx ends.
func (r *rig) subscribeUntil(ctx context.Context, e engine.Engine, subject string) <-chan []byte {
	r.Helper()
	in, err := e.Subscribe(ctx, subject)
	r.must("subscribe", err)
	return in
}

// meet greets the subscriber until it receives a greeting, because a new subscription may take a while to be
// established.
func (r *rig) meet(e engine.Engine, subject string, in <-chan []byte) {
	r.Helper()
	r.until("the subscriber hears", func() bool {
		r.must("publish", e.Publish(subject, []byte(hello)))
		for {
			select {
			case got, open := <-in:
				if string(got) == hello || !open {
					return open
				}
			default:
				return false
			}
		}
	})
}

// hears fails the law unless the next message other than a greeting is want.
func (r *rig) hears(in <-chan []byte, want string) []byte {
	r.Helper()
	late := time.After(r.Patience)
	for {
		select {
		case got, open := <-in:
			if string(got) == hello {
				continue
			}
			if string(got) != want || !open {
				r.Fatalf("heard %q (open %v), want %q", got, open, want)
			}
			return got
		case <-late:
			r.Fatalf("heard nothing for %v, want %q", r.Patience, want)
		}
	}
}

// ends fails the law unless the channel is closed in good time.
func (r *rig) ends(in <-chan []byte) {
	r.Helper()
	r.must("end", r.within("the end of a subscription", func() error {
		for range in {
		}
		return nil
	}))
}
