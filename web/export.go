package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"agentleague/league"
	"agentleague/league/sheet"
	"agentleague/protocol"
)

// An Export is a file that a league offers for download.
type Export struct {
	File  string `json:"file"`
	What  string `json:"what"`
	Where string `json:"url"`
}

// exportsOf lists the files that a league offers for download.
func exportsOf(o *Options, id string) []Export {
	at := "/leagues/" + id + "/export/"
	out := []Export{
		{"standings.csv", "The table, for a spreadsheet", at + "standings.csv"},
		{"results.csv", "All matches, for a spreadsheet", at + "results.csv"},
		{"players.csv", "The players and why they forfeited, for a spreadsheet", at + "players.csv"},
		{"standings.json", "The table, for a program", at + "standings.json"},
		{"league.json", "Everything on the live page, for a program", at + "league.json"},
	}
	if o.Report != nil {
		out = append(out, Export{"report.html", "The whole league as one page that needs no other files", at + "report.html"})
	}
	if o.Archive != nil {
		out = append(out, Export{archive, "The log and the records, to verify on another machine; for all when the " +
			"league is over", at + archive})
	}
	return out
}

// archive is the name of the file with all evidence of a league. It contains agents' addresses, so only the admin may
// download it as long as a client could disturb the agents.
const archive = "league.zip"

// Packing a long log takes seconds of CPU, and sending it over a slow line takes minutes: these limit the concurrent
// downloads and the duration of each.
const (
	maxPacks    = 2
	packTimeout = 5 * time.Minute
)

// exports serves the files that leagues offer for download.
type exports struct {
	*common
	packing chan struct{} // has an element for each client that is downloading an archive
}

// serveArchive sends the whole league as one archive that `league verify` can read. Before the end only the admin may
// download it, since the log contains agents' addresses; concurrent downloads are limited.
func (s *exports) serveArchive(w http.ResponseWriter, r *http.Request, m Season) error {
	over := false
	m.Read(func(st *league.State) { over = st.Completed() })
	if !over && !s.isAdmin(r) {
		return &problem{
			Status: http.StatusForbidden,
			What:   "The log tells where agents are. Until the league is over it is the organiser's alone.",
			Do:     "Ask again when the league is over, or with the admin token.",
		}
	}
	select {
	case s.packing <- struct{}{}:
		defer func() { <-s.packing }()
	default:
		return &problem{
			Status: http.StatusServiceUnavailable, What: "Others are fetching the log just now.", Do: "Try again in a minute.",
		}
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(packTimeout))
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", `attachment; filename="`+m.ID()+`.zip"`)
	if err := s.Archive(r.Context(), m.ID(), w); err != nil {
		s.Logger.Warn("an archive was not written to its end", slog.String("league", m.ID()), slog.Any("error", err))
		panic(http.ErrAbortHandler) // the reader must not take it for complete
	}
	return nil
}

// document returns the record of a match in the form that the client may read.
func (s *exports) document(r *http.Request, m Season, match string, admin bool) ([]byte, error) {
	known := false
	m.Read(func(st *league.State) { known = st.Matches[match] != nil })
	if !known {
		return nil, notFound("There is no such match.")
	}
	doc, err := s.Document(r.Context(), m.ID(), match)
	if err != nil {
		return nil, notFound("There is no record of " + match + " yet.")
	}
	role := protocol.Role("")
	if admin {
		role = protocol.RoleAdmin
	}
	return protocol.RedactRecord(doc, role), nil
}

// serve sends one file of a league: tables as CSV, the rest as JSON. The file is a consistent snapshot at the time of
// the request.
func (s *exports) serve(w http.ResponseWriter, r *http.Request, m Season) (err error) {
	var out bytes.Buffer
	var doc *document
	kind, v, file := "application/json", s.look(m), r.PathValue("file")
	name, format, _ := strings.Cut(file, ".")
	table, ok := s.sheet(m, v, name)
	switch {
	case ok && format == "csv":
		kind, err = "text/csv; charset=utf-8", table.WriteCSV(&out)
	case ok && format == "json":
		err = json.NewEncoder(&out).Encode(table.Object(v.ID))
	case file == "league.json":
		doc = v.document()
	case file == "report.html" && s.Report != nil:
		// It is self-contained, with its style inside: opened as a file, it loads nothing.
		kind, err = "text/html; charset=utf-8", s.Report(r.Context(), m.ID(), &out)
	case file == gradebook:
		kind, err = "text/csv; charset=utf-8", s.writeGradebook(&out, r, m)
	case file == archive && s.Archive != nil:
		return s.serveArchive(w, r, m)
	case s.Document != nil && strings.HasSuffix(file, ".json"):
		var record []byte
		record, err = s.document(r, m, strings.TrimSuffix(file, ".json"), s.isAdmin(r))
		doc = newDocument(kind, record)
	default:
		err = notFound("There is no such file to export.")
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", `attachment; filename="`+m.ID()+"-"+file+`"`)
	cmp.Or(doc, newDocument(kind, out.Bytes())).send(w, r, http.StatusOK)
	return nil
}

// gradebook is the file with a league's roster and the results of its students, for the admin only.
const gradebook = "gradebook.csv"

// writeGradebook writes the gradebook of a league for the admin.
func (s *exports) writeGradebook(out io.Writer, r *http.Request, m Season) error {
	if err := s.onlyAdmin(r); err != nil {
		return err
	}
	list, err := s.Roster(m.ID())
	if err == nil {
		m.Read(func(st *league.State) { err = list.Gradebook(out, st, m.View().Latest(st), nil) })
	}
	return err
}

// sheet returns a table of a league by its name.
func (s *exports) sheet(m Season, v *LeagueView, name string) (t sheet.Sheet, ok bool) {
	switch name {
	case "standings":
		t = sheet.Standings(v.Round, v.Standings)
	case "results":
		m.Read(func(st *league.State) { t = sheet.Results(st) })
	case "players":
		m.Read(func(st *league.State) { t = sheet.Players(st, m.View().Latest(st)) })
	default:
		return t, false
	}
	return t, true
}
