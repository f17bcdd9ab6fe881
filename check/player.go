package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// A playerCheck is a session with a player under test, in which the checker plays the referee and its manager.
type playerCheck struct{ *session }

// playerID returns the id of the player under test: granted by the checker, else the player's own, else P01.
func (s playerCheck) playerID() string {
	if s.manager.registered() {
		return s.manager.granted()
	}
	if role, id := protocol.ParseSender(s.agent); role == protocol.RolePlayer && protocol.ValidID(role, id) {
		return id
	}
	return "P01"
}

// opponentID returns P02, or P01 if the player under test is P02.
func (s playerCheck) opponentID() string {
	if s.playerID() == "P02" {
		return "P01"
	}
	return "P02"
}

// headIn returns the envelope of a referee's message, with a token and a conversation specific to the match.
func (s playerCheck) headIn(t protocol.Type, match string) protocol.Envelope {
	h := s.head(t, match)
	h.RoundID, h.MatchID, h.LeagueID, h.AuthToken = roundOf(match), match, league, "tok_match_check_"+match
	if s.manager.registered() {
		h.AuthToken = s.manager.matchToken(match)
	}
	return h
}

// roundOf is the round of a match.
func roundOf(match string) protocol.Round {
	round, _, _ := protocol.ParseMatchID(match)
	return protocol.Round(round)
}

// parityCall returns a request for a choice. Its deadline is when the check stops waiting, rounded up.
func (s playerCheck) parityCall(match string) *protocol.ChooseParityCall {
	return &protocol.ChooseParityCall{
		Envelope: s.headIn(protocol.TypeChooseParityCall, match), PlayerID: s.playerID(), GameType: "even_odd",
		Context:  protocol.ChooseContext{OpponentID: s.opponentID(), RoundID: roundOf(match)},
		Deadline: protocol.StampUp(time.Now().Add(s.limit(protocol.TypeChooseParityCall))), Attempt: 1,
	}
}

// join invites the player to a match. It commits to a draw key as a verifiable referee does; the key is the match id.
func (s playerCheck) join(ctx context.Context, match string) reply {
	return s.ask(ctx, &protocol.GameInvitation{
		Envelope: s.headIn(protocol.TypeGameInvitation, match), GameType: "even_odd", RoleInMatch: "PLAYER_A", Role: "PLAYER_A",
		PlayerID: s.playerID(), OpponentID: s.opponentID(), Attempt: 1,
		Fairness: protocol.Fairness{Commitment: protocol.KeyCommitment([]byte(match))},
	})
}

func (s playerCheck) choose(ctx context.Context, match string) reply {
	return s.ask(ctx, s.parityCall(match))
}

// end sends the result of a match: a draw, to which no player objects. It reveals the draw key.
func (s playerCheck) end(ctx context.Context, match string) reply {
	me, other, even := s.playerID(), s.opponentID(), json.RawMessage(`"even"`)
	return s.call(ctx, asReferee, &protocol.GameOver{
		Envelope: s.headIn(protocol.TypeGameOver, match), GameType: "even_odd", PlayerID: me, OpponentID: other,
		GameResult: protocol.GameResult{
			Status: protocol.Draw, DrawnNumber: protocol.Present(4), NumberParity: protocol.Present("even"),
			Reason: "both chose even", Choices: map[string]json.RawMessage{me: even, other: even},
		},
		Result: protocol.Draw, DrawnNumber: protocol.Present(4), YourChoice: even, OpponentChoice: even,
		PointsEarned: 1, Attempt: 1,
		Fairness: &protocol.Fairness{
			Commitment: protocol.KeyCommitment([]byte(match)), Key: hex.EncodeToString([]byte(match)),
		},
	})
}

