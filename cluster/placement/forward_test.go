package placement

import (
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// A session is an MCP session whose tools return texts.
type session struct {
	t *testing.T
	*mcp.ClientSession
}

// dialPartner opens an MCP session at /mcp of a manager of a cluster.
func dialPartner(t *testing.T, p *partner, token string) session {
	t.Helper()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "texts", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: p.Address() + "/mcp", HTTPClient: &http.Client{Transport: bearer(token), Timeout: rpctest.Patience}, DisableStandaloneSSE: true,
	}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-06-18"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return session{t, s}
}

// A bearer shows a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// call calls a tool and returns the first text of its answer, and whether the call succeeded.
func (s session) call(tool string, arguments map[string]any) (text string, done bool) {
	s.t.Helper()
	res, err := s.CallTool(s.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return err.Error(), false
	}
	return res.Content[0].(*mcp.TextContent).Text, !res.IsError
}

// An MCP session at /mcp of any manager asks and orders in every league of the cluster, with the caller's own token.
func TestAnMCPSessionReachesEveryLeagueOfTheCluster(t *testing.T) {
	t.Parallel()
	e := sharedEngine()
	a, b := openPartner(t, e), openPartner(t, e)
	all := []string{"spring", "autumn", "winter"}
	for _, id := range all {
		if _, err := a.Organizer.Create(t.Context(), &protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: id}, Players: 2}, "admin"); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range all {
		rpctest.Eventually(t, id+" at one of them", func() bool { return a.has(id) != b.has(id) })
	}
	token, err := a.env.AdminToken()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*partner{a, b} {
		guest, admin := dialPartner(t, p, ""), dialPartner(t, p, token)
		for _, id := range all {
			ask := map[string]any{"league_id": id}
			if text, ok := guest.call("get_league_status", ask); !ok || !strings.Contains(text, `"`+id+`"`) {
				t.Errorf("at %s, %s: %s", p.Address(), id, text)
			}
			if text, ok := guest.call("pause_league", ask); ok || !strings.HasPrefix(text, protocol.AuthTokenMissing.Code) {
				t.Errorf("at %s, a guest paused %s: %s", p.Address(), id, text)
			}
			if text, ok := admin.call("pause_league", ask); !ok {
				t.Errorf("at %s, %s was not paused: %s", p.Address(), id, text)
			}
		}
	}
}

// A call for a league whose manager has stopped waits until the next manager has the league.
func TestACallOfAToolWaitsForALeagueThatChangesHands(t *testing.T) {
	t.Parallel()
	e := sharedEngine()
	a, b := openPartner(t, e), openPartner(t, e)
	if _, err := a.Organizer.Create(t.Context(), &protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: "spring"}, Players: 2}, "admin"); err != nil {
		t.Fatal(err)
	}
	first := a.env.League.LeagueID
	rpctest.Eventually(t, "both leagues at different managers", func() bool {
		return a.has("spring") != b.has("spring") && a.has(first) != b.has(first) && a.has(first) == b.has("spring")
	})
	stays, goes := a, b
	if b.has(first) {
		stays, goes = b, a
	}
	host := dialPartner(t, stays, "")
	goes.end()
	rpctest.Until(t, "the status of spring", func() (text string, ok bool) {
		text, ok = host.call("get_league_status", map[string]any{"league_id": "spring"})
		return text, ok && strings.Contains(text, `"spring"`)
	})
}
