package foreign

import (
	"fmt"
	"time"
)

// play runs a match to its end and reports it.
func (r *Referee) play(o order) {
	if r.OwnIDs {
		o.match = "game-" + o.match[1:]
	}
	if e, ok := r.run(o); ok {
		r.report(o, e)
	}
}

// run plays a match.
func (r *Referee) run(o order) (e ending, ok bool) {
	for _, s := range []struct{ s, other seat }{{o.a, o.b}, {o.b, o.a}} {
		joined, err := r.ask(o, s.s, "handle_game_invitation", "GAME_INVITATION", object{
			"role_in_match": "PLAYER_A", "opponent_id": s.other.id, "game_type": o.game,
		})
		if err != nil || joined["accept"] != true {
			r.failed("%s: %s does not join: %v %v", o.match, s.s.id, joined, err)
			return e, false
		}
	}
	choices := map[string]any{}
	for _, s := range []seat{o.a, o.b} {
		chosen, err := r.ask(o, s, "choose_parity", "CHOOSE_PARITY_CALL", object{
			"player_id": s.id, "game_type": o.game, "context": object{"round_id": o.round},
			"deadline": TimeZ.write(time.Now().Add(30 * time.Second)),
		})
		choice := chosen.text("parity_choice")
		if err != nil || choice != "even" && choice != "odd" {
			r.failed("%s: %s does not choose: %v %v", o.match, s.id, chosen, err)
			return e, false
		}
		choices[s.id] = choice
	}
	e = end(o, choices, r.Odd.draw())
	for _, s := range []seat{o.a, o.b} {
		over := object{"game_type": o.game, "game_result": e.gameResult()}
		if r.Sides {
			over = e.bySides(o)
		}
		if _, err := r.ask(o, s, "notify_match_result", "GAME_OVER", over); err != nil {
			r.failed("%s: %s does not hear the end: %v", o.match, s.id, err)
		}
	}
	return e, true
}

// ask calls a player in the specification's form and returns its answer, which may come as the result, as a bare
// message or as a callback, depending on the kind of referee.
func (r *Referee) ask(o order, s seat, method, messageType string, more object) (object, error) {
	r.mu.Lock()
	id, token := r.id, r.token
	r.mu.Unlock()
	message := object{
		"protocol": "league.v2", "message_type": messageType, "sender": r.signs(id), "timestamp": TimeZ.write(time.Now()),
		"conversation_id": "conv-" + o.match, "auth_token": token, "league_id": o.league, "round_id": o.round,
		"match_id": o.match,
	}.with(more)
	if r.Beside || r.OwnIDs {
		delete(message, "auth_token")
	}
	reply, err := post(r.base, s.endpoint, encode(object{"jsonrpc": "2.0", "method": method, "id": 7, "params": message}))
	if err == nil && reply["error"] != nil {
		err = fmt.Errorf("%s", encode(reply["error"]))
	}
	if awaited := awaitedOf(messageType); r.Waits && err == nil && awaited != "" {
		return r.await(o.match, s.id, awaited)
	}
	if r.Beside && awaitedOf(messageType) != "" {
		return reply, err
	}
	return reply.object("result"), err
}

// signs is how it calls itself in a message.
func (r *Referee) signs(id string) string {
	if r.Terse {
		return id
	}
	return "referee:" + id
}

// awaitedOf returns the message type of the answer to a question; "" if the message is not a question.
func awaitedOf(messageType string) string {
	return map[string]string{
		"GAME_INVITATION": "GAME_JOIN_ACK", "CHOOSE_PARITY_CALL": "CHOOSE_PARITY_RESPONSE",
	}[messageType]
}

// An ending is how a match ended.
type ending struct {
	status  string
	winner  any
	number  int
	parity  string
	choices map[string]any
	score   map[string]int
}

// end decides a match by its number.
func end(o order, choices map[string]any, number int) ending {
	e := ending{
		status: "DRAW", number: number, parity: []string{"even", "odd"}[number%2], choices: choices,
		score: map[string]int{o.a.id: 1, o.b.id: 1},
	}
	if choices[o.a.id] == choices[o.b.id] {
		return e
	}
	winner, loser := o.a.id, o.b.id
	if choices[winner] != e.parity {
		winner, loser = loser, winner
	}
	e.status, e.winner, e.score = "WIN", winner, map[string]int{winner: 3, loser: 0}
	return e
}

// gameResult returns the result of a match with the specification's members.
func (e ending) gameResult() object {
	return object{
		"status": e.status, "winner_player_id": e.winner, "drawn_number": e.number, "number_parity": e.parity,
		"choices": e.choices,
		"reason":  fmt.Sprintf("the number was %d (%s)", e.number, e.parity),
	}
}

// bySides returns the result of a match with a choice for each side, such as player1_choice.
func (e ending) bySides(o order) object {
	return object{"winner": e.winner, "details": object{
		"dice_roll": e.number, "dice_parity": e.parity, "player1": o.a.id, "player2": o.b.id,
		"player1_choice": e.choices[o.a.id], "player2_choice": e.choices[o.b.id],
	}}
}

// report sends the report in the referee's form, with up to five attempts. It records an error if all fail.
func (r *Referee) report(o order, e ending) {
	r.mu.Lock()
	id, token, manager := r.id, r.token, r.manager
	r.mu.Unlock()
	message := object{
		"protocol": "league.v2", "message_type": "MATCH_RESULT_REPORT", "sender": r.signs(id),
		"timestamp":       TimeZ.write(time.Now()),
		"conversation_id": "conv-" + o.match + "-report", "auth_token": token, "league_id": o.league, "round_id": o.round,
		"match_id":  o.match,
		"game_type": o.game, "result": object{
			"winner": e.winner, "score": e.score, "details": object{"drawn_number": e.number, "choices": e.choices},
		},
	}
	switch {
	case r.Token == noToken:
		delete(message, "auth_token")
	case r.Token != "":
		message["auth_token"] = r.Token
	}
	if r.Flat {
		message = message.with(flatReport(o, e))
		delete(message, "result")
	}
	if r.Odd != "" {
		message = r.Odd.change(message, o, e)
	}
	if r.Nameless {
		message = object{"result": object{"winner": orDraw(e.winner), "score": e.choices}}
	}
	rpc := object{"jsonrpc": "2.0", "method": r.Report, "params": message, "id": 9}
	if r.Report == "tools/call" {
		rpc["params"] = object{"name": "report_match_result", "arguments": message}
	}
	for try := 1; r.base.Err() == nil; try++ {
		reply, err := post(r.base, manager, encode(rpc))
		if err == nil && reply["error"] == nil && reply.object("result")["isError"] != true {
			return
		}
		if try == 5 {
			r.failed("%s: the report is not taken: %.300s %v", o.match, encode(reply), err)
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}
