package placement

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// A mailbox is at the manager of its league. Another manager of the cluster refuses it with the owner's address.
func TestMailboxesAreAtTheOwnerOfTheLeague(t *testing.T) {
	t.Parallel()
	e := sharedEngine()
	a, b := openPartner(t, e), openPartner(t, e)
	if _, err := a.Organizer.Create(t.Context(), &protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: "spring"}, Players: 2}, "admin"); err != nil {
		t.Fatal(err)
	}
	rpctest.Eventually(t, "spring at one of them", func() bool { return a.has("spring") != b.has("spring") })
	owner, other := a, b
	if b.has("spring") {
		owner, other = b, a
	}
	create := func(p *partner) (int, string) {
		resp, err := http.Post(p.Address()+"/leagues/spring/mailboxes", "application/json", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	if status, text := create(other); status != http.StatusMisdirectedRequest || !strings.Contains(text, owner.Address()+"/leagues/spring/mailboxes") {
		t.Errorf("at the other manager: status %d, %s", status, text)
	}
	if status, text := create(owner); status != http.StatusCreated {
		t.Errorf("at the owner: status %d, %s", status, text)
	}
}
