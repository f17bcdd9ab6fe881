package web

import (
	"context"
	"io"
	"log/slog"
	"net/http"

	"agentleague/league"
	"agentleague/protocol"
)

// A Host is what runs behind the pages.
type Host interface {
	Leagues() []string // ids, the root's default league first, then in the order of creation
	League(id string) (Season, bool)
	Create(ctx context.Context, n NewLeague) (id string, err error)
}

// A NewLeague is a league that somebody wants.
type NewLeague struct {
	ID       string `json:"league_id"` // empty: made up from the game and the date
	Game     string `json:"game_type"`
	Players  int    `json:"players"` // start once this many have joined; 0: when ordered
	Referees int    `json:"referees"`
	Cycles   int    `json:"cycles"`
	// PairedDraws has every other cycle repeat the draws of the one before, with seats swapped.
	PairedDraws bool     `json:"paired_draws,omitempty"`
	Bots        []string `json:"house"`          // strategies of built-in players to add, one each, and with them as many referees as Referees says
	Like        string   `json:"like,omitempty"` // a league whose description is repeated
	// Settings are further keys of config/leagues/ID.json.
	Settings map[string]any `json:"settings,omitempty"`
}

// A Choice is one of several that a form offers.
type Choice struct {
	Value string `json:"value"`
	Label string `json:"label"`
	// Games are those that a strategy plays; none: all.
	Games []string `json:"games,omitempty"`
}

// Options are what the pages show and do. Only Host is needed: what is nil is not offered.
type Options struct {
	Host  Host
	Admin func(token string) error // nil: the admin's
	Check func(ctx context.Context, endpoint string, role protocol.Role) (protocol.Report, error)
	// plays one match with a player that counts nowhere; nil, nil: not in this league, or not with this one
	Practise func(ctx context.Context, league, endpoint string) (*protocol.Practice, error)
	// adds an agent that did not register itself
	Enlist func(ctx context.Context, league, endpoint, name string, role protocol.Role) (id string, err error)
	Record func(ctx context.Context, league, match string) (protocol.MatchRecord, error) // a match as it went
	// Live is a match in play, as its referee tells everybody: what a spectator may see.
	Live   func(ctx context.Context, league, match string) (*protocol.MatchState, error)
	Verify func(ctx context.Context, league, match string) (Proof, error)
	Seat   func(ctx context.Context, league, name, from string) (Seat, error) // takes a seat for a person, who asks from an address
	Seated func(league, key string) (Seat, bool)                              // a seat that was taken, by its key
	Report func(ctx context.Context, league string, w io.Writer) error        // the standalone HTML report

	// State is the state of a league in the protocol's words as far as that is known, "" otherwise, and whether it
	// may be another by now: that of a league that is closed is not. It is quick and opens none. None: all may be.
	State func(id string) (state string, changing bool)

	// Archived reports whether a league was put away, and Shelve puts one away or brings it back.
	Archived func(id string) bool
	Shelve   func(ctx context.Context, id string, back bool, by string) error

	Seasons  func(id string) (league.Series, error) // all seasons of a league
	SeasonOf func(id string) (number, wanted int)   // which season a league is, of how many there are to be

	// Document is the record of a match, byte for byte; Archive writes the files that `league verify` reads, as a zip.
	Document func(ctx context.Context, league, match string) ([]byte, error)
	Archive  func(ctx context.Context, league string, w io.Writer) error

	// Go runs what takes longer than a request; its context ends with the manager, who waits for it. Default: nobody
	// waits.
	Go func(f func(ctx context.Context))

	Title      func(league string) string   // how a league is called; default: its id
	Game       func(gameType string) string // how a game is called; default: its type
	Rules      func(gameType string) string // the rules of a game in a paragraph; "": not known
	Games      []Choice                     // that a league can be created with
	Strategies []Choice                     // of built-in players
	Version    string                       // of the program
	SessionKey []byte                       // secret of several sites: who has logged in to one is known to all; nil: to this one
	Public     string                       // the address at which others reach the site, such as https://example.org/spring; "": as they came
	Address    func(*http.Request) string   // of a client, by which logins are throttled; default: that of the connection
	Viewers    int                          // how many may follow at a time; default 4,096
	Logger     *slog.Logger                 // default: none
}
