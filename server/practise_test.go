package server

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agentleague/protocol"
)

// wordy serves an agent that joins every match and makes every move in the same words.
func wordy(t *testing.T, move string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		said := `"ok"`
		switch {
		case bytes.Contains(body, []byte(`"GAME_INVITATION"`)):
			said = `"Yes, I am ready."`
		case bytes.Contains(body, []byte(`"CHOOSE_PARITY_CALL"`)):
			said = `"` + move + `"`
		}
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":`+said+`}`)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}

func TestPagePlaysAPracticeMatchWithAnAgent(t *testing.T) {
	t.Parallel()
	c := openServer(t, "even_odd", nil, 2)
	id := c.First.ID()
	pages := &leaguePages{process: c.process, leagues: c.Leagues}
	for move, want := range map[string]string{
		"I choose even": "It played a practice match of even_odd against a built-in player and",
		"I choose blue": `answered "I choose blue", which holds neither even nor odd`,
	} {
		p, err := pages.practise(t.Context(), id, wordy(t, move))
		if err != nil || p == nil || p.OK != (move == "I choose even") || !strings.Contains(p.Said, want) {
			t.Errorf("%s: got %+v, %v; want %s", move, p, err, want)
		}
	}
	if p, err := pages.practise(t.Context(), id, "http://192.0.2.1:9/mcp"); err == nil {
		t.Errorf("an address that the manager may not call: got %+v", p)
	}
}

func TestNewcomerIsNotOfferedLeaguesOfInvitedAgents(t *testing.T) {
	t.Parallel()
	c := openServer(t, "even_odd", nil, 2)
	for _, id := range []string{"spring", "closed"} {
		n := &protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: id}}
		if _, err := c.Organizer.Create(t.Context(), n, "admin"); err != nil {
			t.Fatal(err)
		}
	}
	closed, err := c.Leagues.Visit("closed")
	if err != nil {
		t.Fatal(err)
	}
	closed.opts.InvitedOnly = true
	if got := strings.Join(c.Leagues.vacant(c.First.ID()), " "); got != "spring" {
		t.Errorf("got %q, want spring alone", got)
	}
}
