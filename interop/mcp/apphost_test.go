package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/web/webtest"
)

// An appHost is a host in a browser that shows the views of a manager: a page made of the extension's own package, and
// its sandbox on a second origin.
type appHost struct {
	t     *testing.T
	tab   *webtest.Tab
	other string // an address of the host's, which no view may reach
	leaks *atomic.Int32
}

// newAppHost opens a host that is connected to a manager.
func newAppHost(t *testing.T, b *webtest.Browser, manager string) *appHost {
	t.Helper()
	h := &appHost{t: t, leaks: &atomic.Int32{}}
	sandbox := httptest.NewServer(http.HandlerFunc(serveSandbox))
	t.Cleanup(sandbox.Close)
	page := httptest.NewServer(h.pages(manager, hostParts(t)))
	t.Cleanup(page.Close)
	h.other = page.URL + "/leak"
	h.tab = b.Tab(t, webtest.Laptop)
	h.tab.Open(page.URL + "/?sandbox=" + url.QueryEscape(sandbox.URL))
	h.tab.Await("the host", "window.host")
	return h
}

// pages are those of the host: itself, the packages it is made of, and the way to the manager, which answers no page of
// another site.
func (h *appHost) pages(manager, packages string) http.Handler {
	to, err := url.Parse(manager)
	if err != nil {
		h.t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "app/host.html") })
	mux.HandleFunc("GET /host.mjs", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "app/host.mjs") })
	mux.HandleFunc("/leak", func(http.ResponseWriter, *http.Request) { h.leaks.Add(1) })
	mux.HandleFunc("GET /node_modules/", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "js") { // of .mjs too
			w.Header().Set("Content-Type", "text/javascript")
		}
		http.ServeFile(w, r, filepath.Join(packages, filepath.FromSlash(r.URL.Path)))
	})
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL, r.Out.Host = to, to.Host
		r.Out.Header.Del("Origin")
	}}
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		// an answer may come before the proxy has seen that the request is over, which is no reason to cut it off
		_ = http.NewResponseController(w).EnableFullDuplex()
		proxy.ServeHTTP(w, r)
	})
	return mux
}

// serveSandbox serves the sandbox with the policy that the specification derives from a view's declaration.
func serveSandbox(w http.ResponseWriter, r *http.Request) {
	var csp struct{ ConnectDomains, ResourceDomains, FrameDomains, BaseURIDomains []string }
	if err := json.Unmarshal([]byte(r.FormValue("csp")), &csp); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	more := strings.Join(csp.ResourceDomains, " ")
	or := func(domains []string, none string) string {
		if len(domains) == 0 {
			return none
		}
		return strings.Join(domains, " ")
	}
	w.Header().Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; script-src 'self' 'unsafe-inline' %s; "+
		"style-src 'self' 'unsafe-inline' %s; img-src 'self' data: %s; font-src 'self' %s; media-src 'self' data: %s; "+
		"connect-src %s; frame-src %s; base-uri %s; object-src 'none'", more, more, more, more, more,
		or(csp.ConnectDomains, "'none'"), or(csp.FrameDomains, "'none'"), or(csp.BaseURIDomains, "'self'")))
	http.ServeFile(w, r, "app/sandbox.html")
}

// A sight is the visible state of a view.
type sight struct {
	Found []struct {
		Text     string
		Move     string // of a button
		Disabled bool
		Inside   bool // the frame is high enough to show it
		X, Y     float64
	}
	Text, Theme, Background string
	Images, Broken, Sizes   int
	Height                  float64
	Read                    []string // the text for the model
	Ran                     bool     // an injected script
}

// ready reports whether the first element that was found can be clicked.
func (s sight) ready() bool { return len(s.Found) > 0 && s.Found[0].Inside && !s.Found[0].Disabled }

// js is a value as JavaScript writes it.
func js(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// ask calls a function of the host's.
func ask[T any](h *appHost, function string, args ...any) T {
	h.t.Helper()
	var written []string
	for _, a := range args {
		written = append(written, js(a))
	}
	return webtest.Get[T](h.tab, fmt.Sprintf("host.%s(%s)", function, strings.Join(written, ", ")))
}

// await polls a view until a condition holds.
func (h *appHost) await(tool, selector, what string, ok func(sight) bool) sight {
	h.t.Helper()
	var s sight
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if s = ask[sight](h, "look", tool, selector); ok(s) {
			return s
		}
	}
	h.t.Fatalf("waited in vain for %s; the view of %s:\n%s", what, tool, s.Text)
	return s
}

// click clicks on the first element of a selector that can be clicked, as a person does: at its place in the page.
func (h *appHost) click(tool, selector string) {
	h.t.Helper()
	s := h.await(tool, selector, selector, sight.ready)
	h.tab.ClickAt(s.Found[0].X, s.Found[0].Y)
}
