package foreign

import (
	"fmt"
	"net/url"
	"time"
)

// fromQuery converts the query of a URL to a message.
func fromQuery(query url.Values) object {
	out := object{}
	for name := range query {
		out[name] = query.Get(name)
	}
	return out
}

// tell plays a match and returns its result as the answer to the order.
func (r *Referee) tell(id any, o order) *answer {
	r.mu.Lock()
	r.starts[o.match]++
	o.league = orElse(o.league, r.league)
	r.mu.Unlock()
	e, _ := r.run(o)
	return &answer{200, encode(object{"jsonrpc": "2.0", "result": object{
		"game_id": "game_1", "player1": o.a.id, "player2": o.b.id, "player1_choice": e.choices[o.a.id],
		"player2_choice": e.choices[o.b.id],
		"dice_roll":      e.number, "dice_parity": e.parity, "winner": e.winner,
	}, "id": id})}
}

// flatReport returns the result of a match with separate members for each player.
func flatReport(o order, e ending) object {
	ended := func(id string) string {
		switch {
		case e.winner == nil:
			return "DRAW"
		case e.winner == id:
			return "WIN"
		}
		return "LOSS"
	}
	return object{
		"winner_id": e.winner, "drawn_number": e.number, "player_a_id": o.a.id, "player_b_id": o.b.id,
		"player_a_choice": e.choices[o.a.id], "player_b_choice": e.choices[o.b.id], "player_a_result": ended(o.a.id),
		"player_b_result": ended(o.b.id),
	}
}

// orDraw returns the winner, or "DRAW" if there is none.
func orDraw(winner any) any {
	if winner == nil {
		return "DRAW"
	}
	return winner
}

// callbackSlot returns the channel on which a player's callback of that type for a match is delivered.
func (r *Referee) callbackSlot(match, player, messageType string) chan object {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := match + " " + player + " " + messageType
	if r.called[key] == nil {
		r.called[key] = make(chan object, 8)
	}
	return r.called[key]
}

// bring delivers a player's callback to the goroutine that awaits it. It returns false for other messages.
func (r *Referee) bring(message object) bool {
	messageType := message.text("message_type")
	if messageType != "GAME_JOIN_ACK" && messageType != "CHOOSE_PARITY_RESPONSE" {
		return false
	}
	select {
	case r.callbackSlot(message.text("match_id"), message.text("player_id"), messageType) <- message:
	default:
	}
	return true
}

// await waits up to five seconds for a player's callback.
func (r *Referee) await(match, player, messageType string) (object, error) {
	select {
	case message := <-r.callbackSlot(match, player, messageType):
		return message, nil
	case <-time.After(5 * time.Second):
		return nil, fmt.Errorf("no %s was brought", messageType)
	case <-r.base.Done():
		return nil, r.base.Err()
	}
}
