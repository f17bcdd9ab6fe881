package seat

import (
	"agentleague/player"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Play plays a given move in a turn, or in the only open one.
func (t *Seat) Play(turnID string, given json.RawMessage) (Report, error) {
	turn, err := t.openTurn(turnID)
	if err != nil {
		return Report{}, err
	}
	move, err := turn.Read(given)
	if err != nil {
		return Report{}, fmt.Errorf("%w; turn %s is still open for %.0f seconds", err, turn.ID,
			max(time.Until(turn.Deadline).Seconds(), 0))
	}
	if t.Player.Play(turn.ID, move) != nil {
		return Report{}, t.closed(turn.ID)
	}
	r := t.report(t.Player.Look(newsAside), time.Now())
	if r.Turn == nil {
		r.Status = Played
		r.Next = fmt.Sprintf("You played %s in %s. Call wait_for_turn to see the result.", move, turn.ID)
	}
	return r, nil
}

// openTurn finds the turn that is meant.
func (t *Seat) openTurn(id string) (player.Turn, error) {
	open := t.Player.Look(newsAside).Turns
	for _, turn := range open {
		if turn.ID == id || id == "" && len(open) == 1 {
			return turn, nil
		}
	}
	switch {
	case id != "":
		return player.Turn{}, t.closed(id)
	case len(open) == 0:
		return player.Turn{}, errors.New("you are not asked for a move now; call wait_for_turn")
	}
	ids := make([]string, len(open))
	for i, turn := range open {
		ids[i] = turn.ID
	}
	return player.Turn{}, fmt.Errorf("give the turn_id of an open turn: %s", strings.Join(ids, ", "))
}

// closed explains why a turn cannot be played.
func (t *Seat) closed(id string) error {
	was, known := t.Player.Ended(id)
	switch {
	case !known:
		return fmt.Errorf("there is no turn %.60q; call wait_for_turn to see the open ones", id)
	case was.How == player.Played:
		return fmt.Errorf("turn %s was already played with %s, and the first move counts; call wait_for_turn", id, was.Move)
	case was.How == player.Fallback:
		return fmt.Errorf("turn %s is over: its time was up, and the strategy %s played %s for you; call wait_for_turn", id,
			t.Fallback, was.Move)
	case was.How == player.Dropped:
		return fmt.Errorf("the referee has stopped waiting for turn %s, and may ask again; call wait_for_turn", id)
	}
	return fmt.Errorf("turn %s is over: its time was up; call wait_for_turn", id)
}
