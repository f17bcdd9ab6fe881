package server

import (
	"fmt"
	"strings"
	"testing"

	"agentleague/seat"
	"agentleague/store"
)

// takers fill seats of one process without playing from them.
type takers struct {
	t     *testing.T
	seats *seats
	count int
}

// take adds seats of an address in a league, until one is refused.
func (f *takers) take(n int, address, leagueID, playerID string) error {
	f.t.Helper()
	for range n {
		f.count++
		saved := seat.NewSaved(fmt.Sprintf("Guest %d", f.count), "")
		saved.Address, saved.PlayerID = address, playerID
		s, err := NewSeat(saved, store.SeatRepository{}, leagueID, "")
		if err == nil {
			err = f.seats.add(s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// The seats of an address are limited, in a league and in total. The admin frees one by withdrawing its player.
func TestSeatsAreLimitedByAddressAndLeague(t *testing.T) {
	t.Parallel()
	const perAddress = 40
	c := openServer(t, "even_odd", nil, 2)
	f := &takers{t: t, seats: newSeats(perAddress, c.Leagues.Visit)}
	for _, id := range []string{"a", "b", "c", "d"} {
		f.seats.leagues[id] = c.First
	}
	_, out := sitDown(dialText(t, c, "", ""), "Dana")
	for _, step := range []struct {
		n               int
		address, league string
		want            string
	}{
		{perAddress, "192.0.2.1", "a", ""},
		{1, "192.0.2.1", "a", "your address has 40 seats in this league already; leave one of them, join with an agent of your own, such as `league seat` or `league player`, " +
			"or ask the organiser for a larger security.seats_per_address in config/system.json"},
		{perAddress, "192.0.2.1", "b", ""},
		{perAddress, "192.0.2.1", "c", ""},
		{maxSeatsAtAddress - 3*perAddress, "192.0.2.1", "d", ""},
		{1, "192.0.2.1", "d", "your address has 128 seats already; leave one of them"},
		{perAddress, "192.0.2.2", "a", ""},
		{perAddress, "192.0.2.3", "a", ""},
		{perAddress, "192.0.2.4", "a", ""},
		{maxSeats - maxSeatsAtAddress - 3*perAddress, "192.0.2.5", "b", ""},
		{1, "192.0.2.6", "b", "all 256 seats are taken; join with an agent of your own"},
	} {
		playerID := ""
		if step.address == "192.0.2.5" {
			playerID = out.id
		}
		err := f.take(step.n, step.address, step.league, playerID)
		if step.want == "" && err != nil || step.want != "" && (err == nil || !strings.HasPrefix(err.Error(), step.want)) {
			t.Errorf("%d of %s in %s: got %v, want %q", step.n, step.address, step.league, err, step.want)
		}
	}
	if err := c.First.withdraw(t.Context(), out.id); err != nil {
		t.Fatal(err)
	}
	if err := f.take(1, "192.0.2.6", "b", ""); err != nil {
		t.Errorf("after a player was withdrawn there is no room for another: %v", err)
	}
}
