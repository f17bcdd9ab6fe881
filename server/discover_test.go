package server

import (
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"agentleague/engine/journal"
	"agentleague/protocol"
)

// Leagues are opened at the same time, but not more than are allowed, and a season after the one before it.
func TestFamiliesOfLeaguesAreOpenedAFewAtATime(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var order []string
	var now, most atomic.Int32
	a, b := make(chan struct{}), make(chan struct{})
	wrong := errors.New("its log is damaged")
	failed := openFamilies([][]string{{"a", "a.s2", "a.s3"}, {"b"}, {"c"}, {"d"}}, 2, func(id string) error {
		n := now.Add(1)
		defer now.Add(-1)
		for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
		}
		mu.Lock()
		order = append(order, id)
		mu.Unlock()
		switch id {
		case "a": // neither is open before the other is being opened
			close(a)
			<-b
		case "b":
			close(b)
			<-a
			return wrong
		}
		return nil
	})
	seasons := slices.DeleteFunc(slices.Clone(order), func(id string) bool { return id[0] != 'a' })
	if !slices.Equal(seasons, []string{"a", "a.s2", "a.s3"}) || len(order) != 6 || most.Load() != 2 {
		t.Errorf("opened %q, up to %d at a time", order, most.Load())
	}
	if len(failed) != 1 || failed["b"] != wrong {
		t.Errorf("got %v", failed)
	}
}

// In a root with leagues that cannot be opened the others are opened, all are listed in the order of their creation,
// and the failures are reported in that order.
func TestDiscoveredLeaguesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	said := &screen{}
	h := newEnv(t)
	h.Screen = said
	c := openEnv(t, h)
	var ids []string
	for _, id := range []string{"zebra", "yak", "wolf", "vole", "urial"} {
		ids = append(ids, createLeague(t, c, protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: id}, Players: 2}))
	}
	for _, id := range ids { // as after a restart
		if err := c.Leagues.Release(id); err != nil {
			t.Fatal(err)
		}
		c.Leagues.remove(id)
	}
	for _, id := range []string{"zebra", "wolf"} {
		f, err := os.OpenFile(journal.Path(c.env.DataDir(), id), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteString("junk\n")
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Discover(); err != nil {
		t.Fatal(err)
	}
	if got := c.Leagues.IDs()[1:]; !slices.Equal(got, ids) {
		t.Errorf("got %q, want %q", got, ids)
	}
	text := said.String()
	zebra, wolf := strings.Index(text, "zebra"), strings.Index(text, "wolf")
	if zebra < 0 || wolf < zebra || strings.Count(text, "a league cannot be opened") != 2 {
		t.Errorf("it was said:\n%s", text)
	}
	for _, id := range ids {
		if open := c.Leagues.Opened(id) != nil; open != (id != "zebra" && id != "wolf") {
			t.Errorf("%s is open: %v", id, open)
		}
	}
}

// A screen stores the output of several goroutines.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}
