package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"agentleague/config"
	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/store"
)

// inSeasons configures a league as one of several seasons. The number of seasons and their list are only in the files
// of the root.
func (c *Server) inSeasons(l *League) error {
	o := &l.opts
	o.Next = func(ctx context.Context) (string, error) { return c.next(ctx, l) }
	o.Seasons = func(ctx context.Context, n int, by string) error { return c.setSeasons(ctx, l, n, by) }
	o.Vacant = func() []string { return c.vacant(o.LeagueID) }
	if l.Env.League.Season == nil {
		return nil
	}
	var err error
	o.Regulars, err = c.regulars(l.Env)
	return err
}

// next creates the season after a league, if one is due, and returns its id, or "". It is idempotent: an existing
// next season is returned.
func (c *Server) next(ctx context.Context, l *League) (string, error) {
	select {
	case <-c.ready:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	c.creating.Lock()
	defer c.creating.Unlock()
	h := l.Env
	first, number := h.League.FirstSeason(), h.League.SeasonNumber()
	wanted, err := h.SeasonsWanted(first)
	if err != nil || number >= wanted {
		return "", err
	}
	made, err := h.Seasons(first)
	if err != nil {
		return "", err
	}
	if number < len(made) {
		id := made[number]
		if c.shared != nil { // the manager that created it has announced it to the cluster
			return id, nil
		}
		return id, c.join(id, store.IsOver(h.Root, id))
	}
	if err := h.HasRoom(); err != nil {
		return "", notNow(err)
	}
	id := league.NextSeason(l.ID(), h.HasLeague)
	if c.shared != nil {
		err := c.shared.create(ctx, id, l.sequel(c.regularsOf(l), number+1))
		if errors.Is(err, store.ErrLeagueExists) { // the manager that had the league before has created it
			err = nil
		}
		return id, notNow(err)
	}
	if _, err := h.CreateLeague(id, l.sequel(c.regularsOf(l), number+1)); err != nil {
		return "", notNow(err)
	}
	l.opts.Logger.Info(fmt.Sprintf("season %d of %d is %s", number+1, wanted, id), slog.String("league_id", id),
		slog.String("event_type", "SEASON_CREATED"))
	if err := c.join(id, false); err != nil {
		return "", errors.Join(err, c.takeBack(id))
	}
	return id, nil
}

// notNow marks a full-disk failure as temporary.
func notNow(err error) error {
	if host.IsFull(err) {
		return fmt.Errorf("%w: %w", manager.ErrNotNow, err)
	}
	return err
}

// join opens a further season on the server. A server that shuts down leaves it for the next start.
func (c *Server) join(id string, over bool) error {
	c.add(id, func() (*League, error) { return c.open(id) })
	if over {
		return nil
	}
	_, err := c.visit(id)
	if errors.Is(err, errClosing) {
		return nil
	}
	return err
}

// sequel returns the description of the season after a league: the same, but it starts when all agents in good order
// are back. If they are about to be sent there it starts at the end of the registration window at the latest.
func (l *League) sequel(regulars league.Regulars, number int) func(*config.League) {
	return func(v *config.League) {
		id, written := v.LeagueID, v.LastUpdated
		*v = l.Env.League.After(id)
		v.LastUpdated, v.DisplayName = written, l.title(id, number)
		v.CreatedBy = fmt.Sprintf("season %d of %s", number, v.Season.Of)
		v.Start = &config.Start{
			Players:  min(max(regulars.Count(protocol.RolePlayer), v.Participants.MinPlayers), v.Participants.MaxPlayers),
			Referees: min(max(regulars.Count(protocol.RoleReferee), v.Participants.MinReferees), v.Participants.MaxReferees),
		}
		if !l.announced() {
			v.Start.AfterSec = max(l.Env.System.Timeouts.RegistrationWindowSec, shortest)
		}
	}
}

// shortest is a registration window that closes at once.
const shortest = config.Seconds(0.001)

// announced reports whether the agents have been notified of the end of the league.
func (l *League) announced() (yes bool) {
	l.Manager.Read(func(s *league.State) { yes = s.Announced[league.Announced{What: "league"}] })
	return yes
}

// title returns the name of a further season, derived from the first season's name if it has one.
func (l *League) title(id string, number int) string {
	first, err := l.Env.Config().League(l.Env.League.FirstSeason())
	if err != nil || first.DisplayName == "" || first.DisplayName == first.LeagueID {
		return id
	}
	return fmt.Sprintf("%s, season %d", first.DisplayName, number)
}

// regulars returns the agents of the season before a league.
func (c *Server) regulars(h *host.Env) (league.Regulars, error) {
	before, err := seasonBefore(h)
	if err != nil {
		return league.Regulars{}, err
	}
	if l := c.opened(before); l != nil {
		return c.regularsOf(l), nil
	}
	s, err := store.Fold(journal.Path(h.DataDir(), before))
	if err != nil {
		return league.Regulars{}, fmt.Errorf("the season before, %s: %w", before, err)
	}
	return c.awaited(s), nil
}

// seasonBefore returns the id of the season before a league.
func seasonBefore(h *host.Env) (string, error) {
	made, err := h.Seasons(h.League.FirstSeason())
	if err != nil {
		return "", err
	}
	return made[max(slices.Index(made, h.League.LeagueID)-1, 0)], nil
}

// regularsOf returns the agents of an open league.
func (c *Server) regularsOf(l *League) (out league.Regulars) {
	l.Manager.Read(func(s *league.State) { out = c.awaited(s) })
	return out
}

// awaited returns the agents that the next season waits for. Seats of the page are taken anew in each season and are
// not waited for.
func (c *Server) awaited(s *league.State) league.Regulars {
	return league.RegularsOf(s).Without(func(r league.Registered) bool {
		path, here := strings.CutPrefix(r.Endpoint, c.base)
		return here && strings.Contains(path, "/s/")
	})
}

// begin starts the built-in agents of a league. Those of a further season, and the agents that must be brought into
// it, join after they have left the season before.
func (c *Server) begin(l *League) {
	l.inviteListed()
	if l.Env.League.Season == nil || l.over() {
		l.staff()
		return
	}
	id, err := seasonBefore(l.Env)
	before := c.opened(id)
	l.work(func() {
		if err == nil && before != nil {
			select {
			case <-before.Manager.Done():
			case <-l.life.Done():
				return
			}
			before.bots.Wait()
		}
		l.staff()
		l.takeOver(l.life)
	})
}

// takeOver brings agents of the season before into the league if they cannot find it themselves.
func (l *League) takeOver(life context.Context) {
	if l.closed() {
		return
	}
	for _, r := range l.opts.Regulars.All {
		if r.Ours() {
			continue
		}
		if _, err := l.Manager.TakeOver(life, r, "the season before"); err != nil {
			l.opts.Logger.Warn("an agent of the season before does not take part", slog.String("league_id", l.ID()),
				slog.String("name", protocol.Plain(r.Name)), slog.Any("error", err))
		}
	}
}

// setSeasons sets the total number of a league's seasons, from any of its seasons. If the last is over, the next is
// created.
func (c *Server) setSeasons(ctx context.Context, l *League, n int, by string) error {
	h := l.Env
	first := h.League.FirstSeason()
	if err := CheckSeasons(h, n); err != nil {
		return protocol.Errorf(protocol.InvalidMessage, "seasons: %v", err).With("field", "seasons")
	}
	if err := h.PlanSeasons(first, n, protocol.Plain(by)); err != nil {
		return c.refused(err)
	}
	l.opts.Logger.Info("seasons ordered", slog.String("league_id", first), slog.Int("seasons", n), slog.String("by", by))
	made, err := h.Seasons(first)
	if err != nil {
		return err
	}
	return c.goOn(ctx, made[len(made)-1])
}

// CheckSeasons returns an error if a league cannot have n seasons.
func CheckSeasons(h *host.Env, n int) error {
	made, err := h.Seasons(h.League.FirstSeason())
	switch {
	case err != nil:
		return err
	case n < 1 || n > config.MaxSeasons:
		return fmt.Errorf("want 1 to %d, got %d", config.MaxSeasons, n)
	case n < len(made):
		return fmt.Errorf("%s has %d seasons already, got %d", h.League.FirstSeason(), len(made), n)
	}
	return nil
}

// goOn creates the season after a finished league, if one is due and missing.
func (c *Server) goOn(ctx context.Context, id string) error {
	h := c.env
	settings, err := h.Config().League(id)
	if err != nil {
		return err
	}
	first := settings.FirstSeason()
	if wanted, err := h.SeasonsWanted(first); err != nil || settings.SeasonNumber() >= wanted {
		return err
	}
	if made, err := h.Seasons(first); err != nil || made[len(made)-1] != id {
		return err
	}
	l, err := c.visit(id)
	if err != nil || !l.over() {
		return err
	}
	_, err = c.next(ctx, l)
	return err
}

// After returns the season after a finished league, or nil. It does not block.
func (c *Server) After(l *League) (*League, error) {
	id, err := c.next(c.life, l)
	if err != nil || id == "" {
		return nil, err
	}
	return c.visit(id)
}

// sibling returns a lookup of the league's other seasons, for messages that reached the wrong season.
func (c *Server) sibling(of config.League) func(id string) manager.OtherLeague {
	return func(id string) manager.OtherLeague {
		settings, err := c.env.Config().League(id)
		if err != nil || settings.FirstSeason() != of.FirstSeason() {
			return nil
		}
		return c.elsewhere(id)
	}
}

// seasonOf returns the number of a league's season and the total.
func (c *Server) seasonOf(id string) (number, wanted int) {
	h := c.env
	settings, err := h.Config().League(id)
	if err != nil {
		return 1, 1
	}
	if wanted, err = h.SeasonsWanted(settings.FirstSeason()); err != nil {
		wanted = 1
	}
	return settings.SeasonNumber(), max(wanted, settings.SeasonNumber())
}

// Seasons returns the totals over all seasons of a league, from any of their ids.
func (c *Server) Seasons(id string) (league.Series, error) {
	root := c.env.Root
	return store.Seasons(root, id, func(id string, number int) (league.Season, error) {
		if s, known := c.played.Load(id); known {
			return s.(league.Season), nil
		}
		var out league.Season
		var err error
		if l := c.opened(id); l != nil {
			l.Manager.Read(func(s *league.State) { out = league.SeasonOf(s, number) })
		} else {
			out, err = store.ReadSeason(root)(id, number)
		}
		if out.Over() {
			c.played.Store(id, out)
		}
		return out, err
	})
}
