package cli

import (
	"cmp"
	"fmt"
	"strings"

	"agentleague/internal/term"
	"agentleague/protocol"
)

// tell prints how the match ended.
func (f *friendly) tell(rec protocol.MatchRecord, path string) {
	r, out := rec.Result, f.app.out
	fmt.Fprintf(out, "%s\n", verdict(r, f.called))
	for _, s := range f.sides {
		if code, forfeited := r.Forfeits[s.id]; forfeited {
			fmt.Fprintf(out, "  technical loss of %s: %s (%s)\n", f.called(s.id), protocol.ForfeitMeaning(code), cmp.Or(code, "no code"))
			if detail := rec.LastWord(s.id); detail != "" {
				fmt.Fprintf(out, "    %s\n", term.Plain(strings.TrimSpace(detail+". "+hint(detail))))
			}
		}
	}
	if len(rec.Moves) > 0 {
		fmt.Fprintf(out, "  moves: %s\n", term.Plain(moves(rec.Moves)))
	}
	fmt.Fprintf(out, "  score: %s %d, %s %d\n", f.sides[0].id, r.Score[f.sides[0].id], f.sides[1].id, r.Score[f.sides[1].id])
	if r.DrawnNumber != nil {
		fmt.Fprintf(out, "  draw:  %d, from the key %s,\n         promised before anyone chose as its SHA-256 %s\n", *r.DrawnNumber, rec.Fairness.Key, rec.Fairness.Commitment)
	}
	if path != "" {
		fmt.Fprintf(out, "The record is in %s; see it again with:\n  league replay %s --league-id %s --root %s\n", path, f.id, friendlies, quoted(f.app.root))
	}
}

// verdict is the end of a match in a sentence. Called is what a player is called there.
func verdict(r protocol.GameResult, called func(id string) string) string {
	switch {
	case r.WinnerPlayerID != nil && r.Status == protocol.TechnicalLoss:
		return called(*r.WinnerPlayerID) + " wins by technical loss of the other."
	case r.WinnerPlayerID != nil:
		return fmt.Sprintf("%s wins: %s.", called(*r.WinnerPlayerID), r.Reason)
	case r.Status == protocol.TechnicalLoss:
		return "Nobody wins: technical loss of both."
	}
	return fmt.Sprintf("Draw: %s.", r.Reason)
}

// called is a player's id and what it was asked for as.
func (f *friendly) called(id string) string {
	for _, s := range f.sides {
		if s.id == id {
			return fmt.Sprintf("%s (%s)", id, s.name)
		}
	}
	return id
}

// moves tells what was played, in the order of play.
func moves(played []protocol.PlayedMove) string {
	out := make([]string, len(played))
	for i, m := range played {
		out[i] = m.PlayerID + " " + string(m.Move)
	}
	return strings.Join(out, ", ")
}

// object is the match as one JSON object. The draw can be checked with its key.
func (f *friendly) object(rec protocol.MatchRecord, path string) map[string]any {
	r := rec.Result
	players, lost := []map[string]any{}, []map[string]any{}
	for _, s := range f.sides {
		players = append(players, map[string]any{"player_id": s.id, "name": s.name, "endpoint": s.endpoint})
		if code, forfeited := r.Forfeits[s.id]; forfeited {
			lost = append(lost, map[string]any{"player_id": s.id, "error_code": code, "meaning": protocol.ForfeitMeaning(code), "detail": rec.LastWord(s.id)})
		}
	}
	out := map[string]any{
		"match_id": rec.MatchID, "game_type": rec.GameType, "players": players, "result": r.Status, "winner": r.WinnerPlayerID,
		"score": r.Score, "choices": r.Choices, "moves": rec.Moves, "reason": r.Reason, "technical_losses": lost,
		"draw": map[string]any{"number": r.DrawnNumber, "parity": r.NumberParity, "commitment": rec.Fairness.Commitment, "key": rec.Fairness.Key},
	}
	if path != "" {
		out["record"] = path
	}
	return out
}
