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

	"agentleague/config"
	"agentleague/engine/journal"
	"agentleague/game/catalog"
	"agentleague/host"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/store"
)

// maxBots limits the built-in players of a league.
const maxBots = 256

// ordered creates a league on request by the message CREATE_LEAGUE.
func (o *Organizer) ordered(ctx context.Context, n *protocol.CreateLeague, by string) (manager.OtherLeague, error) {
	id, err := o.Create(ctx, n, by)
	if err != nil {
		return nil, err
	}
	return o.find(id)
}

// Create creates a league and opens it. A league that cannot be opened is removed again.
func (o *Organizer) Create(ctx context.Context, n *protocol.CreateLeague, by string) (id string, err error) {
	o.creating.Lock()
	defer o.creating.Unlock()
	h := o.env
	v, err := describe(o, n, by)
	if err != nil {
		return "", err
	}
	if _, err := h.Config().Game(v.GameType); err != nil {
		return "", protocol.Errorf(protocol.UnsupportedGame, "game_type: %v", err).With("field", "game_type")
	}
	if err := errors.Join(ctx.Err(), h.HasRoom()); err != nil {
		return "", o.refused(err)
	}
	id = cmp.Or(n.LeagueID, o.freeName(v.GameType))
	if o.leagues.place(id) != nil {
		return "", o.refused(fmt.Errorf("%s: %w", id, store.ErrLeagueExists))
	}
	edit := func(made *config.League) {
		if v.DisplayName == v.LeagueID {
			v.DisplayName = made.LeagueID
		}
		v.LeagueID, v.LastUpdated = made.LeagueID, made.LastUpdated
		*made = v
	}
	if err := o.placement.Create(ctx, id, edit); err != nil {
		return "", o.refused(err)
	}
	if err := o.placement.Start(id); err != nil {
		return "", o.refused(errors.Join(err, o.takeBack(id)))
	}
	return id, nil
}

// unnamed is the placeholder id of a league before an id is chosen.
const unnamed = "unnamed"

// describe returns the description of a requested league: the defaults, or the league that it copies, with the changes
// of the message.
func describe(o *Organizer, n *protocol.CreateLeague, by string) (v config.League, err error) {
	if n.LeagueID != "" {
		if err := config.CheckLeagueID(n.LeagueID); err != nil {
			return v, badField("league_id", "%v", err)
		}
	}
	v = config.Described(unnamed)
	v.CreatedBy, v.Start = cmp.Or(protocol.Plain(by), "admin"), &config.Start{Referees: 1}
	if n.Like != "" {
		if v, err = alike(o, n.Like, v); err != nil {
			return v, err
		}
	}
	if err := members(n, &v); err != nil {
		return v, err
	}
	v, err = v.With(n.Settings)
	if err != nil {
		field, _, _ := strings.Cut(err.Error(), ":")
		return v, protocol.Errorf(protocol.InvalidMessage, "%v", err).With("field", field)
	}
	if v.Bots != nil && v.Bots.Referees == 0 {
		v.Bots.Referees = max(v.Start.Referees, 1)
	}
	return v, checkDescription(v, o.env.Rules)
}

// alike returns the settings of league id, with its invited players, as the settings of the new league n.
func alike(o *Organizer, id string, n config.League) (config.League, error) {
	if o.leagues.place(id) == nil {
		return n, badField("like", "this manager has no league %q", id)
	}
	old, err := o.env.Config().League(id)
	if err != nil {
		return n, err
	}
	v := old.Again(n)
	if v.Start == nil {
		v.Start = n.Start
	}
	if l, err := o.leagues.Visit(id); err == nil {
		l.Manager.Read(func(s *league.State) { v.Invited = s.InvitedNames(protocol.RolePlayer, byItself) })
	}
	return v, nil
}

