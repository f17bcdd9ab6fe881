package placement

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/mailbox"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// springAtOne creates a league and returns its owner and the other manager.
func springAtOne(t *testing.T) (owner, other *partner) {
	t.Helper()
	e := sharedEngine()
	a, b := openPartner(t, e), openPartner(t, e)
	if _, err := a.Organizer.Create(t.Context(), &protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: "spring"}, Players: 2}, "admin"); err != nil {
		t.Fatal(err)
	}
	rpctest.Eventually(t, "spring at one of them", func() bool { return a.has("spring") != b.has("spring") })
	if b.has("spring") {
		return b, a
	}
	return a, b
}

// The mailboxes of a league are at its owner. Another manager of the cluster relays the requests, also that for a
// connection.
func TestAnyManagerRelaysToTheMailboxesOfALeague(t *testing.T) {
	t.Parallel()
	owner, other := springAtOne(t)
	resp, err := http.Post(other.Address()+"/leagues/spring/mailboxes", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	var box struct{ ID, Next string }
	if err := json.Unmarshal(text, &box); err != nil || !strings.HasPrefix(box.Next, other.Address()) {
		t.Fatalf("status %d, %s", resp.StatusCode, text)
	}
	link := dial(t, other.Address())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	l := owner.Leagues.Opened("spring")
	if status, answer, err := l.Manager.Node.Network.Post(ctx, link.Endpoint(), "", []byte("question")); string(answer) != "answer" || err != nil {
		t.Errorf("a letter over the other manager: status %d, %q, %v", status, answer, err)
	}
}

// A connection follows its league: when the owner leaves the cluster, the link dials the managers that it knows.
func TestALinkFollowsItsLeague(t *testing.T) {
	t.Parallel()
	owner, other := springAtOne(t)
	link := dial(t, owner.Address())
	owner.end()
	rpctest.Eventually(t, "spring at the other manager", func() bool { return other.has("spring") })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	l := other.Leagues.Opened("spring")
	if status, answer, err := l.Manager.Node.Network.Post(ctx, link.Endpoint(), "", []byte("question")); string(answer) != "answer" || err != nil {
		t.Errorf("a letter of the next owner: status %d, %q, %v", status, answer, err)
	}
}

// dial opens the mailbox of an agent of spring at a manager. The agent answers each letter.
func dial(t *testing.T, base string) *mailbox.Link {
	t.Helper()
	link, err := mailbox.Dial(context.WithoutCancel(t.Context()), mailbox.Config{
		Manager: base + "/leagues/spring/mcp", Key: ed25519.NewKeyFromSeed(slices.Repeat([]byte{7}, ed25519.SeedSize)),
		Deliver: func(context.Context, []byte) mailbox.Answer { return mailbox.Answer{Body: []byte("answer")} },
		Report:  func(e mailbox.Event) { t.Logf("%+v", e) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(link.Close)
	return link
}
