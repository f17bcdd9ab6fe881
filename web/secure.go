package web

import (
	"net/http"
	"strings"
)

// policy lets a page load only this site's files: no inline script or style, no frame around it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// secure sets security headers, and refuses state-changing requests from other sites. own is the origin of the site
// behind a proxy, which may pass on another host; "": there is none.
func secure(next http.Handler, own string) http.Handler {
	foreign := http.NewCrossOriginProtection()
	if own != "" {
		_ = foreign.AddTrustedOrigin(own) // a validated address is always an origin
	}
	foreign.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "this request came from a page of another site; open the league's own page and do it there", http.StatusForbidden)
	}))
	next = foreign.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
		next.ServeHTTP(w, r)
	})
}

// Takes reports whether a request is for the site, on a port that it shares with an agent: a browser's path, and not
// the agent's.
func Takes(r *http.Request) bool {
	path := r.URL.Path
	for _, own := range []string{"/login", "/logout", "/leagues", "/create", "/ratings", "/favicon.ico"} {
		if path == own {
			return true
		}
	}
	switch {
	case strings.HasPrefix(path, "/api/"), strings.HasPrefix(path, "/assets/"):
		return true
	case strings.HasPrefix(path, "/leagues/"):
		return !strings.EqualFold(strings.TrimRight(path[strings.LastIndexByte(strings.TrimRight(path, "/"), '/')+1:], "/"),
			"mcp")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return false
	}
	return path == "/"
}