// ask sends the player a request of its referee. The reply is the response or, if that has none, the callback.
func (s playerCheck) ask(ctx context.Context, m protocol.Message) reply {
	h := m.Head()
	spec, _ := protocol.Lookup(h.MessageType)
	var itself string // the id that it uses for itself, whichever was granted
	if s.manager.registered() {
		applied, _, _ := s.manager.application()
		_, itself = protocol.ParseSender(applied.Head().Sender)
	}
	open, door, err := s.node.Expect(ctx, rpc.Want{
		Type: spec.Reply, Peer: rpc.Peer{Endpoint: s.wire.peer.Endpoint, Token: h.AuthToken}, PlayerID: s.playerID(),
		CallsItself: itself, LeagueID: league, MatchID: h.MatchID, Conversation: h.ConversationID, Asked: m,
		Derive: func(token string) string { return protocol.MatchToken(token, league, h.MatchID, 1, refereeID) },
	})
	if err != nil {
		return reply{err: err}
	}
	defer door.Settle()
	r := s.call(open, asReferee, m)
	called, why := door.Answer(), s.manager.disbelieved(h.MatchID, spec.Reply)
	switch {
	case r.Message == nil && called != nil:
		s.callsBack.Store(true)
		r.Message, r.err = called, nil
		r = s.log.record(h, spec, r)
	case r.Message == nil && why != "" && protocol.Is(r.err, protocol.Timeout):
		r.err = errors.New(hinted("its "+why, s.Hints.Listen))
	case r.Message == nil:
		r.err = s.manager.unheard(r.err)
	}
	return r
}

// choiceIn returns the choice in an answer. The finding is not a pass if there is none.
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

// joined invites the player to the first match, once, and learns its dialect. A registered player first gets the
// announcement of its matches, as in a league. Other players get it only if they do not join without it: a player that
// answers by callbacks learns the callback address from it.
func (s playerCheck) joined(ctx context.Context) reply {
	return once(&s.memo, "joined", func() (r reply) {
		announced := s.manager.registered()
		if !announced {
			if r = s.refuseImpliedJoin(s.join(ctx, s.match(1, 1))); r.Message != nil || s.Strict || s.isBound(r) {
				return r
			}
		}
		m := s.announcement()
		s.address(m, protocol.TypeRoundAnnouncement)
		s.call(ctx, asManager, m)
		if again := s.refuseImpliedJoin(s.join(ctx, s.match(1, 1))); announced || again.Message != nil {
			return again
		}
		return r
	})
}

// refuseImpliedJoin replaces r by a refusal if package rpc has only assumed that the player joins, because the agent is
// an MCP server without a tool for GAME_INVITATION. Such an agent may not be a player at all: this program's manager is
// an MCP server with a tool for moves, too.
func (s playerCheck) refuseImpliedJoin(r reply) reply {
	if _, form := s.form(protocol.TypeGameInvitation); s.met == nil && r.Message != nil && form.Frame == "mcp" {
		return reply{sent: r.sent, x: r.x, err: &protocol.Refusal{
			Code: protocol.MethodNotFound, Message: "it has no method and no tool for GAME_INVITATION"}}
	}
	return r
}

// isBound reports whether r is a refusal by a player that accepts only its own manager's referees.
func (s playerCheck) isBound(r reply) bool {
	no, ok := r.err.(*protocol.Refusal)
	return ok && (no.Name == protocol.AuthTokenInvalid.Name || no.Name == protocol.AuthTokenMissing.Name) &&
		!s.manager.registered()
}

// notJoined is why no match can be judged.
const notJoined = "it does not join a match"

// unbound returns a skip if the player accepts only its own manager's referees, or does not join a match.
func (s playerCheck) unbound(ctx context.Context) finding {
	r := s.joined(ctx)
	if s.isBound(r) {
		return skip("%s", hinted("it plays only for the manager that it is registered with", s.Hints.Restart))
	}
	if f := answered(r); f.level != passes {
		return skip(notJoined)
	}
	return pass
}

// chosen is the first choice of the player.
func (s playerCheck) chosen(ctx context.Context) reply {
	return once(&s.memo, "chosen", func() reply { return s.choose(ctx, s.match(1, 1)) })
}

// undecided returns the player's first choice, or a skip if there is none to judge.
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

