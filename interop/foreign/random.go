package foreign

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Random returns a random persona that varies on all axes except LongNames. The same seed gives the same persona.
func Random(seed uint64) Persona {
	r := rand.New(rand.NewPCG(seed, 0x1ea9e))
	for {
		if p := draw(r); p.Check() == nil {
			p.Name = fmt.Sprintf("Stranger %d", seed)
			return p
		}
	}
}

// draw draws every axis independently, as far as the framing leaves a choice. The result may fail Check.
func draw(r *rand.Rand) Persona {
	p := Persona{
		Framing: pick(r, FramingA, FramingA, FramingAPrime, FramingB, FramingC, FramingD, FramingE, FramingF, FramingG,
			FramingP, FramingMCP, FramingREST),
		Path: pick(r, "/mcp", "/mcp", "", "/", "/rpc", "/api/mcp"),

		RegisterName:  pick(r, "register_player", "register_player", "league_register"),
		LeagueVersion: chance(r, 4),
		Twice:         chance(r, 8),

		IDs: IDEcho,
		Refuses: pick(r, RefuseNotFound, RefuseWords, RefuseStatus, RefuseNod, Refuse400, Refuse401, Refuse404, Refuse405,
			Refuse409, Refuse422, Refuse500, Refuse504),
		Busy:   chance(r, 3),
		Health: chance(r, 2),

		Join:    pick(r, JoinAccept, JoinACCEPTED, JoinACK, JoinREADY, JoinAccepted, JoinAcceptOnly),
		Choice:  pick(r, ChoiceParity, ChoicePlain, ChoiceAlone, ChoiceMove, ChoiceTyped),
		Ack:     pick(r, "ACKNOWLEDGED", "OK", "ok", "received", "success", ""),
		Token:   pick(r, TokenNone, TokenOwn, TokenPlaceholder, TokenNull, TokenReferee),
		RoundID: pick(r, RoundInt, RoundLong, RoundShort),
		Time:    pick(r, TimeZ, TimeOffset, TimeFraction, TimeBasic, TimeTorn),
	}
	if chance(r, 4) {
		p.OwnID = pick(r, "Alice", "bot-7", "my_agent")
	}
	if chance(r, 6) {
		p.League = "league_of_its_own"
	}
	if p.Framing != FramingMCP && chance(r, 8) {
		p.Path, p.Serves = pick(r, "", "/"), pick(r, "/mcp", "/MCP")
		if chance(r, 3) {
			p.Path, p.Serves = "/mcp/", "/mcp"
		}
	}
	if p.Framing == FramingE || chance(r, 6) {
		p.Model = pick(r, ModelNone, ModelNested, ModelTerse)
	}
	if chance(r, 6) {
		p.ListenLate = time.Duration(1+r.IntN(10)) * 100 * time.Millisecond
	}
	if !p.Framing.plain() {
		p.StrictTop = chance(r, 4)
	}
	if !p.Framing.plain() && p.Framing != FramingMCP {
		p.IDs = pick(r, IDEcho, IDEcho, IDCounter, IDNumbers422, IDNumbers500)
	}
	p.Registration = pick(r, registrations(p.Framing)...)
	p.Reply = pick(r, replies(p.Framing)...)
	p.Names = drawNames(r, p.Framing)
	if chance(r, 4) {
		p.Callback = drawCallback(r)
	}
	if p.Framing == FramingREST {
		p.Refuses, p.Path = Refuse404, pick(r, "", "/", "/api", "/mcp")
	}
	return p.drawAxes(r)
}

// drawAxes draws the position of the body and the spelling of names. One in three personas keeps the defaults.
//
// Combinations that a registration does not reveal are left out: another spelling of names in an agent that registers
// by REST, unless its paths show it, and a split envelope that is absent from the registration.
func (p Persona) drawAxes(r *rand.Rand) Persona {
	if chance(r, 3) {
		return p
	}
	p.Body = pick(r, append(bodies(p.Framing), BodyOwn)...)
	p.Spelling = pick(r, append(spellings(p.Framing), SpellSnake)...)
	p.Camel = chance(r, 3)
	if p.Framing == FramingD && chance(r, 2) {
		p.One = pick(r, "process_message", "league.handle", "dispatch", "rpc")
	}
	return p
}

// registrations lists the ways in which agents of a framing can register.
func registrations(f Framing) []Registration {
	switch f {
	case FramingE:
		return []Registration{RegisterEnvelope}
	case FramingG, FramingREST:
		return []Registration{RegisterREST}
	case FramingD, FramingF:
		return []Registration{RegisterFull, RegisterTyped}
	}
	return []Registration{RegisterFull, RegisterTyped, RegisterMeta, RegisterFlat}
}

// replies lists the possible shapes of answers in a framing. Repeated entries are more likely.
func replies(f Framing) []ReplyShape {
	switch f {
	case FramingE, FramingF, FramingREST:
		return []ReplyShape{ReplyBare, ReplyStatusData}
	case FramingC:
		return []ReplyShape{ReplyContent, ReplyContent, ReplyStructured, ReplyResult}
	case FramingMCP:
		return []ReplyShape{ReplyContent, ReplyStructured}
	}
	return []ReplyShape{ReplyResult, ReplyResult, ReplyNullError, ReplyRequest, ReplyStatusData, ReplyBare, ReplyTwice}
}

// drawNames draws an agent's names for messages. Names for notifications may be missing.
func drawNames(r *rand.Rand, f Framing) map[Kind]string {
	names := map[Kind]string{}
	for _, kind := range []Kind{Invitation, Choice, Result, Round, Standings, RoundCompleted, LeagueCompleted, GameError} {
		name := string(kind)
		if !f.typed() {
			name = pick(r, callings(f, kind)...)
		} else if others := typings[kind]; chance(r, 4) && others != nil {
			name = pick(r, others...)
		}
		switch kind {
		case Round, Standings:
			if chance(r, 8) {
				continue
			}
		case RoundCompleted, LeagueCompleted, GameError:
			if chance(r, 2) {
				continue
			}
		}
		names[kind] = name
	}
	if f == FramingAPrime {
		names[Choice] = "parity_choose"
	}
	return names
}

// callings lists the names of a kind in a framing. Tools do not include "notify", the name for all notifications.
func callings(f Framing, kind Kind) []string {
	names := wordings[kind]
	if last := len(names) - 1; names[last] == "notify" && (f == FramingC || f == FramingMCP) {
		return names[:last]
	}
	return names
}

// drawCallback draws the callbacks of a player, with at least one of Join and Choice.
func drawCallback(r *rand.Rand) Callback {
	c := Callback{
		Join: chance(r, 2), Early: chance(r, 3), Proof: pick(r, ProofConversation, ProofToken, ProofNone,
			ProofOwnToken, ProofMatch),
	}
	c.Choice = !c.Join || chance(r, 2)
	return c
}

// pick draws one of several.
func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// chance is true once in n.
func chance(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }
