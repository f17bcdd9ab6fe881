package player

import (
	"slices"
	"strings"
	"unique"

	"agentleague/protocol"
)

// announcements are what the manager has announced of the player's own matches. Guarded by the agent.
type announcements struct {
	known map[string]announcement // all that were ever announced, by match

	round protocol.Round            // the newest
	open  []protocol.AnnouncedMatch // the player's in that round whose referees are of other makes
	ids   map[string]bool           // of all players of that round, if there are such
	names map[string]string         // what the players of the newest table are called
}

// An announcement is what is remembered of one match. It is remembered for as long as the league lasts, and so has no
// part of the message that it came in: a single word of that would keep all of it in memory.
type announcement struct {
	match   string
	referee unique.Handle[string] // where its referee was announced to be; few referees have many matches
	foreign bool                  // that referee shows a token of its own
}

// hear notes what a round has for a player.
func (n *announcements) hear(player string, r *protocol.RoundAnnouncement) {
	if r.RoundID > n.round {
		n.round, n.open, n.ids = r.RoundID, nil, nil
	}
	for _, match := range r.Matches {
		if match.PlayerAID != player && match.PlayerBID != player {
			continue
		}
		n.remember(match)
		if r.RoundID < n.round {
			continue
		}
		n.open = slices.DeleteFunc(n.open, func(m protocol.AnnouncedMatch) bool { return m.MatchID == match.MatchID })
		if !match.Native {
			n.open = append(n.open, match)
		}
	}
	if len(n.open) > 0 && n.ids == nil {
		n.ids = idsOf(r.Matches)
	}
}

// remember notes where a match is and how its referee shows itself; the newest announcement of it counts.
func (n *announcements) remember(match protocol.AnnouncedMatch) {
	id := n.lasting(match.MatchID)
	put(&n.known, id, announcement{match: id, referee: unique.Make(match.RefereeEndpoint), foreign: !match.Native})
}

// lasting returns the id of a match as a text of its own, for whoever keeps it longer than the message that names it.
func (n *announcements) lasting(match string) string {
	if a, ok := n.known[match]; ok {
		return a.match
	}
	return strings.Clone(match)
}

// referee is where the referee of a match was announced to be, or "".
func (n *announcements) referee(match string) string {
	a, ok := n.known[match]
	if !ok {
		return ""
	}
	return a.referee.Value()
}

// idsOf are the players of some matches.
func idsOf(matches []protocol.AnnouncedMatch) map[string]bool {
	ids := make(map[string]bool, 2*len(matches))
	for _, match := range matches {
		ids[match.PlayerAID], ids[match.PlayerBID] = true, true
	}
	return ids
}

// learnNames notes what the players of a table are called: a referee of another make may name the winner of a match so.
// Those of a manager of ours name ids.
func (n *announcements) learnNames(native bool, table []protocol.Standing) {
	if native && len(n.open) == 0 {
		return
	}
	n.names = make(map[string]string, len(table))
	for _, row := range table {
		n.names[row.PlayerID] = row.DisplayName
	}
}

// isOpen reports whether a match is one of those.
func (n *announcements) isOpen(match string) bool {
	return slices.ContainsFunc(n.open, func(m protocol.AnnouncedMatch) bool { return m.MatchID == match })
}

// meant returns which announced match an invitation is to: the one that it names. A referee of another make may have an
// id of its own for it. Then it is the match against the opponent that it names, or, if it names none that is known,
// the only one that there is. What cannot be told is returned as it is, and so is an id as the league writes them: it
// is one of the league's, or wrong.
func (n *announcements) meant(inv *protocol.GameInvitation, player string) string {
	_, known := n.known[inv.MatchID]
	_, _, ours := protocol.ParseMatchID(inv.MatchID)
	if known || ours || len(n.open) == 0 {
		return inv.MatchID
	}
	var against []string
	for _, match := range n.open {
		other := match.PlayerAID
		if other == player {
			other = match.PlayerBID
		}
		if isCalled(inv.OpponentID, other, n.names[other]) {
			against = append(against, match.MatchID)
		}
	}
	switch {
	case len(against) == 1:
		return against[0]
	case len(against) == 0 && len(n.open) == 1 && !n.ids[inv.OpponentID]:
		return n.open[0].MatchID
	}
	return inv.MatchID
}

// isCalled reports whether a word is a player's id or its name.
func isCalled(word, id, name string) bool {
	return word != "" && (word == id || word == string(protocol.RolePlayer)+":"+id || strings.EqualFold(word, name))
}
