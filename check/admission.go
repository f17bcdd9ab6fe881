package check

import (
	"context"

	"agentleague/protocol"
)

// admissionSteps register agents with the manager.
func admissionSteps() []Step {
	return stepsOf([]row[managerCheck]{
		{"M20", "a player can register", clauseRegistration,
			"Answer register_player within 10 seconds with status ACCEPTED, a player_id and an auth_token.", admits},
		{"M21", "LEAGUE_REGISTER_RESPONSE is complete", clauseRegistration,
			"Put status, player_id, auth_token, league_id and reason into the answer to a registration.", admitsCompletely},
		{"M22", "the id asked for is granted when it is free", clauseRegistration,
			"Grant the id in sender when it is well-formed and nobody has it.", grantsWish},
		{"M23", "ids are P01, P02, …", clauseRoles, "Give players ids of the form P01, with 2 to 5 digits.", grantsForm},
		{"M24", "every player has its own id and token", clauseTokens, "Never give the same id or token to two players.",
			grantsApart},
		{"M25", "an agent that comes back with its token keeps its id and token", clauseRegistration,
			"Recognise an agent that registers again by its auth_token, and give it the same id and token.", comesBackWithToken},
		{"M26", "an agent that comes back without a token keeps its id", clauseRegistration,
			"Recognise an agent that registers again by its name and endpoint, and give it the same id.", comesBack},
		{"M27", "the same request again gets the same token", clauseRegistration,
			"Give a repeated registration with the same conversation_id the same answer.", repeats},
		{"M28", "earlier tokens stay valid", clauseRegistration,
			"Keep accepting the tokens that an agent got earlier.", keepsTokens},
		{"M29", "a name that is taken is refused with E022, or its newcomer gets another id", clauseRegistration,
			"Refuse a newcomer with the name of another agent: REJECTED, DUPLICATE_NAME. Or admit it as a new agent.",
			func(ctx context.Context, s managerCheck) finding {
				ann, why := s.admitted(ctx)
				if why.level != passes {
					return why
				}
				thief := &applicant{role: protocol.RolePlayer, name: ann.name, sender: "player:check-thief",
					endpoint: s.somewhere(ctx)}
				thief.reply = s.register(ctx, thief, "")
				if id := thief.grant().ID; id != "" && id != ann.grant().ID {
					return pass
				}
				return rejected(thief.reply, protocol.DuplicateName)
			}},
		{"M30", "protocol_version below 2 is refused with E018", clauseRegistration,
			"Refuse agents of version 1: REJECTED, PROTOCOL_VERSION_MISMATCH.",
			refuses(protocol.VersionMismatch, with("protocol_version", "1.9.0"))},
		{"M31", "protocol_version from 3 on is refused with E018", clauseRegistration,
			"Refuse agents of version 3 and later: REJECTED, PROTOCOL_VERSION_MISMATCH.",
			refuses(protocol.VersionMismatch, with("protocol_version", "3.0.0"))},
		{"M32", "an agent that cannot play the game is refused with E023", clauseRegistration,
			"Refuse agents whose game_types lack the league's game: REJECTED, UNSUPPORTED_GAME_TYPE.",
			refuses(protocol.UnsupportedGame, with("game_types", []any{"chess"}))},
		{"M33", "a registration without a name is E003", clauseRegistration,
			"Refuse a registration without display_name with MISSING_REQUIRED_FIELD.",
			malformed(protocol.MissingField, without("display_name"))},
		{"M34", "a registration without an endpoint is E003", clauseRegistration,
			"Refuse a registration without contact_endpoint with MISSING_REQUIRED_FIELD.",
			malformed(protocol.MissingField, without("contact_endpoint"))},
		{"M35", "a registration with game_types that is not a list is E002", clauseEnvelope,
			"Refuse game_types that are not an array with INVALID_MESSAGE.",
			malformed(protocol.InvalidMessage, with("game_types", 5))},
		{"M36", "a referee can register", clauseRegistration,
			"Answer register_referee with status ACCEPTED, a referee_id such as REF01 and an auth_token.", admitsReferee},
	})
}

