package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agentleague/config"
	"agentleague/dialect/profile"
	"agentleague/engine/journal"
	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/host"
	"agentleague/internal/cli/usage"
	"agentleague/internal/roster"
	"agentleague/league"
	"agentleague/server"
	"agentleague/store"
)

// A leagueFlag is a flag that sets one key of a league's description.
type leagueFlag struct {
	name, key string
	kind      flagKind
	usage     string
}

// A flagKind reads the text of a flag.
type flagKind struct {
	name string // in the help
	read func(text string) (any, error)
}

var (
	aNumber = flagKind{"int", func(text string) (any, error) { return strconv.Atoi(text) }}
	aText   = flagKind{"string", func(text string) (any, error) { return text, nil }}
	aList   = flagKind{"strings", func(text string) (any, error) {
		return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }), nil
	}}
	aSwitch = flagKind{"bool", func(text string) (any, error) { return strconv.ParseBool(text) }}
	aTime   = flagKind{"duration", func(text string) (any, error) {
		d, err := time.ParseDuration(text)
		return d.Seconds(), err
	}}
	players = flagKind{"strings", func(text string) (any, error) { return host.SplitSpecs(text), nil }}
	names   = flagKind{"file", func(file string) (any, error) {
		r, err := roster.Read(file)
		return r.Names(), err
	}}
)

// gamesText is the help text of the --game flag.
var gamesText = "the game: " + strings.Join(catalog.Types(), ", ")

// profileHelp is the help text of the --profile flags.
var profileHelp = "send messages word for word as one document has them: " + strings.Join(profile.Names(), ", ") +
	"; see docs/guide/leagues.md"

// leagueFlagTable lists the flags that `league run`, `manager` and `create` share. The default of each is that of its key.
var leagueFlagTable = []leagueFlag{
	{"title", "display_name", aText, "what people call the league (default: its id)"},
	{"game", "game_type", aText, gamesText + ", or a game of the root (default: the league's setting, even_odd)"},
	{"format", "schedule.format", aText, "how players are paired: " + strings.Join(config.Formats(), ", ") +
		" (default: the league's setting, round_robin)"},
	{"cycles", "schedule.cycles", aNumber, "how many times each pair of a round robin meets (default: the league's setting, 1)"},
	{"rounds", "schedule.rounds", aNumber, "play at most this many rounds; 0 plays all that the format has"},
	{"legs", "schedule.legs", aNumber, "matches of each pairing, with swapped seats (default: the format's)"},
	{"best-of", "schedule.knockout.best_of", aNumber, "matches of each pair of a knockout"},
	{"challengers", "schedule.gauntlet.challengers", aNumber, "how many players of a gauntlet meet all others (default 1)"},
	{"seeding", "schedule.seeding", aText, "the order of the seeds: roster, rating or lot (default roster)"},
	{"season-matches", "schedule.ladder.matches", aNumber, "matches after which a ladder without --rounds begins its next season (default 100000)"},
	{"anchors", "schedule.ladder.anchors", aSwitch, "keep the ratings of a ladder's built-in players (--bots), so that the others are measured by them"},
	{"late", "schedule.late.until", aNumber, "the last round from which a player may join; 0 is half of the rounds, 1 none (default: the league's setting, 0)"},
	{"missed", "schedule.late.missed", aText, "what a player that joins late gets for each round before: zero, half or win (default zero)"},
	{"paired-draws", "schedule.paired_draws", aSwitch, pairedDrawsHelp},
	{"pace", "pace_sec", aTime, "pause between two rounds, for watching"},
	{"round-every", "calendar.round_every_sec", aTime, "time from the beginning of a round to that of the next, such as 10m"},
	{"pause", "calendar.pauses", aList, "when no round begins: each day as 12:00-13:00, or dates as 2026-12-24..2026-12-26; several with commas"},
	{"zone", "calendar.zone", aText, "the time zone of --pause, such as Europe/Berlin (default: the manager's)"},
	{"no-show", "calendar.no_show_sec", aTime, "how long a round waits for players that cannot be reached (default: it does not)"},
	{"strict", "strict", aSwitch, "grading mode: refuse messages that break a rule of the documents, and count broken rules"},
	{"profile", "profile", aText, profileHelp},
	{"invited-only", "invited_only", aSwitch, "admit only agents with a join key from league invite, and the organizer's own " +
		"(default: the league's setting, false)"},
	{"roster", "invited", names, "invite the players of this CSV file: the column headed name, or else the first"},
	{"guests", "guest_referees", aText, "when guest referees may join: " + strings.Join(config.GuestReferees, ", ") +
		" (default: the league's setting, " + config.GuestReferees[0] + ")"},
	{"bots", "house.players", players, "built-in players to add, by strategy, such as random,cycle; see league help strategies"},
	{"min-players", "participants.min_players", aNumber, "start with no fewer players"},
	{"max-players", "participants.max_players", aNumber, "admit no more players"},
	{"move-timeout", "limits.move_timeout_sec", aTime, "time for a move, each try (default: timeouts.move_timeout_sec in config/system.json)"},
	{"retries", "limits.max_retries", aNumber, "tries after the first (default: retry_policy.max_retries in config/system.json)"},
	{"max-forfeits", "max_consecutive_forfeits", aNumber, "forfeits in a row before a player is out; 0: never"},
	{"win-points", "scoring.win_points", aNumber, "points for a win"},
	{"draw-points", "scoring.draw_points", aNumber, "points for a draw"},
	{"loss-points", "scoring.loss_points", aNumber, "points for a loss"},
	{"tiebreakers", "scoring.tiebreakers", aList, "what decides between equals, in order, such as points,wins,head_to_head"},
}

