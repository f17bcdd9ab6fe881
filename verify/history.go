package verify

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"time"

	"agentleague/league"
	"agentleague/league/answers"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/store"
)

// histories compares the histories of this data directory's players with the journal.
func (v *Result) histories() {
	s := v.audit.State
	for _, id := range s.Players() {
		for _, folder := range []string{"data/players/" + id, path.Join("data/players", v.LeagueID, id)} {
			if v.witnessed(folder, id) {
				v.history(folder+"/history.json", id)
			}
		}
	}
}

// witnessed reports whether a folder belongs to a player of this league: its witness must have the league's seal. The
// player with that id may be one of a league in another data directory.
func (v *Result) witnessed(folder, id string) bool {
	var w player.Witness
	text, err := fs.ReadFile(v.root, folder+"/witness.json")
	return err == nil && json.Unmarshal(text, &w) == nil && w.Seal == v.audit.State.Seal && w.PlayerID == id
}

// history checks that the entries and figures of one history.json follow from the journal.
func (v *Result) history(name, id string) {
	found, err := fs.ReadFile(v.root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return // written after the first match
	}
	var told store.History
	if err == nil {
		err = protocol.StrictUnmarshal(found, &told)
	}
	if err != nil {
		v.differ(Difference{File: name, Kind: kindOf(err), What: err.Error()})
		return
	}
	want := told
	want.Matches = derived(v.audit.State, told.Matches, id, v.earlier(path.Dir(name)), v.completed)
	want.Stats = protocol.StatsOf(want.Matches)
	if d := told.Dropped(); v.earlier(path.Dir(name)) || within(d, protocol.StatsOf(absent(v.audit.State, told.Matches, id))) {
		want.Stats = want.Stats.Plus(d)
	}
	text, err := store.DocumentHistory(id, want, statedTime(found))
	if err != nil {
		v.differ(Difference{File: name, What: err.Error()})
		return
	}
	if d, differs := firstDifference(text, found); differs {
		d.File = name
		v.differ(d)
	}
}

// earlier reports whether a player's folder may have entries of an earlier league: if the data directory has other
// leagues, or the folder another witness.
func (v *Result) earlier(folder string) bool {
	leagues, _ := fs.ReadDir(v.root, "data/leagues")
	others, _ := fs.Glob(v.root, folder+"/witness-*.json") // the pattern is valid
	return len(leagues) > 1 || len(others) > 0
}

// derived returns the correct history of a player, for comparison with told, the stored one. It has each match
// once, in order. An entry of told that the journal cannot confirm or refute stays unchanged: its match has no
// result, its attempt does not count, or it is of an earlier league. completed returns the time at which a match
// ended by its referee's clock, or zero.
func derived(
	s *league.State, told []protocol.PlayerMatch, id string, earlier bool, completed func(match string) time.Time,
) (out []protocol.PlayerMatch) {
	seen := map[string]bool{}
	for _, e := range told {
		at, _, err := protocol.ParseTime(e.Timestamp)
		before := err == nil && at.Before(s.CreatedAt.Truncate(time.Second))
		if before && earlier {
			out = append(out, e)
			continue
		}
		m := s.Matches[e.MatchID]
		if seen[e.MatchID] || m == nil || m.A != id && m.B != id {
			continue
		}
		seen[e.MatchID] = true
		if m.Outcome == nil || otherAttempt(m, e.Attempt) {
			out = append(out, e)
			continue
		}
		want := answers.Remembered(s, m, id)
		want.Usage = e.Usage
		if err == nil && (!before || clockWasSetBack(at, completed(e.MatchID))) {
			want.Timestamp = e.Timestamp // from the player's clock
		}
		if m.Outcome.Result.Status == protocol.TechnicalLoss { // a report does not contain the choice of a player that forfeits
			want.MyChoice, want.OpponentChoice, want.DrawnNumber = e.MyChoice, e.OpponentChoice, e.DrawnNumber
		}
		out = append(out, want)
	}
	return out
}

// absent returns the finished matches of a player that are not in told, its stored history. A long history has only the
// newest.
func absent(s *league.State, told []protocol.PlayerMatch, id string) (out []protocol.PlayerMatch) {
	for _, m := range s.Matches {
		has := slices.ContainsFunc(told, func(e protocol.PlayerMatch) bool { return e.MatchID == m.ID })
		if !has && m.Outcome != nil && (m.A == id || m.B == id) {
			out = append(out, answers.Remembered(s, m, id))
		}
	}
	return out
}

// within reports whether no count of d is above that of most.
func within(d, most protocol.PlayerStats) bool {
	left := most.Minus(d)
	return min(left.TotalMatches, left.Wins, left.Losses, left.Draws) >= 0
}

// clockWasSetBack reports whether the referee's clock also had a time from before the league when it completed a match,
// which a player stored at at.
func clockWasSetBack(at, completed time.Time) bool {
	return !completed.IsZero() && at.Sub(completed).Abs() < time.Hour
}

// completed returns when a match ended by its referee's clock, or zero if there is no record.
func (v *Result) completed(match string) (at time.Time) {
	if doc, err := v.root.Record(v.LeagueID, match); err == nil {
		rec, _ := protocol.ParseRecord(doc) // an unreadable one has no time, and differs
		at, _, _ = protocol.ParseTime(rec.Lifecycle.CompletedAt)
	}
	return at
}

// otherAttempt reports whether an attempt was assigned but is not the one that counts.
func otherAttempt(m *league.Match, attempt int) bool {
	assigned := slices.ContainsFunc(m.Assigned, func(at league.MatchAssigned) bool { return at.Attempt == attempt })
	return assigned && attempt != max(m.Outcome.Attempt, 1)
}
