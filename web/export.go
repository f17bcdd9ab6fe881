package web

import "net/http"

func (s *site) serveExport(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, notFound("Nothing to export."))
}
