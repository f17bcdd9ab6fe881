package host

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"agentleague/protocol"
)

func TestAgentsThatShareAPortHaveTheirOwnPaths(t *testing.T) {
	echo := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, name, " ", r.URL.Path) })
	}
	shared := NewPathMux()
	shared.Open("http://localhost:1/mcp", echo("manager"))
	listener := shared.take(protocol.RolePlayer, "P01")
	if got, want := listener.URL(), "http://localhost:1/p/P01/mcp"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	at := Serve(t.Context(), listener, echo("P01"))
	for path, want := range map[string]string{
		"/p/P01/mcp": "P01 /mcp", "/p/P01/health": "P01 /health", "/mcp": "manager /mcp", "/health": "manager /health",
		"/p/P02/mcp": "manager /p/P02/mcp", "/r/P01/mcp": "manager /r/P01/mcp", "/p/": "manager /p/", "/": "manager /",
	} {
		w := httptest.NewRecorder()
		shared.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if got := w.Body.String(); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if at.URL != listener.URL() {
		t.Errorf("got %s, want %s", at.URL, listener.URL())
	}
}
