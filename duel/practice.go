package duel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"agentleague/game/catalog"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
)

// PracticeLeague is the league id that marks a practice match. The numbers of the match are such as a league has, because
// an agent may check their range; they are above those of most leagues, because an agent may remember a match by its id.
const PracticeLeague = "practice"

// The number of a practice match within its round.
const (
	firstPractice = 500
	lastPractice  = 999
)

// The player ids of a practice match, and its time limit.
const (
	practising    = "P01"
	sparring      = "P02"
	practiceLimit = 90 * time.Second
)

// Practise plays one match of a game in rules between the player at endpoint and a built-in strategy. Nothing is
// recorded. A player that is an MCP server is met first, as a manager does; tools names its tools that are not found
// automatically. Faults of the player are described in the result; an error means that the outcome is unknown.
func Practise(ctx context.Context, rules catalog.Catalog, game, endpoint string, tools map[string]string, caller rpc.Options) (protocol.Practice, error) {
	ctx, cancel := context.WithTimeout(ctx, practiceLimit)
	defer cancel()
	dialect, err := spoken(ctx, rules, game, endpoint, tools, caller)
	if err != nil {
		return protocol.Practice{}, err
	}
	met := &Contestant{ID: practising, Name: "the agent", Endpoint: endpoint, Dialect: dialect}
	bot := &Contestant{ID: sparring, Name: "practice bot", Strategy: player.Random(nil)}
	silent := func(string) *slog.Logger { return slog.New(slog.DiscardHandler) }
	m := New([2]*Contestant{met, bot}, Options{
		Game: game, Rules: rules, Caller: caller, Logger: silent, League: PracticeLeague, Announce: true,
		Policy: referee.Policy{MaxRetries: 1},
	})
	m.ID = protocol.MatchID(m.Round, firstPractice+rand.IntN(lastPractice-firstPractice+1))
	_, rec, err := m.Play(ctx)
	out := protocol.Practice{MatchID: m.ID, GameType: game}
	switch {
	case errors.Is(err, ErrNobody):
		out.Said = fmt.Sprintf("Nothing answers at %s, so no practice match was played.", endpoint)
		return out, nil
	case errors.Is(err, ErrInterrupted) && errors.Is(ctx.Err(), context.DeadlineExceeded):
		out.Said = fmt.Sprintf("The practice match was not over after %s.", practiceLimit)
		return out, nil
	case err != nil:
		return out, err
	}
	out.OK, out.Said = practiceSaid(rec)
	return out, nil
}

// spoken returns the dialect of a player that is an MCP server; "" for any other.
func spoken(ctx context.Context, rules catalog.Catalog, game, endpoint string, tools map[string]string, caller rpc.Options) (string, error) {
	g, err := rules.Lookup(game)
	if err != nil {
		return "", err
	}
	met, err := rpc.NewNode(protocol.Manager, caller).Meet(ctx, endpoint, referee.ExampleQuestion(g), tools)
	if err != nil || met == nil {
		return "", err
	}
	return met.Dialect, nil
}

// practiceSaid describes the outcome of a practice match in one sentence. ok is false if the player forfeited.
func practiceSaid(rec protocol.MatchRecord) (ok bool, said string) {
	_, forfeited := rec.Result.Forfeits[practising]
	switch {
	case forfeited && refusedEveryForm(rec):
		return false, NotUnderstood + ": " + sentence(rec.WhyForfeited(practising)) +
			" If it registers by itself, it is spoken to as it registered."
	case forfeited:
		return false, "It forfeited a practice match: " + sentence(rec.WhyForfeited(practising))
	}
	end := "drew"
	if w := rec.Result.WinnerPlayerID; w != nil && *w == practising {
		end = "won"
	} else if w != nil {
		end = "lost"
	}
	return true, fmt.Sprintf("It played a practice match of %s against a built-in player and %s; its slowest "+
		"answer took %s.",
		rec.GameType, end, slowest(rec))
}

// NotUnderstood begins the sentence about a player that refused every form of an invitation.
const NotUnderstood = "It understood none of the forms in which players are invited"

// refusedEveryForm reports whether the player answered every form of the invitation with an error.
func refusedEveryForm(rec protocol.MatchRecord) bool {
	for _, t := range rec.Tries {
		if t.PlayerID == practising && (t.Asked != protocol.TypeGameInvitation || t.Outcome != protocol.Connection.Code) {
			return false
		}
	}
	return true
}

// sentence ends with a full stop.
func sentence(text string) string {
	text = protocol.Clip(protocol.Plain(text), 300)
	if n := len(text); n > 0 && text[n-1] != '.' {
		text += "."
	}
	return text
}

// slowest returns the player's longest answer time, without attempts that searched for its dialect.
func slowest(rec protocol.MatchRecord) time.Duration {
	var most float64
	for _, t := range rec.Tries {
		if t.PlayerID == practising && !t.Void {
			most = max(most, t.AgentMS)
		}
	}
	d := time.Duration(most * float64(time.Millisecond))
	if d < 10*time.Millisecond {
		return d.Round(100 * time.Microsecond)
	}
	return d.Round(time.Millisecond)
}
