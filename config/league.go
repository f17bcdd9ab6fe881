package config

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"agentleague/dialect/profile"
	"agentleague/league/calendar"
	"agentleague/protocol"
)

// League is config/leagues/<league_id>.json, the description of one league. A [Change] sets its keys: from flags of
// `league run`, `manager` and `create`, from the form of the page, or from CREATE_LEAGUE.
type League struct {
	SchemaVersion string       `json:"schema_version"`
	LeagueID      string       `json:"league_id"`
	DisplayName   string       `json:"display_name"` // for display; programs use the id
	LastUpdated   string       `json:"last_updated"`
	GameType      string       `json:"game_type"`          // one of the registry
	Status        string       `json:"status"`             // one of [Statuses]
	MovedTo       string       `json:"moved_to,omitempty"` // where an INACTIVE league is played instead, in words
	Scoring       Scoring      `json:"scoring"`
	Participants  Participants `json:"participants"`
	Schedule      Schedule     `json:"schedule"`

	Calendar calendar.Rules `json:"calendar,omitzero"` // when rounds begin; default: each after the one before

	// The default file omits the members below.
	MaxConsecutiveForfeits int `json:"max_consecutive_forfeits"` // before a player is out; 0: never; default 3
	BroadcastLimit         int `json:"broadcast_limit"`          // above that number of players a broadcast is shortened; default 64

	PaceSec Seconds `json:"pace_sec,omitempty"` // pause between two rounds; default 0
	Strict  bool    `json:"strict,omitempty"`   // grading mode: messages that break a rule of the documents are refused, and counted
	Profile string  `json:"profile,omitempty"`  // the document as whose examples messages are sent: one of profile.Names
	Limits  *Limits `json:"limits,omitempty"`   // of the league's own referees; default: those of system.json

	// Invited lists the names of players that are invited when the league is opened.
	Invited List[string] `json:"invited,omitempty"`
	// InvitedOnly admits only agents with a join key of `league invite`, and the organizer's own agents.
	InvitedOnly bool `json:"invited_only,omitempty"`
	// GuestReferees is when referees other than the organizer's may join: one of [GuestReferees].
	GuestReferees string `json:"guest_referees,omitempty"`

	Seasons int     `json:"seasons,omitempty"` // how many the same agents play, one after the other; default 1
	Season  *Season `json:"season,omitempty"`  // of a league that the manager made as a further season

	Start     *Start `json:"start,omitempty"`      // default: when timeouts.registration_window_sec of system.json is over
	Bots      *Bots  `json:"house,omitempty"`      // agents that the manager runs itself
	CreatedBy string `json:"created_by,omitempty"` // the creator
}

// LeagueDefaults returns the default settings of a league, including members that the default file omits.
func LeagueDefaults() League {
	v := builtin[League]("league")
	v.MaxConsecutiveForfeits, v.BroadcastLimit = 3, 64
	return v
}

// GuestReferees lists the values of guest_referees, the default first.
var GuestReferees = []string{"before_start", "invited", "never"}

// Statuses lists the values of a league's status, the default first. A manager opens no league that is not active.
var Statuses = []string{"ACTIVE", "INACTIVE"}

// A Season is the position of a league in a series of seasons.
type Season struct {
	Of     string `json:"of"`     // the league that is the first season
	Number int    `json:"number"` // counted from that one, which is 1
}

// FirstSeason returns the id of the first season of the league's series, which is v.LeagueID for the first season.
func (v League) FirstSeason() string {
	if v.Season == nil {
		return v.LeagueID
	}
	return v.Season.Of
}

// SeasonNumber returns the number of the league in its series, from 1.
func (v League) SeasonNumber() int {
	if v.Season == nil {
		return 1
	}
	return v.Season.Number
}

// After returns the settings of the season next after this league, as far as an agent can know them.
func (v League) After(next string) League {
	v.Season = &Season{Of: v.FirstSeason(), Number: v.SeasonNumber() + 1}
	v.LeagueID, v.DisplayName, v.Seasons = next, next, 0
	return v
}

