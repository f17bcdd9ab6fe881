package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/web/session"
)

// tryLogin posts a token from an address.
func tryLogin(site http.Handler, address, token string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/login", strings.NewReader(url.Values{"token": {token}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.RemoteAddr = address + ":1234"
	w := httptest.NewRecorder()
	site.ServeHTTP(w, r)
	return w
}

func TestFailedLoginsOfAnAddressAreThrottledAndLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		site := New(Options{Host: &leagues{}, Logger: slog.New(slog.NewTextHandler(&log, nil)), Admin: func(token string) error {
			if token != adminToken {
				return fmt.Errorf("no")
			}
			return nil
		}})
		for n := range session.Burst {
			if strings.Contains(log.String(), "WARN") {
				t.Errorf("warned after %d failures: %s", n, log.String())
			}
			if w := tryLogin(site, "192.0.2.7", "guess"); w.Code != http.StatusUnauthorized {
				t.Fatalf("failure %d is answered with %d", n+1, w.Code)
			}
		}
		if want := `level=WARN msg="logins with a wrong admin token" address=192.0.2.7 failures=5`; !strings.Contains(log.String(), want) {
			t.Errorf("got log %s, want %s", log.String(), want)
		}
		time.Sleep(2500 * time.Millisecond)
		w := tryLogin(site, "192.0.2.7", adminToken)
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "8" || !strings.Contains(w.Body.String(), "Try again in 8 seconds.") {
			t.Errorf("a throttled login is answered with %d, Retry-After %q:\n%s", w.Code, w.Header().Get("Retry-After"), w.Body)
		}
		if w := tryLogin(site, "192.0.2.8", "guess"); w.Code != http.StatusUnauthorized {
			t.Errorf("another address is answered with %d", w.Code)
		}
		time.Sleep(8 * time.Second)
		if w := tryLogin(site, "192.0.2.7", adminToken); w.Code != http.StatusSeeOther {
			t.Errorf("the admin is answered with %d after the wait", w.Code)
		}
		for range 3 * session.Burst {
			if w := tryLogin(site, "192.0.2.7", adminToken); w.Code != http.StatusSeeOther {
				t.Fatalf("a login that succeeds is answered with %d", w.Code)
			}
		}
	})
}
