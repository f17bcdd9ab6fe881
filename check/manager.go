package check

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"agentleague/protocol"
)

// A managerCheck is a session with a manager under test, in which the checker plays the agents.
type managerCheck struct{ *session }

// An applicant is an agent played by the checker that registers with the manager under test.
type applicant struct {
	role     protocol.Role
	name     string
	sender   string
	endpoint string
	reply    reply
}

// grant returns the id and token that the registration granted; zero if it failed.
func (a *applicant) grant() protocol.Grant {
	var g protocol.Grant
	switch m := a.reply.Message.(type) {
	case *protocol.LeagueRegisterResponse:
		g, _ = m.Granted("")
	case *protocol.RefereeRegisterResponse:
		g, _ = m.Granted("")
	}
	return g
}

// as is the sender of a registered applicant.
func (a *applicant) as() string { return protocol.Sender(a.role, a.grant().ID) }

// request returns an application.
func (s managerCheck) request(a *applicant, token string) protocol.Message {
	head := s.head(protocol.TypeLeagueRegisterRequest, "register")
	head.AuthToken = token
	meta := protocol.AgentMeta{
		DisplayName: a.name, Version: "1.0.0", ProtocolVersion: protocol.Release, GameTypes: []string{"even_odd"},
		ContactEndpoint: a.endpoint,
	}
	if a.role == protocol.RoleReferee {
		head.MessageType, meta.MaxConcurrentMatches = protocol.TypeRefereeRegisterRequest, 1
		return &protocol.RefereeRegisterRequest{Envelope: head, Meta: meta}
	}
	return &protocol.LeagueRegisterRequest{Envelope: head, Meta: meta}
}

// register registers an applicant once more and returns a copy of it with the new answer.
func (s managerCheck) register(ctx context.Context, a applicant, token string) *applicant {
	a.reply = s.call(ctx, a.sender, s.request(&a, token))
	return &a
}

// ann, bob and ref return agents of the checker. The first call of each registers the agent.
func (s managerCheck) ann(ctx context.Context) *applicant {
	return s.applicant(ctx, "ann", protocol.RolePlayer, "player:"+unlikely(s.node.Nonce(4)), 0)
}

func (s managerCheck) bob(ctx context.Context) *applicant {
	return s.applicant(ctx, "bob", protocol.RolePlayer, "player:check-bob", 1)
}

func (s managerCheck) ref(ctx context.Context) *applicant {
	return s.applicant(ctx, "ref", protocol.RoleReferee, "referee:check-ref", 1)
}

// unlikely returns a random player id that neither another agent nor an earlier check is likely to have.
func unlikely(hex string) string {
	n, _ := strconv.ParseUint(hex, 16, 32) // a nonce always is one
	return fmt.Sprintf("P%d", 10_000+n%90_000)
}

// applicant returns an agent of the checker and registers it at the first call. Its name is random, so that a manager
// that was checked before treats it as a new agent.
func (s managerCheck) applicant(ctx context.Context, name string, role protocol.Role, sender string,
	seat int) *applicant {
	return once(&s.memo, name, func() *applicant {
		a := applicant{role: role, name: "Check " + name + " " + s.node.Nonce(3), sender: sender, endpoint: s.manager.url}
		if h, err := s.fakePlayers(ctx); err == nil && role == protocol.RolePlayer {
			a.endpoint = h.players[seat].url
		} else if role == protocol.RoleReferee {
			a.endpoint = s.ownEndpoint(ctx)
		}
		return s.register(ctx, a, "")
	})
}

// ownEndpoint opens a separate endpoint, because a manager identifies an agent by its endpoint.
func (s managerCheck) ownEndpoint(ctx context.Context) string {
	e := &fakeAgent{received: s.log.receive, who: "player:check",
		handlers: map[protocol.Type]handler{protocol.TypePing: pong}}
	url, stop, err := e.listen(ctx, 0)
	if err != nil {
		return s.manager.url
	}
	s.atEnd(stop)
	return url
}