// members copies the JSON members of message n, except its member settings, to the settings v.
func members(n *protocol.CreateLeague, v *config.League) error {
	switch {
	case n.Players != 0 && (n.Players < 2 || n.Players > 10_000):
		return badField("players", "want 2 to 10000, or 0 to start it by hand; got %d", n.Players)
	case n.Referees < 0 || n.Referees > 1000:
		return badField("referees", "want 1 to 1000, got %d", n.Referees)
	case n.Cycles < 0 || n.Cycles > 1000:
		return badField("cycles", "want 1 to 1000, got %d", n.Cycles)
	}
	v.GameType, v.Schedule.Cycles = cmp.Or(n.GameType, v.GameType), cmp.Or(n.Cycles, v.Schedule.Cycles)
	v.Schedule.PairedDraws = v.Schedule.PairedDraws || n.PairedDraws
	start := *v.Start
	start.Players, start.Referees = cmp.Or(n.Players, start.Players), cmp.Or(n.Referees, start.Referees)
	v.Start = &start
	if len(n.Bots) > 0 {
		v.Bots = &config.Bots{Players: slices.Clone(n.Bots), Referees: max(start.Referees, 1)}
	}
	return nil
}

// checkDescription returns an error for a description that is invalid for every league.
func checkDescription(v config.League, games catalog.Catalog) error {
	rules, err := games.Lookup(v.GameType)
	if err != nil {
		return protocol.Errorf(protocol.UnsupportedGame, "game_type: %v", err).With("field", "game_type")
	}
	if v.Schedule.PairedDraws {
		if err := league.CheckPairedDraws(v.Schedule.Cycles, v.GameType, rules.Info().GuestsMayJudge); err != nil {
			return badField("paired_draws", "%v", err)
		}
	}
	if v.Bots == nil {
		return nil
	}
	switch {
	case len(v.Bots.Players) > maxBots:
		return badField("house", "want at most %d built-in players, got %d", maxBots, len(v.Bots.Players))
	case v.Start.Players > 0 && len(v.Bots.Players) > v.Start.Players:
		return badField("house", "%d built-in players are more than the %d that the league starts with", len(v.Bots.Players), v.Start.Players)
	case v.Bots.Referees > maxBots:
		return badField("referees", "want at most %d built-in referees, got %d", maxBots, v.Bots.Referees)
	}
	for i, s := range v.Bots.Players {
		v.Bots.Players[i] = strings.TrimSpace(s)
		if _, err := host.BotFor(s, v.GameType); err != nil {
			return badField("house", "%v", err)
		}
	}
	return nil
}

// badField returns a protocol error for an invalid member of a message.
func badField(field, format string, args ...any) error {
	return protocol.Errorf(protocol.InvalidMessage, "%s: "+format, append([]any{field}, args...)...).With("field", field)
}

// freeName derives an unused league id from its game and the date.
func (o *Organizer) freeName(gameType string) string {
	name := gameType + "_" + time.Now().Format("2006-01-02")
	for n := 2; ; n++ {
		id := name
		if n > 2 {
			id = fmt.Sprintf("%s_%d", name, n-1)
		}
		if o.leagues.place(id) == nil && !o.env.Leagues().Has(id) {
			return id
		}
	}
}

// takeBack removes the files of a league that could not be opened. If the league's log has entries, it leaves the
// files.
func (o *Organizer) takeBack(id string) error {
	o.leagues.remove(id)
	h := o.env
	if info, err := os.Stat(journal.Path(h.DataDir(), id)); err == nil && info.Size() > 0 {
		return nil
	}
	return h.Leagues().Remove(id)
}

// refused maps a failure to create a league to a protocol error.
func (o *Organizer) refused(err error) error {
	var known *protocol.Error
	switch {
	case errors.As(err, &known):
		return err
	case host.IsFull(err):
		return protocol.Errorf(protocol.Internal, "the manager's disk is full and the league was not created; free "+
			"some space and try again").Pass()
	case errors.Is(err, store.ErrLeagueExists):
		return protocol.Errorf(protocol.DuplicateName, "league_id: %v; choose another", err).With("field", "league_id").
			Suggest("Choose another league_id")
	}
	return err
}
