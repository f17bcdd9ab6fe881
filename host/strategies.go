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

// A maker makes a strategy from the argument of its spec and a source of chance; nil is the machine's own.
type maker func(argument string, chance *rand.Rand) (player.Strategy, error)

// Spec is how the mind is named, such as minimax[:DEPTH].
func (m Mind) Spec() string {
	switch {
	case m.Argument == "":
		return m.Name
	case m.Needed:
		return m.Name + ":" + m.Argument
	}
	return m.Name + "[:" + m.Argument + "]"
}

// minds is the table of all built-in strategies, in the order in which people see them. A new one is a new row.
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

// aliases are further names: former or shorter ones.
var aliases = map[string]string{"alternate": "cycle", "always-even": "always:even", "always-odd": "always:odd"}

// plain is the constructor of a mind that has no argument.
func plain(make func() player.Strategy) maker {
	return func(string, *rand.Rand) (player.Strategy, error) { return make(), nil }
}

// drawing is the constructor of a randomized strategy without argument.
func drawing(make func(chance *rand.Rand) player.Strategy) maker {
	return func(_ string, chance *rand.Rand) (player.Strategy, error) { return make(chance), nil }
}

// argued is the constructor of a deterministic strategy with an argument.
func argued(make func(argument string) (player.Strategy, error)) maker {
	return func(argument string, _ *rand.Rand) (player.Strategy, error) { return make(argument) }
}

// The constructors of minds that have an argument or need something of this program.
func lookingAhead(depth string) (player.Strategy, error) { return minimax.New(depth, catalog.Lookup) }

func running(command string) (player.Strategy, error) { return exec.New(command, exec.Options{}) }

func predicting(p predict.Predictor) maker {
	return plain(func() player.Strategy { return predict.New(p, predict.Options{Lookup: catalog.Lookup}) })
}

// dilemma is the one game in which one can answer in kind.
var dilemma = []string{"prisoners_dilemma"}

// gamesAtOnce are the games in which both choose from the same moves at once.
func gamesAtOnce() []string { return gamesThat(predict.Plays) }

// openGames are the games without hidden information, in which a strategy can look ahead.
func openGames() []string {
	return gamesThat(func(g game.Game) bool { _, ok := g.(game.Resumer); return ok })
}

// gamesThat are the games of which something is true.
func gamesThat(holds func(game.Game) bool) (out []string) {
	for _, g := range catalog.All() {
		if holds(g) {
			out = append(out, g.Info().Type)
		}
	}
	return out
}

// Minds returns the table of all built-in strategies, in the order in which people see them.
func Minds() []Mind { return slices.Clone(minds) }

// Strategy makes the strategy that a spec names. Each call makes a new one, which
// is not running yet: a spec can be tried without leaving anything behind.
func Strategy(spec string) (player.Strategy, error) { return StrategyFor(spec, "") }

// StrategyFor makes the strategy of a spec, and refuses one that cannot play a game. The game "" is an unknown one.
func StrategyFor(spec, gameType string) (player.Strategy, error) {
	return SeededStrategy(spec, gameType, nil)
}

// SeededStrategy is StrategyFor with the chance that the strategy draws from; nil is the machine's own.
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

// BotFor makes a strategy chosen over the network or on a page: none that would run programs here, or spend money.
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

// StrategyNames lists the built-in strategies, as a spec begins with them.
func StrategyNames() (out []string) {
	for _, m := range minds {
		out = append(out, m.Name)
	}
	return out
}

// Bots returns the strategies that any client may choose by name, among those that can play a game. The game "" is
// any.
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
