package cli

import (
	"fmt"

	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/store"
)

// printWithdrawals prints who had the players withdrawn that a match was lost without.
func printWithdrawals(a *app, leagueID string, rec protocol.MatchRecord) {
	h, err := a.open(leagueID)
	if err != nil {
		return
	}
	for _, line := range withdrawals(h, rec) {
		fmt.Fprintln(a.out, line)
	}
}

// withdrawals lists the withdrawn players of a match, with the sender and the time of the order, from the journal. An
// unreadable journal is ignored: the match is shown anyway.
func withdrawals(h *host.Env, rec protocol.MatchRecord) (lines []string) {
	s, err := league.Fold(store.Entries(journal.Path(h.DataDir(), h.League.LeagueID)))
	if err != nil {
		return nil
	}
	for _, o := range s.Orders {
		if _, forfeited := rec.Result.Forfeits[o.ID]; o.What == "withdraw" && forfeited {
			lines = append(lines, told(protocol.OrderInfo{Order: o.What, AgentID: o.ID, By: o.By, At: protocol.Stamp(o.At)}))
		}
	}
	return lines
}
