package manager

import (
	"context"
	"crypto/sha256"
	"sync/atomic"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/hands"
)

// Options are the parts of a league that have defaults.
type Options struct {
	rpc.Options
	LeagueID       string // default league_2025_even_odd
	Title          string // how the league is called; "": by its id
	Game           Game   // default Even/Odd
	Games          map[string]protocol.GameInfo
	Endpoint       string            // where referees report to
	PublicEndpoint string            // where those outside of its network reach it; default: Endpoint
	Scoring        *protocol.Scoring // default 3, 1, 0, 0
	Tiebreakers    []string          // default Tiebreakers
	Cycles         int               // default 1
	Rounds         int               // play no more than these; 0: all
	PairedDraws    bool              // see [league.CheckPairedDraws], which the caller asks
	MaxForfeits    int               // in a row before a player is out; default 3, negative: never

	MinPlayers, MaxPlayers   int           // default 2 and 10,000
	MinReferees, MaxReferees int           // default 1 and 1,000
	StartPlayers             int           // start when this many players have joined, and
	StartReferees            int           // this many referees; 0 players: do not start by number
	StartAfter               time.Duration // start this long after the league was created; 0: not by time
	StartAt                  time.Time     // start then, whatever StartAfter is; zero: not by time
	Manual                   bool          // start by order only: Window does not apply
	// Window is the registration window of a league with no other start condition and no invited players. Default 60 s,
	// negative: start by order only.
	Window         time.Duration
	Pace           time.Duration // rest between two rounds
	BroadcastLimit int           // above so many players a broadcast is cut to its receiver; default 64

	InvitedOnly   bool   // only agents with a join key may join, and those of the organiser
	GuestReferees string // when other referees than the organiser's may join; default GuestsBeforeStart

	AdminToken string // for those who may start, pause and withdraw; none: nobody may
	// Grants says whom a token in the header of a request was issued to that counts as the admin's. None: no other does.
	Grants     func(ctx context.Context, token string) (who string, err error)
	OpenDoors  bool          // tokens are issued but not checked
	TokenBytes int           // how long the tokens of agents are; default and at most 32
	TokenTTL   time.Duration // from a token's last use; default 24 h
	Holder     string        // who this manager is, in the log
	Version    string        // of this manager, in the log; "": none is logged
	Hold       bool          // start no match before Release: the agents are still coming back
	CreatedBy  string        // who asked for the league, if it is new
	Build      Build         // of this program, in the log of a new league
	// Reading opens a league that is over, and of which everybody has been told, to be read: it is marked as taken
	// over only with its first event, if one comes.
	Reading bool
	// Resumed opens a league that has not started and that this process has closed when it was at rest: it is marked as
	// taken over only with its next event.
	Resumed bool

	// Elsewhere finds the league of that id in the same process; nil: there is none. A message that comes here and
	// names it is handed to it.
	Elsewhere func(id string) OtherLeague
	// Create makes another league in the same process. None: this manager makes no leagues.
	Create func(ctx context.Context, n *protocol.CreateLeague, by string) (OtherLeague, error)

	// Next makes the season after this one, if there is to be one, and returns its id, or "". It is called when the
	// league is over and before anybody is told, and again after a crash: it makes no season twice. None: there is none.
	Next func(ctx context.Context) (id string, err error)
	// Seasons has the league have so many seasons in all. None: this manager takes no such order.
	Seasons func(ctx context.Context, n int, by string) error
	// Regulars are the agents of the season before. The league starts by itself when they are back.
	Regulars league.Regulars
	// Vacant lists the other leagues in the same process that can be joined. None: there are none.
	Vacant func() []string

	Projector league.Projector // shows the league; none: nobody
	Records   league.Records   // keeps the match records that count; none: nobody

	// Shown counts the leagues that this process shows, each of which counts itself: the more there are, the less often
	// each is shown while it is played. None: this is the only one.
	Shown *atomic.Int32

	// Hands are the goroutines by which the leagues of this process call their agents; who gives them ends them. None: each
	// goroutine is a new one.
	Hands *hands.Hands

	// Adopt keeps records that count from where their referee has put them, those that are on this machine and have the
	// hashes given, and reports of each whether it did. None: every record is fetched from its referee.
	Adopt func(referee string, refs []protocol.RecordRef, hashes []string) (kept []bool)

	// Dialect tells how the league's operator wants an agent to be spoken to, whatever it says; "": as it says.
	Dialect func(role protocol.Role, id string) string

	// Room fails with an engine.FullError while there is no room for what is written beside the log, by the
	// manager or by a referee on the same disk. None: only the log tells that its disk is full.
	Room func() error

	// Intact fails with an engine.AwayError while what holds the log is not as it was left. It is asked about once
	// a second. None: only the next event tells.
	Intact func() error

	// KeepHead returns when the head of the log durably covers its newest entry; nil: the log has no head. It is called
	// before LEAGUE_COMPLETED is sent.
	KeepHead func() error

	// LookedAfter says that somebody calls [Manager.Look] about once a second, for many leagues at once. Without it the
	// manager asks Room and Intact by itself.
	LookedAfter bool

	// LastWord is told what a player has signed when it heard that the league is over. It is called from several
	// goroutines and must not wait. None: nobody keeps that.
	LastWord func(player, head, signature string)

	// CheckResult re-derives what a native referee reports. An error refuses the report.
	CheckResult func(r *protocol.MatchResultReport, playerA, playerB string) error

	// Plausible finds figures that contradict each other in the report of another one. An error refuses the report.
	Plausible func(r *protocol.MatchResultReport, playerA, playerB string) error

	// Decide says how a match ends of which a guest has reported the moves. None: no match is given to a guest.
	Decide func(r *protocol.MatchMovesReport, drawKey, playerA, playerB string) (protocol.ReportedResult, error)
}

