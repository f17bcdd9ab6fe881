package referee

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentleague/protocol"
)

// conclude stores the result and returns the finished match. The record includes GAME_OVER, so that a later run can
// send it again.
func (m *match) conclude(ctx context.Context, result protocol.GameResult) (*Finished, error) {
	m.enter(protocol.Finished)
	var overs [2]*protocol.GameOver
	for i, s := range m.seats {
		if over := s.gameOver(result); s.sent(over) {
			overs[i] = over
		}
	}
	f := &Finished{Record: m.record(result), Start: *m.start, overs: overs}
	teach(m.env.node, &f.Start)
	if _, err := f.Document(); err != nil {
		return nil, err
	}
	if err := m.durably(ctx, func() error { return m.env.opts.Recorder.Record(ctx, f) }); err != nil {
		return nil, err
	}
	f.letGo()
	m.mu.Lock()
	m.result = &result
	m.mu.Unlock()
	return f, nil
}

// outcome returns the result of the match: by the rules, or by forfeit. The caller holds the lock.
func (m *match) outcome() protocol.GameResult {
	sheet := scoresheet{rules: m.rules, scoring: m.scoring, moves: m.moves}
	var lost []*protocol.Error
	for _, s := range m.seats {
		sheet.players, lost = append(sheet.players, s.ID), append(lost, s.lost)
	}
	if m.forfeited() {
		return sheet.forfeited(lost, m.unplayed)
	}
	end, _ := m.state.Outcome()
	return sheet.ruled(end)
}

// fairness returns the proof of the draw. If a guest referee's match ended without a draw, for example by forfeit, the
// proof has no key.
func (m *match) fairness() protocol.Fairness {
	if m.keyText == "" {
		m.keyText = hex.EncodeToString(m.key)
	}
	return protocol.Fairness{Commitment: m.commitment, Key: m.keyText}
}

// record returns the complete record of the match. The record must not be changed, since the report contains its hash.
func (m *match) record(result protocol.GameResult) protocol.MatchRecord {
	m.mu.Lock()
	defer m.mu.Unlock()
	var signed map[string]protocol.SignedAnswers
	for _, s := range m.seats {
		if s.signer != nil && len(s.signer.said.Answers) > 0 {
			if signed == nil {
				signed = map[string]protocol.SignedAnswers{}
			}
			signed[s.ID] = s.signer.said
		}
	}
	now := protocol.Stamp(time.Now())
	m.lifecycle.CompletedAt = now
	return protocol.MatchRecord{
		SchemaVersion: "1.0.0", MatchID: m.start.MatchID, LeagueID: m.start.LeagueID, RoundID: int(m.start.RoundID),
		GameType: m.start.GameType, RefereeID: m.env.id(), PlayerAID: m.start.PlayerA.ID, PlayerBID: m.start.PlayerB.ID,
		Attempt: m.start.Attempt, LastUpdated: now, Lifecycle: m.lifecycle, Transcript: m.transcript.all(),
		TranscriptComplete: true,
		Tries:              inOrder(m.tries),
		Moves:              append([]protocol.PlayedMove{}, m.moves...),
		Signed:             signed,
		Usage:              m.usage,
		Fairness:           m.fairness(),
		Result:             result,
	}
}

// inOrder sorts tries by stage, then by the time of the call, then by player.
func inOrder(tries []protocol.Try) []protocol.Try {
	slices.SortStableFunc(tries, func(a, b protocol.Try) int {
		return cmp.Or(a.Stage-b.Stage, strings.Compare(a.SentAt, b.SentAt), strings.Compare(a.PlayerID, b.PlayerID))
	})
	return tries
}

// durably calls keep until it succeeds or ctx ends: a full disk is not the players' fault, and a match is not
// replayed. Until then the result is not announced, and the match keeps its slot.
func (m *match) durably(ctx context.Context, keep func() error) error {
	id := m.start.MatchID
	defer func() { m.env.held.letGo(m, id, m.life.Err() == nil) }()
	for {
		err := keep()
		if err == nil {
			return nil
		}
		m.env.held.hold(m, id, err)
		if m.env.node.Sleep(ctx, "record "+id, retryInterval) != nil {
			return fmt.Errorf("match %s: record: %w", id, err)
		}
	}
}