// closed returns a skip if r refuses a registration because the league has begun or is full, and otherwise a pass.
func closed(r reply) finding {
	if m, ok := r.Message.(*protocol.LeagueRegisterResponse); ok && m.Status == protocol.Rejected &&
		(m.ErrorName == protocol.RegistrationClosed.Name || m.ErrorName == protocol.LeagueFull.Name) {
		return skip("registration is closed: check a manager whose league has not started")
	}
	return pass
}

// admitted returns a skip if ann was not admitted: then no other step can run.
func (s managerCheck) admitted(ctx context.Context) finding {
	a := s.ann(ctx)
	if f := closed(a.reply); f.level != passes {
		return f
	}
	if a.grant().ID == "" {
		return skip("nobody can register")
	}
	return pass
}

// query returns a LEAGUE_QUERY with the applicant's own token.
func (s managerCheck) query(a *applicant, kind string) *protocol.LeagueQuery {
	m := &protocol.LeagueQuery{Envelope: s.head(protocol.TypeLeagueQuery, "query"), QueryType: kind}
	m.AuthToken, m.LeagueID, m.RoundID = a.grant().Token, a.grant().League, 1
	return m
}

// report returns a report of a match that the manager never assigned.
func (s managerCheck) report(a *applicant) *protocol.MatchResultReport {
	winner := a.grant().ID
	m := &protocol.MatchResultReport{
		Envelope: s.head(protocol.TypeMatchResultReport, "report"), GameType: "even_odd", Attempt: 1,
		Result: protocol.ReportedResult{
			Winner: &winner, Score: map[string]json.RawMessage{winner: json.RawMessage("3")},
			Details: protocol.ReportDetails{DrawnNumber: protocol.Present(4), NumberParity: protocol.Present("even"),
				Choices: map[string]json.RawMessage{winner: json.RawMessage(`"even"`)}},
		},
	}
	m.AuthToken, m.LeagueID, m.RoundID, m.MatchID = a.grant().Token, a.grant().League, 1, "R99M99"
	return m
}

// order returns an order of the operator.
func (s managerCheck) order(t protocol.Type, token string) *protocol.Tool {
	m := &protocol.Tool{Envelope: s.head(t, "order")}
	m.AuthToken = token
	return m
}

// messages maps the name of a message in a script to a function that returns the message and its sender.
var messages = map[string]func(ctx context.Context, s *session, args []string) (sender string, m protocol.Message){
	"call": func(_ context.Context, s *session, args []string) (string, protocol.Message) {
		return asReferee, playerCheck{s}.parityCall(s.matchNamed(args))
	},
	"announcement": func(_ context.Context, s *session, _ []string) (string, protocol.Message) {
		m := playerCheck{s}.announcement()
		s.address(m, protocol.TypeRoundAnnouncement)
		return asManager, m
	},
	"order": func(ctx context.Context, s *session, _ []string) (string, protocol.Message) {
		h, _ := s.fakePlayers(ctx)
		m, _ := refereeCheck{s}.order(h, s.match(1, 8))
		return asManager, m
	},
	"state": func(_ context.Context, s *session, args []string) (string, protocol.Message) {
		return asManager, refereeCheck{s}.stateOf(s.matchNamed(args))
	},
	"registration": func(_ context.Context, s *session, _ []string) (string, protocol.Message) {
		a := &applicant{role: protocol.RolePlayer, name: "Check " + s.node.Nonce(4), sender: "player:check-newcomer",
			endpoint: s.manager.url}
		return a.sender, managerCheck{s}.request(a, "")
	},
	"query": func(ctx context.Context, s *session, args []string) (string, protocol.Message) {
		ann := managerCheck{s}.ann(ctx)
		return ann.as(), managerCheck{s}.query(ann, args[0])
	},
	"report": func(ctx context.Context, s *session, args []string) (string, protocol.Message) {
		a := managerCheck{s}.ann(ctx)
		if args[0] == "ref" {
			a = managerCheck{s}.ref(ctx)
		}
		return a.as(), managerCheck{s}.report(a)
	},
	"pause": func(_ context.Context, s *session, _ []string) (string, protocol.Message) { // does the least harm
		return string(protocol.RoleAdmin), managerCheck{s}.order(protocol.TypePauseLeague, "")
	},
}

