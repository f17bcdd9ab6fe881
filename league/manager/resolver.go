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

// A matchResolver determines the match of a third-party referee's report. Such referees use their own match ids, send
// players' names instead of ids, and repeat reports. If the match is uncertain, the report is refused: a result must
// never count for another match.
type matchResolver struct {
	*core
	*ledger
	tasks *matchTasks

	mu    sync.Mutex
	known map[foreignID]string // matches by the ids of their referees, since the manager was started
}

// A foreignID is a match id that a third-party referee uses.
type foreignID struct{ referee, id string }

// maxForeignIDs is the maximum number of remembered match ids of third-party referees.
const maxForeignIDs = 4096

// before returns the match to which an earlier report of the same referee with the same id was resolved, or "".
func (mr *matchResolver) before(referee, id string) string {
	mr.mu.Lock()
	defer mr.mu.Unlock()
	return mr.known[foreignID{referee, id}]
}

// learn remembers to which match a referee's own match id was resolved. Above maxForeignIDs it forgets all, and ids are
// resolved again.
func (mr *matchResolver) learn(referee, id, match string) {
	mr.mu.Lock()
	defer mr.mu.Unlock()
	if mr.known == nil || len(mr.known) >= maxForeignIDs {
		mr.known = map[foreignID]string{}
	}
	mr.known[foreignID{referee, id}] = match
}

// A candidate is a possible match for a report: one that its referee was ordered to play.
type candidate struct {
	match string
	open  bool // it has no result yet
	same  bool // it has the result that is reported
}

// resolve sets the match id of a third-party referee's report, and replaces names in it by ids. A valid id of this
// league is left unchanged. In strict mode a report must have such an id.
func (mr *matchResolver) resolve(referee string, r *protocol.MatchResultReport) {
	own := r.MatchID
	_, _, ours := protocol.ParseMatchID(own)
	mr.Read(func(s *league.State) {
		namesToIDs(s, &r.Result)
		if ours || own != "" && mr.Node.Strict {
			return
		}
		named := playersIn(s, &r.Result)
		if match := choose(mr.candidates(s, referee, r, named), mr.before(referee, own)); match != "" {
			r.MatchID = match
		}
	})
	if own != "" && own != r.MatchID {
		mr.learn(referee, own, r.MatchID)
	}
}

// candidates lists the candidate matches of a report: those that its referee was ordered to play, between the reported
// players, in the reported round.
func (mr *matchResolver) candidates(s *league.State, referee string, r *protocol.MatchResultReport, named []string) (out []candidate) {
	for _, id := range slices.Sorted(maps.Keys(s.Matches)) {
		m := s.Matches[id]
		if _, assigned := m.AssignedTo(referee, 0); !assigned || !isBetween(m, named) || r.RoundID > 0 && int(r.RoundID) != m.Round {
			continue
		}
		t := candidate{match: id, open: m.Outcome == nil, same: m.Says(r.Result)}
		if now := m.Attempt(); t.open && (now.Referee != referee || !mr.tasks.order(now).ordered) {
			continue
		}
		out = append(out, t)
	}
	return out
}

// choose returns the match that a report is about, or "" if that is uncertain. before is the match that an earlier
// report with the same id resolved to, or "". The first of these applies:
//   - before, if it is an open candidate or its recorded result equals the report
//   - the last candidate whose recorded result equals the report, which is then a duplicate
//   - the only open candidate
//   - before, if it is a candidate and none is open; its recorded result then conflicts with the report
func choose(all []candidate, before string) string {
	var open, again []string
	for _, t := range all {
		switch {
		case t.open:
			open = append(open, t.match)
		case t.same:
			again = append(again, t.match)
		}
	}
	known := slices.ContainsFunc(all, func(t candidate) bool { return t.match == before })
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

// playersIn lists the ids of the league's players that occur in a result.
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

// namesToIDs replaces player names in a result by ids. It leaves ambiguous names unchanged.
func namesToIDs(s *league.State, r *protocol.ReportedResult) {
	ids := map[string]string{} // made when it is needed
	idOf := func(name string) string {
		if s.Agents[name] != nil || slices.Contains(noPlayer, strings.ToUpper(name)) {
			return name
		}
		if len(ids) == 0 {
			ids = namesOf(s)
		}
		if id := ids[strings.ToLower(strings.TrimSpace(name))]; id != "" {
			return id
		}
		return name
	}
	if r.Winner != nil && *r.Winner != "" {
		r.Winner = new(idOf(strings.TrimPrefix(*r.Winner, "player:")))
	}
	r.Score, r.Details.Choices = renamed(r.Score, idOf), renamed(r.Details.Choices, idOf)
}

// noPlayer lists the values in results that are never player names.
var noPlayer = []string{"", "DRAW", "TIE", "NONE", "NULL", protocol.SeatA, protocol.SeatB}

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

// renamed returns a copy of values with its keys mapped by key. If two keys become equal it returns values unchanged.
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