// leagueFlags are the flags that describe a league.
type leagueFlags struct {
	startFlags
	like    string
	seasons int
	base    config.Change           // under the flags
	values  map[string]*leagueValue // by flag
}

// A leagueValue is the value of a leagueFlag. It implements pflag.Value.
type leagueValue struct {
	leagueFlag
	text  string
	value any // nil: not given
}

// Set reads the text of the flag.
func (v *leagueValue) Set(text string) (err error) {
	v.text = text
	v.value, err = v.kind.read(text)
	if bad := (*strconv.NumError)(nil); errors.As(err, &bad) {
		err = errors.New("want a number")
	}
	return err
}

func (v *leagueValue) String() string { return v.text }

// Type names the kind in the help.
func (v *leagueValue) Type() string { return v.kind.name }

// add adds the flags to a command.
func (f *leagueFlags) add(cmd *cobra.Command) {
	f.values = map[string]*leagueValue{}
	for _, row := range leagueFlagTable {
		v := &leagueValue{leagueFlag: row}
		f.values[row.name] = v
		flag := cmd.Flags().VarPF(v, row.name, "", row.usage)
		if row.kind.name == aSwitch.name {
			flag.NoOptDefVal = "true"
		}
	}
	cmd.Flags().StringVar(&f.like, "like", "", "describe a new league as this one; other flags change its description")
	cmd.Flags().IntVar(&f.seasons, "seasons", 0, "how many seasons the same agents play, one after the other "+
		"(default: the league's setting, 1)")
	f.startFlags.add(cmd)
}

// game returns the value of --game, or "".
func (f *leagueFlags) game() string { return f.values["game"].text }

// check rejects values that are invalid in every league. It looks up the game with games.
func (f *leagueFlags) check(games func(string) (game.Game, error)) error {
	if f.seasons < 0 || f.seasons > config.MaxSeasons {
		return usage.Wrong("--seasons: want 1 to %d, got %d", config.MaxSeasons, f.seasons)
	}
	if g := f.game(); g != "" {
		if _, err := games(g); err != nil {
			return err
		}
	}
	if g := f.values["guests"].text; g != "" && !slices.Contains(config.GuestReferees, g) {
		return usage.Wrong("--guests: use %s, got %q", strings.Join(config.GuestReferees, ", "), g)
	}
	if err := checkProfile(f.values["profile"].text); err != nil {
		return err
	}
	if _, err := f.condition(nil, time.Now()); err != nil {
		return err
	}
	return nil
}

// checkProfile returns an error for the name of an unknown profile.
func checkProfile(name string) error {
	if profile.Known(name) {
		return nil
	}
	return usage.Wrong("--profile: use %s, got %q", strings.Join(profile.Names(), ", "), name)
}

// change returns the changes that the flags make to a league's description. stored is the present description, whose
// start time is kept if the same start flags are given again.
func (f *leagueFlags) change(stored config.League, now time.Time) (config.Change, error) {
	change := config.Change{}
	maps.Copy(change, f.base)
	for _, row := range leagueFlagTable {
		if v := f.values[row.name]; v.value != nil {
			change.Set(row.key, v.value)
		}
	}
	if !f.given() {
		return change, nil
	}
	start, err := f.condition(stored.Start, now)
	if err != nil {
		return nil, err
	}
	change.Set("start.players", start.Players)
	change.Set("start.referees", start.Referees)
	change.Set("start.after_sec", orNull(start.AfterSec))
	change.Set("start.at", orNull(start.At))
	return change, nil
}

// settings returns the change that is sent to a manager to create a league. With --start-after it has no absolute time:
// the manager starts the timer.
func (f *leagueFlags) settings() (config.Change, error) {
	change, err := f.change(config.League{}, time.Now())
	if err != nil {
		return nil, err
	}
	if f.after > 0 && f.at == "" {
		change.Set("start.at", nil)
	}
	if f.seasons > 0 {
		change.Set("seasons", f.seasons)
	}
	return change, nil
}

// orNull returns a value, or nil for a zero one, which removes the key.
func orNull[T comparable](v T) any {
	if v == *new(T) {
		return nil
	}
	return v
}