// managerSteps returns the steps that register agents with the manager and query it.
func managerSteps() map[string]judge {
	return of(map[string]func(context.Context, managerCheck) finding{
		"M20": admits, "M21": admitsCompletely, "M22": grantsWish, "M23": grantsForm, "M24": grantsApart,
		"M25": comesBackWithToken, "M26": comesBack, "M27": repeats, "M28": keepsTokens, "M29": refusesTakenName,
		"M36": admitsReferee, "M41": showsStandings,
		"M42": shows(protocol.QueryStatus, "status.state", "status.current_round", "status.total_rounds", "status.players",
			"status.referees"),
		"M43": shows(protocol.QueryGames), "M44": mayShow(protocol.QuerySchedule, "schedule"),
		"M45": mayShow(protocol.QueryNextMatch, "next_match"),
		"M46": shows(protocol.QueryPlayerStats, "player_stats.player_id", "player_stats.points", "player_stats.played"),
		"M48": showsDirectory, "M49": openTool, "M69": rushed,
	})
}

// admits expects a registration to succeed. If registration is closed, which is correct behaviour, it skips this step
// and so all later ones.
func admits(ctx context.Context, s managerCheck) finding {
	ann := s.ann(ctx)
	if f := first(closed(ann.reply), answered(ann.reply),
		s.late(protocol.TypeLeagueRegisterRequest, ann.reply.x)); f.level != passes {
		return f
	}
	m, ok := ann.reply.Message.(*protocol.LeagueRegisterResponse)
	switch {
	case !ok:
		return fail("want a LEAGUE_REGISTER_RESPONSE").in(ann.reply.x)
	case ann.grant().ID == "":
		return fail("want status ACCEPTED and a player_id, got %q", m.Status).in(ann.reply.x)
	}
	return pass.in(ann.reply.x)
}

// admitsCompletely expects auth_token and league_id in an admission. The schema cannot require them, because they are
// null in a refusal.
func admitsCompletely(ctx context.Context, s managerCheck) finding {
	ann := s.ann(ctx)
	raw := ann.reply.Head().Source()
	f := complete(protocol.TypeLeagueRegisterResponse, raw)
	for _, name := range []string{"auth_token", "league_id"} {
		if f.level == passes && !hasMember(raw, name) {
			f = differ("LEAGUE_REGISTER_RESPONSE has no %s", name)
		}
	}
	return f.in(ann.reply.x)
}

// grantsWish expects ann to get the id that she requested. That id is free (see unlikely), so no manager has to refuse
// it.
func grantsWish(ctx context.Context, s managerCheck) finding {
	ann := s.ann(ctx)
	if _, wish := protocol.ParseSender(ann.sender); ann.grant().ID != wish {
		return differ("it asked for %s and got %s", wish, ann.grant().ID).in(ann.reply.x)
	}
	return pass.in(ann.reply.x)
}

// grantsForm expects a well-formed id for bob, which requests none.
func grantsForm(ctx context.Context, s managerCheck) finding {
	bob := s.bob(ctx)
	if !protocol.ValidID(protocol.RolePlayer, bob.grant().ID) {
		return differ("want an id such as P01, got %q", bob.grant().ID).in(bob.reply.x)
	}
	return pass.in(bob.reply.x)
}

// grantsApart fails if two players get the same id or token: each could play the other's matches.
func grantsApart(ctx context.Context, s managerCheck) finding {
	bob := s.bob(ctx)
	f, a, b := pass, s.ann(ctx).grant(), bob.grant()
	switch {
	case b.ID == "":
		f = fail("a second player cannot register")
	case a.ID == b.ID:
		f = fail("two players have the id %s", a.ID)
	case a.Token == b.Token:
		f = fail("two players have the same token")
	}
	return f.in(bob.reply.x)
}

