package manager

import (
	"cmp"
	"context"
	"crypto/sha256"
	"sync/atomic"
	"time"

	"agentleague/config"
	"agentleague/dialect/profile"
	"agentleague/format"
	"agentleague/league"
	"agentleague/league/calendar"
	"agentleague/mailbox"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/workerpool"
)

// Options describe a league. Zero values are replaced by those of [config.LeagueDefaults] where it has them.
type Options struct {
	rpc.Options
	LeagueID       string
	Title          string // how the league is called; "": by its id
	Game           Game
	Games          map[string]protocol.GameInfo
	Office         *mailbox.Office // of the agents' mailboxes; nil: none
	Endpoint       string          // where referees report to
	PublicEndpoint string          // where those outside of its network reach it; default: Endpoint
	Scoring        *protocol.Scoring
	Tiebreakers    []string
	Schedule       format.Settings // of the pairings; Cycles, Rounds and PairedDraws are of the fixed round robin
	Cycles         int
	Rounds         int  // play no more than these; 0: all
	PairedDraws    bool // see [league.CheckPairedDraws], which the caller asks
	MaxForfeits    int  // in a row before a player is out; negative: never

	MinPlayers, MaxPlayers   int
	MinReferees, MaxReferees int
	StartPlayers             int           // start when this many players have joined, and
	StartReferees            int           // this many referees; 0 players: do not start by number
	StartAfter               time.Duration // start this long after the league was created; 0: not by time
	StartAt                  time.Time     // start then, overrides StartAfter; zero: not by time
	Manual                   bool          // start by order only: Window does not apply
	// Window is the registration window of a league with no other start condition and no invited players. Default 60 s,
	// negative: start by order only.
	Window         time.Duration
	Pace           time.Duration  // rest between two rounds
	Calendar       calendar.Rules // of the rounds; the log has it
	BroadcastLimit int            // a broadcast with more rows is cut to its receiver

	InvitedOnly   bool   // only agents with a join key may join, and those of the organiser
	GuestReferees string // when other referees than the organiser's may join; default GuestsBeforeStart

	AdminToken string // authorizes the admin's orders; none: all are refused
	// Grants verifies an access token from a request's header that authorizes orders like the admin token, and returns
	// its subject. If nil, there are no such tokens.
	Grants     func(ctx context.Context, token string) (who string, err error)
	OpenDoors  bool          // tokens are issued but not checked
	TokenBytes int           // how long the tokens of agents are; default and at most 32
	TokenTTL   time.Duration // from a token's last use; default 24 h
	Holder     string        // the identity of this manager, in the log
	Version    string        // of this manager, in the log; "": none is logged
	Hold       bool          // start no match before Release: the agents are still coming back
	CreatedBy  string        // the origin of the league, if it is new
	Build      Build         // of this program, in the log of a new league
	// Reading opens a finished league, whose agents have been notified, for reading. The log records the takeover only
	// together with the first new event, if one is written.
	Reading bool
	// Resumed reopens a league that has not started and that this process closed while it was idle. The log records the
	// takeover only together with the next event.
	Resumed bool

	// Elsewhere returns the league with that id in the same process, or nil. A message with that id is passed to the
	// returned league.
	Elsewhere func(id string) OtherLeague
	// Create creates another league in the same process; by is the origin of the order. If nil, the manager refuses such
	// orders.
	Create func(ctx context.Context, n *protocol.CreateLeague, by string) (OtherLeague, error)

	// Next creates the season after this one, if there is to be one, and returns its id, or "". The manager calls it when
	// the league is over, before it announces the end, and again after a crash: it must be idempotent. If nil, there is no
	// next season.
	Next func(ctx context.Context) (id string, err error)
	// Seasons sets the total number of seasons to n; by is the origin of the order. If nil, the manager refuses such
	// orders.
	Seasons func(ctx context.Context, n int, by string) error
	// Regulars are the agents of the previous season. The league starts automatically when they have registered again.
	Regulars league.Regulars
	// RatingOf is consulted for seeds, and when a ladder is continued. If nil, no player has a rating.
	RatingOf league.RatingOf
	// Vacant lists the other leagues in the same process that can be joined. If nil, there are none.
	Vacant func() []string

	Projector league.Projector // shows the league; may be nil
	Records   league.Records   // stores the match records that count; may be nil

	// Shown counts the leagues for which this process writes read models; each manager adds itself. The higher the
	// count, the less often each league's files are written during play. If nil, this is the only league.
	Shown *atomic.Int32

	// Workers is the pool that runs the calls of all leagues of this process to agents. The caller closes it. If nil,
	// each call runs on a new goroutine.
	Workers *workerpool.Pool

	// Adopt stores records of counted matches from a referee's files on this machine, if those files have them with the
	// given hashes. It reports for each record whether it was stored. If nil, every record is fetched from its referee.
	Adopt func(referee string, refs []protocol.RecordRef, hashes []string) (kept []bool)

	// Dialect returns the dialect (see package dialect) that the league's operator sets for an agent; "" means that the
	// agent chooses.
	Dialect func(role protocol.Role, id string) string

	// Room returns an engine.FullError while the disk has no room for other files than the log: those of the manager,
	// or of a referee on the same disk. If nil, only a failed write to the log detects a full disk.
	Room func() error

	// Intact returns an engine.AwayError while the log's storage is missing or changed. It is called about once a
	// second. If nil, only the next write to the log detects that.
	Intact func() error

	// KeepHead durably stores the hash of the newest log entry before it returns. The manager calls it before it sends
	// LEAGUE_COMPLETED. If nil, no hash is stored outside of the log.
	KeepHead func() error

	// LookedAfter declares that the caller of Open calls [Manager.Look] about once a second. If false, the manager
	// polls Room and Intact.
	LookedAfter bool

	// FinalSignature is called with a player's signature of the hash that ends the league's log. It is called from
	// several goroutines and must not block. Nil: signatures are dropped.
	FinalSignature func(player, head, signature string)

	// CheckResult verifies the report of a native referee by computing the result again. An error refuses the report.
	CheckResult func(r *protocol.MatchResultReport, playerA, playerB string) error

	// Plausible returns an error if figures in the report of a third-party referee contradict each other.
	Plausible func(r *protocol.MatchResultReport, playerA, playerB string) error

	// Decide returns the result of a match from the moves that a guest referee has reported. If nil, guest referees get
	// no matches.
	Decide func(r *protocol.MatchMovesReport, drawKey, playerA, playerB string) (protocol.ReportedResult, error)
}

