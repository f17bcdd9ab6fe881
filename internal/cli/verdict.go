package cli

import (
	"cmp"
	"fmt"
	"strings"

	"agentleague/duel"
	"agentleague/internal/term"
	"agentleague/protocol"
)

// printDuel prints how a match ended.
func printDuel(a *app, m *duel.Match, rec protocol.MatchRecord, path string) {
	r, out, called := rec.Result, a.out, callNames(m)
	fmt.Fprintf(out, "%s\n", verdict(r, called))
	for _, s := range m.Contestants {
		if code, forfeited := r.Forfeits[s.ID]; forfeited {
			fmt.Fprintf(out, "  technical loss of %s: %s (%s)\n", called(s.ID), term.Plain(rec.WhyForfeited(s.ID)), cmp.Or(code, "no code"))
			if advice := hint(rec.LastWord(s.ID)); advice != "" {
				fmt.Fprintf(out, "    %s\n", advice)
			}
		}
	}
	lastBoard(out, r.Details)
	if len(rec.Moves) > 0 {
		fmt.Fprintf(out, "  moves: %s\n", term.Plain(moves(rec.Moves)))
	}
	fmt.Fprintf(out, "  score: %s %d, %s %d\n", m.Contestants[0].ID, r.Score[m.Contestants[0].ID], m.Contestants[1].ID, r.Score[m.Contestants[1].ID])
	if r.DrawnNumber.Value != nil {
		fmt.Fprintf(out, "  draw:  %d, from the key %s,\n         whose SHA-256 was published before anyone chose: %s\n", *r.DrawnNumber.Value, rec.Fairness.Key, rec.Fairness.Commitment)
	}
	if path != "" {
		fmt.Fprintf(out, "The record is in %s; see it again with:\n  league replay %s --league-id %s --root %s\n", path, m.ID, duel.League, quoted(a.root))
	}
}

// verdict is the end of a match in a sentence. Called is the name of a player in it.
func verdict(r protocol.GameResult, called func(id string) string) string {
	switch {
	case r.WinnerPlayerID != nil && r.Status == protocol.TechnicalLoss:
		return called(*r.WinnerPlayerID) + " wins: the opponent forfeited."
	case r.WinnerPlayerID != nil:
		return fmt.Sprintf("%s wins: %s.", called(*r.WinnerPlayerID), r.Reason)
	case r.Status == protocol.TechnicalLoss:
		return "Nobody wins: both forfeited."
	}
	return fmt.Sprintf("Draw: %s.", r.Reason)
}

// callNames names a player by its id and the requested name.
func callNames(m *duel.Match) func(id string) string {
	return func(id string) string {
		for _, s := range m.Contestants {
			if s.ID == id {
				return fmt.Sprintf("%s (%s)", id, s.Name)
			}
		}
		return id
	}
}

// moves lists the moves, in the order of play.
func moves(played []protocol.PlayedMove) string {
	out := make([]string, len(played))
	for i, m := range played {
		out[i] = m.PlayerID + " " + string(m.Move)
	}
	return strings.Join(out, ", ")
}

// duelObject is a match as one JSON object. The draw can be checked with its key.
func duelObject(m *duel.Match, rec protocol.MatchRecord, path string) map[string]any {
	r := rec.Result
	players, lost := []map[string]any{}, []map[string]any{}
	for _, s := range m.Contestants {
		players = append(players, map[string]any{"player_id": s.ID, "name": s.Name, "endpoint": s.Endpoint})
		if code, forfeited := r.Forfeits[s.ID]; forfeited {
			lost = append(lost, map[string]any{"player_id": s.ID, "error_code": code, "meaning": protocol.ForfeitMeaning(code), "detail": rec.LastWord(s.ID)})
		}
	}
	out := map[string]any{
		"match_id": rec.MatchID, "game_type": rec.GameType, "players": players, "result": r.Status, "winner": r.WinnerPlayerID,
		"score": r.Score, "choices": r.Choices, "moves": rec.Moves, "reason": r.Reason, "technical_losses": lost,
	}
	draw := map[string]any{"commitment": rec.Fairness.Commitment, "key": rec.Fairness.Key}
	if !r.DrawnNumber.IsZero() {
		draw["number"], draw["parity"] = r.DrawnNumber, r.NumberParity
	}
	out["draw"] = draw
	if path != "" {
		out["record"] = path
	}
	return out
}

// hint is advice for a player that refuses the referee of a single match.
func hint(detail string) string {
	if strings.Contains(detail, protocol.AuthTokenInvalid.Name) || strings.Contains(detail, protocol.AuthTokenMissing.Name) {
		return "It belongs to a league and answers only the referees of that league; start it without a manager to " +
			"play it here."
	}
	return ""
}
