package cli

import (
	"encoding/csv"
	"io"
	"strconv"

	"agentleague/league"
	"agentleague/league/sheet"
	"agentleague/protocol"
	"agentleague/store"
)

// conformanceRow is a row of `league export conformance`: a broken rule with the name of its agent.
type conformanceRow struct {
	store.BrokenRule
	Name string `json:"display_name"`
}

// conformanceRows adds the names of the agents.
func conformanceRows(s *league.State, broken []store.BrokenRule) (out []conformanceRow) {
	out = []conformanceRow{}
	for _, b := range broken {
		row := conformanceRow{BrokenRule: b}
		if _, id := protocol.ParseSender(b.Agent); s.Agents[id] != nil && b.Verified {
			row.Name = s.Agents[id].Name
		}
		out = append(out, row)
	}
	return out
}

// writeConformance writes the rows for a spreadsheet.
func writeConformance(out io.Writer, rows []conformanceRow) error {
	lines := [][]string{{"agent", "display_name", "verified", "message_type", "rule", "document", "section", "member", "refused",
		"count", "first", "last", "detail"}}
	for _, r := range rows {
		lines = append(lines, []string{sheet.NoFormula(r.Agent), sheet.NoFormula(r.Name), strconv.FormatBool(r.Verified),
			string(r.MessageType), r.Rule, r.Document, r.Section, sheet.NoFormula(r.Member), strconv.FormatBool(r.Refused),
			strconv.Itoa(r.Count), r.First, r.Last, sheet.NoFormula(r.Detail)})
	}
	return csv.NewWriter(out).WriteAll(lines)
}
