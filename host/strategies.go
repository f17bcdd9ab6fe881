package host

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/player"
	"agentleague/player/minds/cfr"
	"agentleague/player/minds/exec"
	"agentleague/player/minds/habit"
	"agentleague/player/minds/halving"
	"agentleague/player/minds/minimax"
	"agentleague/player/minds/predict"
	"agentleague/player/minds/recall"
	"agentleague/player/minds/reciprocal"
)

// A Mind is a kind of built-in strategy. A spec names one: NAME, or NAME:ARGUMENT.
type Mind struct {
	Name     string
	Argument string   // the argument after the name and a colon, such as DEPTH; "": none
	Needed   bool     // it cannot be named without its argument
	About    string   // one line for people
	Games    []string // that it can play; empty: all
	Private  bool     // only the operator may choose it: it runs programs, or costs money

	New   maker                                    // nil: it has settings; see [LLM]
	Check func(g game.Info, argument string) error // whether the argument makes sense in a game; nil: in all
}

// A maker creates a strategy from the argument of its spec. A nil chance means the system's random source.
type maker func(argument string, chance *rand.Rand) (player.Strategy, error)

// Spec returns the form of the mind's spec, such as minimax[:DEPTH].
func (m Mind) Spec() string {
	switch {
	case m.Argument == "":
		return m.Name
	case m.Needed:
		return m.Name + ":" + m.Argument
	}
	return m.Name + "[:" + m.Argument + "]"
}

// minds lists all built-in strategies in display order.
var minds = []Mind{
	{Name: "random", About: "any legal move, with equal chance", New: drawing(player.Random)},
	{Name: "always", Argument: "MOVE", Needed: true, About: "the same move whenever it is legal, such as always:even", New: argued(habit.Always), Check: habit.CheckMove},
	{Name: "cycle", About: "the first legal move, then the second, and so on", New: plain(player.Alternate)},
	{Name: "history", About: "the number drawn most often in its past matches of Even/Odd", New: plain(player.FromHistory)},
	{Name: llmName, Argument: "MODEL", About: "a language model: Ollama, llama.cpp, vLLM, OpenAI, Anthropic; see " +
		"docs/guide/llm.md", Private: true},
	{Name: "frequency", About: "what is best against the opponent's most frequent move", Games: gamesAtOnce(), New: predicting(predict.Frequency)},
	{Name: "markov", About: "what is best against what followed most often on the opponent's last move", Games: gamesAtOnce(), New: predicting(predict.Markov)},
	{Name: "pattern", About: "finds the opponent's habits, and what is best against them", Games: gamesAtOnce(), New: predicting(predict.Pattern)},
	{Name: "tit-for-tat", About: "begins nicely, then does what the opponent did last", Games: dilemma, New: plain(reciprocal.TitForTat)},
	{Name: "generous", About: "tit-for-tat that forgives every third defection", Games: dilemma,
		New: drawing(reciprocal.Generous)},
	{Name: "grim", About: "cooperates until the opponent defects once", Games: dilemma, New: plain(reciprocal.Grim)},
	{Name: "pavlov", About: "keeps what paid off, and changes what did not", Games: dilemma, New: plain(reciprocal.Pavlov)},
	{Name: "minimax", Argument: "DEPTH", About: "looks ahead: so many moves, or as far as it gets", Games: openGames(), New: argued(lookingAhead)},
	{Name: "cfr", About: "bluffs as often as nobody can make use of", Games: []string{"kuhn_poker"},
		New: drawing(cfr.New)},
	{Name: "recall", Argument: "PERCENT", About: "remembers the cards that were turned, or so many of a hundred", Games: []string{"memory"}, New: recall.New},
	{Name: "halving", About: "asks what halves the things that are left", Games: []string{"twenty_one_questions"}, New: plain(halving.New)},
	{Name: "exec", Argument: "PROGRAM", Needed: true, Private: true, About: "your own program: a turn is a line of " +
		"JSON on its standard input, a move a line on its standard output", New: argued(running)},
}

// aliases maps former and short names to specs.
var aliases = map[string]string{"alternate": "cycle", "always-even": "always:even", "always-odd": "always:odd"}

// plain returns the maker of a strategy without an argument or randomness.
func plain(make func() player.Strategy) maker {
	return func(string, *rand.Rand) (player.Strategy, error) { return make(), nil }
}

// drawing returns the maker of a randomized strategy without an argument.
func drawing(make func(chance *rand.Rand) player.Strategy) maker {
	return func(_ string, chance *rand.Rand) (player.Strategy, error) { return make(chance), nil }
}

