package check

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"sync"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
)

// A refereeCheck is a session with a referee under test, in which the checker plays its manager and both players.
type refereeCheck struct{ *session }

// A fixture is one match that the referee was ordered to play, with all its messages.
type fixture struct {
	id      string
	order   *protocol.StartMatch
	key     []byte
	start   reply
	a, b    *fakePlayer
	manager *fakeManager

	together bool // the second player was asked while the first had not answered
	state    reply
}

// order returns the START_MATCH for a match between the fake players, and its draw key.
func (s refereeCheck) order(h *fakePlayers, match string) (*protocol.StartMatch, []byte) {
	key := protocol.DrawKey(s.manager.key, league, match, "", "")
	contender := func(g *fakePlayer) protocol.Contender {
		return protocol.Contender{
			ID: g.id, Endpoint: g.url, Dialect: protocol.Canonical, State: protocol.AgentActive,
			RegisteredAt: protocol.Stamp(time.Now()),
			Token:        protocol.MatchToken(g.token, league, match, 1, s.refereeID()),
		}
	}
	m := &protocol.StartMatch{
		Envelope: s.head(protocol.TypeStartMatch, "start"), GameType: "even_odd", PlayerA: contender(h.players[0]),
		PlayerB: contender(h.players[1]), Attempt: 1, DrawKey: hex.EncodeToString(key), ReportTo: s.manager.url,
		RefereeID: s.refereeID(), RefereeEndpoint: s.wire.peer.Endpoint,
	}
	m.LeagueID, m.RoundID, m.MatchID = league, roundOf(match), match
	m.AuthToken = s.manager.tokenFor(protocol.TypeStartMatch, m.RoundID)
	return m, key
}

// refereeID returns the id of the referee under test: granted by the checker, else its own, else REF01.
func (s refereeCheck) refereeID() string {
	if s.manager.registered() {
		return s.manager.granted()
	}
	if role, id := protocol.ParseSender(s.agent); role == protocol.RoleReferee && id != "" {
		return id
	}
	return "REF01"
}

// play orders a match, with behaviours for both players, and waits up to limit for the report. Edit, if not nil,
// changes the order.
func (s refereeCheck) play(ctx context.Context, h *fakePlayers, match string, limit time.Duration, a, b *behaviour,
	edit func(*protocol.StartMatch)) *fixture {
	f := &fixture{id: match, a: h.players[0], b: h.players[1], manager: s.manager}
	f.a.plays(match, a)
	f.b.plays(match, b)
	f.order, f.key = s.order(h, match)
	if edit != nil {
		edit(f.order)
	}
	if f.start = s.begin(ctx, f.order); f.start.err != nil {
		return f
	}
	s.waitFor(ctx, limit, func() bool { return len(f.reports()) > 0 })
	s.waitFor(ctx, s.Patience/5, func() bool {
		return (f.over(f.a) != nil || f.order.PlayerA.Endpoint != f.a.url) && f.over(f.b) != nil
	})
	return f
}

// begin sends the order, and retries while the referee answers that it is busy.
func (s refereeCheck) begin(ctx context.Context, order *protocol.StartMatch) (r reply) {
	s.waitFor(ctx, s.Patience, func() bool {
		copied := *order
		r = s.call(ctx, asManager, &copied)
		ack, ok := r.Message.(*protocol.StartMatchAck)
		return !ok || ack.Status != protocol.Busy
	})
	return r
}

func (f *fixture) reports() []message     { return f.manager.reported(f.id) }
func (f *fixture) players() []*fakePlayer { return []*fakePlayer{f.a, f.b} }

// over returns the first GAME_OVER that a player received, or nil.
func (f *fixture) over(g *fakePlayer) *protocol.GameOver {
	if all := g.got(f.id, protocol.TypeGameOver); len(all) > 0 {
		return all[0].Message.(*protocol.GameOver)
	}
	return nil
}

// report returns the first report of the match, or nil.
func (f *fixture) report() *protocol.MatchResultReport {
	if all := f.reports(); len(all) > 0 {
		return all[0].Message.(*protocol.MatchResultReport)
	}
	return nil
}