// An OtherLeague is the manager of another league in the same process: a [Manager], and nothing else.
type OtherLeague interface {
	// Endpoint is where agents reach it.
	Endpoint() string

	wants(msg protocol.Message) bool
	serve(ctx context.Context, t protocol.Type, from rpc.From, msg protocol.Message) (protocol.Message, error)
	acknowledge() (*protocol.LeagueControlAck, error)
}

// Build is the version of a program and the commit that it was built from, as far as they are known.
type Build struct{ Version, Commit string }

// A Game is what a league knows of its game.
type Game struct {
	Type           string
	Digest         string // the SHA-256 of rules that are a file, in hex; "": they are part of the program
	SeatMatters    bool   // it matters who sits first
	GuestsMayJudge bool   // a referee that is not the organiser's may judge it

	Asks protocol.Type // the message that asks a player for a move; default: in the general form
}

// withDefaults fills in what was left at its zero value. The result is what the first event of a new league is
// written from, so a default may change only for leagues yet to be made.
func (o Options) withDefaults() Options {
	if o.LeagueID == "" {
		o.LeagueID = "league_2025_even_odd"
	}
	if o.Game.Type == "" {
		o.Game = Game{Type: "even_odd", GuestsMayJudge: true, Asks: protocol.TypeChooseParityCall}
	}
	if o.Game.Asks == "" {
		o.Game.Asks = protocol.TypeGameMoveCall
	}
	if o.Scoring == nil {
		o.Scoring = &protocol.DefaultScoring
	}
	if o.Tiebreakers == nil {
		o.Tiebreakers = league.Tiebreakers
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
	if o.MaxForfeits == 0 {
		o.MaxForfeits = 3
	}
	for field, otherwise := range map[*int]int{
		&o.Cycles: 1, &o.MinPlayers: 2, &o.MaxPlayers: 10_000, &o.MinReferees: 1, &o.MaxReferees: 1_000,
		&o.BroadcastLimit: 64,
	} {
		if *field == 0 {
			*field = otherwise
		}
	}
	return o
}
