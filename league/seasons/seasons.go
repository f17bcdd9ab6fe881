// Package seasons adds up the leagues of the same agents: the totals of a series, and the ratings of all leagues. It is pure.
//
//	autumn ─▶ autumn_2 ─▶ autumn_3
//	   └──────────┴───────────┴─▶ Series: the seasons and their totals
package seasons

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"

	"agentleague/league"
	"agentleague/protocol"
)

// numberAtTheEnd splits the id of a later season, such as autumn_2, into the id of the first season and the number.
var numberAtTheEnd = regexp.MustCompile(`^(.+)_(\d{1,3})$`)

// Next returns the id of the season after id: autumn_2 after autumn, autumn_3 after autumn_2. It skips ids
// for which taken returns true; taken may be nil.
func Next(id string, taken func(id string) bool) string {
	base, n := id, 1
	if m := numberAtTheEnd.FindStringSubmatch(id); m != nil {
		base = m[1]
		n, _ = strconv.Atoi(m[2]) // at most three digits
	}
	for {
		n++
		if next := base + "_" + strconv.Itoa(n); taken == nil || !taken(next) {
			return next
		}
	}
}

// A Season is one of several consecutive leagues with the same agents.
type Season struct {
	LeagueID  string     `json:"league_id"`
	Number    int        `json:"season"` // counted from 1
	State     string     `json:"state"`
	Champions []string   `json:"champions"` // their names; of a season that is over
	Players   []Finisher `json:"-"`         // its final table; nil: it is not over
}

// Over reports whether the season was completed. Only such seasons count for totals.
func (s Season) Over() bool { return s.State == protocol.LeagueIsCompleted }

// A Finisher is a row of a season's final table, with the player's identity.
type Finisher struct {
	protocol.Standing
	Key      string // the public key of a native player
	Champion bool
}

// identity returns the key that identifies the player across seasons.
func (f Finisher) identity() string { return league.Identity(f.Key, f.DisplayName) }

// Of returns a league as season number of a series.
func Of(s *league.State, number int) Season {
	out := Season{LeagueID: s.Created.LeagueID, Number: number, State: s.Phase(false), Champions: []string{}}
	if !s.Completed() || s.Cancelled {
		return out
	}
	table := s.Table()
	for i, row := range table.Rows {
		f := Finisher{Standing: row, Key: s.Agents[row.PlayerID].Key, Champion: table.Ranks[i].Number == 1}
		if f.Champion {
			out.Champions = append(out.Champions, row.DisplayName)
		}
		out.Players = append(out.Players, f)
	}
	return out
}

// A Total sums up a player's results over all seasons.
type Total struct {
	Place           string `json:"place"` // 1, or =1 if it is shared
	Rank            int    `json:"rank"`
	DisplayName     string `json:"display_name"` // in the newest of its seasons
	Seasons         int    `json:"seasons"`
	Championships   int    `json:"championships"`
	Played          int    `json:"played"`
	Wins            int    `json:"wins"`
	Draws           int    `json:"draws"`
	Losses          int    `json:"losses"`
	TechnicalLosses int    `json:"technical_losses"`
	Points          int    `json:"points"`
}

// add adds the result of a player in one more season.
func (t *Total) add(f Finisher) {
	t.DisplayName = f.DisplayName
	t.Seasons++
	if f.Champion {
		t.Championships++
	}
	t.Played, t.Wins, t.Draws, t.Losses = t.Played+f.Played, t.Wins+f.Wins, t.Draws+f.Draws, t.Losses+f.Losses
	t.TechnicalLosses, t.Points = t.TechnicalLosses+f.TechnicalLosses, t.Points+f.Points
}

// before compares totals by points, wins, championships and fewer losses. Players with equal values share a rank.
func (t *Total) before(o *Total) int {
	return cmp.Or(cmp.Compare(o.Points, t.Points), cmp.Compare(o.Wins, t.Wins),
		cmp.Compare(o.Championships, t.Championships), cmp.Compare(t.Losses, o.Losses))
}

// totals returns the table of all finished seasons.
func totals(seasons []Season) []Total {
	rows, of := []*Total{}, map[string]*Total{}
	for _, season := range seasons {
		for _, f := range season.Players {
			t := of[f.identity()]
			if t == nil {
				t = &Total{}
				rows, of[f.identity()] = append(rows, t), t
			}
			t.add(f)
		}
	}
	slices.SortStableFunc(rows, func(a, b *Total) int { return cmp.Or(a.before(b), cmp.Compare(a.DisplayName, b.DisplayName)) })
	out := make([]Total, len(rows))
	for i, t := range rows {
		rank := league.Rank{Number: i + 1}
		if i > 0 && rows[i-1].before(t) == 0 {
			rank = league.Rank{Number: out[i-1].Rank, Shared: true}
		}
		rank.Shared = rank.Shared || i+1 < len(rows) && t.before(rows[i+1]) == 0
		t.Rank, t.Place = rank.Number, rank.String()
		out[i] = *t
	}
	return out
}

// A Series is the seasons of one league, identified by the first, and their totals.
type Series struct {
	LeagueID string   `json:"league_id"`
	Wanted   int      `json:"seasons_in_all"` // how many there are to be
	Seasons  []Season `json:"seasons"`        // in their order
	Totals   []Total  `json:"standings"`
}

// NewSeries returns the series of a league's seasons. wanted is the planned number of seasons, if higher than the
// existing number.
func NewSeries(first string, wanted int, seasons []Season) Series {
	return Series{LeagueID: first, Wanted: max(wanted, len(seasons)), Seasons: seasons, Totals: totals(seasons)}
}

// Played returns the number of finished seasons.
func (s Series) Played() (n int) {
	for _, one := range s.Seasons {
		if one.Over() {
			n++
		}
	}
	return n
}