// admits expects a registration to succeed. A league that has begun admits no agent, which is correct: then this and
// all later steps are skipped.
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

// admitsCompletely expects auth_token and league_id in an admission. Both may be null in a refusal, so the schema
// does not require them.
func admitsCompletely(ctx context.Context, s managerCheck) finding {
	ann, why := s.admitted(ctx)
	if why.level != passes {
		return why
	}
	raw := ann.reply.Head().Source()
	f := complete(protocol.TypeLeagueRegisterResponse, raw)
	for _, name := range []string{"auth_token", "league_id"} {
		if f.level == passes && !there(raw, name) {
			f = differ("LEAGUE_REGISTER_RESPONSE has no %s", name)
		}
	}
	return f.in(ann.reply.x)
}

// ann asks for an id that no earlier check can have taken (see unlikely), so that a refusal of it is a refusal of
// free ids.
func grantsWish(ctx context.Context, s managerCheck) finding {
	ann, why := s.admitted(ctx)
	if why.level != passes {
		return why
	}
	if _, wish := protocol.ParseSender(ann.sender); ann.grant().ID != wish {
		return differ("it asked for %s and got %s", wish, ann.grant().ID).in(ann.reply.x)
	}
	return pass.in(ann.reply.x)
}

// grantsForm expects a well-formed id. bob requests none, so the manager chooses it.
func grantsForm(ctx context.Context, s managerCheck) finding {
	if _, why := s.admitted(ctx); why.level != passes {
		return why
	}
	bob := s.bob(ctx)
	if !protocol.ValidID(protocol.RolePlayer, bob.grant().ID) {
		return differ("want an id such as P01, got %q", bob.grant().ID).in(bob.reply.x)
	}
	return pass.in(bob.reply.x)
}

// Two players with one id, or one token, could play each other's matches: this cannot be lived with.
func grantsApart(ctx context.Context, s managerCheck) finding {
	ann, why := s.admitted(ctx)
	if why.level != passes {
		return why
	}
	a, b := ann.grant(), s.bob(ctx).grant()
	switch {
	case b.ID == "":
		return fail("a second player cannot register").in(s.bob(ctx).reply.x)
	case a.ID == b.ID:
		return fail("two players have the id %s", a.ID).in(s.bob(ctx).reply.x)
	case a.Token == b.Token:
		return fail("two players have the same token").in(s.bob(ctx).reply.x)
	}
	return pass.in(s.bob(ctx).reply.x)
}

// again registers ann once more and compares the two grants.
func (s managerCheck) again(ctx context.Context, token string) (before, after protocol.Grant, f finding) {
	ann, why := s.admitted(ctx)
	if why.level != passes {
		return before, after, why
	}
	second := *ann
	second.reply = s.register(ctx, ann, token)
	before, after = ann.grant(), second.grant()
	if f := answered(second.reply); f.level != passes {
		return before, after, differ("%s", f.detail).in(second.reply.x)
	}
	if after.ID != before.ID {
		return before, after, differ("it was %s, and got %q when it registered again", before.ID, after.ID).in(second.reply.x)
	}
	return before, after, pass
}

// comesBackWithToken expects an agent that shows its token to keep it: an agent that restarts in the middle of a
// match continues with it.
func comesBackWithToken(ctx context.Context, s managerCheck) finding {
	before, after, f := s.again(ctx, s.ann(ctx).grant().Token)
	if f.level == passes && after.Token != before.Token {
		return differ("it showed its token and got a different one")
	}
	return f
}

// comesBack expects an agent that lost its token to be identified by endpoint and name; it needs a token to take part
// again.
func comesBack(ctx context.Context, s managerCheck) finding {
	_, after, f := s.again(ctx, "")
	if f.level == passes && after.Token == "" {
		return differ("it got no token")
	}
	return f
}