// playerSteps returns the steps that play matches with the player and send it messages of its manager.
func playerSteps() map[string]judge {
	return of(map[string]func(context.Context, playerCheck) finding{
		"P22": joins, "P23": joinComplete, "P24": joinsAgain, "P25": chooses, "P26": choiceComplete, "P27": choosesOnce,
		"P30": takesError, "P31": takesResult, "P32": takesResultAgain, "P34": playsAgain, "P35": playsMany,
		"P36": choosesOnceAtOnce,
		"P40": informed(protocol.TypeRoundAnnouncement, func(s playerCheck) protocol.Message { return s.announcement() }),
		"P41": informed(protocol.TypeLeagueStandingsUpdate, func(s playerCheck) protocol.Message {
			return &protocol.StandingsUpdate{Standings: s.table()}
		}),
		"P42": informed(protocol.TypeRoundCompleted, func(playerCheck) protocol.Message {
			next := protocol.Round(2)
			return &protocol.RoundCompleted{MatchesCompleted: 1, MatchesPlayed: 1, NextRoundID: &next,
				Summary: protocol.RoundSummary{TotalMatches: 1, Draws: 1}}
		}),
		"P44": showsState,
		"P90": func(ctx context.Context, s playerCheck) finding {
			return s.endLeague(ctx, &protocol.LeagueCompleted{Champion: protocol.Champion{PlayerID: s.playerID()},
				FinalStandings: s.table()})
		},
	})
}

// joins invites the player. It skips the step, with a hint, for a player that accepts only its own manager's referees.
func joins(ctx context.Context, s playerCheck) finding {
	r := s.joined(ctx)
	if f := s.unbound(ctx); f.level == skipped && f.detail != notJoined {
		return f
	}
	if f := first(answered(r), s.late(protocol.TypeGameInvitation, r.x)); f.level != passes {
		return f
	}
	ack, ok := r.Message.(*protocol.GameJoinAck)
	switch {
	case !ok:
		return fail("want a GAME_JOIN_ACK").in(r.x)
	case !ack.Accepts():
		return fail("it declines the invitation").in(r.x)
	}
	return pass.in(r.x)
}

// joinComplete checks the members of a join. The arrival_timestamp must have a time zone, because people use it to find
// the slow part of a match.
func joinComplete(ctx context.Context, s playerCheck) finding {
	r := s.joined(ctx)
	ack := r.Message.(*protocol.GameJoinAck)
	f := complete(protocol.TypeGameJoinAck, ack.Source())
	if _, plain, err := protocol.ParseTime(ack.ArrivalTimestamp); f.level == passes && (err != nil || !plain) {
		f = differ("want an arrival_timestamp such as 2025-01-15T10:30:00Z, got %q", ack.ArrivalTimestamp)
	}
	if f.level == passes && ack.MatchID != s.match(1, 1) {
		f = differ("want match_id %s, got %q", s.match(1, 1), ack.MatchID)
	}
	return f.in(r.x)
}

// joinsAgain repeats the invitation, as a referee does after a timeout. A player that declines the second one would
// forfeit a match that it had accepted.
func joinsAgain(ctx context.Context, s playerCheck) finding {
	r := s.join(ctx, s.match(1, 1))
	if ack, ok := r.Message.(*protocol.GameJoinAck); r.err == nil && (!ok || !ack.Accepts()) {
		return differ("it declines an invitation that it accepted before").in(r.x)
	}
	if f := answered(r); f.level != passes {
		return differ("%s", f.detail).in(r.x)
	}
	return pass
}

// chooses expects a choice. It accepts other words for even and odd where they are unambiguous: joinComplete and
// choiceComplete report those.
func chooses(ctx context.Context, s playerCheck) finding {
	r := s.chosen(ctx)
	_, f := choiceIn(r)
	return first(f, s.late(protocol.TypeChooseParityCall, r.x)).in(r.x)
}

// choiceComplete checks the members of a choice, the match_id last: during concurrent matches a wrong one would assign
// the choice to another match.
func choiceComplete(ctx context.Context, s playerCheck) finding {
	r := s.chosen(ctx)
	f := first(inOwnWords(r), complete(protocol.TypeChooseParityResponse, r.Head().Source()))
	if f.level == passes && r.Head().MatchID != s.match(1, 1) {
		f = differ("want match_id %s, got %q", s.match(1, 1), r.Head().MatchID)
	}
	return f.in(r.x)
}