// fair plays the first match, once. P01 answers after P02 has been asked too, and P02 after the referee has returned
// the state of the match.
func (s refereeCheck) fair(ctx context.Context) *fixture {
	return once(&s.memo, "fair", func() *fixture {
		h, err := s.fakePlayers(ctx)
		if err != nil {
			return &fixture{start: reply{err: err}, manager: s.manager}
		}
		var mu sync.Mutex // a player may still be thinking when the match is given up
		var together bool
		var state reply
		answered := make(chan struct{})
		answer := sync.OnceFunc(func() { close(answered) })
		b := h.players[1]
		first := &behaviour{choices: []string{"even"}, before: func(ctx context.Context, h *protocol.Envelope) {
			asked := s.waitFor(ctx, s.Patience/2,
				func() bool { return len(b.got(h.MatchID, protocol.TypeChooseParityCall)) > 0 })
			mu.Lock()
			defer mu.Unlock()
			together = asked
			answer()
		}}
		second := &behaviour{choices: []string{"odd"}, before: func(ctx context.Context, h *protocol.Envelope) {
			select {
			case <-answered:
			case <-ctx.Done():
			}
			_ = s.node.Sleep(ctx, "", 50*time.Millisecond) // the first answer arrives
			shown := s.call(ctx, asManager, s.stateOf(h.MatchID))
			mu.Lock()
			defer mu.Unlock()
			state = shown
		}}
		f := s.play(ctx, h, s.match(1, 1), 2*s.Patience, first, second, nil)
		mu.Lock()
		defer mu.Unlock()
		f.together, f.state = together, state
		return f
	})
}

// stateOf asks a referee for the state of a match.
func (s refereeCheck) stateOf(match string) *protocol.Tool {
	m := &protocol.Tool{Envelope: s.head(protocol.TypeGetMatchState, "state")}
	m.LeagueID, m.RoundID, m.MatchID = league, 1, match
	return m
}

// drawn returns the number from 1 to 10 that a draw key determines.
func drawn(key []byte) int {
	const n = 10
	for block := uint32(0); ; block++ {
		mac := hmac.New(sha256.New, key)
		_ = binary.Write(mac, binary.BigEndian, block)
		for sum := mac.Sum(nil); len(sum) > 0; sum = sum[8:] {
			if w := binary.BigEndian.Uint64(sum); w < (1<<64-1)/n*n {
				return int(1 + w%n)
			}
		}
	}
}

// deadEnd is an endpoint at which no server listens. Port 1 is never assigned, unlike a port that is free at present.
const deadEnd = "http://localhost:1/mcp"

// enlist asks a referee that has no manager to register with the checker.
func (s refereeCheck) enlist(ctx context.Context) reply {
	return once(&s.memo, "enlist", func() reply {
		m := &protocol.RegisterToLeague{Envelope: s.head(protocol.TypeRegisterToLeague, "register"),
			LeagueEndpoint: s.manager.url}
		spoken := s.wire.peer.Dialect
		s.wire.peer.Dialect = protocol.Canonical
		defer func() { s.wire.peer.Dialect = spoken }()
		return s.call(ctx, asManager, m)
	})
}

// unengaged returns a skip if r refuses an order because the referee has another manager, and otherwise a pass.
func (s refereeCheck) unengaged(r reply) finding {
	if no, ok := r.err.(*protocol.Refusal); ok && !s.manager.registered() {
		switch no.Name {
		case protocol.AuthTokenInvalid.Name, protocol.AuthTokenMissing.Name, protocol.RefereeNotRegistered.Name:
			return skip("%s", hinted("it accepts orders only from the manager that it is registered with", s.Hints.Restart))
		}
	}
	return pass
}

// notInvited is the reason for skipping all steps about a match.
const notInvited = "it does not invite the players"

// played returns the first match, and a skip if there is nothing in it to judge.
func (s refereeCheck) played(ctx context.Context) (*fixture, finding) {
	s.enlist(ctx)
	f := s.fair(ctx)
	if why := s.unengaged(f.start); why.level != passes {
		return f, why
	}
	if f.start.err != nil || f.a == nil {
		return f, skip("it does not accept a match")
	}
	if missingOf(f, protocol.TypeGameInvitation) != "" {
		return f, skip(notInvited)
	}
	return f, pass
}

// missingOf lists the players that have not received a message of type t.
func missingOf(f *fixture, t protocol.Type) (names string) {
	for _, g := range f.players() {
		if len(g.got(f.id, t)) == 0 {
			names += " " + g.id
		}
	}
	return names
}

