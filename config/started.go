package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
)

// A Started is the configuration of an agent to start: its entry in agents_config.json if its id has one, and otherwise
// the defaults of its role.
type Started struct {
	Name       string   // in the table; "": not configured
	Host       string   // to listen on; "": not configured
	Port       int      // 0: not configured
	League     string   // that it asks for; "": the manager's own
	Version    string   // that it registers with; "": that of the program
	GameTypes  []string // that it plays
	MaxMatches int      // of a referee: at a time
	Strategy   string   // of a player
	Declines   bool     // of a player: it accepts no invitation
	MaxHistory int      // of a player: how many matches it remembers; 0: all
	LLM        LLM      // of a player with the strategy llm
}

// ErrInactive means that the configuration forbids to start an agent.
var ErrInactive = errors.New("is not active; set this to true to start it")

// StartReferee returns the settings for starting a referee. For an inactive referee the error is [ErrInactive].
func (r *Reader) StartReferee(id string) (Started, error) {
	usual, err := r.RefereeDefaults()
	if err != nil {
		return Started{}, err
	}
	out := Started{Version: usual.Version, MaxMatches: usual.MaxConcurrentMatches, GameTypes: usual.GameTypes}
	entry, err := r.RefereeByID(id)
	switch {
	case errors.Is(err, ErrUnknownAgent):
		return out, r.active(usual.Active, refereeFile, "active", cmp.Or(id, "a new referee"))
	case err != nil:
		return Started{}, err
	}
	out.Name, out.Version, out.MaxMatches = entry.DisplayName, cmp.Or(entry.Version, usual.Version), entry.MaxConcurrentMatches
	out.Host, out.Port = said(entry.Endpoint, builtin[Agents]("agents").Referees[0].Endpoint)
	if len(entry.GameTypes) > 0 {
		out.GameTypes = entry.GameTypes
	}
	return out, r.active(entry.Active, AgentsFile, fmt.Sprintf("referees[%d].active", r.indexOf(id)), id)
}

// StartPlayer returns the settings for starting a player. For an inactive player the error is [ErrInactive].
func (r *Reader) StartPlayer(id string) (Started, error) {
	usual, err := r.PlayerDefaults()
	if err != nil {
		return Started{}, err
	}
	out := Started{
		Version: usual.Version, GameTypes: usual.GameTypes, Strategy: usual.Strategy, Declines: !usual.AutoAcceptInvitations,
		MaxHistory: usual.MaxHistorySize, LLM: usual.LLM,
	}
	entry, err := r.PlayerByID(id)
	switch {
	case errors.Is(err, ErrUnknownAgent):
		return out, r.active(usual.Active, playerFile, "active", cmp.Or(id, "a new player"))
	case err != nil:
		return Started{}, err
	}
	out.Name, out.Version = entry.DisplayName, cmp.Or(entry.Version, usual.Version)
	out.Host, out.Port = said(entry.DefaultEndpoint, builtin[Agents]("agents").Players[0].DefaultEndpoint)
	if len(entry.PreferredLeagues) > 0 && entry.PreferredLeagues[0] != r.defaultLeague {
		out.League = entry.PreferredLeagues[0]
	}
	if len(entry.GameTypes) > 0 {
		out.GameTypes = entry.GameTypes
	}
	return out, r.active(entry.Active, AgentsFile, fmt.Sprintf("players[%d].active", r.indexOf(id)), id)
}

// playable returns games, or every game of this program if the list is empty.
func (r *Reader) playable(games []string) []string {
	if len(games) > 0 {
		return games
	}
	return gameTypes(r.rules)
}

// active returns an error that names the file and line of the setting that makes an agent inactive.
func (r *Reader) active(yes bool, file, path, who string) error {
	if yes {
		return nil
	}
	return r.errorf(file, path, "%s %w", who, ErrInactive)
}

// errorf returns an error that names the file and line of a value. The file must be readable.
func (r *Reader) errorf(file, path, format string, args ...any) error {
	text, _, err := r.text(file)
	if err != nil {
		return err
	}
	s, err := parse(file, text)
	if err != nil {
		return err
	}
	return s.errorf(path, format, args...)
}

// indexOf returns where an agent is in its list.
func (r *Reader) indexOf(id string) int {
	agents, err := r.Agents()
	if err != nil {
		return -1
	}
	if i := slices.IndexFunc(agents.Referees, func(a Referee) bool { return a.RefereeID == id }); i >= 0 {
		return i
	}
	return slices.IndexFunc(agents.Players, func(a Player) bool { return a.PlayerID == id })
}

// said returns the host and port of a configured endpoint; "" and 0 for the endpoint of the default file, so that it
// does not override a changed network in system.json.
func said(endpoint, usual string) (host string, port int) {
	u, err := url.Parse(endpoint)
	if endpoint == "" || endpoint == usual || err != nil {
		return "", 0
	}
	port, _ = strconv.Atoi(u.Port()) // 0: it has none
	return u.Hostname(), port
}

// ManagerEndpoint returns the default address of the manager: from agents_config.json, or from network in
// system.json.
func (r *Reader) ManagerEndpoint() (string, error) {
	agents, err := r.Agents()
	if err != nil {
		return "", err
	}
	system, err := r.System()
	if err != nil {
		return "", err
	}
	if at := agents.LeagueManager.Endpoint; at != "" && at != builtin[Agents]("agents").LeagueManager.Endpoint {
		return at, nil
	}
	return fmt.Sprintf("http://%s:%d/mcp", system.Network.BaseHost, system.Network.DefaultLeagueManagerPort), nil
}

// ManagerPort returns the default port of a manager.
func (r *Reader) ManagerPort() (int, error) {
	at, err := r.ManagerEndpoint()
	if err != nil {
		return 0, err
	}
	if _, port := said(at, ""); port != 0 {
		return port, nil
	}
	system, err := r.System()
	return system.Network.DefaultLeagueManagerPort, err
}