// inOwnWords reports a choice that is understandable but not spelled as specified.
func inOwnWords(r reply) finding {
	f, _ := protocol.ParseFields(r.Head().Source())
	text, words := f.Text("said") // see dialect.Sense
	a, ok := r.Message.(*protocol.ChooseParityResponse)
	switch written := f["parity_choice"]; {
	case words && !f.Has("message_type"):
		return differ("want a CHOOSE_PARITY_RESPONSE, got the words %s", text)
	case ok && written != nil && !bytes.Equal(written, a.ParityChoice):
		return differ("want %s as parity_choice, got %s", a.ParityChoice, redacted(written))
	}
	return pass
}

// choosesOnce asks for the same choice repeatedly, as a referee does after a lost answer. A player that changes its
// choice would play two different matches.
func choosesOnce(ctx context.Context, s playerCheck) finding {
	before, _ := choiceIn(s.chosen(ctx))
	for range 5 { // finds a player that chooses randomly each time
		after, f := choiceIn(s.choose(ctx, s.match(1, 1)))
		if f.level != passes {
			return f
		}
		if after != before {
			return fail("it chose %s first and %s when it was asked again", before, after)
		}
	}
	return pass
}

// takesError sends a GAME_ERROR, which announces a retry. A refusal is only a warning, since the player can still play.
func takesError(ctx context.Context, s playerCheck) finding {
	m := &protocol.GameError{
		Envelope: s.headIn(protocol.TypeGameError, s.match(1, 1)), PlayerID: s.playerID(), AffectedPlayer: s.playerID(),
		ErrorCode: protocol.Timeout.Code, ErrorName: protocol.Timeout.Name, ErrorDescription: protocol.Timeout.Name,
		GameState: protocol.CollectingChoices, ActionRequired: string(protocol.TypeChooseParityResponse),
		Retryable: true, RetryCount: 1, MaxRetries: 3, Attempt: 1, Consequence: "TECHNICAL_LOSS if the retries are used up",
	}
	return s.acknowledged(protocol.TypeGameError, s.call(ctx, asReferee, m))
}

// takesResult ends the first match for the player.
func takesResult(ctx context.Context, s playerCheck) finding {
	return s.acknowledged(protocol.TypeGameOver, s.end(ctx, s.match(1, 1)))
}

// takesResultAgain repeats the result, as a referee does until it is acknowledged.
func takesResultAgain(ctx context.Context, s playerCheck) finding {
	r := s.end(ctx, s.match(1, 1))
	if r.err != nil {
		return differ("a repeated result is refused: %v", r.err).in(r.x)
	}
	return pass
}

// playMatch plays a whole match.
func (s playerCheck) playMatch(ctx context.Context, match string) finding {
	if f := answered(s.join(ctx, match)); f.level != passes {
		return f
	}
	r := s.choose(ctx, match)
	_, f := choiceIn(r)
	if a, ok := r.Message.(*protocol.ChooseParityResponse); ok && f.level == passes && s.isAnother(a.MatchID, match) {
		f = fail("asked about %s it answers about %s", match, a.MatchID).in(r.x)
	}
	if s.met != nil && s.tool(protocol.TypeGameOver) == "" { // it does not receive it
		return f
	}
	return first(f, answered(s.end(ctx, match)))
}

// isAnother reports whether id is that of another match of the checker. Unless the check is strict, an id in another
// format is not one, because some dialects reformat ids.
func (s playerCheck) isAnother(id, match string) bool {
	if _, _, ok := protocol.ParseMatchID(id); s.Strict && id != "" || ok {
		return id != match
	}
	return false
}

// playsAgain detects a player that answers the second match with state left over from the first.
func playsAgain(ctx context.Context, s playerCheck) finding { return s.playMatch(ctx, s.match(2, 1)) }

// concurrently calls f with 0 to times-1 concurrently and returns the first finding that is not a pass.
func concurrently(times int, f func(i int) finding) finding {
	findings := make([]finding, times)
	var wg sync.WaitGroup
	for i := range times {
		wg.Go(func() { findings[i] = f(i) })
	}
	wg.Wait()
	return first(findings...)
}

// sideBySide is the number of concurrent matches of [playsMany].
const sideBySide = 4