// bothGot returns a judge that applies judge to the first message of type t that each player received.
func bothGot(t protocol.Type, judge func(f *fixture, g *fakePlayer, m message) finding) func(context.Context,
	refereeCheck) finding {
	return func(ctx context.Context, s refereeCheck) finding {
		f := s.fair(ctx)
		for _, g := range f.players() {
			all := g.got(f.id, t)
			if len(all) == 0 {
				return skip("no %s arrived", t)
			}
			if found := judge(f, g, all[0]); found.level != passes {
				return found.in(all[0].exchange)
			}
		}
		return pass.in(f.a.got(f.id, t)[0].exchange)
	}
}

// refereeSteps returns the steps that order matches, and judge regular and failing ones.
func refereeSteps() map[string]judge {
	return of(map[string]func(context.Context, refereeCheck) finding{
		"R22": registersOnOrder, "R23": accepts, "R24": invites,
		"R25": bothGot(protocol.TypeGameInvitation, invitesRightly),
		"R26": bothGot(protocol.TypeGameInvitation, showsTokens), "R27": conversesApart,
		"R28": bothGot(protocol.TypeChooseParityCall, func(f *fixture, _ *fakePlayer, _ message) finding {
			if !f.together { // fair lets P01 wait until P02 has been asked too
				return differ("P02 was asked only when P01 had answered")
			}
			return pass
		}),
		"R29": bothGot(protocol.TypeChooseParityCall, asksRightly), "R30": showsMatch, "R31": keepsSecret, "R32": ends,
		"R33": bothGot(protocol.TypeGameOver, endsRightly), "R34": bothGot(protocol.TypeGameOver, judgesRightly),
		"R35": bothGot(protocol.TypeGameOver, drawsRightly), "R36": reports, "R37": reportsRightly,
		"R38": reportsWithToken, "R39": reportsAgain, "R40": playsOnce, "R41": complains, "R42": asksAgain,
		"R43": declined, "R44": noNumber, "R45": unreachable, "R46": silent, "R62": tooLate,
		"R90": func(ctx context.Context, s refereeCheck) finding {
			return s.endLeague(ctx, &protocol.LeagueCompleted{Champion: protocol.Champion{PlayerID: "P01"}})
		},
	})
}

// registersOnOrder expects a referee to register with the manager that the order names. A referee that has a manager
// may refuse with that reason.
func registersOnOrder(ctx context.Context, s refereeCheck) finding {
	r := s.enlist(ctx)
	no, refused := r.err.(*protocol.Refusal)
	switch {
	case refused && no.Name == protocol.OutOfTurn.Name:
		return skip("%s", hinted("it works for another manager", s.Hints.Restart))
	case refused || r.err == nil && !s.manager.registered():
		return differ("it did not register with the manager in league_endpoint").in(r.x)
	case r.err != nil:
		return fail("it gave no answer: %v", r.err).in(r.x)
	}
	return pass.in(r.x)
}

// accepts judges only the acknowledgement: later steps judge the match.
func accepts(ctx context.Context, s refereeCheck) finding {
	f, _ := s.played(ctx)
	if r := f.start; r.err != nil {
		return first(s.unengaged(r), answered(r)).in(r.x)
	}
	ack, ok := f.start.Message.(*protocol.StartMatchAck)
	switch {
	case !ok || ack.Source() == nil:
		return differ("want a START_MATCH_ACK").in(f.start.x)
	case ack.Status != protocol.Accepted:
		return fail("want status ACCEPTED, got %q", ack.Status).in(f.start.x)
	}
	return first(complete(protocol.TypeStartMatchAck, ack.Source()),
		s.late(protocol.TypeStartMatch, f.start.x)).in(f.start.x)
}

// invites fails if a player got no invitation. It also reports any other reason why the match was not played.
func invites(ctx context.Context, s refereeCheck) finding {
	f, why := s.played(ctx)
	if why.detail == notInvited {
		return fail("%s got no GAME_INVITATION", missingOf(f, protocol.TypeGameInvitation)).in(f.start.x)
	}
	return why.in(f.start.x)
}

