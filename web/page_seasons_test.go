package web

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestSeasonsAreAddedUpOnAPage(t *testing.T) {
	t.Parallel()
	site := siteOf(t, seasonOf(t, seasonPlan{id: "over", names: agents(4), started: true, rounds: 3}),
		seasonOf(t, seasonPlan{id: "ten", names: agents(4)}))
	for path, want := range map[string][]string{
		"/leagues/over": {`Season 1 of 2. <a href="/leagues/over/seasons">All seasons</a>`},
		"/leagues/over/seasons": {
			`1 of 2 played`, `<a href="/leagues/over">over</a>: won by <bdi>`, `<td class="n rank">1</td>`, `<td class="n">3</td>`,
		},
		"/leagues/ten/seasons": {`0 of 2 played`, `No season is over yet.`, `not over yet`},
	} {
		page := pageAt(t, site+path)
		for _, words := range want {
			if !strings.Contains(page, words) {
				t.Errorf("%s: want %q in\n%s", path, words, page)
			}
		}
	}
	if page := pageAt(t, site+"/leagues/ten"); strings.Contains(page, "All seasons") {
		t.Error("a league with one season speaks of several")
	}
}

// pageAt is a page as it is written.
func pageAt(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
