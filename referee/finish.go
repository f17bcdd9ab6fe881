package referee

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"agentleague/game"
	"agentleague/protocol"
)

// finish works out the result and puts it on record. Of a match whose draw is
// the manager's, the manager does the former.
func (m *match) finish(ctx context.Context) (Finished, error) {
	m.mu.Lock()
	if m.key == nil && !m.forfeited() {
		m.mu.Unlock()
		return m.undecided(ctx)
	}
	result := m.outcome()
	m.mu.Unlock()
	return m.conclude(ctx, result)
}

// conclude puts the result on record. GAME_OVER is part of the record, so that
// it can be sent again by whoever finds it there.
func (m *match) conclude(ctx context.Context, result protocol.GameResult) (Finished, error) {
	m.enter(protocol.Finished)
	for _, s := range m.seats {
		m.sent(s, m.gameOver(s, result))
	}
	f := Finished{Record: m.record(result), Start: m.r.taught(*m.start)}
	if _, err := f.Document(); err != nil {
		return Finished{}, err
	}
	if err := m.keepRecord(ctx, f); err != nil {
		return Finished{}, err
	}
	m.mu.Lock()
	m.result = &result
	m.mu.Unlock()
	return f, nil
}

// outcome is the result of the match: by the rules, or by forfeit. The caller holds the lock.
func (m *match) outcome() protocol.GameResult {
	result := protocol.GameResult{Status: protocol.TechnicalLoss, Choices: m.choices(), Score: map[string]int{}}
	if m.forfeited() {
		m.forfeitOutcome(&result)
	} else {
		end, _ := m.state.Outcome()
		m.ruledOutcome(&result, end)
	}
	return result
}

func (m *match) forfeitOutcome(result *protocol.GameResult) {
	result.Forfeits = map[string]string{}
	var reasons []string
	for _, s := range m.seats {
		if s.forfeit == nil {
			id := s.ID
			result.WinnerPlayerID = &id
			result.Score[s.ID] = m.scoring().Win
			continue
		}
		result.Forfeits[s.ID] = s.forfeit.Kind.Code
		result.Score[s.ID] = m.scoring().TechnicalLoss
		reasons = append(reasons, fmt.Sprintf("%s forfeited: %s", s.ID, s.forfeit.Kind.Name))
	}
	result.Reason = strings.Join(reasons, "; ")
}

func (m *match) ruledOutcome(result *protocol.GameResult, end game.Outcome) {
	names := make([]string, len(m.seats))
	winner, won := end.Winner()
	result.Status = protocol.Draw
	if won {
		result.Status = protocol.Win
	}
	for i, s := range m.seats {
		names[i] = s.ID
		switch {
		case !won:
			result.Score[s.ID] = m.scoring().Draw
		case winner == s.index:
			result.Score[s.ID] = m.scoring().Win
			result.WinnerPlayerID = &names[i]
		default:
			result.Score[s.ID] = m.scoring().Loss
		}
	}
	result.Reason = end.Sentence(names)
	m.details(result, end.Details)
}

// details puts what the game tells of its end where the protocol has a place for it.
func (m *match) details(result *protocol.GameResult, details map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(details)) {
		raw, err := json.Marshal(details[name])
		if err != nil {
			continue
		}
		switch name {
		case "drawn_number":
			_ = json.Unmarshal(raw, &result.DrawnNumber)
		case "number_parity":
			_ = json.Unmarshal(raw, &result.NumberParity)
		default:
			if result.Details == nil {
				result.Details = map[string]json.RawMessage{}
			}
			result.Details[name] = raw
		}
	}
}

// choices are the moves by player: the move itself in a game of one step, the
// list of moves in a longer one, null for a player that made none.
func (m *match) choices() map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, s := range m.seats {
		var made []json.RawMessage
		for _, mv := range m.moves {
			if mv.PlayerID == s.ID {
				made = append(made, mv.Move)
			}
		}
		switch {
		case len(made) == 0:
			out[s.ID] = m.sealed(s)
		case m.rules.Info().MaxTurns == 1:
			out[s.ID] = made[0]
		default:
			out[s.ID], _ = json.Marshal(made)
		}
	}
	return out
}

// sealed is the choice of a player that answered although its opponent did
// not: it was never played, and is shown now that the match is over.
func (m *match) sealed(s *seat) json.RawMessage {
	if mv, ok := m.unplayed[s]; ok && m.rules.Info().MaxTurns == 1 {
		return mv
	}
	return json.RawMessage("null")
}

func (m *match) scoring() protocol.Scoring {
	if m.start.Scoring != nil {
		return *m.start.Scoring
	}
	return protocol.DefaultScoring
}

// gameOver is the message in which a seat hears the result.
func (m *match) gameOver(s *seat, result protocol.GameResult) *protocol.GameOver {
	shown := result
	shown.Score = nil
	return &protocol.GameOver{
		Envelope: m.envelope(s, protocol.TypeGameOver), GameType: m.start.GameType, PlayerID: s.ID, OpponentID: s.opponent,
		GameResult: shown, Result: heard(s.ID, result), Winner: result.WinnerPlayerID, DrawnNumber: result.DrawnNumber,
		YourChoice: result.Choices[s.ID], OpponentChoice: result.Choices[s.opponent], PointsEarned: result.Score[s.ID],
		Attempt:  m.start.Attempt,
		Fairness: new(m.fairness()),
	}
}

// fairness is what proves the draw. A guest has no key of a match that ended without one.
func (m *match) fairness() protocol.Fairness {
	return protocol.Fairness{Commitment: m.commitment, Key: hex.EncodeToString(m.key)}
}

// heard is the result from one player's side.
func heard(player string, r protocol.GameResult) string {
	_, forfeited := r.Forfeits[player]
	switch {
	case forfeited:
		return protocol.TechnicalLoss
	case r.WinnerPlayerID != nil && *r.WinnerPlayerID == player:
		return protocol.Win
	case r.Status == protocol.Draw:
		return protocol.Draw
	}
	return protocol.Loss
}

func (m *match) record(result protocol.GameResult) protocol.MatchRecord {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := protocol.Stamp(time.Now())
	m.lifecycle.CompletedAt = now
	_, referee := protocol.ParseSender(m.r.Node.Sender())
	return protocol.MatchRecord{
		SchemaVersion: "1.0.0", MatchID: m.start.MatchID, LeagueID: m.start.LeagueID, RoundID: int(m.start.RoundID),
		GameType: m.start.GameType, RefereeID: referee, PlayerAID: m.start.PlayerA.ID, PlayerBID: m.start.PlayerB.ID,
		Attempt: m.start.Attempt, LastUpdated: now, Lifecycle: m.lifecycle, Transcript: m.transcript, TranscriptComplete: true,
		Tries:    inOrder(m.tries),
		Moves:    append([]protocol.PlayedMove{}, m.moves...),
		Signed:   m.signed(),
		Fairness: m.fairness(),
		Result:   result,
	}
}

// inOrder sorts tries by stage and by when they went out; those of one moment by player.
func inOrder(tries []protocol.Try) []protocol.Try {
	slices.SortStableFunc(tries, func(a, b protocol.Try) int {
		return cmp.Or(a.Stage-b.Stage, strings.Compare(a.SentAt, b.SentAt), strings.Compare(a.PlayerID, b.PlayerID))
	})
	return tries
}