// argued returns the maker of a deterministic strategy with an argument.
func argued(make func(argument string) (player.Strategy, error)) maker {
	return func(argument string, _ *rand.Rand) (player.Strategy, error) { return make(argument) }
}

// The constructors of strategies that need an argument or the catalog of games.
func lookingAhead(depth string) (player.Strategy, error) { return minimax.New(depth, catalog.Lookup) }

func running(command string) (player.Strategy, error) { return exec.New(command, exec.Options{}) }

func predicting(p predict.Predictor) maker {
	return plain(func() player.Strategy { return predict.New(p, predict.Options{Lookup: catalog.Lookup}) })
}

// dilemma is the game of the reciprocal strategies, such as tit-for-tat.
var dilemma = []string{"prisoners_dilemma"}

// gamesAtOnce returns the games in which both players choose simultaneously from the same moves.
func gamesAtOnce() []string { return gamesThat(predict.Plays) }

// openGames returns the games without hidden information, in which a strategy can search ahead.
func openGames() []string {
	return gamesThat(func(g game.Game) bool { _, ok := g.(game.Resumer); return ok })
}

// gamesThat returns the types of the built-in games for which holds is true.
func gamesThat(holds func(game.Game) bool) (out []string) {
	for _, g := range catalog.All() {
		if holds(g) {
			out = append(out, g.Info().Type)
		}
	}
	return out
}

// Minds returns all built-in strategies in display order.
func Minds() []Mind { return slices.Clone(minds) }

// strategyNamed creates the strategy that a spec names. It starts no process, so a spec can be checked by creating its
// strategy.
func strategyNamed(spec string) (player.Strategy, error) { return StrategyFor(spec, "") }

// StrategyFor creates the strategy of a spec. It returns an error if the strategy cannot play the game; "" accepts any.
func StrategyFor(spec, gameType string) (player.Strategy, error) {
	return SeededStrategy(spec, gameType, nil)
}

// SeededStrategy is StrategyFor with a random source; nil means the system's.
func SeededStrategy(spec, gameType string, chance *rand.Rand) (player.Strategy, error) {
	mind, argument, err := lookup(spec)
	if err != nil {
		return nil, err
	}
	if err := mind.plays(gameType, argument); err != nil {
		return nil, err
	}
	if mind.New == nil {
		mind.New = argued(fromEnvironment)
	}
	s, err := mind.New(argument, chance)
	if err != nil {
		return nil, fmt.Errorf("strategy %s: %w", mind.Name, err)
	}
	return s, nil
}

// BotFor creates a strategy that a client chose over the network or on a page. It returns an error for strategies that
// would run programs or cost money.
func BotFor(spec, gameType string) (player.Strategy, error) {
	if mind, _, err := lookup(spec); err == nil && mind.Private {
		return nil, fmt.Errorf("the strategy %s can only be named by whoever starts the player, with `league player`", mind.Name)
	}
	return StrategyFor(spec, gameType)
}

// IsPrivate reports whether the strategy of a spec runs a program or costs money.
func IsPrivate(spec string) bool {
	mind, _, err := lookup(spec)
	return err == nil && mind.Private
}

// GamesOf returns the games that the strategy of a spec can play; none means all.
func GamesOf(spec string) []string {
	mind, _, _ := lookup(spec)
	return slices.Clone(mind.Games)
}

// strategyNames lists the names of the built-in strategies, without arguments.
func strategyNames() (out []string) {
	for _, m := range minds {
		out = append(out, m.Name)
	}
	return out
}

// Bots returns the strategies for the game that any client may choose by name; "" means any game.
func Bots(gameType string) []Mind {
	return slices.DeleteFunc(Minds(), func(m Mind) bool {
		return m.Needed || m.Private || m.plays(gameType, "") != nil
	})
}

// BotNames lists the names of [Bots].
func BotNames(gameType string) (out []string) {
	for _, m := range Bots(gameType) {
		out = append(out, m.Name)
	}
	return out
}

// plays returns an error if the mind cannot play a game.
func (m Mind) plays(gameType, argument string) error {
	if gameType == "" {
		return nil
	}
	if len(m.Games) > 0 && !slices.Contains(m.Games, gameType) {
		return fmt.Errorf("the strategy %s cannot play %s; it plays %s", m.Name, gameType, strings.Join(m.Games, ", "))
	}
	if g, err := catalog.Lookup(gameType); err == nil && m.Check != nil {
		return m.Check(g.Info(), argument)
	}
	return nil
}
