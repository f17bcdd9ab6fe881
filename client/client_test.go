package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"agentleague/client"
	"agentleague/league"
	"agentleague/league/answers"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// manager answers everything with one text.
func manager(t *testing.T, answer string) *client.Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return &client.Client{Manager: s.URL + "/mcp"}
}

// refusing is how our managers refuse.
func refusing(k *protocol.Kind, description string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":%q,"error_code":%q,"error_name":%q,"data":{"context":{"detail":%q}}}}`,
		k.Name, k.Code, k.Name, description)
}

// nobody returns a client for an address without a manager.
func nobody() *client.Client { return &client.Client{Manager: rpctest.Nowhere() + "/mcp"} }

func TestWhyAManagerCannotBeAskedIsKnownByKind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of   *client.Client
		want error
	}{
		"nobody there":    {nobody(), client.ErrNoManager},
		"no token":        {manager(t, refusing(protocol.AuthTokenMissing, "no")), client.ErrToken},
		"another's token": {manager(t, refusing(protocol.AuthTokenInvalid, "no")), client.ErrToken},
		"too often":       {manager(t, refusing(protocol.RateLimited, "no")), client.ErrTooOften},
	} {
		_, err := c.of.Order(t.Context(), &protocol.Tool{Envelope: protocol.Envelope{MessageType: protocol.TypePauseLeague}})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	lost := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer lost.Close()
	c := &client.Client{Manager: lost.URL + "/mcp"}
	_, err := c.Order(t.Context(), &protocol.AnnulMatch{Envelope: protocol.Envelope{MessageType: protocol.TypeAnnulMatch, MatchID: "R1M1"}})
	if !errors.Is(err, client.ErrUnconfirmed) {
		t.Errorf("a lost answer to an order: got %v, want %v", err, client.ErrUnconfirmed)
	}
	if err := c.Archive(t.Context(), "spring", false); !errors.Is(err, client.ErrUnconfirmed) {
		t.Errorf("a lost answer to an archive: got %v, want %v", err, client.ErrUnconfirmed)
	}
	if _, _, err := client.Status(t.Context(), c); !errors.Is(err, client.ErrNoManager) {
		t.Errorf("a lost answer to a query: got %v, want %v", err, client.ErrNoManager)
	}
	_, err = manager(t, refusing(protocol.MatchNotFound, "no such match")).Order(t.Context(),
		&protocol.Tool{Envelope: protocol.Envelope{MessageType: protocol.TypeAnnulMatch}})
	if err == nil || !strings.Contains(err.Error(), "no such match") {
		t.Errorf("got %v, want the manager's own words", err)
	}
}

// The log is read only on request and only if no manager answers; a manager's refusal is final.
func TestTheLogAnswersOnlyWhereNoManagerDoes(t *testing.T) {
	t.Parallel()
	s := league.NewState()
	if err := s.Apply(time.Now(), league.Created{LeagueID: "spring", GameType: "even_odd"}); err != nil {
		t.Fatal(err)
	}
	asked := 0
	past := func() (*league.State, error) { asked++; return s, nil }
	f := &client.Fallback{Manager: nobody(), Log: past}
	for range 2 {
		if id, _, err := client.Status(t.Context(), f); err != nil || id != "spring" {
			t.Errorf("got %q, %v", id, err)
		}
	}
	if asked != 1 {
		t.Errorf("the log was read %d times, want once", asked)
	}
	for name, f := range map[string]*client.Fallback{
		"only a manager will do": {Manager: nobody()},
		"there is no log":        {Manager: nobody(), Log: func() (*league.State, error) { return nil, nil }},
	} {
		if _, _, err := client.Status(t.Context(), f); !errors.Is(err, client.ErrNoManager) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	asked = 0
	f = &client.Fallback{Manager: manager(t, refusing(protocol.AuthTokenInvalid, "no")), Log: past}
	if _, err := client.Who(context.Background(), f); !errors.Is(err, client.ErrToken) || asked != 0 {
		t.Errorf("got %v after the log was read %d times", err, asked)
	}
}

// A shared rank is printed as a number; other values from a manager are ignored.
func TestSharedRanksAreNumbers(t *testing.T) {
	t.Parallel()
	rows := []protocol.Standing{{PlayerID: "P01"}, {PlayerID: "P02"}, {PlayerID: "P03"}, {PlayerID: "P04"}}
	table := client.Table{TableAnswer: answers.TableAnswer{Standings: rows, Ranks: []string{"1", "=2", "=\x1b[31m", "=", "=5"}}}
	if got := fmt.Sprint(table.Shared()); got != "map[P02:=2]" {
		t.Errorf("got %s", got)
	}
}
