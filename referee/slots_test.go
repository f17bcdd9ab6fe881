package referee_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/referee"
)

// A slotCrowd is a set of leagues whose matches wait for slots, and their grants.
type slotCrowd struct {
	slots *referee.Slots
	size  int

	mu    sync.Mutex
	holds map[string]int
	begun []string // leagues, in the order in which their matches began
}

// want has n matches of a league wait for a slot; each takes so long.
func (c *slotCrowd) want(ctx context.Context, league string, n int, takes time.Duration) {
	for range n {
		go func() {
			give, err := c.slots.Take(ctx, league)
			if err != nil {
				return
			}
			c.note(league, 1)
			time.Sleep(takes)
			c.note(league, -1)
			give()
		}()
	}
}

// count is how many matches have begun.
func (c *slotCrowd) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.begun)
}

// used is how many slots are held.
func (c *slotCrowd) used() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, held := range c.holds {
		n += held
	}
	return n
}

// note counts a match of a league that begins, 1, or ends, -1.
func (c *slotCrowd) note(league string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holds[league] += n; n > 0 {
		c.begun = append(c.begun, league)
	}
}

// Small leagues are served in turn, whatever the queue of a large one.
func TestALargeLeagueDoesNotKeepSmallOnesWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &slotCrowd{slots: referee.NewSlots(1), holds: map[string]int{}}
		c.want(t.Context(), "large", 100, time.Second)
		synctest.Wait()
		for n := range 10 {
			c.want(t.Context(), fmt.Sprintf("small %d", n), 2, time.Second)
			synctest.Wait()
		}
		time.Sleep(200 * time.Second)
		synctest.Wait()
		last := 0
		for i, league := range c.begun {
			if league != "large" {
				last = i
			}
		}
		if last > 32 { // 20 of theirs, and the large one's when it was its turn
			t.Errorf("the last small league had begun after %d matches: %v", last, c.begun[:last+1])
		}
		if len(c.begun) != 120 {
			t.Errorf("%d matches were played, want 120", len(c.begun))
		}
	})
}

// A league whose players never answer blocks only its share of the slots.
func TestAStuckLeagueLeavesSlotsToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &slotCrowd{slots: referee.NewSlots(4), holds: map[string]int{}}
		ctx, cancel := context.WithCancel(t.Context())
		c.want(ctx, "stuck", 50, 24*time.Hour)
		synctest.Wait()
		if used := c.used(); used != 3 {
			t.Errorf("alone it holds %d slots, want all but one", used)
		}
		c.want(ctx, "quick", 20, time.Second)
		start := time.Now()
		for c.count() < 23 {
			time.Sleep(time.Second)
			synctest.Wait()
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("the others waited for %v", took)
		}
		cancel()
		synctest.Wait()
		time.Sleep(25 * time.Hour)
	})
}

// For any sequence of events: at most all slots are held, a match does not wait for a slot that it may have, and a
// cancelled match holds none.
func TestSlotsKeepTheirLawsWhateverComes(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			c := &slotCrowd{size: 1 + random.IntN(6), holds: map[string]int{}}
			c.slots = referee.NewSlots(c.size)
			leagues := 1 + random.IntN(5)
			for range 60 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+random.IntN(20))*time.Second)
				defer cancel()
				c.want(ctx, fmt.Sprint(random.IntN(leagues)), 1+random.IntN(3), time.Duration(random.IntN(4000))*time.Millisecond)
				time.Sleep(time.Duration(random.IntN(900)) * time.Millisecond)
				synctest.Wait()
				if used := c.used(); used > c.size {
					t.Fatalf("seed %d: %d slots are held, there are %d", seed, used, c.size)
				}
			}
			time.Sleep(time.Hour)
			synctest.Wait()
			if used := c.used(); used != 0 {
				t.Errorf("seed %d: %d slots are still held", seed, used)
			}
			give, err := c.slots.Take(t.Context(), "last") // all are free again
			if err != nil {
				t.Fatal(err)
			}
			give()
		})
	}
}

// A cancelled wait returns the cause.
func TestWhoGivesUpWaitingForASlotHasNone(t *testing.T) {
	s := referee.NewSlots(1)
	give, err := s.Take(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("replaced")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := s.Take(ctx, "b"); !errors.Is(err, why) {
		t.Errorf("got %v, want %v", err, why)
	}
	give()
	if give, err = s.Take(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	give()
}