func (o *Options) scheduling() *league.Scheduling {
	return &league.Scheduling{Settings: o.Schedule, Version: o.Build.Version, Commit: o.Build.Commit, RatingOf: o.RatingOf}
}

// An OtherLeague is the manager of another league: a [Manager] in the same process, or, for a league in another
// process, the result of [Abroad].
type OtherLeague interface {
	// Endpoint returns the URL at which agents reach the league.
	Endpoint() string

	wants(msg protocol.Message) bool
	serve(ctx context.Context, t protocol.Type, from rpc.From, msg protocol.Message) (protocol.Message, error)
	acknowledge() (*protocol.LeagueControlAck, error)
}

// Build is the version of a program and its commit, as far as they are known.
type Build struct{ Version, Commit string }

// A Game describes the game of a league.
type Game struct {
	Type           string
	Digest         string // the SHA-256 of rules that are a file, in hex; "": they are part of the program
	SeatMatters    bool   // the order of seats matters
	GuestsMayJudge bool   // a referee that is not the organiser's may judge it

	Asks protocol.Message // an example of the question for a move; default: in the general form, without a position
}

// Describe copies the settings of a league's configuration into the options. A new setting needs a line here.
func (o *Options) Describe(v config.League) {
	o.LeagueID, o.Title, o.CreatedBy = v.LeagueID, v.DisplayName, v.CreatedBy
	o.Scoring, o.Tiebreakers = new(v.Scoring.Points()), v.Scoring.Tiebreakers
	o.Cycles, o.Rounds, o.PairedDraws = v.Schedule.Meetings(), v.Schedule.Rounds, v.Schedule.PairedDraws
	o.Schedule = v.Schedule.Settings(v.Strict)
	if o.MaxForfeits = v.MaxConsecutiveForfeits; o.MaxForfeits == 0 {
		o.MaxForfeits = -1
	}
	p := v.Participants
	o.MinPlayers, o.MaxPlayers, o.MinReferees, o.MaxReferees = p.MinPlayers, p.MaxPlayers, p.MinReferees, p.MaxReferees
	o.InvitedOnly, o.GuestReferees = v.InvitedOnly, v.GuestReferees
	o.Pace, o.Calendar = v.PaceSec.Duration(), v.Calendar
	o.Strict, o.BroadcastLimit = v.Strict, v.BroadcastLimit
	o.Profile = profile.New(v.Profile, v.LeagueID)
	if s := v.Start; s != nil {
		o.StartPlayers, o.StartReferees, o.StartAfter, o.StartAt = s.Players, s.Referees, s.AfterSec.Duration(), s.Time()
		o.Manual = true
	}
}

// withDefaults fills in zero values. The first event of a new league is written from the result, so a changed default
// affects only new leagues.
func (o Options) withDefaults() Options {
	d := config.LeagueDefaults()
	o.LeagueID = cmp.Or(o.LeagueID, d.LeagueID)
	if o.Game.Type == "" {
		o.Game = Game{Type: d.GameType, GuestsMayJudge: true, Asks: &protocol.ChooseParityCall{
			Envelope: protocol.Envelope{MessageType: protocol.TypeChooseParityCall},
		}}
	}
	if o.Game.Asks == nil {
		o.Game.Asks = &protocol.GameMoveCall{Envelope: protocol.Envelope{MessageType: protocol.TypeGameMoveCall}}
	}
	if o.Scoring == nil {
		o.Scoring = new(d.Scoring.Points())
	}
	if o.Tiebreakers == nil {
		o.Tiebreakers = d.Scoring.Tiebreakers
	}
	if o.TokenBytes == 0 {
		o.TokenBytes = sha256.Size
	}
	if o.TokenTTL == 0 {
		o.TokenTTL = 24 * time.Hour
	}
	if o.GuestReferees == "" {
		o.GuestReferees = league.GuestsBeforeStart
	}
	if o.Window == 0 {
		o.Window = time.Minute
	}
	for field, otherwise := range map[*int]int{
		&o.Cycles: d.Schedule.Cycles, &o.MaxForfeits: d.MaxConsecutiveForfeits,
		&o.MinPlayers: d.Participants.MinPlayers, &o.MaxPlayers: d.Participants.MaxPlayers,
		&o.MinReferees: d.Participants.MinReferees, &o.MaxReferees: d.Participants.MaxReferees,
		&o.BroadcastLimit: d.BroadcastLimit,
	} {
		*field = cmp.Or(*field, otherwise)
	}
	return o
}
