package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"agentleague/config"
	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/league/seasons"
	"agentleague/protocol"
	"agentleague/store"
)

// next creates the season after a league and returns its id, or "" if the league has no further season. It is
// idempotent: if the next season exists, it returns that.
func (o *Organizer) next(ctx context.Context, l *League) (string, error) {
	select {
	case <-o.ready:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	o.creating.Lock()
	defer o.creating.Unlock()
	h := l.Env
	first, number := h.League.FirstSeason(), h.League.SeasonNumber()
	wanted, err := h.Leagues().SeasonsWanted(first)
	if err != nil || number >= wanted && !h.League.Schedule.IsEndless() {
		return "", err
	}
	made, err := h.Leagues().Seasons(first)
	if err != nil {
		return "", err
	}
	if number < len(made) {
		return made[number], o.start(made[number])
	}
	if err := h.HasRoom(); err != nil {
		return "", notNow(err)
	}
	id := seasons.Next(l.ID(), h.Leagues().Has)
	err = o.placement.Create(ctx, id, l.sequel(o.regularsOf(l), number+1))
	if errors.Is(err, store.ErrLeagueExists) { // the process that ran the league before has created it
		return id, o.start(id)
	}
	if err != nil {
		return "", notNow(err)
	}
	l.opts.Logger.Info(fmt.Sprintf("season %d of %d is %s", number+1, wanted, id), slog.String("league_id", id),
		slog.String("event_type", "SEASON_CREATED"))
	if err := o.start(id); err != nil {
		return "", errors.Join(err, o.takeBack(id))
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

// start opens a further season. During a shutdown it does nothing: the next start of the server opens the season.
func (o *Organizer) start(id string) error {
	if err := o.placement.Start(id); !errors.Is(err, ErrClosing) {
		return err
	}
	return nil
}

// sequel returns a function that describes the season after a league: the same, but it starts when all regular agents
// have returned. If the end of l is not announced to its agents yet, it starts at the latest when the registration
// window closes.
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

// shortest is a registration window that closes immediately.
const shortest = config.Seconds(0.001)

// title returns the name of a further season, derived from the first season's name if it has one.
func (l *League) title(id string, number int) string {
	first, err := l.Env.Config().League(l.Env.League.FirstSeason())
	if err != nil || first.DisplayName == "" || first.DisplayName == first.LeagueID {
		return id
	}
	return fmt.Sprintf("%s, season %d", first.DisplayName, number)
}

// regulars returns the agents of the season before h's league that are expected to return.
func (o *Organizer) regulars(h *host.Env) (league.Regulars, error) {
	before, err := SeasonBefore(h)
	if err != nil {
		return league.Regulars{}, err
	}
	if l := o.leagues.Opened(before); l != nil {
		return o.regularsOf(l), nil
	}
	s, err := store.Fold(journal.Path(h.DataDir(), before))
	if err != nil {
		return league.Regulars{}, fmt.Errorf("the season before, %s: %w", before, err)
	}
	return o.awaited(s), nil
}

// regularsOf returns the agents of an open league that are expected in the next season.
func (o *Organizer) regularsOf(l *League) league.Regulars { return stateOf(l, o.awaited) }

// awaited returns the agents that the next season waits for. It excludes seats of the page, which are taken anew in
// each season.
func (o *Organizer) awaited(s *league.State) league.Regulars {
	return league.RegularsOf(s).Without(func(r league.Registered) bool {
		path, here := strings.CutPrefix(r.Endpoint, o.base)
		return here && strings.Contains(path, "/s/")
	})
}

// begin starts the built-in agents of a league, which is open. From the second season on, they start only after the
// manager and the built-in agents of the previous season have ended; then begin also enlists the third-party agents of
// that season, which cannot register themselves again.
func (o *Organizer) begin(l *League) {
	l.inviteListed()
	if l.Env.League.Season == nil || l.over() {
		l.staff()
		return
	}
	id, err := SeasonBefore(l.Env)
	before := o.leagues.Opened(id)
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

// takeOver enlists the agents of the season before that cannot register themselves.
func (l *League) takeOver(life context.Context) {
	if l.closed() {
		return
	}
	for _, r := range l.opts.Regulars.All {
		if r.Ours() {
			continue
		}
		if _, err := l.Manager.Registrar.TakeOver(life, r, "the season before"); err != nil {
			l.opts.Logger.Warn("an agent of the season before does not take part", slog.String("league_id", l.ID()),
				slog.String("name", protocol.Plain(r.Name)), slog.Any("error", err))
		}
	}
}

// setSeasons sets the total number of seasons; l is any of them. If the last season is over, it creates the next.
func (o *Organizer) setSeasons(ctx context.Context, l *League, n int, by string) error {
	h := l.Env
	first := h.League.FirstSeason()
	if err := CheckSeasons(h, n); err != nil {
		return protocol.Errorf(protocol.InvalidMessage, "seasons: %v", err).With("field", "seasons")
	}
	if err := h.Leagues().PlanSeasons(first, n, protocol.Plain(by)); err != nil {
		return o.refused(err)
	}
	l.opts.Logger.Info("seasons ordered", slog.String("league_id", first), slog.Int("seasons", n), slog.String("by", by))
	made, err := h.Leagues().Seasons(first)
	if err != nil {
		return err
	}
	return o.goOn(ctx, made[len(made)-1])
}

// CheckSeasons returns an error if a league cannot have n seasons.
func CheckSeasons(h *host.Env, n int) error {
	made, err := h.Leagues().Seasons(h.League.FirstSeason())
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

// goOn creates the season after a finished league unless it exists or none is due.
func (o *Organizer) goOn(ctx context.Context, id string) error {
	h := o.env
	settings, err := h.Config().League(id)
	if err != nil {
		return err
	}
	first := settings.FirstSeason()
	if wanted, err := h.Leagues().SeasonsWanted(first); err != nil || settings.SeasonNumber() >= wanted {
		return err
	}
	if made, err := h.Leagues().Seasons(first); err != nil || made[len(made)-1] != id {
		return err
	}
	l, err := o.leagues.Visit(id)
	if err != nil || !l.over() {
		return err
	}
	_, err = o.next(ctx, l)
	return err
}

// After returns the season after a finished league, opened, or nil if none is due. It creates the season if it is
// missing, and waits until the first league is served.
func (o *Organizer) After(l *League) (*League, error) {
	id, err := o.next(o.life, l)
	if err != nil || id == "" {
		return nil, err
	}
	return o.leagues.Visit(id)
}

// seasonOf returns the number of the season that league id is, from 1, and the planned number of seasons.
func (o *Organizer) seasonOf(id string) (number, planned int) {
	h := o.env
	settings, err := h.Config().League(id)
	if err != nil {
		return 1, 1
	}
	if planned, err = h.Leagues().SeasonsWanted(settings.FirstSeason()); err != nil {
		planned = 1
	}
	return settings.SeasonNumber(), max(planned, settings.SeasonNumber())
}

// Series returns the totals over all seasons of a league; id is any of them.
func (o *Organizer) Series(id string) (seasons.Series, error) {
	root := o.env.Root
	return store.Seasons(root, id, func(id string, number int) (seasons.Season, error) {
		if s, known := o.played.Load(id); known {
			return s.(seasons.Season), nil
		}
		var out seasons.Season
		var err error
		if l := o.leagues.Opened(id); l != nil {
			l.Manager.Read(func(s *league.State) { out = seasons.Of(s, number) })
		} else {
			out, err = store.ReadSeason(root)(id, number)
		}
		if out.Over() {
			o.played.Store(id, out)
		}
		return out, err
	})
}
