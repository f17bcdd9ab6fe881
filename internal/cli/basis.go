package cli

import (
	"fmt"
	"os"
	"strings"

	"agentleague/internal/term"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
)

// sealDigits is the length of a printed seal or head: enough that it is practically unique.
const sealDigits = 32

// noted is a hash in the form to write down.
func noted(hash string) string { return hash[:min(len(hash), sealDigits)] }

// sealWords explains the values of a league to write down, and their purpose. Which is the flag that selects the
// league for the verification, "" for the root's own.
func sealWords(seal, head, which string) string {
	words := fmt.Sprintf("Note this down, to check the log later: league verify%s --seal %s", which, noted(seal))
	if head != "" {
		words += " --head " + noted(head)
	}
	return words
}

// whichLeague is the flag that names a league of the root, "" if it is the default one.
func (a *app) whichLeague(id string) string {
	if own, err := leagueIn(a, os.DirFS(a.root), ""); err == nil && own == id {
		return ""
	}
	return " --league-id " + term.Brief(id)
}

// noteDown prints the values of a league to write down.
func (a *app) noteDown(m *manager.Manager) {
	if !a.json {
		var words string
		m.Read(func(s *league.State) { words = sealWords(s.Seal, s.Head().Hash, a.whichLeague(s.Created.LeagueID)) })
		fmt.Fprintln(a.err, words)
	}
}

// basisWords counts the results that rest on a guest's word or have a hosted player; "": there are none.
func basisWords(b protocol.Basis) string {
	var parts []string
	if b.Unproven > 0 {
		parts = append(parts, fmt.Sprintf("%s only on the report of a guest referee (unproven)", rest(b.Unproven)))
	}
	if b.Disputed > 0 {
		parts = append(parts, fmt.Sprintf("%s disputed", is(b.Disputed)))
	}
	if b.Hosted > 0 {
		parts = append(parts, fmt.Sprintf("%s hosted: a player runs in the manager's process", is(b.Hosted)))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%d results are proven, %d judged; %s.", b.Proven, b.Judged, strings.Join(parts, ", "))
}

// rest and is agree with their number.
func rest(n int) string {
	if n == 1 {
		return "1 rests"
	}
	return fmt.Sprintf("%d rest", n)
}

// is counts with the right verb.
func is(n int) string {
	if n == 1 {
		return "1 is"
	}
	return fmt.Sprintf("%d are", n)
}

// doubt is the word that a result is shown with when it rests on a guest's; "": it does not.
func doubt(proof string) string {
	if proof == league.Unproven || proof == league.Disputed {
		return proof
	}
	return ""
}

// warningLine formats a warning: time, text, address and count.
func warningLine(w protocol.Warning) string {
	return fmt.Sprintf("%s warning: %s (from %s, %d times)", term.Brief(w.At), term.Cut(w.Text, 500), term.Brief(w.Address), w.Count)
}

// turnedAway lists refused agents, with the command that readmits each.
func turnedAway(r protocol.RefusalInfo) string {
	old := "which no longer answers"
	if r.Alive {
		old = "which still answers at its address"
	}
	return fmt.Sprintf("%s refused: an agent at %s, called %q, registered from %s as %s, %s, and could not prove "+
		"that it is the same agent. If it is, run: league readmit %s %s",
		term.Brief(r.At), term.Brief(r.Endpoint), term.Brief(r.DisplayName), term.Brief(r.Address), term.Brief(r.AgentID), old, term.Brief(r.AgentID), term.Brief(r.Code))
}
