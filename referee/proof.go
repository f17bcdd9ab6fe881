package referee

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"agentleague/game"
	"agentleague/protocol"
)

// VerifyRecord checks a record for consistency and returns an error that names the first wrong field. The result must
// follow from the moves and the draw key, and the points from the result. The transcript must contain the moves, each
// invitation the commitment to the draw key, and each GAME_OVER the result.
func VerifyRecord(games func(gameType string) (game.Game, error), rec *protocol.MatchRecord,
	scoring protocol.Scoring) error {
	if key, err := parseKey("fairness.key", rec.Fairness.Key); err == nil {
		if want := protocol.KeyCommitment(key); rec.Fairness.Commitment != want {
			return fmt.Errorf("fairness.commitment: got %q, want %q, the SHA-256 of the key", rec.Fairness.Commitment, want)
		}
	}
	// without a key only a guest referee's forfeit passes
	if err := Verify(games, rec.Report(""), rec.PlayerAID, rec.PlayerBID); err != nil {
		return err
	}
	if !isHash(rec.Fairness.Commitment) {
		return fmt.Errorf("fairness.commitment: got %q, want 64 hexadecimal digits", rec.Fairness.Commitment)
	}
	p := proof{rec: rec, score: map[string]int{}}
	for _, id := range []string{rec.PlayerAID, rec.PlayerBID} {
		p.score[id] = points(scoring, heard(id, rec.Result))
	}
	if !reflect.DeepEqual(rec.Result.Score, p.score) {
		return fmt.Errorf("result.score: got %s, want %s", show(rec.Result.Score), show(p.score))
	}
	if !rec.TranscriptComplete {
		return errors.New("transcript_complete: got false, want true")
	}
	return p.transcript()
}

// points returns a player's points for its result.
func points(s protocol.Scoring, result string) int {
	switch result {
	case protocol.Win:
		return s.Win
	case protocol.Draw:
		return s.Draw
	case protocol.TechnicalLoss:
		return s.TechnicalLoss
	}
	return s.Loss
}

// A proof is the state of checking the transcript of a record.
type proof struct {
	rec   *protocol.MatchRecord
	score map[string]int

	promised, told map[string]bool              // players that received the commitment, and the result
	answers        map[string][]json.RawMessage // of each player, in its order; nil: too long to keep
}

// transcript checks the messages of a record. Each player must have received the commitment before it chose, and the
// result at the end. The players' answers are collected and compared with the moves.
func (p *proof) transcript() error {
	p.promised, p.told, p.answers = map[string]bool{}, map[string]bool{}, map[string][]json.RawMessage{}
	for i, e := range p.rec.Transcript {
		if err := p.entry(i, e); err != nil {
			return fmt.Errorf("transcript[%d]: %w", i, err)
		}
	}
	for _, id := range []string{p.rec.PlayerAID, p.rec.PlayerBID} {
		if !p.promised[id] {
			return fmt.Errorf("transcript: no GAME_INVITATION promises the draw to %s", id)
		}
		if !p.told[id] {
			return fmt.Errorf("transcript: no GAME_OVER tells %s the result", id)
		}
	}
	for i, mv := range p.rec.Moves {
		if !p.answered(mv) {
			return fmt.Errorf("moves[%d]: %s never answered %s", i, mv.PlayerID, mv.Move)
		}
	}
	return nil
}

// entry checks one message of the transcript, its sender and its receiver.
func (p *proof) entry(i int, e protocol.TranscriptEntry) error {
	referee := protocol.Sender(protocol.RoleReferee, p.rec.RefereeID)
	player, sent := e.To, true
	if e.To == referee {
		player, sent = e.From, false
	}
	role, id := protocol.ParseSender(player)
	var head struct {
		Type protocol.Type `json:"message_type"`
	}
	switch {
	case e.Seq != i+1:
		return fmt.Errorf("seq: got %d, want %d", e.Seq, i+1)
	case role != protocol.RolePlayer || id != p.rec.PlayerAID && id != p.rec.PlayerBID:
		return fmt.Errorf("from and to: %q does not play in this match", player)
	case sent && e.From != referee:
		return fmt.Errorf("from: got %q, want %q", e.From, referee)
	case json.Unmarshal(e.Message, &head) != nil || head.Type != e.MessageType:
		return fmt.Errorf("message.message_type: got %q, want %q", head.Type, e.MessageType)
	case sent:
		return p.sent(id, e)
	}
	return p.received(id, e)
}

