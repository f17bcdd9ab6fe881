package web

import "net/http"

func (s *site) serveOpenAPI(w http.ResponseWriter, r *http.Request) {
	sendJSON(w, r, http.StatusOK, map[string]any{"openapi": "3.1.0"})
}