// again registers ann once more and returns her new token. The finding is not a pass if the manager refuses, or grants
// another id.
func (s managerCheck) again(ctx context.Context, token string) (got string, f finding) {
	before := s.ann(ctx).grant()
	second := s.register(ctx, *s.ann(ctx), token)
	if f := answered(second.reply); f.level != passes {
		return "", differ("%s", f.detail).in(second.reply.x)
	}
	if after := second.grant(); after.ID != before.ID {
		return "", differ("it was %s, and got %q when it registered again", before.ID, after.ID).in(second.reply.x)
	}
	return second.grant().Token, pass
}

// comesBackWithToken expects the token to stay the same for an agent that presents it: an agent that restarts during a
// match continues with it.
func comesBackWithToken(ctx context.Context, s managerCheck) finding {
	token := s.ann(ctx).grant().Token
	got, f := s.again(ctx, token)
	if f.level == passes && got != token {
		return differ("it showed its token and got a different one")
	}
	return f
}

// comesBack expects an agent that lost its token to be identified by endpoint and name, and to get a token.
func comesBack(ctx context.Context, s managerCheck) finding {
	got, f := s.again(ctx, "")
	if f.level == passes && got == "" {
		return differ("it got no token")
	}
	return f
}

// repeats expects registration to be idempotent by conversation_id, because the first answer may have been lost.
func repeats(ctx context.Context, s managerCheck) finding {
	ann := *s.ann(ctx)
	conversation := s.head("", "register").ConversationID
	var tokens [2]string
	for i := range tokens {
		m := s.request(&ann, "")
		m.Head().ConversationID = conversation
		ann.reply = s.call(ctx, ann.sender, m)
		tokens[i] = ann.grant().Token
	}
	if tokens[0] != tokens[1] {
		return differ("the same request was answered with two tokens")
	}
	return pass
}

// keepsTokens expects ann's first token to be valid after further registrations: calls with it may be in progress.
func keepsTokens(ctx context.Context, s managerCheck) finding {
	ann := s.ann(ctx)
	r := s.call(ctx, ann.as(), s.query(ann, protocol.QueryStandings))
	if f := answered(r); f.level != passes {
		return differ("the first token of %s is no longer accepted: %s", ann.grant().ID, f.detail).in(r.x)
	}
	return pass
}

// refusesTakenName registers another agent under ann's name. It expects a refusal, or an id other than ann's.
func refusesTakenName(ctx context.Context, s managerCheck) finding {
	ann := s.ann(ctx)
	thief := s.register(ctx, applicant{role: protocol.RolePlayer, name: ann.name, sender: "player:check-thief",
		endpoint: s.ownEndpoint(ctx)}, "")
	if id := thief.grant().ID; id != "" && id != ann.grant().ID {
		return pass
	}
	return rejected(thief.reply, protocol.DuplicateName)
}

// admitsReferee fails if the manager admits no referee, since no match can be played then. A malformed referee id is
// only a difference.
func admitsReferee(ctx context.Context, s managerCheck) finding {
	ref := s.ref(ctx)
	if f := answered(ref.reply); f.level != passes {
		return f
	}
	switch g := ref.grant(); {
	case g.ID == "" || g.Token == "":
		return fail("want status ACCEPTED, a referee_id and an auth_token").in(ref.reply.x)
	case !protocol.ValidID(protocol.RoleReferee, g.ID):
		return differ("want an id such as REF01, got %q", g.ID).in(ref.reply.x)
	}
	return complete(protocol.TypeRefereeRegisterResponse, ref.reply.Head().Source()).in(ref.reply.x)
}

// response sends a query as ann. It returns the answer with its exchange; the finding is not a pass if the answer is
// missing or malformed.
func (s managerCheck) response(ctx context.Context, kind string) (*protocol.LeagueQueryResponse, *exchange, finding) {
	ann := s.ann(ctx)
	r := s.call(ctx, ann.as(), s.query(ann, kind))
	f := answered(r)
	if f.level != passes {
		return nil, r.x, differ("%s", f.detail).in(r.x)
	}
	m, ok := r.Message.(*protocol.LeagueQueryResponse)
	if !ok {
		return nil, r.x, differ("want a LEAGUE_QUERY_RESPONSE").in(r.x)
	}
	if f = complete(protocol.TypeLeagueQueryResponse, m.Source()); f.level == passes && m.QueryType != kind {
		f = differ("want query_type %s, got %q", kind, m.QueryType)
	}
	return m, r.x, f.in(r.x)
}