// apply returns the league's environment with the changes of the flags. With keep it also writes the changes to the
// league's file, so that a later start does not need the flags.
func (f *leagueFlags) apply(h *host.Env, keep bool) (*host.Env, error) {
	if f.like != "" {
		if err := f.copyLike(h); err != nil {
			return nil, err
		}
		settings, err := h.Config().League(h.League.LeagueID)
		if err != nil {
			return nil, err
		}
		h = h.Of(settings)
	}
	change, err := f.change(h.League, time.Now())
	if err != nil {
		return nil, err
	}
	if change["house"] != nil && h.League.Bots == nil {
		change.Set("house.referees", 1)
	}
	if err := f.paired(h); err != nil {
		return nil, err
	}
	settings, err := h.League.With(change)
	if err != nil {
		return nil, f.named(err)
	}
	if err := f.unfixed(h, settings); err != nil {
		return nil, err
	}
	if keep {
		if settings, err = h.Leagues().Change(h.League.LeagueID, change); err != nil {
			return nil, f.named(err)
		}
	}
	return h.Of(settings), nil
}

// copyLike writes the description of another league under the id of a new one.
func (f *leagueFlags) copyLike(h *host.Env) error {
	id := h.League.LeagueID
	if !h.Leagues().Has(f.like) {
		return usage.Wrong("--like: %s has no league %q", h.Dir(), f.like)
	}
	if id == f.like {
		return usage.Wrong("--like: name the new league with --league-id")
	}
	old, err := h.Config().League(f.like)
	if err == nil {
		_, err = h.Leagues().Create(id, func(v *config.League) { *v = old.Again(*v) })
	}
	return err
}

// named replaces the key in an error by the flag that sets it.
func (f *leagueFlags) named(err error) error {
	text := err.Error()
	for _, row := range leagueFlagTable {
		if rest, ok := strings.CutPrefix(text, row.key+": "); ok && f.values[row.name].value != nil {
			return usage.Wrong("--%s: %s", row.name, rest)
		}
	}
	if rest, ok := strings.CutPrefix(text, "start.players: "); ok && f.given() {
		return usage.Wrong("--start-when: players: %s", rest)
	}
	return err
}

// unfixed returns an error if a flag changes a setting that is fixed because the league was already created.
func (f *leagueFlags) unfixed(h *host.Env, settings config.League) error {
	c, err := store.CreatedAs(journal.Path(h.DataDir(), h.League.LeagueID))
	if err != nil || c.LeagueID == "" {
		return err
	}
	for _, fixed := range []struct {
		flag      string
		want, got any
	}{
		{"game", c.GameType, settings.GameType}, {"cycles", c.Cycles, settings.Schedule.Cycles},
		{"rounds", roundsOf(c), settings.Schedule.Rounds}, {"format", formatOf(c), settings.Schedule.Format}, {"paired-draws", c.PairedDraws, settings.Schedule.PairedDraws},
		{"win-points", c.Scoring.Win, settings.Scoring.WinPoints}, {"draw-points", c.Scoring.Draw, settings.Scoring.DrawPoints},
		{"loss-points", c.Scoring.Loss, settings.Scoring.LossPoints},
	} {
		if f.values[fixed.flag].value != nil && fixed.want != fixed.got {
			return usage.Wrong("--%s: %s was created with %v, which cannot change; make another league with --like %s --league-id NEW",
				fixed.flag, c.LeagueID, fixed.want, c.LeagueID)
		}
	}
	return nil
}

// roundsOf returns the number of rounds in the settings with which a league was created.
func roundsOf(c league.Created) int {
	if c.Schedule != nil {
		return c.Schedule.Rounds
	}
	return c.Rounds
}

// formatOf returns the format with which a league was created, without its version.
func formatOf(c league.Created) string {
	if c.Schedule == nil {
		return "round_robin"
	}
	name, _, _ := strings.Cut(c.Schedule.Format, "/")
	return name
}

// paired returns an error if the flags request paired draws and the league cannot have them.
func (f *leagueFlags) paired(h *host.Env) error {
	if f.values["paired-draws"].value != true {
		return nil
	}
	cycles := h.League.Schedule.Cycles
	if n, ok := f.values["cycles"].value.(int); ok {
		cycles = n
	}
	return checkPairedDraws(h.Rules, cmp.Or(f.game(), h.League.GameType), cycles)
}

// plan stores the number of seasons.
func (f *leagueFlags) plan(h *host.Env, by string) error {
	if f.seasons == 0 {
		return nil
	}
	if err := server.CheckSeasons(h, f.seasons); err != nil {
		return usage.Wrong("--seasons: %w", err)
	}
	return h.Leagues().PlanSeasons(h.League.FirstSeason(), f.seasons, by)
}

// pairedDrawsHelp is the help text of --paired-draws.
const pairedDrawsHelp = "every second match of a pair repeats the draws of the first with seats swapped (fair " +
	"only among players that do not remember)"

// checkPairedDraws returns an error if paired draws are impossible with this game or this number of cycles.
func checkPairedDraws(known catalog.Catalog, game string, cycles int) error {
	rules, err := known.Lookup(game)
	if err != nil {
		return err
	}
	if err := league.CheckPairedDraws(cycles, game, rules.Info().GuestsMayJudge); err != nil {
		return fmt.Errorf("--paired-draws: %w", err)
	}
	return nil
}