// Again returns a copy of this description for the new league n. The id, the season and a start time in the past are
// not copied.
func (v League) Again(n League) League {
	title := v.DisplayName
	if title == v.LeagueID {
		title = n.LeagueID
	}
	if v.Start != nil {
		start := *v.Start
		if start.AfterSec > 0 || start.Time().Before(time.Now()) {
			start.At = ""
		}
		if v.Season != nil { // it waited for the agents of the season before
			start = Start{}
		}
		v.Start = &start
	}
	v.LeagueID, v.DisplayName, v.LastUpdated, v.CreatedBy = n.LeagueID, title, n.LastUpdated, n.CreatedBy
	v.Status, v.MovedTo, v.Season = Statuses[0], "", nil
	return v
}

// MaxSeasons is the maximum number of seasons of a league.
const MaxSeasons = 1000

// Start is the start condition of a league: a number of agents, a time, or whichever comes first. Without either, the
// league starts only on request.
type Start struct {
	Players  int     `json:"players"`             // start when this many have joined; 0: not by number
	Referees int     `json:"referees"`            // and this many referees
	AfterSec Seconds `json:"after_sec,omitempty"` // start this long after the league was created; 0: not by time
	At       string  `json:"at,omitempty"`        // start at this time, RFC 3339, overriding after_sec
}

// Time returns the start time in At; zero if there is none.
func (s Start) Time() time.Time {
	at, err := time.Parse(time.RFC3339, s.At)
	if err != nil {
		return time.Time{}
	}
	return at
}

// Limits holds a league's timeouts and retries for referees. Omitted values are those of system.json.
type Limits struct {
	MoveTimeoutSec Seconds `json:"move_timeout_sec,omitempty"` // to choose; each try has it anew
	MaxRetries     *int    `json:"max_retries,omitempty"`      // after the first try
}

// Of returns the system settings with the values of l, which may be nil, in place of theirs.
func (l *Limits) Of(s System) System {
	if l == nil {
		return s
	}
	if l.MoveTimeoutSec > 0 {
		s.Timeouts.MoveTimeoutSec = l.MoveTimeoutSec
	}
	if l.MaxRetries != nil {
		s.RetryPolicy.MaxRetries = *l.MaxRetries
	}
	return s
}

// Bots lists the built-in agents that a league's manager runs in its own process.
type Bots struct {
	Players  List[string] `json:"players"` // their strategies
	Referees int          `json:"referees"`
}

// Scoring has the points for each result, and the tie-breaks.
type Scoring struct {
	WinPoints           int      `json:"win_points"`
	DrawPoints          int      `json:"draw_points"`
	LossPoints          int      `json:"loss_points"`
	TechnicalLossPoints int      `json:"technical_loss_points"` // for a forfeit; the opponent gets win_points
	Tiebreakers         []string `json:"tiebreakers"`           // in the order in which they decide
}

// Points returns the points as a protocol message has them.
func (s Scoring) Points() protocol.Scoring {
	return protocol.Scoring{Win: s.WinPoints, Draw: s.DrawPoints, Loss: s.LossPoints, TechnicalLoss: s.TechnicalLossPoints}
}

// Participants limits the number of agents.
type Participants struct {
	MinPlayers  int `json:"min_players"`  // with fewer it does not start
	MaxPlayers  int `json:"max_players"`  // further ones are refused
	MinReferees int `json:"min_referees"` // with fewer it does not start
	MaxReferees int `json:"max_referees"` // further ones are refused
}

// Played returns an error unless the league is active.
func (r *Reader) Played(id string) error {
	v, err := r.League(id)
	if err != nil || v.Status == Statuses[0] {
		return err
	}
	file := LeagueFile(id)
	if _, _, err := r.text(file); err != nil {
		file = LeagueFile(r.defaultLeague) // the default file of its settings
	}
	if v.MovedTo != "" {
		return r.errorf(file, "moved_to", "the league was moved to %s and is not played here; two managers would tell two stories. "+
			"To play it here all the same, set status to %s", v.MovedTo, Statuses[0])
	}
	return r.errorf(file, "status", "the league is %s and is not played; set this to %s to play it", v.Status, Statuses[0])
}

