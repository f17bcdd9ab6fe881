package check

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"time"

	"agentleague/protocol"
)

// A playerCheck is a session with a player: the checker is its referee, and the manager behind that.
type playerCheck struct{ *session }

// playerID is how the player is called in messages to it.
func (s playerCheck) playerID() string {
	if s.manager.registered() {
		return s.manager.granted()
	}
	if role, id := protocol.ParseSender(s.agent); role == protocol.RolePlayer && protocol.ValidID(role, id) {
		return id
	}
	return "P01"
}

// opponentID is a common player id other than the player's.
func (s playerCheck) opponentID() string {
	if s.playerID() == "P02" {
		return "P01"
	}
	return "P02"
}

// token is the token that the checker shows to the player in a match.
func (s playerCheck) token(match string) string {
	if s.manager.registered() {
		return s.manager.matchToken(match)
	}
	return "tok_match_check_" + match
}

// head is the envelope of a referee's message in a match: with the token of that match, in a separate conversation.
func (s playerCheck) head(t protocol.Type, match string) protocol.Envelope {
	round, _, _ := protocol.ParseMatchID(match)
	return protocol.Envelope{
		MessageType: t, ConversationID: s.conversation(match), AuthToken: s.token(match), LeagueID: league,
		RoundID: protocol.Round(round), MatchID: match,
	}
}

// invitation commits to a draw key, as a referee does that can be held to its draw: the match's id stands for it.
func (s playerCheck) invitation(match string) *protocol.GameInvitation {
	return &protocol.GameInvitation{
		Envelope: s.head(protocol.TypeGameInvitation, match), GameType: "even_odd", RoleInMatch: "PLAYER_A", Role: "PLAYER_A",
		PlayerID: s.playerID(), OpponentID: s.opponentID(), Attempt: 1,
		Fairness: protocol.Fairness{Commitment: protocol.KeyCommitment([]byte(match))},
	}
}

// parityCall gives the player as long as the check waits for it; the deadline is rounded up, so that it is never
// shorter.
func (s playerCheck) parityCall(match string) *protocol.ChooseParityCall {
	round, _, _ := protocol.ParseMatchID(match)
	return &protocol.ChooseParityCall{
		Envelope: s.head(protocol.TypeChooseParityCall, match), PlayerID: s.playerID(), GameType: "even_odd",
		Context:  protocol.ChooseContext{OpponentID: s.opponentID(), RoundID: protocol.Round(round)},
		Deadline: protocol.StampUp(time.Now().Add(s.limit(protocol.TypeChooseParityCall))), Attempt: 1,
	}
}

// gameOver reports a draw, which no player protests against, and shows the key that the invitation committed to.
func (s playerCheck) gameOver(match string) *protocol.GameOver {
	me, other := s.playerID(), s.opponentID()
	number, parity := 4, "even"
	return &protocol.GameOver{
		Envelope: s.head(protocol.TypeGameOver, match), GameType: "even_odd", PlayerID: me, OpponentID: other,
		GameResult: protocol.GameResult{
			Status: protocol.Draw, DrawnNumber: protocol.Tell(number), NumberParity: protocol.Tell(parity), Reason: "both chose even",
			Choices: map[string]json.RawMessage{me: json.RawMessage(`"even"`), other: json.RawMessage(`"even"`)},
		},
		Result: protocol.Draw, DrawnNumber: protocol.Tell(number), YourChoice: json.RawMessage(`"even"`),
		OpponentChoice: json.RawMessage(`"even"`),
		PointsEarned:   1, Attempt: 1,
		Fairness: &protocol.Fairness{
			Commitment: protocol.KeyCommitment([]byte(match)), Key: hex.EncodeToString([]byte(match)),
		},
	}
}

func (s playerCheck) join(ctx context.Context, match string) reply {
	return s.ask(ctx, s.invitation(match))
}
func (s playerCheck) choose(ctx context.Context, match string) reply {
	return s.ask(ctx, s.parityCall(match))
}
func (s playerCheck) end(ctx context.Context, match string) reply {
	return s.call(ctx, asReferee, s.gameOver(match))
}

// choiceIn returns the choice in an answer, or why there is none.
func choiceIn(r reply) (string, finding) {
	if f := answered(r); f.level != passes {
		return "", f
	}
	a, ok := r.Message.(*protocol.ChooseParityResponse)
	if !ok {
		return "", fail("want a CHOOSE_PARITY_RESPONSE").in(r.x)
	}
	var choice string
	if json.Unmarshal(a.ParityChoice, &choice) != nil || choice != "even" && choice != "odd" {
		return "", fail(`want "even" or "odd" as parity_choice, got %s`, cmp.Or(redacted(a.ParityChoice), "none")).in(r.x)
	}
	return choice, pass
}

// joined plays the first match of the check: its invitation also finds the dialect of the player. A player in the
// checker's league receives its matches first, as in any league. Other players receive them only if they do not join
// otherwise: they may answer by a callback, and learn its address from an announcement.
func (s playerCheck) joined(ctx context.Context) reply {
	return once(s.session, "joined", func() reply {
		if s.manager.registered() {
			s.announce(ctx)
			return s.unlessImplied(s.join(ctx, s.match(1, 1)))
		}
		r := s.unlessImplied(s.join(ctx, s.match(1, 1)))
		if r.Message != nil || s.Strict || s.isBound(r) {
			return r
		}
		s.announce(ctx)
		if again := s.unlessImplied(s.join(ctx, s.match(1, 1))); again.Message != nil {
			return again
		}
		return r
	})
}

// unlessImplied ignores a join that no tool has stated: an agent that speaks league.v2 and has a tool for a move, as
// our manager does for seats, is no player because of that.
func (s playerCheck) unlessImplied(r reply) reply {
	if _, form := s.form(protocol.TypeGameInvitation); s.met == nil && r.Message != nil && form.Frame == "mcp" {
		return reply{sent: r.sent, x: r.x, err: &protocol.Refusal{
			Code: protocol.MethodNotFound, Message: "it has no method and no tool for GAME_INVITATION"}}
	}
	return r
}

// isBound reports whether a player has refused because it plays for its own manager only.
func (s playerCheck) isBound(r reply) bool {
	no, ok := r.err.(*protocol.Refusal)
	return ok && (no.Name == protocol.AuthTokenInvalid.Name || no.Name == protocol.AuthTokenMissing.Name) &&
		!s.manager.registered()
}

// unbound returns why no match can be played with the player, if it plays for its own manager only.
func (s playerCheck) unbound(ctx context.Context) finding {
	r := s.joined(ctx)
	if s.isBound(r) {
		return skip("%s", hinted("it plays only for the manager that it is registered with", s.Hints.Restart))
	}
	if f := answered(r); f.level != passes {
		return skip("it does not join a match")
	}
	return pass
}

// chosen is the first choice of the player.
func (s playerCheck) chosen(ctx context.Context) reply {
	return once(s.session, "chosen", func() reply { return s.choose(ctx, s.match(1, 1)) })
}

// undecided returns why the choice of the player cannot be judged.
func (s playerCheck) undecided(ctx context.Context) (string, finding) {
	if f := s.unbound(ctx); f.level != passes {
		return "", f
	}
	choice, f := choiceIn(s.chosen(ctx))
	if f.level != passes {
		return "", skip("it does not choose")
	}
	return choice, pass
}

// use returns the tool that is called for a message, or "".
func (s *session) use(t protocol.Type) string {
	for _, u := range s.met.Calls {
		if u.Message == t {
			return u.Tool
		}
	}
	return ""
}