// invitesRightly expects the seats of START_MATCH in the invitations: player_A is PLAYER_A.
func invitesRightly(f *fixture, g *fakePlayer, m message) finding {
	inv, role := m.Message.(*protocol.GameInvitation), "PLAYER_A"
	if g == f.b {
		role = "PLAYER_B"
	}
	if f := complete(protocol.TypeGameInvitation, inv.Source()); f.level != passes {
		return f
	}
	if inv.RoleInMatch != role || inv.OpponentID == g.id {
		return differ("%s: want role_in_match %s and the other player as opponent_id, got %s and %s", g.id, role,
			inv.RoleInMatch, inv.OpponentID)
	}
	return pass
}

// showsTokens expects a separate token for each player. A referee that sends both the same token, or its own, leaks a
// secret.
func showsTokens(f *fixture, g *fakePlayer, m message) finding {
	want := f.order.PlayerA.Token
	if g == f.b {
		want = f.order.PlayerB.Token
	}
	if m.Head().AuthToken != want {
		return differ("%s: the auth_token is not the one that START_MATCH has for that player", g.id)
	}
	return pass
}

// conversesApart expects a separate conversation_id for each player: with the opponent's a player could answer in its
// place.
func conversesApart(ctx context.Context, s refereeCheck) finding {
	f := s.fair(ctx)
	a, b := f.a.got(f.id, protocol.TypeGameInvitation)[0], f.b.got(f.id, protocol.TypeGameInvitation)[0]
	if a.Head().ConversationID == b.Head().ConversationID {
		return differ("both have the conversation_id %s", a.Head().ConversationID).in(b.exchange)
	}
	return pass.in(b.exchange)
}

// asksRightly checks the deadline of a request. Players give up too early if it has passed or has no time zone.
func asksRightly(_ *fixture, g *fakePlayer, m message) finding {
	call := m.Message.(*protocol.ChooseParityCall)
	if f := complete(protocol.TypeChooseParityCall, call.Source()); f.level != passes {
		return f
	}
	until, plain, err := protocol.ParseTime(call.Deadline)
	if err != nil || !plain || until.Before(m.at) {
		return differ("%s: want a deadline in UTC that has not passed, got %q", g.id, call.Deadline)
	}
	return pass
}

// showsMatch judges the match state that P02 requested before it answered (see fair).
func showsMatch(ctx context.Context, s refereeCheck) finding {
	switch r := s.fair(ctx).state; {
	case r.x == nil:
		return skip("P02 was not asked")
	case r.err != nil || r.Message == nil:
		return differ("want a MATCH_STATE").in(r.x)
	default:
		return complete(protocol.TypeMatchState, r.Head().Source()).in(r.x)
	}
}

// keepsSecret fails if the match state contains any choice while P01 has chosen and P02 has not.
func keepsSecret(ctx context.Context, s refereeCheck) finding {
	x := s.fair(ctx).state.x
	if text := string(x.got); strings.Contains(text, `"even"`) || strings.Contains(text, `"odd"`) {
		return fail("P01 has chosen and P02 has not, but the state shows a choice").in(x)
	}
	return pass.in(x)
}

// ends expects GAME_OVER for both players. Some players stay busy until they receive it.
func ends(ctx context.Context, s refereeCheck) finding {
	f := s.fair(ctx)
	if names := missingOf(f, protocol.TypeGameOver); names != "" {
		return fail("GAME_OVER did not arrive at%s", names).in(f.start.x)
	}
	return pass.in(f.a.got(f.id, protocol.TypeGameOver)[0].exchange)
}

// endsRightly expects each player to receive the result from its side: a WIN for one is a LOSS for the other.
func endsRightly(_ *fixture, g *fakePlayer, m message) finding {
	over := m.Message.(*protocol.GameOver)
	if f := complete(protocol.TypeGameOver, over.Source()); f.level != passes {
		return f
	}
	if over.GameResult.WinnerPlayerID == nil {
		return pass // the next step reports that error
	}
	want := protocol.Loss
	if *over.GameResult.WinnerPlayerID == g.id {
		want = protocol.Win
	}
	if over.Result != want {
		return differ("%s: want result %s, from its own side, got %q", g.id, want, over.Result)
	}
	return pass
}

