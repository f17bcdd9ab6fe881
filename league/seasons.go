package league

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"

	"agentleague/protocol"
)

// numberAtTheEnd takes the id of a further season apart: the league's, and which season it is.
var numberAtTheEnd = regexp.MustCompile(`^(.+)_(\d{1,3})$`)

// NextSeason is the id of the season after one: autumn_2 after autumn, autumn_3 after autumn_2. Ids that are taken are
// passed over; a nil taken takes none.
func NextSeason(id string, taken func(id string) bool) string {
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

// A Season is one league of several that the same agents play one after the other.
type Season struct {
	LeagueID  string     `json:"league_id"`
	Number    int        `json:"season"` // counted from 1
	State     string     `json:"state"`
	Champions []string   `json:"champions"` // their names; of a season that is over
	Players   []Finisher `json:"-"`         // its final table; nil: it is not over
}

// Over reports whether the season counts.
func (s Season) Over() bool { return s.State == protocol.LeagueIsCompleted }

// A Finisher is a row of a season's final table, with the player's identity.
type Finisher struct {
	protocol.Standing
	Key      string // the public key of a native player
	Champion bool
}

// who returns the player's identity over the seasons.
func (f Finisher) who() string { return identity(f.Key, f.DisplayName) }

// identity returns an agent's identity over the leagues of a root: by key, and without one by name.
func identity(key, name string) string {
	if key != "" {
		return "key " + key
	}
	return "name " + name
}

// SeasonOf returns a league as one of several seasons.
func SeasonOf(s *State, number int) Season {
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

// add counts one more season.
func (t *Total) add(f Finisher) {
	t.DisplayName = f.DisplayName
	t.Seasons++
	if f.Champion {
		t.Championships++
	}
	t.Played, t.Wins, t.Draws, t.Losses = t.Played+f.Played, t.Wins+f.Wins, t.Draws+f.Draws, t.Losses+f.Losses
	t.TechnicalLosses, t.Points = t.TechnicalLosses+f.TechnicalLosses, t.Points+f.Points
}

// before orders totals by points, then wins, championships and fewer losses. Players level on all of these share a
// rank.
func (t *Total) before(o *Total) int {
	return cmp.Or(cmp.Compare(o.Points, t.Points), cmp.Compare(o.Wins, t.Wins),
		cmp.Compare(o.Championships, t.Championships), cmp.Compare(t.Losses, o.Losses))
}

// Totals returns the table of all finished seasons, added up.
func Totals(seasons []Season) []Total {
	rows, of := []*Total{}, map[string]*Total{}
	for _, season := range seasons {
		for _, f := range season.Players {
			t := of[f.who()]
			if t == nil {
				t = &Total{}
				rows, of[f.who()] = append(rows, t), t
			}
			t.add(f)
		}
	}
	slices.SortStableFunc(rows, func(a, b *Total) int { return cmp.Or(a.before(b), cmp.Compare(a.DisplayName, b.DisplayName)) })
	out := make([]Total, len(rows))
	for i, t := range rows {
		rank := Rank{Number: i + 1}
		if i > 0 && rows[i-1].before(t) == 0 {
			rank = Rank{Number: out[i-1].Rank, Shared: true}
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

// NewSeries adds up the seasons of a league. There are to be at least those that there are.
func NewSeries(first string, wanted int, seasons []Season) Series {
	return Series{LeagueID: first, Wanted: max(wanted, len(seasons)), Seasons: seasons, Totals: Totals(seasons)}
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
