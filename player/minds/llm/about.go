package llm

import (
	"context"
	"encoding/json"
	"fmt"

	"agentleague/player"
	"agentleague/protocol"
)

// about is what a mind knows of the match that it chooses in, as text.
type about struct {
	league, match string
	game, rules   string
	opponent      string // its id
	name          string // of the opponent; "": not known
	played        string // what the opponent played before
	standing      string
	refused       string
}

func aboutOf(ctx context.Context) about {
	m, _ := player.MatchOf(ctx)
	a := about{league: m.LeagueID, match: m.ID, game: m.Game, opponent: m.Opponent, refused: m.Refused}
	if t := m.Standing; t != (protocol.Tally{}) {
		a.standing = fmt.Sprintf("%d points: %d won, %d drawn, %d lost", t.Points, t.Wins, t.Draws, t.Losses)
	}
	return a
}

// boardText draws the board in what a game tells, if there is one.
func boardText(json.RawMessage) string { return "" }