// judgesRightly checks a match in which P01 chose even and P02 odd: one of them has won.
func judgesRightly(_ *fixture, _ *fakePlayer, m message) finding {
	r := m.Message.(*protocol.GameOver).GameResult
	if r.DrawnNumber.Value == nil || *r.DrawnNumber.Value < 1 || *r.DrawnNumber.Value > 10 {
		return fail("want a drawn_number from 1 to 10")
	}
	want, parity := "P02", "odd"
	if *r.DrawnNumber.Value%2 == 0 {
		want, parity = "P01", "even"
	}
	switch {
	case r.NumberParity.Value != nil && *r.NumberParity.Value != parity:
		return fail("%d is %s, not %s", *r.DrawnNumber.Value, parity, *r.NumberParity.Value)
	case r.Status != protocol.Win || r.WinnerPlayerID == nil || *r.WinnerPlayerID != want:
		return fail("P01 chose even, P02 odd, and %d was drawn: want status WIN for %s", *r.DrawnNumber.Value, want)
	case string(r.Choices["P01"]) != `"even"` || string(r.Choices["P02"]) != `"odd"`:
		return fail("P01 chose even and P02 odd, but the choices say otherwise")
	}
	return pass
}

// drawsRightly expects the drawn number to follow from the key in the order. The referee must show the hash of the key
// before the choices and the key after them.
func drawsRightly(f *fixture, g *fakePlayer, m message) finding {
	over := m.Message.(*protocol.GameOver)
	inv := g.got(f.id, protocol.TypeGameInvitation)[0].Message.(*protocol.GameInvitation)
	switch {
	case inv.Fairness.Commitment != protocol.KeyCommitment(f.key):
		return differ("the invitation does not commit to the draw key: want its SHA-256 as fairness.commitment")
	case over.Fairness == nil || over.Fairness.Key != f.order.DrawKey:
		return differ("GAME_OVER does not show the draw key as fairness.key")
	case over.GameResult.DrawnNumber.Value != nil && *over.GameResult.DrawnNumber.Value != drawn(f.key):
		return differ("the draw key gives the number %d, not %d", drawn(f.key), *over.GameResult.DrawnNumber.Value)
	}
	return pass
}

// reports expects a report, without which the result does not count.
func reports(ctx context.Context, s refereeCheck) finding {
	f := s.fair(ctx)
	all := f.reports()
	if len(all) == 0 {
		return fail("no MATCH_RESULT_REPORT arrived at %s", f.order.ReportTo).in(f.start.x)
	}
	return complete(protocol.TypeMatchResultReport, all[0].Head().Source()).in(all[0].exchange)
}

// reportsRightly expects that the players and the manager receive the same result.
func reportsRightly(ctx context.Context, s refereeCheck) finding {
	f := s.fair(ctx)
	over, result, x := f.over(f.a), f.report().Result, f.reports()[0].exchange
	switch {
	case over == nil:
		return skip("no GAME_OVER arrived")
	case nameOf(result.Winner) != nameOf(over.GameResult.WinnerPlayerID):
		return fail("GAME_OVER names the winner %s, the report %s", nameOf(over.GameResult.WinnerPlayerID),
			nameOf(result.Winner)).in(x)
	case result.Details.DrawnNumber.Value != nil && over.GameResult.DrawnNumber.Value != nil &&
		*result.Details.DrawnNumber.Value != *over.GameResult.DrawnNumber.Value:
		return fail("GAME_OVER and the report have different numbers").in(x)
	}
	for id, choice := range result.Details.Choices {
		if other := over.GameResult.Choices[id]; other != nil && string(choice) != string(other) {
			return fail("GAME_OVER and the report have different choices").in(x)
		}
	}
	return pass.in(x)
}

// reportsWithToken expects a report only from the assigned referee, authenticated by its token.
func reportsWithToken(ctx context.Context, s refereeCheck) finding {
	m := s.fair(ctx).reports()[0]
	switch {
	case !s.manager.registered():
		return skip("it is not registered with the checker")
	case !s.manager.authentic(m):
		return differ("the auth_token is not the one of its registration").in(m.exchange)
	}
	return pass.in(m.exchange)
}

// extra plays match n, in which P01 behaves as a and P02 chooses even. Edit, if not nil, changes the order. The finding
// is a skip if the match cannot be judged.
func (s refereeCheck) extra(ctx context.Context, n, patience int, a *behaviour, edit func(*protocol.StartMatch)) (
	*fixture, finding) {
	h, err := s.fakePlayers(ctx)
	if err != nil {
		return nil, skip("%v", err)
	}
	match := s.match(1, n)
	b := &behaviour{choices: []string{"even"}}
	return once(&s.memo, match, func() *fixture {
		return s.play(ctx, h, match, time.Duration(patience)*s.Patience, a, b, edit)
	}), pass
}