// readLeague parses and validates the settings of the league with that id.
func readLeague(name string, text []byte, id string) (League, error) {
	v := LeagueDefaults()
	v.LeagueID, v.DisplayName, v.GuestReferees = id, id, GuestReferees[0]
	s, err := decode(name, text, &v)
	if err != nil {
		return League{}, err
	}
	return v, errors.Join(
		s.schema(v.SchemaVersion),
		s.must(v.LeagueID == id, "league_id", v.LeagueID, "%q, as the file is called", id),
		s.must(v.GameType != "", "game_type", v.GameType, "a game, such as even_odd"),
		s.oneOf("status", v.Status, Statuses...),
		v.Scoring.check(s),
		v.Participants.check(s),
		v.Schedule.check(s),
		s.calendar(v.Calendar),
		s.least("pace_sec", v.PaceSec),
		s.must(profile.Known(v.Profile), "profile", v.Profile, "one of %s", strings.Join(profile.Names(), ", ")),
		v.Limits.check(s),
		s.within("max_consecutive_forfeits", v.MaxConsecutiveForfeits, 0, many),
		s.within("broadcast_limit", v.BroadcastLimit, 1, many),
		s.oneOf("guest_referees", v.GuestReferees, GuestReferees...),
		s.within("seasons", v.Seasons, 0, MaxSeasons),
		v.checkSeason(s),
		v.checkStart(s),
	)
}

// checkSeason checks the place of a league in a series of seasons.
func (v *League) checkSeason(s *source) error {
	if v.Season == nil {
		return nil
	}
	return errors.Join(
		s.must(ValidID(v.Season.Of) && v.Season.Of != v.LeagueID, "season.of", v.Season.Of, "the id of the first season"),
		s.within("season.number", v.Season.Number, 2, MaxSeasons),
	)
}

// calendar validates the calendar of a league.
func (s *source) calendar(v calendar.Rules) error {
	wrong := v.Check()
	if wrong == nil {
		return nil
	}
	key, why, _ := strings.Cut(wrong.Error(), ": ")
	return s.errorf(key, "%s", why)
}

// checkStart checks the start condition of a league and its built-in agents.
func (v *League) checkStart(s *source) (err error) {
	if v.Start != nil {
		err = errors.Join(
			s.within("start.players", v.Start.Players, 0, v.Participants.MaxPlayers),
			s.within("start.referees", v.Start.Referees, 0, v.Participants.MaxReferees),
			s.least("start.after_sec", v.Start.AfterSec),
			s.must(v.Start.At == "" || !v.Start.Time().IsZero(), "start.at", v.Start.At, "a time such as 2026-11-18T14:00:00+01:00"))
	}
	if v.Bots != nil {
		err = errors.Join(err,
			s.within("house.referees", v.Bots.Referees, 0, v.Participants.MaxReferees),
			s.must(len(v.Bots.Players) <= v.Participants.MaxPlayers,
				"house.players", len(v.Bots.Players), "at most %d", v.Participants.MaxPlayers))
	}
	return err
}

// check checks the timeouts and retries of referees.
func (l *Limits) check(s *source) error {
	if l == nil {
		return nil
	}
	err := s.least("limits.move_timeout_sec", l.MoveTimeoutSec)
	if l.MaxRetries != nil {
		err = errors.Join(err, s.within("limits.max_retries", *l.MaxRetries, 0, 100))
	}
	return err
}

// check validates the points. A loss may be negative, as a penalty; a win and a draw may not.
func (v Scoring) check(s *source) error {
	err := errors.Join(
		s.within("scoring.win_points", v.WinPoints, 0, many),
		s.within("scoring.draw_points", v.DrawPoints, 0, many),
		s.within("scoring.loss_points", v.LossPoints, -many, many),
		s.within("scoring.technical_loss_points", v.TechnicalLossPoints, -many, many),
	)
	for i, rule := range v.Tiebreakers {
		err = errors.Join(err, s.oneOf(fmt.Sprintf("scoring.tiebreakers[%d]", i), rule, protocol.TiebreakRules...))
	}
	return err
}

// check validates the numbers of agents. If a maximum is below its minimum, the error names the maximum.
func (v Participants) check(s *source) error {
	return errors.Join(
		s.within("participants.min_players", v.MinPlayers, 2, many),
		s.within("participants.max_players", v.MaxPlayers, max(2, v.MinPlayers), many),
		s.within("participants.min_referees", v.MinReferees, 1, many),
		s.within("participants.max_referees", v.MaxReferees, max(1, v.MinReferees), many),
	)
}
