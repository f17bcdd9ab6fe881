package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
)

// A check of a player shows its practice match and the tool of each message, whatever their names are. A check of a
// referee has none.
func TestACheckShowsThePracticeMatch(t *testing.T) {
	t.Parallel()
	h := openFakeLeague(t, "even_odd", 1)
	v := h.caller(t, func(o *Options) {
		o.Check = func(_ context.Context, endpoint string, role protocol.Role) (protocol.Report, error) {
			return protocol.Report{URL: endpoint, Role: role, Verdict: "conforms", Score: "1/1", Steps: []protocol.CheckStep{},
				Calls: []protocol.ToolUse{{Message: protocol.TypeChooseParityCall, Tool: nasty}}}, nil
		}
		o.Practise = func(_ context.Context, league, endpoint string) (*protocol.Practice, error) {
			if strings.Contains(endpoint, "nobody") {
				return nil, errors.New("out of order")
			}
			return &protocol.Practice{Said: "It forfeited in " + league + ": " + nasty}, nil
		}
	})
	v.login()
	for _, c := range []struct{ order, want string }{
		{"endpoint=http://127.0.0.1:9/mcp&role=player", "It forfeited in fake: "},
		{"endpoint=http://nobody.test/mcp&role=player", "No practice match could be played: out of order."},
		{"endpoint=http://127.0.0.1:9/mcp&role=referee", ""},
	} {
		w := v.do(http.MethodPost, "/leagues/fake/check", c.order)
		page := v.page(w.Header().Get("Location"))
		for end := time.Now().Add(time.Minute); strings.Contains(page, "data-running") && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
			page = v.page(w.Header().Get("Location"))
		}
		if got := strings.Contains(page, `id="practice"`); got != (c.want != "") || !strings.Contains(page, c.want) {
			t.Errorf("%s: got %s", c.order, page)
		}
		if strings.Contains(page, nasty) || !strings.Contains(page, "What is called for what") {
			t.Errorf("%s: the tools are not shown plainly: %s", c.order, page)
		}
	}
}
