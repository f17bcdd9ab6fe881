package foreign

import "maps"

// Kinds returns one persona for every framing, and for each distinct way of answering.
func Kinds() []Persona {
	return []Persona{
		kind("A", FramingA, func(*Persona) {}),
		kind("A'", FramingAPrime, func(p *Persona) { p.Names[Choice] = "parity_choose" }),
		kind("B", FramingB, func(p *Persona) { p.LeagueVersion = true }),
		kind("C", FramingC, func(p *Persona) {
			p.Registration, p.Refuses, p.Reply = RegisterMeta, RefuseWords, ReplyContent
			p.Names[Invitation], p.Names[Result] = "receive_game_invitation", "receive_game_over"
		}),
		kind("D", FramingD, func(p *Persona) { p.Refuses, p.Time = Refuse422, TimeFraction }),
		kind("E", FramingE, func(p *Persona) {
			p.Registration, p.Path, p.Refuses, p.Reply = RegisterEnvelope, "", Refuse422, ReplyStatusData
		}),
		kind("F", FramingF, func(p *Persona) { p.Refuses, p.Reply = Refuse400, ReplyBare }),
		kind("G", FramingG, func(p *Persona) {
			p.Registration, p.Path, p.Join, p.Choice = RegisterREST, "/rpc", JoinAccepted, ChoiceAlone
			p.Names[Invitation], p.Names[Result] = "game_invitation", "game_over"
		}),
		kind("callback", FramingA, func(p *Persona) {
			p.Callback, p.OwnID = Callback{Join: true, Choice: true, Proof: ProofConversation}, "Alice"
		}),
		kind("callback by token", FramingA, func(p *Persona) {
			p.Callback, p.Token = Callback{Join: true, Proof: ProofToken, Early: true}, TokenReferee
		}),
		kind("callback by its own token", FramingB, func(p *Persona) {
			p.Callback, p.Token = Callback{Join: true, Early: true, Proof: ProofOwnToken}, TokenOwn
		}),
		kind("callback by match", FramingA, func(p *Persona) {
			p.Callback = Callback{Join: true, Choice: true, Early: true, Proof: ProofMatch}
		}),
		kind("P", FramingP, func(p *Persona) {
			p.Registration, p.Join, p.Choice, p.Names[Invitation] = RegisterFlat, JoinAcceptOnly, ChoiceAlone, "GAME_INVITE"
		}),
		kind("tools for something else", FramingP, func(p *Persona) {
			p.Registration, p.Join, p.Choice, p.Names[Invitation] = RegisterFlat, JoinAcceptOnly, ChoiceAlone, "GAME_INVITE"
			p.Tools = true
		}),
		kind("nods", FramingA, func(p *Persona) {
			p.Refuses, p.Model, p.Ack, p.RegisterName = RefuseNod, ModelNested, "acknowledged", "league_register"
			p.Names[Invitation], p.Names[Choice], p.Names[Result] = "game_invitation", "choose_parity_call", "game_over"
			p.Names[Round], p.Names[Standings] = "round_announcement", "league_standings_update"
		}),
		kind("nested and bare", FramingF, func(p *Persona) {
			p.Refuses, p.Model, p.Reply, p.Ack = RefuseNod, ModelNested, ReplyBare, "acknowledged"
		}),
		kind("terse", FramingE, func(p *Persona) {
			p.Registration, p.Path, p.Refuses, p.Reply, p.Model = RegisterEnvelope, "", Refuse422, ReplyStatusData, ModelTerse
			p.Serves, p.Names[Choice], p.Join = "/mcp", "CHOOSE_PARITY", JoinAccepted
		}),
		kind("capitals", FramingF, func(p *Persona) {
			p.Path, p.Serves, p.Refuses, p.Reply, p.Choice, p.League = "", "/MCP", RefuseStatus, ReplyBare, ChoicePlain,
				"a_league_of_its_own"
			p.Names[Choice], p.Names[Result] = "CHOOSE_PARITY_REQUEST", "MATCH_RESULT_REPORT"
		}),
		kind("a slash away", FramingA, func(p *Persona) { p.Path, p.Serves = "/mcp/", "/mcp" }),
		kind("one name for news", FramingA, func(p *Persona) {
			p.Registration, p.Refuses = RegisterTyped, Refuse400
			p.Names[Invitation], p.Names[Result] = "game_invitation", "notify_game_over"
			p.Names[Round], p.Names[Standings], p.Names[RoundCompleted], p.Names[LeagueCompleted] =
				"notify", "notify", "notify", "notify"
		}),
		kind("types of its own", FramingF, func(p *Persona) {
			p.Refuses, p.Reply, p.Choice = RefuseWords, ReplyBare, ChoiceTyped
		}),
		kind("mixture", FramingB, func(p *Persona) { p.Body = BodyData }),
		kind("camel", FramingA, func(p *Persona) { p.Spelling, p.Camel = SpellCamel, true }),
		kind("paths", FramingREST, func(p *Persona) {
			p.Path, p.Registration, p.Refuses, p.Reply = "/api", RegisterREST, Refuse404, ReplyBare
			p.Names[Invitation], p.Names[Result], p.Names[Round] = "game_invitation", "game_over", "round_announcement"
		}),
		kind("one method", FramingD, func(p *Persona) { p.One, p.Body = "league.handle", BodyFlat }),
		kind("long names", FramingA, func(p *Persona) { p.LongNames = true }),
		kind("request-shaped", FramingA, func(p *Persona) { p.Reply, p.IDs, p.StrictTop = ReplyRequest, IDCounter, true }),
		kind("double-wrapped", FramingA, func(p *Persona) {
			p.Reply, p.IDs, p.Refuses = ReplyTwice, IDNumbers500, Refuse500
		}),
	}
}

// kind returns the persona of the specification in that framing, changed by edit.
func kind(name string, f Framing, edit func(*Persona)) Persona {
	p := Persona{
		Name: name, Framing: f, Names: map[Kind]string{}, Path: "/mcp", Registration: RegisterFull,
		RegisterName: "register_player",
		IDs:          IDEcho, Refuses: RefuseNotFound, Busy: true, Health: true, Reply: ReplyResult, Join: JoinAccept,
		Choice: ChoiceParity,
		Ack:    "ok", Token: TokenNone, RoundID: RoundInt, Time: TimeZ,
	}
	for k, names := range wordings {
		p.Names[k] = names[0]
		if f.typed() {
			p.Names[k] = string(k)
		}
	}
	maps.DeleteFunc(p.Names, func(k Kind, _ string) bool { return k == RoundCompleted || k == GameError })
	edit(&p)
	return p
}

// MCPKind returns the persona of an MCP server that was not written for the league.
func MCPKind() Persona {
	return kind("MCP server", FramingMCP, func(p *Persona) { p.Reply = ReplyStructured })
}