// sent checks a message of the referee: the commitment in an invitation, or the result in GAME_OVER.
func (p *proof) sent(id string, e protocol.TranscriptEntry) error {
	switch e.MessageType {
	case protocol.TypeGameInvitation:
		var m protocol.GameInvitation
		if err := json.Unmarshal(e.Message, &m); err != nil {
			return err
		}
		if m.Fairness.Commitment != p.rec.Fairness.Commitment || m.Fairness.Key != "" {
			return fmt.Errorf("message.fairness: got %s, want the commitment %q alone", show(m.Fairness),
				p.rec.Fairness.Commitment)
		}
		p.promised[id] = true
	case protocol.TypeGameOver:
		var m protocol.GameOver
		if err := json.Unmarshal(e.Message, &m); err != nil {
			return err
		}
		p.told[id] = true
		return p.gameOver(id, m)
	}
	return nil
}

// gameOver compares a player's GAME_OVER with the result on record.
func (p *proof) gameOver(id string, m protocol.GameOver) error {
	r, opponent := p.rec.Result, p.rec.PlayerAID
	if id == opponent {
		opponent = p.rec.PlayerBID
	}
	shown := r
	if shown.Score = nil; m.GameResult.Reason != r.Reason { // earlier versions sent it whole
		shown.Reason = toldReason(r)
	}
	for _, f := range []struct {
		name      string
		got, want any
	}{
		{"player_id", m.PlayerID, id}, {"opponent_id", m.OpponentID, opponent}, {"game_type", m.GameType, p.rec.GameType},
		{"game_result", m.GameResult, shown}, {"result", m.Result, heard(id, r)}, {"winner", m.Winner, r.WinnerPlayerID},
		{"drawn_number", m.DrawnNumber, r.DrawnNumber}, {"your_choice", m.YourChoice, r.Choices[id]},
		{"opponent_choice", m.OpponentChoice, r.Choices[opponent]}, {"points_earned", m.PointsEarned, p.score[id]},
		{"attempt", m.Attempt, p.rec.Attempt},
		{"fairness", m.Fairness, p.rec.Fairness},
	} {
		if got, want := show(f.got), show(f.want); got != want {
			return fmt.Errorf("message.%s: got %s, want %s", f.name, got, want)
		}
	}
	return nil
}

// received collects the answer to a question.
func (p *proof) received(id string, e protocol.TranscriptEntry) error {
	var m struct {
		Omitted  int             `json:"omitted_bytes"`
		Parity   json.RawMessage `json:"parity_choice"`
		MoveData struct {
			Choice json.RawMessage `json:"choice"`
		} `json:"move_data"`
	}
	if err := json.Unmarshal(e.Message, &m); err != nil {
		return err
	}
	switch {
	case e.MessageType != protocol.TypeChooseParityResponse && e.MessageType != protocol.TypeGameMoveResponse:
	case m.Omitted > 0:
		p.answers[id] = append(p.answers[id], nil)
	case e.MessageType == protocol.TypeChooseParityResponse:
		p.answers[id] = append(p.answers[id], m.Parity)
	default:
		p.answers[id] = append(p.answers[id], m.MoveData.Choice)
	}
	return nil
}

// answered reports whether the transcript has an answer of the player with this move, after the answer with its
// previous move.
func (p *proof) answered(mv protocol.PlayedMove) bool {
	for i, answer := range p.answers[mv.PlayerID] {
		if answer == nil || bytes.Equal(compact(answer), compact(mv.Move)) {
			p.answers[mv.PlayerID] = p.answers[mv.PlayerID][i+1:]
			return true
		}
	}
	return false
}
