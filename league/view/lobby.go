package view

import (
	"fmt"
	"slices"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// A Lobby shows the agents that have joined a league before its start, and those that it waits for.
type Lobby struct {
	Players       int       `json:"players"`
	PlayersWanted int       `json:"players_wanted"`
	Referees      int       `json:"referees"`
	RefsWanted    int       `json:"referees_wanted"`
	ByNumber      bool      `json:"starts_by_number"` // once they are here
	StartsAt      time.Time `json:"starts_at,omitzero"`
	Absent        []string  `json:"absent"` // players that are invited and have not joined
	InvitedOnly   bool      `json:"invited_only,omitempty"`
	Starts        string    `json:"starts"` // how the league starts, after "The league"
}

// newLobby returns the lobby of a league with start condition s. missing is the manager's reason not to start, or
// "".
func newLobby(st *league.State, s league.Start, missing string) *Lobby {
	status := st.Status()
	s.Tell(&status)
	status.Missing = missing
	l := &Lobby{
		Players: len(st.Players()), PlayersWanted: s.Players, Referees: len(st.Roster(protocol.RoleReferee)),
		RefsWanted: s.Referees, ByNumber: s.ByNumber, StartsAt: s.At, InvitedOnly: s.InvitedOnly, Absent: []string{},
		Starts: protocol.RedactText(status.Starting(time.Now())),
	}
	st.Invited(protocol.RolePlayer, func(name string) {
		if st.Invitation(protocol.RolePlayer, name).Agent == "" {
			l.Absent = append(l.Absent, Clean(name, NameMost))
		}
	})
	slices.Sort(l.Absent)
	return l
}

// Counts returns the number of agents: "2 of 6 players, 1 of 1 referees". For a league that starts by order or by
// time, the second number is a minimum.
func (l *Lobby) Counts() string { return l.PlayersHere() + ", " + l.RefereesHere() }

// PlayersHere counts the players.
func (l *Lobby) PlayersHere() string { return of(l.Players, l.PlayersWanted, "player", l.ByNumber) }

// RefereesHere counts the referees.
func (l *Lobby) RefereesHere() string { return of(l.Referees, l.RefsWanted, "referee", true) }

// of formats the number of agents that are here and wanted. If there are more than wanted it omits the wanted
// number, and also if there are as many, unless exact is set: then no more are accepted.
func of(here, wanted int, what string, exact bool) string {
	switch {
	case here < wanted || exact && here == wanted:
		if wanted != 1 || exact {
			what += "s"
		}
		return fmt.Sprintf("%d of %d %s", here, wanted, what)
	case here != 1:
		what += "s"
	}
	return fmt.Sprintf("%d %s", here, what)
}

// Timed reports whether the league starts automatically at a time in the future.
func (l *Lobby) Timed() bool { return time.Now().Before(l.StartsAt) }

// absentMost is the maximum number of absent players that the live page names.
const absentMost = 60

// AbsentSome are those that are named.
func (l *Lobby) AbsentSome() []string { return l.Absent[:min(len(l.Absent), absentMost)] }

// AbsentMore is how many are not.
func (l *Lobby) AbsentMore() int { return len(l.Absent) - len(l.AbsentSome()) }
