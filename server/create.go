package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"agentleague/cluster"
	"agentleague/config"
	"agentleague/engine/journal"
	"agentleague/files"
	"agentleague/game/catalog"
	"agentleague/host"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
)

// maxBots is how many built-in players a league may have.
const maxBots = 256

// ordered makes the league that the admin asks for over the wire.
func (c *Server) ordered(ctx context.Context, n *protocol.CreateLeague, by string) (manager.OtherLeague, error) {
	id, err := c.create(ctx, n, by)
	if err != nil {
		return nil, err
	}
	l, err := c.visit(id)
	if errors.Is(err, errNotMine) {
		return c.abroad(id), nil
	}
	if err != nil {
		return nil, err
	}
	return l.Manager, nil
}

// create makes a league, with settings of its own, and opens it. One that could
// not be opened leaves nothing behind.
func (c *Server) create(ctx context.Context, n *protocol.CreateLeague, by string) (id string, err error) {
	c.creating.Lock()
	defer c.creating.Unlock()
	if err := checkNew(n, c.env.Rules); err != nil {
		return "", err
	}
	h := c.env
	if _, err := h.Config().Game(n.GameType); err != nil {
		return "", protocol.Errorf(protocol.UnsupportedGame, "game_type: %v", err).With("field", "game_type")
	}
	if err := errors.Join(ctx.Err(), h.HasRoom()); err != nil {
		return "", c.refused(err)
	}
	id = n.LeagueID
	if id == "" {
		id = c.freeName(n.GameType)
	}
	if c.place(id) != nil {
		return "", c.refused(fmt.Errorf("%s: %w", id, files.ErrLeagueExists))
	}
	if c.shared != nil {
		return id, c.refused(c.shared.create(ctx, id, settingsOf(n, by)))
	}
	if _, err := h.CreateLeague(id, settingsOf(n, by)); err != nil {
		return "", c.refused(err)
	}
	c.add(id, func() (*League, error) { return c.open(id) })
	if _, err := c.visit(id); err != nil {
		return "", c.refused(errors.Join(err, c.takeBack(id)))
	}
	return id, nil
}

// checkNew refuses what cannot be a league, and fills in what was left open.
func checkNew(n *protocol.CreateLeague, games catalog.Catalog) error {
	bad := func(field, format string, args ...any) error {
		return protocol.Errorf(protocol.InvalidMessage, "%s: "+format, append([]any{field}, args...)...).With("field", field)
	}
	if n.GameType == "" {
		n.GameType = "even_odd"
	}
	rules, err := games.Lookup(n.GameType)
	if err != nil {
		return protocol.Errorf(protocol.UnsupportedGame, "game_type: %v", err).With("field", "game_type")
	}
	if n.Cycles == 0 {
		n.Cycles = 1
	}
	if n.PairedDraws {
		if err := league.CheckPairedDraws(n.Cycles, n.GameType, rules.Info().GuestsMayJudge); err != nil {
			return bad("paired_draws", "%v", err)
		}
	}
	if n.Referees == 0 {
		n.Referees = 1
	}
	switch {
	case n.Players != 0 && (n.Players < 2 || n.Players > 10_000):
		return bad("players", "want 2 to 10000, or 0 to start it by hand; got %d", n.Players)
	case n.Referees < 1 || n.Referees > 1000:
		return bad("referees", "want 1 to 1000, got %d", n.Referees)
	case n.Cycles < 1 || n.Cycles > 1000:
		return bad("cycles", "want 1 to 1000, got %d", n.Cycles)
	case len(n.Bots) > maxBots:
		return bad("house", "want at most %d built-in players, got %d", maxBots, len(n.Bots))
	case n.Players > 0 && len(n.Bots) > n.Players:
		return bad("house", "%d built-in players are more than the %d that the league starts with", len(n.Bots), n.Players)
	case len(n.Bots) > 0 && n.Referees > maxBots:
		return bad("referees", "want at most %d built-in referees, got %d", maxBots, n.Referees)
	}
	for i, s := range n.Bots {
		n.Bots[i] = strings.TrimSpace(s)
		if _, err := host.BotFor(s, n.GameType); err != nil {
			return bad("house", "%v", err)
		}
	}
	if n.LeagueID == "" {
		return nil
	}
	if err := config.CheckLeagueID(n.LeagueID); err != nil {
		return bad("league_id", "%v", err)
	}
	return nil
}

// settingsOf makes of what was asked for the settings of a league.
func settingsOf(n *protocol.CreateLeague, by string) func(*config.League) {
	return func(v *config.League) {
		v.GameType, v.CreatedBy = n.GameType, cmp.Or(protocol.Plain(by), "admin")
		v.Schedule.Cycles, v.Schedule.PairedDraws = n.Cycles, n.PairedDraws
		v.Start = &config.Start{Players: n.Players, Referees: n.Referees}
		if len(n.Bots) > 0 {
			v.Bots = &config.Bots{Players: slices.Clone(n.Bots), Referees: n.Referees}
		}
	}
}

// freeName makes up the name of a league from its game and the date.
func (c *Server) freeName(gameType string) string {
	name := gameType + "_" + time.Now().Format("2006-01-02")
	for n := 2; ; n++ {
		id := name
		if n > 2 {
			id = fmt.Sprintf("%s_%d", name, n-1)
		}
		if c.place(id) == nil && !c.env.HasLeague(id) {
			return id
		}
	}
}

// takeBack removes a league that could not be opened, unless its log has begun.
func (c *Server) takeBack(id string) error {
	c.remove(id)
	h := c.env
	if info, err := os.Stat(journal.Path(h.DataDir(), id)); err == nil && info.Size() > 0 {
		return nil
	}
	return h.RemoveLeague(id)
}

// refused says over the wire why a league could not be made.
func (c *Server) refused(err error) error {
	var known *protocol.Error
	switch {
	case errors.As(err, &known):
		return err
	case host.IsFull(err):
		return protocol.Errorf(protocol.Internal, "the manager's disk is full and the league was not created; free "+
			"some space and try again").Pass()
	case errors.Is(err, files.ErrLeagueExists):
		return protocol.Errorf(protocol.DuplicateName, "league_id: %v; choose another", err).With("field", "league_id").
			Suggest("Choose another league_id")
	case errors.Is(err, cluster.ErrReserved):
		return protocol.Errorf(protocol.InvalidMessage, "league_id: %v", err).With("field", "league_id")
	}
	return err
}
