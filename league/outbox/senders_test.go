package outbox

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/protocol"
)

// A post is an outbox whose agents answer under the control of a test. It runs in virtual time.
type post struct {
	*Outbox
	mu       sync.Mutex
	now, top int                      // calls that are being made, and the most that there were at once
	heard    map[string]time.Duration // when each agent acknowledged last
	start    time.Time
}

// newPost returns an outbox whose agents answer after the duration that takes returns; with ten seconds an agent never
// answers.
func newPost(t *testing.T, takes func(id string) time.Duration) *post {
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	p := &post{heard: map[string]time.Duration{}, start: time.Now()}
	send := func(_ context.Context, id string, _ protocol.Message) (protocol.Message, error) {
		p.mu.Lock()
		p.now++
		p.top = max(p.top, p.now)
		p.mu.Unlock()
		time.Sleep(takes(id))
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.now--; takes(id) >= 10*time.Second {
			return nil, protocol.Errorf(protocol.Timeout, "no answer")
		}
		p.heard[id] = time.Since(p.start)
		return nil, nil
	}
	p.Outbox = New(Options{Context: ctx, Send: send, Replied: func(string, protocol.Message) {}, Moved: func() {},
		Sleep: sleep, Go: running.Go, Call: running.Go})
	t.Cleanup(func() { stop(); running.Wait() })
	return p
}

func sleep(ctx context.Context, _ string, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tell posts a message to agents and returns the time of the last acknowledgement of the first n.
func (p *post) tell(to []string, n int) (last time.Duration) {
	p.start = time.Now()
	p.Post(&Parcel{Label: "news", Kind: "news", Message: func(string) protocol.Message { return nil },
		Tried: func(string, bool) {}}, to...)
	time.Sleep(time.Second)
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range to[len(to)-n:] {
		last = max(last, p.heard[id])
	}
	return last
}

func agents(n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprintf("P%d", i+1))
	}
	return ids
}

func TestTenThousandPlayersAreToldOverFewConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPost(t, func(string) time.Duration { return 200 * time.Microsecond })
		last := p.tell(agents(10_000), 10_000)
		if p.top > maxSenders || len(p.heard) != 10_000 {
			t.Errorf("%d of 10,000 heard it, over up to %d connections at once, want at most %d", len(p.heard), p.top, maxSenders)
		}
		if want := 10_000 / maxSenders * 250 * time.Microsecond; last > want {
			t.Errorf("the last one heard it after %v, want %v at most", last, want)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if n := len(p.working); n > 0 || p.relieving {
			t.Errorf("%d senders are left when all is told", n)
		}
	})
}

func TestDeadPlayersKeepNobodyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to, dead := agents(500), 300
		slow := map[string]bool{}
		for _, id := range to[:dead] {
			slow[id] = true
		}
		p := newPost(t, func(id string) time.Duration {
			if slow[id] {
				return 10 * time.Second
			}
			return 0
		})
		if last := p.tell(to, 500-dead); last > 600*time.Millisecond || len(p.heard) != 200 {
			t.Errorf("behind %d dead players %d of 200 heard it, the last after %v, want half a second", dead, len(p.heard), last)
		}
		time.Sleep(time.Minute)
		if last := p.tell(to, 500-dead); last > time.Millisecond {
			t.Errorf("behind players that are known to be dead the last one heard it after %v, want at once", last)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if n := len(p.working); n > 0 {
			t.Errorf("%d senders are left after the last try", n)
		}
	})
}

func TestSlowPlayerThatAnswersInTimeAgainIsOneOfTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		takes := time.Second
		p := newPost(t, func(string) time.Duration { return takes })
		p.tell([]string{"P1"}, 1)
		time.Sleep(time.Minute)
		if !p.boxes["P1"].slow {
			t.Error("a player that takes a second is not known to be slow")
		}
		takes = 0
		p.tell([]string{"P1"}, 1)
		if p.boxes["P1"].slow {
			t.Error("a player that answers at once is still taken for slow")
		}
	})
}

func TestNewsAreOutOfDateWhenLaterNewsOfTheirKindWait(t *testing.T) {
	box := func(kinds ...string) (out []*Parcel) {
		for _, kind := range kinds {
			out = append(out, &Parcel{Kind: kind})
		}
		return out
	}
	for _, c := range []struct {
		box        []*Parcel
		keep, drop string
	}{
		{nil, "", ""},
		{box("round", "standings", "completed"), "round standings completed", ""},
		{box("standings", "completed", "round", "standings"), "completed round standings", "standings"},
		{box("", "round", "", "round", ""), "  round ", "round"},
		{box("standings", "", "completed", "league"), " league", "standings completed"},
	} {
		keep, drop := splitSuperseded(c.box)
		if names(keep) != c.keep || names(drop) != c.drop {
			t.Errorf("%q: kept %q and dropped %q, want %q and %q", names(c.box), names(keep), names(drop), c.keep, c.drop)
		}
	}
}

func names(box []*Parcel) (out string) {
	for i, p := range box {
		if i > 0 {
			out += " "
		}
		out += p.Kind
	}
	return out
}
