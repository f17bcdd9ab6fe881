package web

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"agentleague/league"
	"agentleague/league/view"
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
	packsMost = 2
	packMost  = 5 * time.Minute
)

// exports serves the files of leagues.
type exports struct {
	*common
	packing chan struct{} // has an element for each client that is downloading an archive
}

func newExports(c *common) *exports { return &exports{c, make(chan struct{}, packsMost)} }

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
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(packMost))
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
	players := func(s *league.State) []PlayerRow { return PlayerRows(s, m.View().Latest(s)) }
	switch {
	case file == "standings.csv":
		kind, err = "text/csv; charset=utf-8", WriteCSV(&out, v.Standings)
	case file == "results.csv":
		kind, err = "text/csv; charset=utf-8", WriteResults(&out, v.Game, rowsOf(m, ResultRows))
	case file == "players.csv":
		kind, err = "text/csv; charset=utf-8", WritePlayers(&out, rowsOf(m, players))
	case file == "results.json":
		err = json.NewEncoder(&out).Encode(map[string]any{"league_id": v.ID, "results": rowsOf(m, ResultRows)})
	case file == "players.json":
		err = json.NewEncoder(&out).Encode(map[string]any{"league_id": v.ID, "players": rowsOf(m, players)})
	case file == "standings.json":
		err = json.NewEncoder(&out).Encode(map[string]any{"league_id": v.ID, "round": v.Round, "standings": v.Standings})
	case file == "league.json":
		doc = v.document()
	case file == "report.html" && s.Report != nil:
		// It is self-contained, with its style inside: opened as a file, it loads nothing.
		kind, err = "text/html; charset=utf-8", s.Report(r.Context(), m.ID(), &out)
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

// rowsOf returns rows from the present state of a league.
func rowsOf[T any](m Season, list func(*league.State) []T) (rows []T) {
	m.Read(func(s *league.State) { rows = list(s) })
	return rows
}

// WriteCSV writes a table for a spreadsheet.
func WriteCSV(out io.Writer, table []view.Row) error {
	lines := [][]string{append(
		[]string{"rank", "player_id", "display_name", "played", "wins", "draws", "losses", "technical_losses", "points"},
		ratingHeads...)}
	for _, r := range table {
		line := []string{strconv.Itoa(r.Rank), r.PlayerID, NoFormula(r.DisplayName)}
		for _, n := range []int{r.Played, r.Wins, r.Draws, r.Losses, r.TechnicalLosses, r.Points} {
			line = append(line, strconv.Itoa(n))
		}
		lines = append(lines, append(line, ratingCells(r.Rating)...))
	}
	return csv.NewWriter(out).WriteAll(lines)
}

// ratingHeads are the columns that ratings add to a table, in this order; programs read them by name.
var ratingHeads = []string{"rating", "rating_low", "rating_high", "rated_matches"}

// ratingCells returns a rating's cells for a spreadsheet, empty where a value is unknown.
func ratingCells(r *protocol.Rating) []string {
	out := make([]string, len(ratingHeads))
	if r == nil {
		return out
	}
	out[0], out[3] = strconv.Itoa(r.Rating), strconv.Itoa(r.Matches)
	if r.Low != nil && r.High != nil {
		out[1], out[2] = strconv.Itoa(*r.Low), strconv.Itoa(*r.High)
	}
	return out
}
