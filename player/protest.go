package player

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// A verdict is what our manager, or a referee of its, has said of the end of a bout.
type verdict struct{ result, drawn string }

// A protest is what is wrong in the end of a match.
type protest struct{ what, detail string }

// examine compares the end of a bout with what the player knows of it, and
// tells the manager what is wrong. The caller holds the lock.
func (a *Agent) examine(ctx context.Context, b bout, p *playing, over *protocol.GameOver) {
	if a.seal == "" {
		return
	}
	var i *inviter
	if p != nil {
		i = p.native()
	}
	said := verdict{a.result(over), number(over.GameResult.DrawnNumber)}
	if was, told := a.told[b]; told && was == said || !told && a.heard(over) {
		return // it has been looked at
	}
	found := a.wrong(b, i, over, said)
	a.told[b] = said
	if len(found) == 0 {
		return
	}
	m := &protocol.MatchProtest{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeMatchProtest, ConversationID: "conv-protest-" + a.Node.Nonce(8), AuthToken: a.token,
			LeagueID: a.league, RoundID: over.RoundID, MatchID: b.match,
		},
		PlayerID: a.id, Attempt: b.attempt, What: found[0].what, Detail: found[0].detail,
	}
	if i != nil {
		m.Signed = i.signed()
	}
	a.protest(ctx, m)
}

// wrong lists what is wrong in the end of a bout. The caller holds the lock.
func (a *Agent) wrong(b bout, i *inviter, over *protocol.GameOver, said verdict) (found []protest) {
	add := func(what, format string, args ...any) {
		found = append(found, protest{what, fmt.Sprintf(format, args...)})
	}
	if i != nil {
		if detail := i.wrongMoves(a.id, over); detail != "" {
			add(protocol.ProtestMoves, "%s", detail)
		}
		if key, err := hex.DecodeString(keyOf(over)); err != nil || len(key) > 0 && i.commitment != "" && protocol.KeyCommitment(key) != i.commitment {
			add(protocol.ProtestDraw, "the draw key is not the one that the invitation promised")
		}
		if code := over.GameResult.Forfeits[a.id]; code != "" && i.hasAnswered() {
			add(protocol.ProtestForfeit, "this player forfeited with %s, although it answered in turn %d", protocol.Plain(code), i.last.turn)
		}
	}
	if was, told := a.told[b]; told && was != said {
		add(protocol.ProtestResult, "this player was told %s before, and now %s", was, said)
	}
	if r := over.GameResult; r.WinnerPlayerID != nil && (said.result == protocol.Win) != (*r.WinnerPlayerID == a.id) {
		add(protocol.ProtestResult, "the result says %s, and the winner is %s", said.result, protocol.Plain(*r.WinnerPlayerID))
	}
	return found
}

// String writes a verdict for a person.
func (v verdict) String() string {
	if v.drawn == "" {
		return v.result
	}
	return v.result + " with the number " + v.drawn
}

func number(n *int) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}

func keyOf(over *protocol.GameOver) string {
	if over.Fairness == nil {
		return ""
	}
	return over.Fairness.Key
}

// hasAnswered reports whether the newest question has an answer that nobody may refuse.
func (i *inviter) hasAnswered() bool {
	w := i.given[i.last.turn]
	return w != nil && w.Offered && w.InTime
}

// wrongMoves says what is wrong with the moves that the player is said to have made, or "".
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

// made reports whether what is told as the player's choice is what it answered:
// its move, or the list of its moves in a longer game. In a match that ends by
// forfeit the last answer, or all, may not have been played.
func (i *inviter) made(told json.RawMessage, forfeit bool) bool {
	text := protocol.MoveText(told)
	var own []string
	for _, turn := range slices.Sorted(maps.Keys(i.given)) {
		if w := i.given[turn]; w.Offered {
			own = append(own, w.Move)
		}
	}
	if text == "null" {
		return forfeit || len(own) == 0
	}
	if len(own) > 0 && text == own[len(own)-1] {
		return true
	}
	var list []json.RawMessage
	if json.Unmarshal(told, &list) != nil || len(list) > len(own) || len(list) < len(own)-1 || len(list) < len(own) && !forfeit {
		return false
	}
	for n, m := range list {
		if protocol.MoveText(m) != own[n] {
			return false
		}
	}
	return true
}

// A protest is tried so long, with such a pause between two tries.
const (
	protestFor   = 30 * time.Second
	protestPause = 5 * time.Second
)

// protest tells the manager what is wrong in the background. The caller holds the lock.
func (a *Agent) protest(ctx context.Context, m *protocol.MatchProtest) {
	a.Node.Logger.Warn("the end of a match is not right; the manager is told", slog.String("match_id", m.MatchID), slog.String("what", m.What), slog.String("detail", m.Detail))
	a.protests++
	manager := a.manager
	go func() { // Drain waits for it
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), protestFor)
		defer cancel()
		_, err := a.Node.CallUntil(ctx, rpc.Peer{Endpoint: manager}, protestPause, m)
		if err != nil {
			a.Node.Logger.Error("the manager could not be told what is wrong in a match", slog.String("match_id", m.MatchID), slog.Any("error", err))
		}
		a.mu.Lock()
		a.protests--
		a.mu.Unlock()
	}()
}