// illegal plays a match in which P01's first choice is neither even nor odd. The manager answers the first report as if
// it were restarting.
func (s refereeCheck) illegal(ctx context.Context) (*fixture, finding) {
	s.manager.mu.Lock()
	if !s.begun(s.match(1, 2)) {
		s.manager.busy = 1
	}
	s.manager.mu.Unlock()
	return s.extra(ctx, 2, 2, &behaviour{choices: []string{"banana", "even"}}, nil)
}

// reportsAgain expects the referee to retry a report that was answered with 503, as by a restarting manager.
func reportsAgain(ctx context.Context, s refereeCheck) finding {
	f, why := s.illegal(ctx)
	if why.level != passes {
		return why
	}
	if len(f.reports()) == 0 {
		return skip("no report arrived")
	}
	if !s.waitFor(ctx, s.Patience, func() bool { return len(f.reports()) > 1 }) {
		return differ("the first report was answered with HTTP status 503, and it was not repeated within %s",
			s.Patience).in(f.reports()[0].exchange)
	}
	return pass.in(f.reports()[1].exchange)
}

// playsOnce expects START_MATCH to be idempotent: the second, equal order is accepted and not played, because managers
// retry after a lost answer.
func playsOnce(ctx context.Context, s refereeCheck) finding {
	f := s.fair(ctx)
	before := len(f.reports())
	r := s.begin(ctx, f.order)
	if found := answered(r); found.level != passes {
		return differ("it refuses an order that it has already carried out: %s", found.detail).in(r.x)
	}
	if len(f.reports()) == before { // it may report the result again; it must not play again
		s.waitFor(ctx, s.Patience/20, func() bool { return len(f.reports()) > before })
	}
	if n := len(f.a.got(f.id, protocol.TypeGameInvitation)); n > 1 {
		return differ("P01 was invited to %s %d times", f.id, n).in(r.x)
	}
	return pass.in(r.x)
}

// complains expects GAME_ERROR E004, which announces a retry, as the response to an illegal choice.
func complains(ctx context.Context, s refereeCheck) finding {
	f, why := s.illegal(ctx)
	if why.level != passes {
		return why
	}
	all := f.a.got(f.id, protocol.TypeGameError)
	if len(all) == 0 {
		return differ("P01 chose \"banana\" and got no GAME_ERROR").in(f.start.x)
	}
	e := all[0].Message.(*protocol.GameError)
	found := complete(protocol.TypeGameError, e.Source())
	if found.level == passes && (e.ErrorCode != protocol.InvalidChoice.Code || !e.Retryable || e.RetryCount != 1) {
		found = differ("want error_code E004, retryable true and retry_count 1, got %s, %v and %d", e.ErrorCode,
			e.Retryable, e.RetryCount)
	}
	return found.in(all[0].exchange)
}

// asksAgain expects the referee to ask once more after an illegal choice, and to accept the second, legal choice.
func asksAgain(ctx context.Context, s refereeCheck) finding {
	f, why := s.illegal(ctx)
	if why.level != passes {
		return why
	}
	if n := len(f.a.got(f.id, protocol.TypeChooseParityCall)); n != 2 {
		return differ("P01 was asked %s, want 2 times", count(n, "time", "times")).in(f.start.x)
	}
	over := f.over(f.a)
	if over == nil || over.GameResult.Status == protocol.TechnicalLoss {
		return differ("P01 made a legal choice in its second try, but the match did not count").in(f.start.x)
	}
	return pass.in(f.a.got(f.id, protocol.TypeChooseParityCall)[1].exchange)
}

// declining plays a match in which P01 declines the invitation.
func (s refereeCheck) declining(ctx context.Context) (*fixture, finding) {
	return s.extra(ctx, 3, 2, &behaviour{declines: true, choices: []string{"even"}}, nil)
}

