package manager

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"agentleague/league"
	"agentleague/protocol"
)

// Foreign referees report matches under their own ids, identify players by name, and repeat reports. The functions
// below match a report to its match, or to none: a result is never counted for another match.

// meanings map the own ids of referees to matches, since the manager was started.
type meanings struct {
	mu sync.Mutex
	of map[meaning]string // matches
}

// A meaning is an id as a referee uses it.
type meaning struct{ referee, id string }

// maxMeanings is how many of them are remembered.
const maxMeanings = 4096

// before returns the match of a foreign referee's own id, "" if it has not used it.
func (m *meanings) before(referee, id string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of[meaning{referee, id}]
}

// learn remembers which match an id stands for. With too many of them all are forgotten: then the id is worked out
// anew.
func (m *meanings) learn(referee, id, match string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil || len(m.of) >= maxMeanings {
		m.of = map[meaning]string{}
	}
	m.of[meaning{referee, id}] = match
}

// A telling is a candidate match for a report: one that its referee was ordered to play.
type telling struct {
	match string
	open  bool // it has no result yet
	same  bool // it has the result that is reported
}

// identify brings a report of a referee that is not ours to the match that it is about, and its names to ids. An id as
// the league writes them is one of the league's, or wrong. In strict mode a report has to name its match by that.
func (rs *results) identify(referee string, r *protocol.MatchResultReport) {
	own := r.MatchID
	_, _, ours := protocol.ParseMatchID(own)
	rs.Read(func(s *league.State) {
		byIDs(s, &r.Result)
		if ours || own != "" && rs.Node.Strict {
			return
		}
		named := playersIn(s, &r.Result)
		if match := theOne(rs.tellings(s, referee, r, named), rs.meant.before(referee, own)); match != "" {
			r.MatchID = match
		}
	})
	if own != "" && own != r.MatchID {
		rs.meant.learn(referee, own, r.MatchID)
	}
}

// tellings lists the candidate matches of a report: those that its referee was ordered to play, between the reported
// players, in the reported round.
func (rs *results) tellings(s *league.State, referee string, r *protocol.MatchResultReport, named []string) (out []telling) {
	for _, id := range slices.Sorted(maps.Keys(s.Matches)) {
		m := s.Matches[id]
		if _, assigned := m.AssignedTo(referee, 0); !assigned || !isBetween(m, named) || r.RoundID > 0 && int(r.RoundID) != m.Round {
			continue
		}
		t := telling{match: id, open: m.Outcome == nil, same: m.Says(r.Result)}
		if now := m.Attempt(); t.open && (now.Referee != referee || !rs.tasks.out(now)) {
			continue
		}
		out = append(out, t)
	}
	return out
}

// theOne returns the match of a report, or "". The earlier match of the id is preferred, if it is open or has an
// equal result. A report equal to the recorded result of a candidate is a duplicate. Otherwise it is the only open
// candidate. If none is open, a different result belongs to the earlier match of the id.
func theOne(told []telling, before string) string {
	var open, again []string
	for _, t := range told {
		switch {
		case t.open:
			open = append(open, t.match)
		case t.same:
			again = append(again, t.match)
		}
	}
	known := slices.ContainsFunc(told, func(t telling) bool { return t.match == before })
	switch {
	case slices.Contains(open, before), slices.Contains(again, before):
		return before
	case len(again) > 0:
		return again[len(again)-1]
	case len(open) == 1:
		return open[0]
	case len(open) == 0 && known:
		return before
	}
	return ""
}

// isBetween reports whether all of these players play in a match.
func isBetween(m *league.Match, players []string) bool {
	return !slices.ContainsFunc(players, func(id string) bool { return id != m.A && id != m.B })
}

// playersIn lists the players of the league that a result names.
func playersIn(s *league.State, r *protocol.ReportedResult) (ids []string) {
	add := func(id string) {
		if a := s.Agents[id]; a != nil && a.Role == protocol.RolePlayer && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if r.Winner != nil {
		add(strings.TrimPrefix(*r.Winner, "player:"))
	}
	for _, id := range slices.Sorted(maps.Keys(r.Score)) {
		add(id)
	}
	for _, id := range slices.Sorted(maps.Keys(r.Details.Choices)) {
		add(id)
	}
	return ids
}

// byIDs writes ids for the names by which a result calls players. A name that two have stays as it is.
func byIDs(s *league.State, r *protocol.ReportedResult) {
	called := map[string]string{} // made when it is needed
	idOf := func(name string) string {
		if s.Agents[name] != nil || slices.Contains(nobody, strings.ToUpper(name)) {
			return name
		}
		if len(called) == 0 {
			called = namesOf(s)
		}
		if id := called[strings.ToLower(strings.TrimSpace(name))]; id != "" {
			return id
		}
		return name
	}
	if r.Winner != nil && *r.Winner != "" {
		r.Winner = new(idOf(strings.TrimPrefix(*r.Winner, "player:")))
	}
	r.Score, r.Details.Choices = renamed(r.Score, idOf), renamed(r.Details.Choices, idOf)
}

// nobody lists the words in a result that are never names of players.
var nobody = []string{"", "DRAW", "TIE", "NONE", "NULL", protocol.SeatA, protocol.SeatB}

// namesOf maps the names of a league's players, in lower case, to their ids; an ambiguous name maps to "".
func namesOf(s *league.State) map[string]string {
	out := map[string]string{}
	for _, a := range s.Agents {
		if a.Role != protocol.RolePlayer {
			continue
		}
		for _, name := range []string{a.Name, a.CallsItself} {
			key := strings.ToLower(strings.TrimSpace(name))
			if was, taken := out[key]; taken && was != a.ID {
				out[key] = ""
			} else if key != "" {
				out[key] = a.ID
			}
		}
	}
	return out
}

// renamed returns values by other keys. If two would have the same, all keep theirs.
func renamed(values map[string]json.RawMessage, key func(string) string) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(values))
	for name, v := range values {
		out[key(name)] = v
	}
	if len(out) != len(values) || values == nil {
		return values
	}
	return out
}
