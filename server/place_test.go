package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// createLeague makes a league on a server.
func createLeague(t *testing.T, c *Server, n protocol.CreateLeague) string {
	t.Helper()
	id, err := c.Organizer.Create(t.Context(), &n, "admin")
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// playOut makes a league of two built-in players on a server and waits until it rests.
func playOut(t *testing.T, c *Server, id string) string {
	t.Helper()
	id = createLeague(t, c, protocol.CreateLeague{
		Envelope: protocol.Envelope{LeagueID: id}, Players: 2, Bots: []string{"random", "random"},
	})
	rpctest.Eventually(t, "the end of "+id, func() bool { return c.opener.rests(c.Leagues.Opened(id)) })
	return id
}

// health asks a league of a server how it is.
func health(t *testing.T, c *Server, id string) int {
	t.Helper()
	resp, err := http.Get(c.base + "/leagues/" + id + "/health")
	if err != nil {
		t.Error(err)
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// A completed league is closed after a while without requests, and opened for reading by the next request, without a
// write to its log.
func TestALeagueThatIsOverIsClosedUntilSomebodyAsksForIt(t *testing.T) {
	t.Parallel()
	c := openServer(t, "even_odd", nil, 2)
	id := playOut(t, c, "spring")
	was := c.Leagues.Opened(id)
	var table string
	was.Manager.Read(func(s *league.State) { table = fmt.Sprint(s.Snapshot().Standings) })
	log, err := os.ReadFile(c.First.Env.DataDir() + "/leagues/spring/journal.jsonl")
	if err != nil {
		t.Fatal(err)
	}

	c.Leagues.closeResting(time.Now().Add(-idleTimeout))
	if c.Leagues.Opened(id) != was {
		t.Fatal("it was closed although somebody has just asked for it")
	}
	c.Leagues.closeResting(time.Now())
	if c.Leagues.Opened(id) != nil {
		t.Fatal("it is still open")
	}
	if c.Leagues.Opened(c.First.ID()) == nil {
		t.Error("the first league was closed too, which waits for its players")
	}

	if code := health(t, c, id); code != http.StatusOK {
		t.Errorf("its manager answered %d", code)
	}
	again := c.Leagues.Opened(id)
	if again == nil || again == was {
		t.Fatal("it was not opened anew")
	}
	again.Manager.Read(func(s *league.State) {
		if now := fmt.Sprint(s.Snapshot().Standings); now != table {
			t.Errorf("the table was %s and is %s", table, now)
		}
	})
	if now, _ := os.ReadFile(c.First.Env.DataDir() + "/leagues/spring/journal.jsonl"); !bytes.Equal(now, log) {
		t.Error("its log was written to")
	}
}

// A request to a closed league waits until it is opened; none is refused, and nothing is lost.
func TestALeagueCanBeClosedAndOpenedWhileManyAskForIt(t *testing.T) {
	t.Parallel()
	c := openServer(t, "even_odd", nil, 2)
	id := createLeague(t, c, protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: "busy"}, Players: 2})
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if code := health(t, c, id); code != http.StatusOK {
					t.Errorf("a request was answered %d", code)
					return
				}
			}
		})
	}
	for range 20 {
		if err := c.Leagues.Release(id); err != nil {
			t.Error(err)
		}
		if _, err := c.Leagues.Visit(id); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	all.Wait()
}

// An open request is completed before its league is closed.
func TestARequestInHandIsFinishedBeforeItsLeagueIsClosed(t *testing.T) {
	t.Parallel()
	c := openServer(t, "even_odd", nil, 2)
	id := createLeague(t, c, protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: "slow"}, Players: 2})
	l, done, err := c.Leagues.Hold(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() { closed <- c.Leagues.Release(id) }()
	rpctest.Eventually(t, "the closing", func() bool { return c.Leagues.Opened(id) == nil })
	if err := l.Manager.Orders.Pause(t.Context(), "test"); err != nil {
		t.Errorf("what was in hand failed: %v", err)
	}
	done()
	if err := <-closed; err != nil {
		t.Error(err)
	}
	again, err := c.Leagues.Visit(id)
	if err != nil {
		t.Fatal(err)
	}
	again.Manager.Read(func(s *league.State) {
		if !s.Paused {
			t.Error("what was in hand is lost")
		}
	})
}

// A message for a closed league that arrives at another one opens it.
func TestAMessageForALeagueThatIsClosedOpensIt(t *testing.T) {
	t.Parallel()
	c := openServer(t, "even_odd", nil, 2)
	id := createLeague(t, c, protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: "away"}, Players: 2})
	if err := c.Leagues.Release(id); err != nil {
		t.Fatal(err)
	}
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "get_league_status",
		"params": map[string]any{"league_id": id}})
	resp, err := http.Post(c.First.opts.Endpoint, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	if !bytes.Contains(answer, []byte(`"away"`)) || c.Leagues.Opened(id) == nil {
		t.Errorf("it was answered %s, open: %v", answer, c.Leagues.Opened(id) != nil)
	}
}

// A league that is put away is closed and not run, however often it is asked for, also after a restart, until it is
// brought back. The first league is not put away.
func TestAnArchivedLeagueIsNotRunUntilItIsBroughtBack(t *testing.T) {
	t.Parallel()
	c := openServer(t, "even_odd", nil, 2)
	id := createLeague(t, c, protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: "away"}, Players: 2})
	if err := c.Organizer.Archive(t.Context(), id, false, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Leagues.Visit(id); !errors.Is(err, errArchived) || c.Leagues.Opened(id) != nil || slices.Contains(c.Leagues.vacant(""), id) {
		t.Errorf("it can be had: %v", err)
	}
	c.Leagues.remove(id) // as after a restart
	if err := c.Discover(); err != nil {
		t.Fatal(err)
	}
	if !c.Leagues.Archived(id) || c.Leagues.Opened(id) != nil {
		t.Error("after a restart it is run")
	}
	if err := c.Organizer.Archive(t.Context(), id, true, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Leagues.Visit(id); err != nil {
		t.Errorf("it is not back: %v", err)
	}
	if err := c.Organizer.Archive(t.Context(), c.First.ID(), false, "test"); err == nil {
		t.Error("the first league was put away")
	}
}
