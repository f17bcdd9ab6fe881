package webtest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"agentleague/web/webtest"
)

func TestATabShowsAPage(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(
			[]byte(`<!DOCTYPE html><title>Hello</title><button onclick="this.textContent='pressed'">press</button>`))
	}))
	defer server.Close()
	tab := webtest.Start(t).Tab(t, webtest.Phone.InDark())
	tab.Open(server.URL)
	tab.Click("button")
	tab.Await("the button to say so", `document.querySelector("button").textContent === "pressed"`)
	if got := webtest.Get[[]int](tab,
		`[innerWidth, matchMedia("(prefers-color-scheme: dark)").matches ? 1 : 0]`); got[1] != 1 {
		t.Errorf("the page is not dark: %v", got)
	}
	tab.Shot("hello")
}
