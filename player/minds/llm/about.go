package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"agentleague/player"
	"agentleague/protocol"
	"agentleague/protocol/grid"
)

// about describes the current match for the prompt.
type about struct {
	league, match string
	game, rules   string
	opponent      string // its id
	name          string // of the opponent; "": unknown
	played        string // the opponent's earlier moves, against any player
	standing      string
	refused       string
}

// where returns the information about the match that needs no query.
func where(ctx context.Context) about {
	m, _ := player.MatchOf(ctx)
	return about{league: m.LeagueID, match: m.ID, game: m.Game, opponent: m.Opponent, refused: m.Refused}
}

// inquire finds out the rest.
func (a *about) inquire(ctx context.Context) {
	b := player.Brief(ctx, mostTold)
	a.rules, a.name, a.standing = b.Rules, b.OpponentName, standing(b.Standing)
	var lines []string
	for _, m := range slices.Backward(b.OpponentPlayed) {
		lines = append(lines, fmt.Sprintf("%s: it played %s, its opponent %s: %s", m.MatchID, brief(m.MyChoice),
			brief(m.OpponentChoice), ending(m.Result)))
	}
	a.played = strings.Join(lines, "\n")
}

// standing describes the player's standing, or returns "" if it is unknown.
func standing(t protocol.Tally) string {
	if t == (protocol.Tally{}) {
		return ""
	}
	return fmt.Sprintf("%d points: %d won, %d drawn, %d lost", t.Points, t.Wins, t.Draws, t.Losses)
}

// ending is a result in a word or two.
func ending(result string) string { return strings.ToLower(strings.ReplaceAll(result, "_", " ")) }

// boardText draws the board in a game's context as text, or returns "" if there is none.
func boardText(context json.RawMessage) string {
	board, ok := grid.Read(context)
	if !ok {
		return ""
	}
	return board.Text()
}
