package client

import (
	"context"
	"iter"
	"strconv"
	"strings"

	"agentleague/league/answers"
	"agentleague/protocol"
)

// Status returns the state of a league.
func Status(ctx context.Context, s Source) (leagueID string, now protocol.LeagueStatus, err error) {
	var data struct {
		Status protocol.LeagueStatus `json:"status"`
	}
	leagueID, err = s.Ask(ctx, protocol.QueryStatus, protocol.QueryParams{}, &data)
	return leagueID, data.Status, err
}

// A Table is the standings of a league.
type Table struct {
	LeagueID            string `json:"-"`
	answers.TableAnswer        // third-party managers send no ranks; Standings may be the first of Total rows
}

// Standings asks for the table.
func Standings(ctx context.Context, s Source) (t Table, err error) {
	t.LeagueID, err = s.Ask(ctx, protocol.QueryStandings, protocol.QueryParams{}, &t)
	return t, err
}

// Shared are the ranks, such as =3, of the players that share one, by their ids.
func (t Table) Shared() map[string]string {
	out := map[string]string{}
	for i, rank := range t.Ranks[:min(len(t.Ranks), len(t.Standings))] {
		number, shared := strings.CutPrefix(rank, "=")
		if _, err := strconv.ParseUint(number, 10, 31); shared && err == nil {
			out[t.Standings[i].PlayerID] = rank
		}
	}
	return out
}

// A Directory has the data for the admin alone: the agents of the league, the orders, and the refused registrations.
type Directory struct {
	Agents  []protocol.AgentInfo   `json:"agents"`
	Orders  []protocol.OrderInfo   `json:"orders"`
	Refused []protocol.RefusalInfo `json:"refused"`
	// recent refused attempts, the newest last
	Warnings []protocol.Warning `json:"warnings"`
}

// Who queries the directory.
func Who(ctx context.Context, s Source) (d Directory, err error) {
	_, err = s.Ask(ctx, protocol.QueryPlayerDirectory, protocol.QueryParams{}, &d)
	return d, err
}

// A Part is one page of a schedule.
type Part struct {
	LeagueID string                    `json:"-"`
	Schedule []protocol.ScheduledRound `json:"schedule"`
	Total    int                       `json:"total_rounds"`
	Format   string                    `json:"format"`   // of a league that pairs round by round; else ""
	OpenEnd  bool                      `json:"open_end"` // Total counts the rounds so far
}

// Round queries one round of the schedule, with the reason of each pairing. A league that pairs round by round can
// answer with the next round before it is opened.
func Round(ctx context.Context, s Source, round int) (p Part, err error) {
	p.LeagueID, err = s.Ask(ctx, protocol.QuerySchedule, protocol.QueryParams{RoundID: protocol.Round(round)}, &p)
	return p, err
}

// Schedule queries all pages of the schedule. A manager that repeats the same rounds ignores the offset and has no
// more.
func Schedule(ctx context.Context, s Source) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		for had, last := 0, 0; ; {
			var p Part
			var err error
			p.LeagueID, err = s.Ask(ctx, protocol.QuerySchedule, protocol.QueryParams{Offset: had}, &p)
			if err != nil || len(p.Schedule) == 0 {
				yield(p, err)
				return
			}
			if p.Schedule[0].RoundID <= last || !yield(p, nil) {
				return
			}
			had, last = had+len(p.Schedule), p.Schedule[len(p.Schedule)-1].RoundID
			if had >= p.Total {
				return
			}
		}
	}
}
