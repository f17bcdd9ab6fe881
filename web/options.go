package web

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"

	"agentleague/internal/roster"
	"agentleague/league/seasons"
	"agentleague/protocol"
)

// A Host provides the leagues behind the pages.
type Host interface {
	Leagues() []string // ids, the data directory's default league first, then in the order of creation
	League(id string) (Season, bool)
	Create(ctx context.Context, n NewLeague) (id string, err error)
}

// A NewLeague describes a league to create.
type NewLeague struct {
	ID       string `json:"league_id"` // empty: made up from the game and the date
	Game     string `json:"game_type"`
	Players  int    `json:"players"` // start once this many have joined; 0: on an order
	Referees int    `json:"referees"`
	Cycles   int    `json:"cycles"`
	// PairedDraws has every other cycle repeat the draws of the one before, with seats swapped.
	PairedDraws bool     `json:"paired_draws,omitempty"`
	Bots        []string `json:"house"`          // strategies of built-in players to add, one each, with the number of referees in Referees
	Like        string   `json:"like,omitempty"` // a league whose description is copied
	// Settings are further keys of config/leagues/ID.json.
	Settings map[string]any `json:"settings,omitempty"`
}

// A Choice is one option of a selection in a form.
type Choice struct {
	Value string `json:"value"`
	Label string `json:"label"`
	// Games are the games that a strategy plays; none: all.
	Games []string `json:"games,omitempty"`
}

// Options configure the pages and their actions. Only Host is required: a nil field disables a feature.
type Options struct {
	Host  Host
	Admin func(token string) error // nil: the admin's
	Check func(ctx context.Context, endpoint string, role protocol.Role) (protocol.Report, error)
	// plays one unrated match with a player; nil, nil: not possible in this league, or with this player
	Practise func(ctx context.Context, league, endpoint string) (*protocol.Practice, error)
	// adds an agent that did not register itself
	Enlist func(ctx context.Context, league, endpoint, name string, role protocol.Role) (id string, err error)
	// Record returns a match's record, or a [RemovedError].
	Record func(ctx context.Context, league, match string) (protocol.MatchRecord, error)
	// Live returns the public state of a match in play, from its referee.
	Live   func(ctx context.Context, league, match string) (*protocol.MatchState, error)
	Verify func(ctx context.Context, league, match string) (Proof, error)
	// Mistake returns the turn, from 1, of the move that lost a finished match; 0 if there is none or the game cannot be searched.
	Mistake func(ctx context.Context, league, match string) (int, error)
	// Retrace returns the positions of a finished match from its moves: the spectator's view before each turn and the
	// end. It is needed for matches without a record.
	Retrace func(league, match string) ([]json.RawMessage, error)
	Seat    func(ctx context.Context, league, name, from string) (Seat, error) // takes a seat for a person at an address
	Seated  func(league, key string) (Seat, bool)                              // a seat that was taken, by its key
	Report  func(ctx context.Context, league string, w io.Writer) error        // the standalone HTML report

	// State returns the state of a league by its protocol name, or "" if unknown, and whether it may be outdated: the
	// state of a closed league is final. It is fast and opens no league. Nil: every state may be outdated.
	State func(id string) (state string, changing bool)

	// Archived reports whether a league is archived. Shelve archives a league or, if back is set, restores it.
	Archived func(id string) bool
	Shelve   func(ctx context.Context, id string, back bool, by string) error

	// Roster returns the roster of a league's class; an empty one stands for its invitations, which is the default.
	Roster func(league string) (roster.Roster, error)

	Seasons  func(id string) (seasons.Series, error) // all seasons of a league
	SeasonOf func(id string) (number, wanted int)    // the number of a league's season, and the total

	// Document returns the record of a match, byte for byte; Archive writes the files that `league verify` reads, as
	// a zip.
	Document func(ctx context.Context, league, match string) ([]byte, error)
	Archive  func(ctx context.Context, league string, w io.Writer) error

	// Go runs a task that takes longer than a request; the manager cancels its context at its end, and waits for it.
	// Default: a plain goroutine.
	Go func(f func(ctx context.Context))

	Title      func(league string) string   // the title of a league; default: its id
	Game       func(gameType string) string // the name of a game; default: its type
	Rules      func(gameType string) string // the rules of a game in a paragraph; "": unknown
	Games      []Choice                     // that a league can be created with
	Strategies []Choice                     // of built-in players
	Version    string                       // of the program
	SessionKey []byte                       // the shared secret of several sites: a login to one is valid at all; nil: at this one only
	Public     string                       // the address of the site for external clients, such as https://example.org/spring; "": the address of each request
	Address    func(*http.Request) string   // of a client, by which logins are throttled; default: that of the connection
	Viewers    int                          // the limit of concurrent viewers; default 4,096
	Logger     *slog.Logger                 // default: none
}

// setDefaults fills in the options that have a default.
func (o *Options) setDefaults() {
	if o.Go == nil {
		o.Go = func(f func(context.Context)) { go f(context.Background()) }
	}
	if o.Roster == nil {
		o.Roster = func(string) (list roster.Roster, err error) { return list, nil }
	}
	if o.Title == nil {
		o.Title = func(league string) string { return league }
	}
	if o.Game == nil {
		o.Game = func(gameType string) string { return gameType }
	}
	if o.Address == nil {
		o.Address = addressIn
	}
	o.Viewers = cmp.Or(o.Viewers, 4096)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
}
