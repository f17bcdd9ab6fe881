package web

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// Behind a proxy a link without the site's path leads to another site. A new link is plain, or made by link or asset.
func TestEveryLinkOfATemplateHasThePrefix(t *testing.T) {
	t.Parallel()
	plain := regexp.MustCompile(`\b(href|src|action|formaction|data-\w+)="(/|\{\{)`)
	entries, err := fs.ReadDir(templateFiles, "templates")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := fs.ReadFile(templateFiles, "templates/"+e.Name())
		if err != nil {
			t.Fatal(err)
		}
		after := linked(text, "/p")
		for _, at := range plain.FindAllStringSubmatchIndex(after, -1) {
			attribute, to := after[at[2]:at[3]], after[at[4]:]
			switch {
			case strings.HasPrefix(to, "/p/"), strings.HasPrefix(to, "{{asset "), strings.HasPrefix(to, "{{link "),
				strings.HasPrefix(to, "{{.Address}}"), strings.HasPrefix(attribute, "data-") && to[0] != '/':
			default:
				t.Errorf("%s: %s=\"%.40s", e.Name(), attribute, to)
			}
		}
	}
}

// Scripts take the addresses that they call from the page.
func TestNoScriptHasAnAddressOfTheSite(t *testing.T) {
	t.Parallel()
	for name, a := range assets {
		if found := regexp.MustCompile("[\"'`]/[a-z]").Find(a.body); found != nil && strings.HasSuffix(name, ".js") {
			t.Errorf("%s: %s", name, found)
		}
	}
}

func TestCookiesAreSecureByAnEncryptedAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		front front
		host  string
		want  bool
	}{
		{"", "localhost:8000", false},
		{"https://league.example.org/spring", "league.example.org", true},
		{"https://league.example.org", "LEAGUE.example.org", true},
		{"https://league.example.org", "localhost:8000", false}, // at the machine itself, without TLS
		{"http://league.example.org", "league.example.org", false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Host = c.host
		r.Header.Set("X-Forwarded-Proto", "https")
		if got := c.front.encrypted(r); got != c.want {
			t.Errorf("%s at %q: got %v", c.host, c.front, got)
		}
	}
}