// playsMany plays concurrent matches. A player may answer that it is busy, but must not hang or mix up matches.
func playsMany(ctx context.Context, s playerCheck) finding {
	f := concurrently(sideBySide, func(i int) finding { return s.playMatch(ctx, s.match(3, i+1)) })
	if f.no != nil {
		return advise("it refuses to play %d matches at once: %s", sideBySide, textOf(f.no)).in(f.at)
	}
	return f
}

// choosesOnceAtOnce makes eight concurrent calls. Only these detect a player that decides before it records its
// decision.
func choosesOnceAtOnce(ctx context.Context, s playerCheck) finding {
	if s.callsBack.Load() {
		return skip("it answers by calls of its own, and those do not say which of several questions they answer")
	}
	match := s.match(4, 1)
	if f := answered(s.join(ctx, match)); f.level != passes {
		return f
	}
	choices, replies := make([]string, 8), make([]reply, 8)
	f := concurrently(len(choices), func(i int) (f finding) {
		replies[i] = s.choose(ctx, match)
		choices[i], f = choiceIn(replies[i])
		return f
	})
	s.end(ctx, match)
	for i, c := range choices {
		if f.level == passes && c != choices[0] {
			f = fail("asked 8 times at once it chose both even and odd").in(replies[i].x)
		}
	}
	return f
}

// informed returns a judge that sends the player a message of its manager and judges the acknowledgement.
func informed(t protocol.Type, message func(s playerCheck) protocol.Message) func(context.Context, playerCheck) finding {
	return func(ctx context.Context, s playerCheck) finding {
		if f := s.unbound(ctx); f.level == skipped && !s.manager.registered() && f.detail != notJoined {
			return f
		}
		return s.inform(ctx, message(s), t)
	}
}

// announcement lists every match that the checker plays with the player, and the address of its referee.
func (s playerCheck) announcement() *protocol.RoundAnnouncement {
	r := &protocol.RoundAnnouncement{Byes: []string{}}
	for round, matches := range matchesInRound {
		for n := range matches {
			r.Matches = append(r.Matches, protocol.AnnouncedMatch{
				MatchID: s.match(round+1, n+1), GameType: "even_odd", PlayerAID: s.playerID(), PlayerBID: s.opponentID(),
				RefereeID: refereeID, RefereeEndpoint: s.manager.url, Attempt: 1,
				Native: s.manager.registered(),
			})
		}
	}
	return r
}

// matchesInRound is the number of matches in each round of the checker's league.
var matchesInRound = []int{1, 1, sideBySide, 1, 1, 1}

// table returns standings that include the player under test.
func (s playerCheck) table() []protocol.Standing {
	return []protocol.Standing{
		{Rank: 1, PlayerID: s.playerID(), DisplayName: "Check A", Played: 1, Draws: 1, Points: 1},
		{Rank: 2, PlayerID: s.opponentID(), DisplayName: "Check B", Played: 1, Draws: 1, Points: 1},
	}
}

// showsState expects PLAYER_STATE as the answer. It is optional in practice, so its absence is a difference and no
// failure.
func showsState(ctx context.Context, s playerCheck) finding {
	r := s.call(ctx, asManager, &protocol.Tool{Envelope: s.head(protocol.TypeGetPlayerState, "state")})
	if f := answered(r); f.level != passes {
		return differ("%s", f.detail).in(r.x)
	}
	if r.Message == nil {
		return differ("want a PLAYER_STATE").in(r.x)
	}
	return complete(protocol.TypePlayerState, r.Head().Source())
}

// registrationSteps returns the steps that judge the agent's registration with the checker.
func registrationSteps() map[string]judge {
	return map[string]judge{
		"20": func(_ context.Context, s *session) finding {
			applied, _, _ := s.manager.application()
			t := protocol.TypeLeagueRegisterRequest
			if s.role == protocol.RoleReferee {
				t = protocol.TypeRefereeRegisterRequest
			}
			return complete(t, applied.Head().Source()).in(applied.exchange)
		},
		"21": func(_ context.Context, s *session) finding {
			applied, meta, unreachable := s.manager.application()
			if unreachable != nil {
				return differ("nothing answered at %s when it registered: %v", meta.ContactEndpoint,
					unreachable).in(applied.exchange)
			}
			return pass.in(applied.exchange)
		},
	}
}
