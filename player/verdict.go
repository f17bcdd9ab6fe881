package player

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"agentleague/protocol"
)

// A verdict is the result of an attempt at a match, from a trusted sender: this project's manager or the native
// referee.
type verdict struct{ result, drawn string }

// A protest describes a contradiction between a result and the player's own data.
type protest struct{ what, detail string }

// String describes the verdict for a person.
func (v verdict) String() string {
	if v.drawn == "" {
		return v.result
	}
	return v.result + " with the number " + v.drawn
}

// number formats an optional number; nil is "".
func number(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// keyOf returns the draw key that a GAME_OVER reveals, or "".
func keyOf(over *protocol.GameOver) string {
	if over.Fairness == nil {
		return ""
	}
	return over.Fairness.Key
}

// hasAnswered reports whether the player answered the newest question of i in time and with a legal move.
func (i *inviter) hasAnswered() bool {
	w := i.given.of(i.last.turn)
	return w != nil && w.Offered && w.InTime
}

// wrongMoves describes a difference between the player's moves in a result and its own answers, or returns "".
func (i *inviter) wrongMoves(player string, over *protocol.GameOver) string {
	if len(i.answers) == 0 {
		return "" // it may have answered before it was started again
	}
	for _, told := range []json.RawMessage{over.YourChoice, over.GameResult.Choices[player]} {
		if told != nil && !i.made(told, len(over.GameResult.Forfeits) > 0) {
			return fmt.Sprintf("this player is said to have chosen %.200s", protocol.Plain(protocol.MoveText(told)))
		}
	}
	return ""
}

// isWrongKey reports whether a revealed draw key does not match the commitment in the invitation. A missing key is not
// wrong here, see [inviter.opens].
func (i *inviter) isWrongKey(key string) bool {
	if key == "" {
		return false
	}
	if i.commitment != "" {
		return !protocol.Opens(i.commitment, key)
	}
	_, err := hex.DecodeString(key)
	return err != nil
}

// made reports whether told, the player's choice as the referee reports it, equals the player's answers: the move, or
// the list of moves in a longer game. In a match that ended by forfeit, the last answer or all answers may not have
// been played.
func (i *inviter) made(told json.RawMessage, forfeit bool) bool {
	var room [64]byte
	text := protocol.AppendMoveText(room[:0], told)
	last := i.given.lastOffered()
	if string(text) == "null" {
		return forfeit || last == nil
	}
	if last != nil && string(text) == last.Move {
		return true
	}
	own := i.given.offered()
	var list []json.RawMessage
	if json.Unmarshal(told, &list) != nil || len(list) > len(own) || len(list) < len(own)-1 || len(list) < len(own) &&
		!forfeit {
		return false
	}
	for n, m := range list {
		if protocol.MoveText(m) != own[n] {
			return false
		}
	}
	return true
}