// repeats expects a request with the same conversation_id to be the same registration, since its answer may have been
// lost.
func repeats(ctx context.Context, s managerCheck) finding {
	ann, why := s.admitted(ctx)
	if why.level != passes {
		return why
	}
	conversation := s.conversation("register")
	var tokens [2]string
	for i := range tokens {
		try := *ann
		try.reply = s.call(ctx, ann.sender, s.request(ann, conversation, ""))
		tokens[i] = try.grant().Token
	}
	if tokens[0] != tokens[1] {
		return differ("the same request was answered with two tokens")
	}
	return pass
}

// Registrations that came after it must not have cost ann her first token, with which other calls may be under way.
func keepsTokens(ctx context.Context, s managerCheck) finding {
	ann, why := s.admitted(ctx)
	if why.level != passes {
		return why
	}
	r := s.query(ctx, ann, protocol.QueryStandings)
	if f := answered(r); f.level != passes {
		return differ("the first token of %s is no longer accepted: %s", ann.grant().ID, f.detail).in(r.x)
	}
	return pass
}

// newcomer is an agent that has not registered.
func (s managerCheck) newcomer() *applicant {
	return &applicant{role: protocol.RolePlayer, name: "Check " + s.node.Nonce(4), sender: "player:check-newcomer",
		endpoint: s.manager.url}
}

// refuses is a step in which a newcomer's mutated registration is refused by policy: in a result with status
// REJECTED.
func refuses(kind *protocol.Kind, mutations ...mutation) func(context.Context, managerCheck) finding {
	return func(ctx context.Context, s managerCheck) finding {
		if _, why := s.admitted(ctx); why.level != passes {
			return why
		}
		return rejected(s.register(ctx, s.newcomer(), "", mutations...), kind)
	}
}

// malformed is a step in which a newcomer's registration, bent, cannot be read: the answer is an error.
func malformed(kind *protocol.Kind, mutations ...mutation) func(context.Context, managerCheck) finding {
	return func(ctx context.Context, s managerCheck) finding {
		if _, why := s.admitted(ctx); why.level != passes {
			return why
		}
		return wantError(s.register(ctx, s.newcomer(), "", mutations...), kind)
	}
}

// rejected judges a refusal by policy, which is a result and not an error.
func rejected(r reply, kind *protocol.Kind) finding {
	m, ok := r.Message.(*protocol.LeagueRegisterResponse)
	switch {
	case r.err == errNotFramed:
		return skip("%v", r.err)
	case !ok:
		return first(asResult(r, kind), differ("want a LEAGUE_REGISTER_RESPONSE with status REJECTED").in(r.x))
	case m.Status != protocol.Rejected:
		return differ("want status REJECTED, got %q", m.Status).in(r.x)
	case m.ErrorName != kind.Name || m.ErrorCode != kind.Code:
		return differ("want error_code %s and error_name %s, got %q and %q", kind.Code, kind.Name, m.ErrorCode,
			m.ErrorName).in(r.x)
	case m.PlayerID != nil || m.AuthToken != nil || textOf(m.Reason) == "nobody":
		return differ("want player_id and auth_token null and a reason in words").in(r.x)
	}
	return pass
}

// asResult objects to a refusal by policy that came as a JSON-RPC error: third-party agents take that for a transport
// error.
func asResult(r reply, kind *protocol.Kind) finding {
	if no, ok := r.err.(*protocol.Refusal); ok {
		return differ("want a result with status REJECTED and %s, got the error %s", kind.Name, said(no)).in(r.x)
	}
	return answered(r)
}

// A manager that admits no referee can play nothing; an id of another form only surprises its readers.
func admitsReferee(ctx context.Context, s managerCheck) finding {
	if _, why := s.admitted(ctx); why.level != passes {
		return why
	}
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
