package chaos_test

import (
	"context"
	"math/rand/v2"
	"time"

	"agentleague/client"
)

// A listed is the number of players of joinedLeague in a list of all leagues.
type listed struct {
	sent, came int64
	players    int
}

// lister reads the list of all leagues at managers that are ready before and after, until ctx ends.
func (h *historian) lister(ctx context.Context, rng *rand.Rand) {
	for ctx.Err() == nil {
		n := rng.IntN(3)
		before := h.ready(ctx, n)
		sent := time.Since(h.begin)
		one, cancel := context.WithTimeout(ctx, 5*time.Second)
		all, err := (&client.Client{Manager: h.url(n) + "/mcp", Options: reach}).Leagues(one, client.Wanted{})
		cancel()
		came := time.Since(h.begin)
		for _, l := range all {
			if l.ID == joinedLeague && err == nil && before && h.ready(ctx, n) {
				h.mu.Lock()
				h.lists = append(h.lists, listed{sent.Nanoseconds(), came.Nanoseconds(), l.Players})
				h.mu.Unlock()
			}
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// listAge is the maximum age of a list: a view of the league for lists is read once a second, and computed at least
// every five seconds.
const listAge = 6 * time.Second

// checkLists fails the test if a list lacks a player that had registered listAge before the request, or has one that
// had not begun to. It logs how old the oldest list was.
func (h *historian) checkLists() {
	h.t.Helper()
	oldest := int64(0)
	for _, l := range h.lists {
		least, most, had := 0, 0, 0
		for _, o := range h.history {
			if a := o.Input.(action); a.kind != "register" || a.league != joinedLeague {
				continue
			}
			if o.Call < l.came {
				most++
			}
			if o.Return < l.sent-listAge.Nanoseconds() {
				least++
			}
			if o.Output.(response).lost {
				continue
			}
			if had++; had > l.players { // the history is in the order of the answers
				oldest = max(oldest, l.sent-o.Return)
			}
		}
		if l.players < least || l.players > most {
			h.t.Errorf("a list has %d players, want %d to %d", l.players, least, most)
		}
	}
	h.t.Logf("%d lists, up to %v old", len(h.lists), time.Duration(oldest).Round(time.Millisecond))
	if len(h.lists) == 0 {
		h.t.Error("no list was read at a manager that was ready")
	}
}