// shows returns a judge that expects a query to succeed, with these members in the data.
func shows(kind string, members ...string) func(context.Context, managerCheck) finding {
	return func(ctx context.Context, s managerCheck) finding {
		m, x, f := s.response(ctx, kind)
		if f.level != passes {
			return f
		}
		if !m.Success || !isObject(m.Data) {
			return differ("want success true and an object as data").in(x)
		}
		for _, path := range members {
			if !hasMember(m.Data, path) {
				return differ("data has no %s", path).in(x)
			}
		}
		return pass
	}
}

// mayShow returns a judge for a query that may fail, such as one for the schedule before the start of the league. A
// success must have the member in its data; a failure must have null data and a complete error.
func mayShow(kind, member string) func(context.Context, managerCheck) finding {
	return func(ctx context.Context, s managerCheck) finding {
		m, x, f := s.response(ctx, kind)
		switch {
		case f.level != passes:
			return f
		case m.Success && !hasMember(m.Data, member):
			return differ("data has no %s", member).in(x)
		case !m.Success && (m.Error == nil || m.Error.ErrorCode == "" || m.Error.ErrorName == "" ||
			string(m.Data) != "null"):
			return differ("want data null and error {error_code, error_name, error_description} beside success false").in(x)
		}
		return pass
	}
}

// showsStandings expects the table both in data and beside it, because some clients read one and some the other.
func showsStandings(ctx context.Context, s managerCheck) finding {
	if f := shows(protocol.QueryStandings, "standings")(ctx, s); f.level != passes {
		return f
	}
	m, x, f := s.response(ctx, protocol.QueryStandings)
	if f.level == passes && (!hasMember(m.Source(), "standings") || !hasMember(m.Source(), "current_round")) {
		return differ("want standings and current_round beside data as well").in(x)
	}
	return f
}

// showsDirectory expects that a referee receives the endpoints of the players of its matches.
func showsDirectory(ctx context.Context, s managerCheck) finding {
	ann, ref := s.ann(ctx), s.ref(ctx)
	r := s.call(ctx, ref.as(), s.query(ref, protocol.QueryPlayerDirectory))
	m, ok := r.Message.(*protocol.LeagueQueryResponse)
	if !ok {
		return differ("want a LEAGUE_QUERY_RESPONSE").in(r.x)
	}
	var data struct{ Players map[string]string }
	_ = json.Unmarshal(m.Data, &data)
	// Players whose matches were not assigned to this referee may be missing.
	if at, listed := data.Players[ann.grant().ID]; data.Players == nil || listed && at != ann.endpoint {
		return differ("want data.players, endpoints by id, with the registered endpoint of %s if it is listed",
			ann.grant().ID).in(r.x)
	}
	return pass
}

// openTool expects the get_* tools to answer any caller without a token.
func openTool(ctx context.Context, s managerCheck) finding {
	r := s.call(ctx, "player:P01", &protocol.LeagueQuery{Envelope: s.head(protocol.TypeGetStandings, "tool")})
	if f := answered(r); f.level != passes {
		return differ("%s", f.detail).in(r.x)
	}
	if answer, ok := r.Message.(*protocol.LeagueQueryResponse); !ok || !answer.Success {
		return differ("want a LEAGUE_QUERY_RESPONSE with success true").in(r.x)
	}
	return pass
}

// rushed sends a number of queries at once. A rate-limit error is accepted.
func rushed(ctx context.Context, s managerCheck) finding {
	ann := s.ann(ctx)
	return concurrently(16, func(int) finding {
		r := s.send(ctx, ann.as(), s.query(ann, protocol.QueryStandings))
		if no, ok := r.err.(*protocol.Refusal); ok &&
			(no.Name == protocol.RateLimited.Name || no.HTTPStatus == http.StatusTooManyRequests) {
			return pass
		}
		return answered(r)
	})
}
