package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"agentleague/rpc/rpctest"
)

// The owner of a kit's player has a key for the league's page in its identity file.
func TestKitsHaveAKeyForTheirOwner(t *testing.T) {
	eachKit(t, func(t *testing.T, lang, dir string) {
		manager := start(t, "manager", "--root", rootFor(t, "even_odd"), "--port", "0", "--start-after", "1h").endpoint()
		k := startKit(t, lang, dir, manager)
		k.prints(t, "Kit is P01 in "+theLeague)
		var key string
		rpctest.Eventually(t, "the place is confirmed", func() bool {
			places := placesIn(t, dir)
			key = places[len(places)-1].OwnerKey
			return !places[len(places)-1].Pending
		})
		page := fmt.Sprintf("%s/leagues/%s/players/P01/own", strings.TrimSuffix(manager, "/mcp"), theLeague)
		stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		for token, want := range map[string]int{key: http.StatusSeeOther, key + "x": http.StatusUnauthorized} {
			resp, err := stay.PostForm(page, url.Values{"token": {token}})
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != want {
				t.Errorf("with %q: got %d, want %d", token, resp.StatusCode, want)
			}
		}
	})
}
