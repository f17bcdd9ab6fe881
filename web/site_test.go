package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
)

type noLeagues struct{}

func (noLeagues) Leagues() []string                                 { return nil }
func (noLeagues) League(string) (Season, bool)                      { return nil, false }
func (noLeagues) Create(context.Context, NewLeague) (string, error) { return "", nil }

func TestPagesTellBrowsersToBeCareful(t *testing.T) {
	t.Parallel()
	site := New(Options{Host: noLeagues{}})
	for _, path := range []string{
		"/", "/leagues", "/leagues/none", "/login", "/nowhere", "/api/v1/leagues", "/api/v1/nowhere", "/assets/frame.css",
	} {
		w := httptest.NewRecorder()
		site.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		for name, want := range map[string]string{"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff"} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s: got %q, want %q", path, name, got, want)
			}
		}
	}
}
