package player

import (
	"slices"
	"strings"
	"unique"

	"agentleague/protocol"
)

// announcements are the player's matches as the manager announced them. Guarded by the agent's lock.
type announcements struct {
	known map[string]announcement // all that were ever announced, by match

	round protocol.Round            // the newest
	open  []protocol.AnnouncedMatch // the player's matches in that round with third-party referees
	ids   map[string]bool           // of all players of that round, if there are such
	names map[string]string         // the display names of the players in the newest table
}

// An announcement is the stored part of an announced match. It is stored until the league ends, and shares no memory
// with the message, since a single substring would keep the whole message in memory.
type announcement struct {
	match   string
	referee unique.Handle[string] // where its referee was announced to be; few referees have many matches
	foreign bool                  // that referee shows another token
}

// hear records the matches of player in the announced round.
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

// remember stores a match and its referee's endpoint. A later announcement of the same match replaces the earlier one.
func (n *announcements) remember(match protocol.AnnouncedMatch) {
	id := n.lasting(match.MatchID)
	put(&n.known, id, announcement{match: id, referee: unique.Make(match.RefereeEndpoint), foreign: !match.Native})
}

// lasting returns a copy of a match id that can be stored without keeping the message in memory.
func (n *announcements) lasting(match string) string {
	if a, ok := n.known[match]; ok {
		return a.match
	}
	return strings.Clone(match)
}

// referee returns the announced endpoint of the referee of a match, or "".
func (n *announcements) referee(match string) string {
	a, ok := n.known[match]
	if !ok {
		return ""
	}
	return a.referee.Value()
}

// idsOf returns the set of the ids of all players in matches.
func idsOf(matches []protocol.AnnouncedMatch) map[string]bool {
	ids := make(map[string]bool, 2*len(matches))
	for _, match := range matches {
		ids[match.PlayerAID], ids[match.PlayerBID] = true, true
	}
	return ids
}

// learnNames stores the players' display names from a table. Only third-party referees may name the winner of a match
// by display name.
func (n *announcements) learnNames(native bool, table []protocol.Standing) {
	if native && len(n.open) == 0 {
		return
	}
	n.names = make(map[string]string, len(table))
	for _, row := range table {
		n.names[row.PlayerID] = row.DisplayName
	}
}

// isOpen reports whether a match of the announced round is open.
func (n *announcements) isOpen(match string) bool {
	return slices.ContainsFunc(n.open, func(m protocol.AnnouncedMatch) bool { return m.MatchID == match })
}

// meant returns the announced match that an invitation belongs to. A third-party referee may use its own match id: then
// it is the open match against the named opponent, or, if the opponent is unknown, the only open match. If the match is
// ambiguous, or the id has the league's format, the id is returned unchanged.
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

// isCalled reports whether word is id or name, which are those of one player.
func isCalled(word, id, name string) bool {
	return word != "" && (word == id || word == string(protocol.RolePlayer)+":"+id || strings.EqualFold(word, name))
}