// declined expects a player that declines an invitation to forfeit, without a second invitation.
func declined(ctx context.Context, s refereeCheck) finding {
	f, why := s.declining(ctx)
	if why.level != passes {
		return why
	}
	if n := len(f.a.got(f.id, protocol.TypeGameInvitation)); n > 1 {
		return differ("P01 declined and was invited %d times", n).in(f.start.x)
	}
	return f.forfeits()
}

// noNumber expects no drawn number in a match that ended by forfeit before the choices.
func noNumber(ctx context.Context, s refereeCheck) finding {
	f, why := s.declining(ctx)
	if why.level != passes {
		return why
	}
	over, rep := f.over(f.b), f.report()
	switch {
	case over == nil || rep == nil:
		return skip("the match did not end")
	case over.GameResult.DrawnNumber.Value != nil || rep.Result.Details.DrawnNumber.Value != nil:
		return differ("P01 declined, but a number was drawn").in(f.reports()[0].exchange)
	}
	return pass.in(f.reports()[0].exchange)
}

// unreachable expects a forfeit of a player whose address has no server. It allows time for the referee's retries.
func unreachable(ctx context.Context, s refereeCheck) finding {
	f, why := s.extra(ctx, 4, 3, &behaviour{choices: []string{"even"}},
		func(m *protocol.StartMatch) { m.PlayerA.Endpoint = deadEnd })
	if why.level != passes {
		return why
	}
	return f.forfeits()
}

// silent expects a forfeit of a player that receives every message and answers none. It takes the sum of all timeouts,
// so only a long check runs it.
func silent(ctx context.Context, s refereeCheck) finding {
	if !s.Long {
		return skip("%s", hinted("it takes half a minute", s.Hints.Long))
	}
	if _, why := s.played(ctx); why.level != passes {
		return why
	}
	f, why := s.extra(ctx, 5, 6, &behaviour{silent: true, choices: []string{"even"}}, nil)
	if why.level != passes {
		return why
	}
	return f.forfeits()
}

// forfeits expects the result to be a forfeit of P01.
func (f *fixture) forfeits() finding {
	rep, over := f.report(), f.over(f.b)
	switch {
	case f.start.err != nil:
		return skip("it does not accept the match")
	case rep == nil && over == nil:
		return differ("the match did not end").in(f.start.x)
	case rep == nil:
		return differ("the match was not reported").in(f.start.x)
	case nameOf(rep.Result.Winner) != "P02":
		return fail("want P02 as the winner in the report, got %s", nameOf(rep.Result.Winner)).in(f.reports()[0].exchange)
	case rep.Result.Details.Status != protocol.TechnicalLoss:
		return differ("want result.details.status TECHNICAL_LOSS in the report, got %q",
			rep.Result.Details.Status).in(f.reports()[0].exchange)
	case over != nil && over.GameResult.Status != protocol.TechnicalLoss:
		return differ("want game_result.status TECHNICAL_LOSS in GAME_OVER, got %q",
			over.GameResult.Status).in(f.b.got(f.id, protocol.TypeGameOver)[0].exchange)
	}
	return pass.in(f.reports()[0].exchange)
}

// tooLate sends an answer as a callback after the match, when no call waits for it.
func tooLate(ctx context.Context, s refereeCheck) finding {
	f := s.fair(ctx)
	m := &protocol.ChooseParityResponse{
		Envelope: s.head(protocol.TypeChooseParityResponse, "late"),
		PlayerID: "P01", ParityChoice: []byte(`"even"`), Choice: []byte(`"even"`),
	}
	m.Protocol, m.Sender, m.Timestamp, m.AuthToken = protocol.Version, "player:P01", "2025-01-15T10:30:00Z", f.order.PlayerA.Token
	m.LeagueID, m.RoundID, m.MatchID = league, 1, f.id
	raw, err := protocol.Encode(m)
	if err != nil {
		return skip("%v", err)
	}
	x, a, found := s.wire.call(ctx, `{"jsonrpc":"2.0","method":"mcp_message","params":`+string(raw)+`,"id":9}`)
	if found.level != passes {
		return found
	}
	_, _, err = dialect.Unframe(x.status, x.got, protocol.TypeAnswerAck, protocol.Reading{})
	if no, ok := err.(*protocol.Refusal); !ok || no.Name != protocol.DeadlinePassed.Name {
		return differ("want the error %s %s", protocol.DeadlinePassed.Code, protocol.DeadlinePassed.Name).in(x)
	}
	return a.is("9").in(x)
}
