package protocol

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
)

// The league of the examples. Its secrets are the bytes 0 to 31 and 32 to 63, so that all readers can compute the same
// tokens and draws.
const (
	exLeague = "league_2025_even_odd"
	exMatch  = "R1M1"
	exGame   = "even_odd"
	exNonceA = "alpha"
	exNonceB = "beta"

	exManagerURL = "http://localhost:8000/mcp"
	exRefereeURL = "http://localhost:8001/mcp"
	exPlayer1URL = "http://localhost:8101/mcp"
	exPlayer2URL = "http://localhost:8102/mcp"
)

var (
	exTokenKey   = bytesFrom(0)
	exDrawSecret = bytesFrom(32)
	exMatchKey   = DrawKey(exDrawSecret, exLeague, exMatch, exNonceA, exNonceB)

	exKey1    = ed25519.NewKeyFromSeed(bytesFrom(64)) // of P01
	exKey2    = ed25519.NewKeyFromSeed(bytesFrom(96)) // of P02
	exKeyR    = ed25519.NewKeyFromSeed(bytesFrom(128))
	exManager = AgreementKey(exTokenKey)
	exSeal    = SHA256(exCreated())
	exHead    = SHA256("the line that starts the league")
	exPlayer1 = exToken(exKey1, RolePlayer, "P01")
	exPlayer2 = exToken(exKey2, RolePlayer, "P02")
	exTicket  = Ticket(exTokenKey, exLeague, "player:P01", 1) // of a foreign agent
	exReferee = exToken(exKeyR, RoleReferee, "REF01")
	exMatch1  = MatchToken(exPlayer1, exLeague, exMatch, 1, "REF01")
	exMatch2  = MatchToken(exPlayer2, exLeague, exMatch, 1, "REF01")
)

// exL is the manager's token for the agent with that token.
func exL(agent string, t Type, round Round) string { return ManagerToken(agent, exLeague, t, round) }

func bytesFrom(first byte) []byte {
	b := make([]byte, 32)
	for i := range b {
		b[i] = first + byte(i)
	}
	return b
}

// exDrawn is the number that follows from the match's key, by the formula of the specification.
func exDrawn() int {
	for block := uint32(0); ; block++ {
		mac := hmac.New(sha256.New, exMatchKey)
		mac.Write(binary.BigEndian.AppendUint32(nil, block))
		for sum := mac.Sum(nil); len(sum) > 0; sum = sum[8:] {
			const n, limit = 10, (1<<64 - 1) / 10 * 10
			if w := binary.BigEndian.Uint64(sum); w < limit {
				return int(1 + w%n)
			}
		}
	}
}

// An example is a true message and the file of doc/message-examples that shows it.
type example struct {
	file    string
	message Message
	fails   Type // the request that a message is the JSON-RPC error of
}

// head returns an envelope of the examples; after is in seconds since ten o'clock.
func head(t Type, sender string, after int, conversation, token string) Envelope {
	return Envelope{
		Protocol: Version, MessageType: t, Sender: sender, Timestamp: exTime(after),
		ConversationID: conversation, AuthToken: token,
	}
}

// inLeague, inRound, inMatch and ofMatch place an envelope.
func inLeague(e Envelope) Envelope { e.LeagueID = exLeague; return e }
func inRound(e Envelope) Envelope  { e = inLeague(e); e.RoundID = 1; return e }
func inMatch(e Envelope) Envelope  { e = inRound(e); e.MatchID = exMatch; return e }
func ofMatch(e Envelope) Envelope  { e.MatchID = exMatch; return e }

func exTime(after int) string {
	return Stamp(time.Date(2025, 1, 15, 10, 0, after, 0, time.UTC))
}

func text(s string) json.RawMessage { return json.RawMessage(`"` + s + `"`) }

// examples is one message of every type, with the true tokens, keys and hashes of one small league.
func examples() []example {
	list := registrationExamples()
	list = append(list, matchExamples()...)
	list = append(list, seasonExamples()...)
	list = append(list, queryExamples()...)
	list = append(list, toolExamples()...)
	list = append(list, errorExamples()...)
	for _, e := range list {
		authenticate(e)
	}
	return list
}

// authenticate gives an example of a native agent the token that it carries in truth: a request its A, the answers of
// an agent none, and those of the manager their MAC.
func authenticate(e example) {
	h := e.message.Head()
	role, id := ParseSender(h.Sender)
	own := map[string]string{exPlayer1: "P01", exPlayer2: "P02", exReferee: "REF01"}
	spec, _ := Lookup(h.MessageType)
	switch {
	case own[h.AuthToken] != "" && spec.Method == "":
		h.AuthToken = ""
		return
	case own[h.AuthToken] != "":
		exCredential(h.AuthToken, id).SignRequest(e.message)
	case role == RoleManager && exAnswers[e.file] != "":
		exCredential(exAnswers[e.file], own[exAnswers[e.file]]).SignAnswer(e.message, h.ConversationID)
	default:
		return
	}
	raw, err := Encode(e.message)
	if err != nil {
		panic(err)
	}
	var written struct {
		Token string `json:"auth_token"`
	}
	_ = json.Unmarshal(raw, &written)
	e.message.(interface{ putToken(string) }).putToken(written.Token)
	h.signature = nil
}

// exAnswers are answers of the manager to native agents, with the token of the agent.
var exAnswers = map[string]string{
	"registration/referee_register_response.json": exReferee, "registration/league_register_native.json": exPlayer1,
	"game-flow/match_result_ack.json": exReferee, "game-flow/match_moves_ack.json": exReferee,
	"game-flow/match_protest_ack.json": exPlayer2,
}

func exCredential(token, id string) *Credential { return &Credential{token, exLeague, id} }

func registrationExamples() []example {
	return []example{
		{file: "registration/referee_register_request.json", message: &RefereeRegisterRequest{
			Envelope: head(TypeRefereeRegisterRequest, "referee:alpha", 0, "conv-ref-alpha-reg-001", ""),
			Meta: AgentMeta{
				DisplayName: "Referee Alpha", Version: "1.0.0", ProtocolVersion: Release, GameTypes: []string{exGame},
				ContactEndpoint: exRefereeURL, MaxConcurrentMatches: 2, Native: true, PublicKey: PublicKey(exKeyR),
				AgreementKey: AgreementPublic(AgreementKey(exKeyR.Seed())),
			},
		}},
		{file: "registration/referee_register_response.json", message: &RefereeRegisterResponse{
			Admission: Admission{
				Envelope: head(TypeRefereeRegisterResponse, Manager, 1, "conv-ref-alpha-reg-001", ""),
				Status:   Accepted, LeagueID: new(exLeague), Native: true, Seal: exSeal,
			},
			RefereeID: new("REF01"),
		}},
		{file: "registration/player_register_request.json", message: &LeagueRegisterRequest{
			Envelope: head(TypeLeagueRegisterRequest, "player:alpha", 5, "conv-player-alpha-reg-001", ""),
			Meta: AgentMeta{
				DisplayName: "Agent Alpha", Version: "1.0.0", ProtocolVersion: Release, GameTypes: []string{exGame},
				ContactEndpoint: exPlayer1URL, Native: true, PublicKey: PublicKey(exKey1),
				AgreementKey: AgreementPublic(AgreementKey(exKey1.Seed())), Nonce: exNonceA,
			},
		}},
		{file: "registration/league_register_response.json", message: &LeagueRegisterResponse{
			Admission: Admission{
				Envelope: head(TypeLeagueRegisterResponse, Manager, 6, "conv-player-alpha-reg-001", ""),
				Status:   Accepted, AuthToken: new(exTicket), LeagueID: new(exLeague), Native: true, Seal: exSeal,
			},
			PlayerID: new("P01"),
		}},
		{file: "registration/league_register_native.json", message: &LeagueRegisterResponse{
			Admission: Admission{
				Envelope: head(TypeLeagueRegisterResponse, Manager, 6, "conv-player-alpha-reg-001", ""),
				Status:   Accepted, LeagueID: new(exLeague), Native: true, Seal: exSeal,
			},
			PlayerID: new("P01"),
		}},
		{file: "registration/league_register_rejected.json", message: &LeagueRegisterResponse{
			Admission: Admission{
				Envelope: head(TypeLeagueRegisterResponse, Manager, 7, "conv-player-alpha-reg-002", ""),
				Status:   Rejected,
				Reason: new(
					"the name Agent Alpha belongs to P01, which still answers; ask the organiser for `league readmit P01 KRTM`"),
				Native: true, Seal: exSeal, ReadmitCode: "KRTM",
				ErrorCode: DuplicateName.Code, ErrorName: DuplicateName.Name,
				Code: DuplicateName.Numeric(TypeLeagueRegisterRequest),
			},
		}},
		{file: "registration/welcome.json", message: exWelcome()},
		{file: "registration/welcome_ack.json", message: &WelcomeAck{
			Envelope: head(TypeWelcomeAck, "player:alpha", 5, "conv-player-alpha-reg-001", ""),
			Nonce:    exChallenge().AgentNonce, Signature: Sign(exKey1, exChallenge().Text()),
			Confirm:   Confirm(exPlayer1, exChallenge().Text()),
			Organiser: OrganiserMark(exTokenKey, exChallenge().Text()),
		}},
		{file: "registration/identify.json", message: &Identify{
			Envelope: head(TypeIdentify, Manager, 8, "conv-identify-P01", ""), Challenge: "5b0c9a7711de4f02",
		}},
		{file: "registration/identity.json", message: &Identity{
			Envelope: head(TypeIdentity, "player:P01", 8, "conv-identify-P01", ""), Agent: "player:P01",
			Signature: Sign(exKey1, IdentityText(exSeal, "P01", exPlayer1URL, "5b0c9a7711de4f02")),
		}},
		{file: "registration/register_to_league.json", message: &RegisterToLeague{
			Envelope:       head(TypeRegisterToLeague, "admin", 0, "conv-admin-001", ""),
			LeagueEndpoint: exManagerURL,
		}},
	}
}

func exWelcome() *Welcome {
	return &Welcome{
		Envelope: inLeague(head(TypeWelcome, Manager, 5, "conv-player-alpha-reg-001", "")),
		Manager:  exManagerURL, Created: exCreated(), ID: "P01", Epoch: 1, Endpoint: exPlayer1URL, Nonce: "4d1a77c09be85f23",
	}
}

// exCreated is line 1 of the log of the examples' league.
func exCreated() string {
	body := `{"seq":1,"prev":"` + strings.Repeat("0", 64) + `","timestamp":"2025-01-15T10:00:00.000000Z","events":[` +
		`{"kind":"LeagueCreated","at":"2025-01-15T10:00:00Z","event":{"schema":2,"league_id":"` + exLeague + `",` +
		`"game_type":"even_odd","cycles":1,"scoring":{"win":3,"draw":1,"loss":0,"technical_loss":0},` +
		`"tiebreakers":["points"],"max_consecutive_forfeits":3,"draw_commitment":"` +
		DrawCommitment(exLeague, exDrawSecret) + `","manager_key":"` + AgreementPublic(exManager) + `"}}]`
	return body + `,"sha256":"` + SHA256(body) + `"}`
}

// exToken is the token of an agent at the manager of the examples.
func exToken(key ed25519.PrivateKey, role Role, id string) string {
	token, err := exAgreement(key, role, id).Token(AgreementKey(key.Seed()), AgreementPublic(exManager))
	if err != nil {
		panic(err)
	}
	return token
}

func exAgreement(key ed25519.PrivateKey, role Role, id string) Agreement {
	return Agreement{
		League: exLeague, Seal: exSeal, Role: role, ID: id, Epoch: 1, ManagerKey: AgreementPublic(exManager),
		PublicKey: PublicKey(key), AgreementKey: AgreementPublic(AgreementKey(key.Seed())),
	}
}

// exChallenge is the challenge that P01 signs.
func exChallenge() Challenge {
	w := exWelcome()
	return Challenge{
		Manager: w.Manager, Seal: exSeal, ManagerKey: AgreementPublic(exManager), Role: RolePlayer, ID: w.ID,
		Epoch: w.Epoch, Endpoint: w.Endpoint, Nonce: w.Nonce, AgentNonce: "9f3c51d0a7e24b68",
		AgreementKey: AgreementPublic(AgreementKey(exKey1.Seed())),
	}
}

// exView is the position of a game as text.
const exView = `{"seat":1,"turn":3,"move_type":"place_mark","valid_options":[1,2,3,5,6,7,8],"context":{"board":["X","","","","O","","","",""]}}`

// exBout2 is the chain of P02 in a longer game, of which it has answered nothing yet.
func exBout2() AnswerChain {
	return AnswerContext{
		Seal: exSeal, Match: exMatch, Attempt: 1, Referee: "REF01", Player: "P02",
		Commitment: KeyCommitment(exMatchKey), Head: exHead,
	}.NewChain()
}

// exSigned returns a player's signed answers in the match.
func exSigned(key ed25519.PrivateKey, player, choice string) SignedAnswers {
	b := AnswerContext{
		Seal: exSeal, Match: exMatch, Attempt: 1, Referee: "REF01", Player: player,
		Commitment: KeyCommitment(exMatchKey), Head: exHead,
	}
	move := string(text(choice))
	return SignedAnswers{
		Head: exHead, Answers: []SignedAnswer{{Move: move}}, Signature: b.NewChain().Then(0, "", move).Sign(key),
	}
}

func matchExamples() []example {
	const conv1, conv2 = "conv-r1m1-001-5f0c7d21", "conv-r1m1-001-b81e09aa"
	drawn := exDrawn()
	parity, other := "even", "odd"
	if drawn%2 == 1 {
		parity, other = other, parity
	}
	result := GameResult{
		Status: Win, WinnerPlayerID: new("P01"), DrawnNumber: Present(drawn), NumberParity: Present(parity),
		Choices: map[string]json.RawMessage{"P01": text(parity), "P02": text(other)},
		Score:   map[string]int{"P01": 3, "P02": 0},
		Reason:  "P01 chose " + parity + ", number was " + string(mustMarshal(drawn, nil)) + " (" + parity + ")",
	}
	record := MatchRecord{
		SchemaVersion: "1.0.0", MatchID: exMatch, LeagueID: exLeague, RoundID: 1, GameType: exGame, RefereeID: "REF01",
		PlayerAID: "P01", PlayerBID: "P02", Attempt: 1, LastUpdated: exTime(930), TranscriptComplete: true, Result: result,
	}
	signed := map[string]SignedAnswers{"P01": exSigned(exKey1, "P01", parity), "P02": exSigned(exKey2, "P02", other)}
	_, hash, _ := record.Document()
	moves := []PlayedMove{{PlayerID: "P01", Move: text(parity)}, {PlayerID: "P02", Move: text(other)}}
	key := hex.EncodeToString(exMatchKey)
	return []example{
		{file: "game-flow/start_match.json", message: (&StartMatch{
			Envelope: inMatch(head(TypeStartMatch, Manager, 895, "conv-r1m1-start", exL(exReferee, TypeStartMatch, 1))),
			GameType: exGame,
			PlayerA: Contender{
				ID: "P01", Endpoint: exPlayer1URL, Dialect: Canonical, Token: exMatch1, PublicKey: PublicKey(exKey1),
				State: AgentActive, RegisteredAt: exTime(6),
			},
			PlayerB: Contender{
				ID: "P02", Endpoint: exPlayer2URL, Dialect: Canonical, Token: exMatch2, PublicKey: PublicKey(exKey2),
				State: AgentActive, RegisteredAt: exTime(7),
			},
			Attempt: 1, ReportTo: exManagerURL, Seal: exSeal, Scoring: &Scoring{Win: 3, Draw: 1}, DrawKey: key,
		}).Hide(exReferee)},
		{file: "game-flow/start_match_ack.json", message: &StartMatchAck{
			Envelope: inMatch(head(TypeStartMatchAck, "referee:REF01", 895, "conv-r1m1-start", exReferee)), Status: Accepted,
		}},
		{file: "game-flow/game_start.json", message: &GameInvitation{
			Envelope: inMatch(head(TypeGameInvitation, "referee:REF01", 900, conv1, exMatch1)), GameType: exGame,
			RoleInMatch: "PLAYER_A", Role: "PLAYER_A", PlayerID: "P01", OpponentID: "P02", Attempt: 1,
			Fairness: Fairness{Commitment: KeyCommitment(exMatchKey)},
		}},
		{file: "game-flow/game_join_ack.json", message: &GameJoinAck{
			Envelope: ofMatch(head(TypeGameJoinAck, "player:P01", 901, conv1, exMatch1)),
			PlayerID: "P01", ArrivalTimestamp: exTime(901), Accept: new(true),
		}},
		{file: "game-flow/move_request.json", message: &ChooseParityCall{
			Envelope: inMatch(head(TypeChooseParityCall, "referee:REF01", 905, conv1, exMatch1)), PlayerID: "P01",
			GameType: exGame,
			Context:  ChooseContext{OpponentID: "P02", RoundID: 1}, Deadline: exTime(935), Attempt: 1,
		}},
		{file: "game-flow/choose_parity_response.json", message: &ChooseParityResponse{
			Envelope: ofMatch(head(TypeChooseParityResponse, "player:P01", 910, conv1, exMatch1)),
			PlayerID: "P01", ParityChoice: text(parity), Choice: text(parity),
			Proof: &Proof{Head: exHead, Move: string(text(parity)), Signature: signed["P01"].Signature},
		}},
		{file: "game-flow/game_move_call.json", message: &GameMoveCall{
			Envelope: inMatch(head(TypeGameMoveCall, "referee:REF01", 905, conv2, exMatch2)), PlayerID: "P02",
			GameType: "tic_tac_toe",
			MoveRequest: MoveRequest{
				MoveType: "place_mark",
				ValidOptions: []json.RawMessage{
					[]byte("1"), []byte("2"), []byte("3"), []byte("5"), []byte("6"), []byte("7"), []byte("8"),
				},
				Context: json.RawMessage(`{"board":["X","","","","O","","","",""]}`),
			},
			OpponentID: "P01", Turn: 3, View: exView, Deadline: exTime(935), Attempt: 1,
		}},
		{file: "game-flow/game_move_response.json", message: &GameMoveResponse{
			Envelope: ofMatch(head(TypeGameMoveResponse, "player:P02", 911, conv2, exMatch2)), PlayerID: "P02",
			GameType: "tic_tac_toe",
			MoveData: MoveData{MoveType: "place_mark", Choice: json.RawMessage("8")},
			Proof:    &Proof{Head: exHead, Move: "8", Signature: exBout2().Then(3, exView, "8").Sign(exKey2)},
		}},
		{file: "game-flow/game_over.json", message: &GameOver{
			Envelope: inMatch(head(TypeGameOver, "referee:REF01", 930, conv1, exMatch1)), GameType: exGame,
			PlayerID: "P01", OpponentID: "P02", GameResult: result, Result: Win, Winner: new("P01"), DrawnNumber: Present(drawn),
			YourChoice: text(parity), OpponentChoice: text(other), PointsEarned: 3, Attempt: 1, Fairness: &Fairness{Key: key},
		}},
		{file: "game-flow/game_over_ack.json", message: &Ack{
			Envelope: ofMatch(head(TypeGameOverAck, "player:P01", 930, conv1, exMatch1)), Status: Acknowledged, PlayerID: "P01",
		}},
		{file: "game-flow/answer_ack.json", message: &Ack{
			Envelope: ofMatch(head(TypeAnswerAck, "referee:REF01", 910, conv1, exMatch1)), Status: Acknowledged, PlayerID: "P01",
		}},
		{file: "game-flow/match_result_report.json", message: &MatchResultReport{
			Envelope: inMatch(head(TypeMatchResultReport, "referee:REF01", 935, ReportConversation(exMatch), exReferee)),
			GameType: exGame,
			Result: ReportedResult{
				Winner: new("P01"), Score: map[string]json.RawMessage{"P01": []byte("3"), "P02": []byte("0")},
				Details: ReportDetails{DrawnNumber: Present(drawn), NumberParity: Present(parity), Choices: result.Choices, Status: Win, Reason: result.Reason},
			},
			Attempt: 1, Fairness: &Fairness{Key: key}, RecordSHA256: hash,
			Moves: moves, Signed: signed,
		}},
		{file: "game-flow/match_moves_report.json", message: &MatchMovesReport{
			Envelope: inMatch(head(TypeMatchMovesReport, "referee:REF01", 934, "conv-r1m1-moves", exReferee)), GameType: exGame,
			Attempt: 1, Moves: moves, Signed: signed,
		}},
		{file: "game-flow/match_moves_ack.json", message: &MatchMovesAck{
			Envelope: inMatch(head(TypeMatchMovesAck, Manager, 934, "conv-r1m1-moves", "")), Status: Accepted,
			Result: ReportedResult{
				Winner: new("P01"), Score: map[string]json.RawMessage{"P01": []byte("3"), "P02": []byte("0")},
				Details: ReportDetails{DrawnNumber: Present(drawn), NumberParity: Present(parity), Choices: result.Choices, Status: Win, Reason: result.Reason},
			},
			Fairness: Fairness{Commitment: KeyCommitment(exMatchKey), Key: key},
		}},
		{file: "game-flow/match_protest.json", message: &MatchProtest{
			Envelope: inMatch(head(TypeMatchProtest, "player:P02", 936, "conv-r1m1-protest", exPlayer2)),
			PlayerID: "P02", Attempt: 1,
			What: ProtestMoves, Detail: "GAME_OVER says that P02 chose " + parity + "; it chose " + other,
			Signed: new(signed["P02"]),
		}},
		{file: "game-flow/match_protest_ack.json", message: &Ack{
			Envelope: inMatch(head(TypeMatchProtestAck, Manager, 936, "conv-r1m1-protest", "")), Status: Acknowledged,
			PlayerID: "P02",
		}},
		{file: "game-flow/match_result_ack.json", message: &MatchResultAck{
			Envelope: inMatch(head(TypeMatchResultAck, Manager, 935, ReportConversation(exMatch),
				exL(exReferee, TypeMatchResultAck, 1))),
			Status: Accepted,
		}},
		{file: "game-flow/match_state.json", message: &MatchState{
			Envelope: inMatch(head(TypeMatchState, "referee:REF01", 912, "conv-state-001", "")), State: CollectingChoices,
			GameType: "tic_tac_toe",
			Attempt:  1, Turn: 1, Players: []SeatState{
				{PlayerID: "P01", Joined: true, Tries: 1}, {PlayerID: "P02", Joined: true, ToMove: true, Tries: 1},
			},
			Spectator: json.RawMessage(`{"board":["X","","","","","","","",""],"mark":""}`),
		}},
		{file: "game-flow/match_records.json", message: &MatchRecords{
			Envelope: inLeague(head(TypeMatchRecords, "referee:REF01", 941, "conv-records-001", exReferee)),
			Records:  []RecordDocument{{RecordRef: record.Ref(), Document: string(first(record.Document()))}},
		}},
	}
}

func first(b []byte, _ string, _ error) []byte { return b }

func seasonExamples() []example {
	players := []Standing{
		{Rank: 1, PlayerID: "P01", DisplayName: "Agent Alpha", Played: 1, Wins: 1, Points: 3},
		{Rank: 2, PlayerID: "P02", DisplayName: "Agent Beta", Played: 1, Losses: 1},
	}
	announce, standings, complete := RoundConversation(1, "announce"), RoundConversation(1, "standings"),
		RoundConversation(1, "complete")
	ack := func(t Type, after int, conversation string) *Ack {
		return &Ack{
			Envelope: inRound(head(t, "player:P01", after, conversation, exPlayer1)), Status: Acknowledged, PlayerID: "P01",
		}
	}
	last := ack(TypeLeagueCompletedAck, 7201, LeagueConversation)
	last.RoundID, last.LogHead, last.Signature = 0, exHead, Sign(exKey1, FinalSignatureText(exSeal, "P01", exHead))
	return []example{
		{file: "game-flow/round_announcement.json", message: &RoundAnnouncement{
			Envelope: inRound(head(TypeRoundAnnouncement, Manager, 600, announce, exL(exPlayer1, TypeRoundAnnouncement, 1))),
			Matches: []AnnouncedMatch{{
				MatchID: exMatch, GameType: exGame, PlayerAID: "P01", PlayerBID: "P02",
				RefereeID: "REF01", RefereeEndpoint: exRefereeURL, Attempt: 1, Native: true,
			}},
			Seal: exSeal, LogHead: exHead,
		}},
		{file: "game-flow/round_announcement_ack.json", message: ack(TypeRoundAnnouncementAck, 601, announce)},
		{file: "game-flow/league_standings_update.json", message: &StandingsUpdate{
			Envelope: inRound(head(TypeLeagueStandingsUpdate, Manager, 1200, standings,
				exL(exPlayer1, TypeLeagueStandingsUpdate, 1))),
			Standings: players,
		}},
		{file: "game-flow/standings_notification.json", message: &StandingsUpdate{
			Envelope: inRound(head(TypeStandingsNotification, Manager, 1200, standings,
				exL(exPlayer1, TypeStandingsNotification, 1))),
			Standings: players,
		}},
		{file: "game-flow/standings_update_ack.json", message: ack(TypeStandingsUpdateAck, 1201, standings)},
		{file: "game-flow/round_completed.json", message: &RoundCompleted{
			Envelope:         inRound(head(TypeRoundCompleted, Manager, 1205, complete, exL(exPlayer1, TypeRoundCompleted, 1))),
			MatchesCompleted: 1, MatchesPlayed: 1, Summary: RoundSummary{TotalMatches: 1, Wins: 1}, LogHead: exHead,
		}},
		{file: "game-flow/round_completed_ack.json", message: ack(TypeRoundCompletedAck, 1206, complete)},
		{file: "game-flow/league_completed.json", message: &LeagueCompleted{
			Envelope: inLeague(head(TypeLeagueCompleted, Manager, 7200, LeagueConversation,
				exL(exPlayer1, TypeLeagueCompleted, 0))),
			TotalRounds: 1, TotalMatches: 1, Champion: Champion{PlayerID: "P01", DisplayName: "Agent Alpha", Points: 3},
			FinalStandings: players, DrawSecret: hex.EncodeToString(exDrawSecret), LogHead: exHead,
		}},
		{file: "game-flow/league_completed_ack.json", message: last},
	}
}

func queryExamples() []example {
	table := []Standing{{Rank: 1, PlayerID: "P01", DisplayName: "Agent Alpha", Played: 1, Wins: 1, Points: 3}}
	ask := func(t Type, query string) *LeagueQuery {
		return &LeagueQuery{Envelope: inLeague(head(t, "player:P01", 1500, "conv-query-001", exPlayer1)), QueryType: query}
	}
	answer := func(t Type) *LeagueQueryResponse {
		return &LeagueQueryResponse{
			Envelope: inLeague(head(t, Manager, 1501, "conv-query-001", exL(exPlayer1, t, 0))), Success: true,
			QueryType: QueryStandings,
			Data:      mustMarshal(map[string]any{"standings": table, "current_round": 1}, nil),
			Standings: table, CurrentRound: new(1),
		}
	}
	next := ask(TypeLeagueQuery, QueryNextMatch)
	next.QueryParams.PlayerID = "P01"
	return []example{
		{file: "game-flow/league_query.json", message: next},
		{file: "game-flow/league_query_response.json", message: answer(TypeLeagueQueryResponse)},
		{file: "game-flow/league_query_failed.json", message: &LeagueQueryResponse{
			Envelope: inLeague(head(TypeLeagueQueryResponse, Manager, 1502, "conv-query-002",
				exL(exPlayer1, TypeLeagueQueryResponse, 0))),
			QueryType: QueryPlayerStats,
			Error: &QueryError{
				ErrorCode: PlayerNotRegistered.Code, ErrorName: PlayerNotRegistered.Name,
				ErrorDescription: "the league has no player P99",
			},
		}},
		{file: "game-flow/query_standings_request.json", message: ask(TypeQueryStandingsRequest, "")},
		{file: "game-flow/query_standings_response.json", message: answer(TypeQueryStandingsResponse)},
		{file: "game-flow/get_standings.json", message: ask(TypeGetStandings, "")},
		{file: "game-flow/get_league_status.json", message: ask(TypeGetLeagueStatus, "")},
		{file: "game-flow/get_schedule.json", message: ask(TypeGetSchedule, "")},
		{file: "game-flow/get_games.json", message: ask(TypeGetGames, "")},
	}
}

func toolExamples() []example {
	const admin = "tok_admin_2mVQ0oJ7cW"
	order := func(t Type) *Tool {
		return &Tool{Envelope: inLeague(head(t, "admin", 590, "conv-admin-001", admin))}
	}
	about := func(t Type) *Tool {
		return &Tool{Envelope: ofMatch(inLeague(head(t, "player:P01", 912, "conv-state-001", exMatch1)))}
	}
	withdraw := order(TypeWithdrawPlayer)
	withdraw.PlayerID = "P02"
	created := head(TypeCreateLeague, "admin", 590, "conv-admin-001", admin)
	created.LeagueID = "spring_cup"
	return []example{
		{file: "game-flow/ping.json", message: &Tool{
			Envelope: head(TypePing, Manager, 920, "conv-ping-001", exL(exReferee, TypePing, 0)),
		}},
		{file: "game-flow/pong.json", message: &Pong{
			Envelope: head(TypePong, "referee:REF01", 920, "conv-ping-001", exReferee), Status: "healthy",
			Agent: "referee:REF01",
		}},
		{file: "game-flow/create_schedule.json", message: order(TypeCreateSchedule)},
		{file: "game-flow/start_league.json", message: order(TypeStartLeague)},
		{file: "game-flow/pause_league.json", message: order(TypePauseLeague)},
		{file: "game-flow/resume_league.json", message: order(TypeResumeLeague)},
		{file: "game-flow/withdraw_player.json", message: withdraw},
		{file: "game-flow/cancel_league.json", message: order(TypeCancelLeague)},
		{file: "game-flow/drain_league.json", message: order(TypeDrainLeague)},
		{file: "game-flow/enlist_agent.json", message: &EnlistAgent{
			Envelope: inLeague(head(TypeEnlistAgent, "admin", 590, "conv-admin-001", admin)), Role: RolePlayer,
			Endpoint: "http://localhost:8107/mcp", DisplayName: "Agent Gamma",
		}},
		{file: "game-flow/create_league.json", message: &CreateLeague{
			Envelope: created, GameType: "even_odd", Players: 4, Referees: 2, Cycles: 2, Bots: []string{"random", "history"},
		}},
		{file: "game-flow/set_seasons.json", message: &SetSeasons{
			Envelope: inLeague(head(TypeSetSeasons, "admin", 590, "conv-admin-001", admin)), Seasons: 5,
		}},
		{file: "game-flow/readmit_agent.json", message: &ReadmitAgent{
			Envelope: inLeague(head(TypeReadmitAgent, "admin", 590, "conv-admin-001", admin)), AgentID: "P01", Code: "KRTM",
		}},
		{file: "game-flow/rename_agent.json", message: &RenameAgent{
			Envelope: inLeague(head(TypeRenameAgent, "admin", 590, "conv-admin-001", admin)), AgentID: "P04",
			DisplayName: "Team Fox",
		}},
		{file: "game-flow/merge_agents.json", message: &MergeAgents{
			Envelope: inLeague(head(TypeMergeAgents, "admin", 590, "conv-admin-001", admin)), KeptID: "P04", GoneID: "P11",
		}},
		{file: "game-flow/rest_player.json", message: &RestPlayer{
			Envelope: inLeague(head(TypeRestPlayer, "admin", 990, "conv-admin-001", admin)), PlayerID: "P03", Rounds: 2,
		}},
		{file: "game-flow/annul_match.json", message: &AnnulMatch{
			Envelope: ofMatch(inLeague(head(TypeAnnulMatch, "admin", 990, "conv-admin-001", admin))),
			Reason:   "the network was down",
		}},
		{file: "registration/invite_agents.json", message: &InviteAgents{
			Envelope: inLeague(head(TypeInviteAgents, "admin", 0, "conv-admin-001", admin)), Role: RolePlayer,
			Names: []string{"Team Fox"},
		}},
		{file: "registration/invitations.json", message: &Invitations{
			Envelope: inLeague(head(TypeInvitations, Manager, 0, "conv-admin-001", "")),
			Invitations: []Invitation{{
				Role: RolePlayer, DisplayName: "Team Fox", Key: "b2mq6f4tzw3k7xyc5hnd3rjp2a",
				Address: "http://localhost:8000/k/b2mq6f4tzw3k7xyc5hnd3rjp2a/mcp",
			}},
		}},
		{file: "game-flow/league_control_ack.json", message: &LeagueControlAck{
			Envelope: inLeague(head(TypeLeagueControlAck, Manager, 590, "conv-admin-001", "")), Status: Accepted,
			State: RunningLeague,
		}},
		{file: "game-flow/get_match_state.json", message: about(TypeGetMatchState)},
		{file: "game-flow/collect_choices.json", message: about(TypeCollectChoices)},
		{file: "game-flow/draw_number.json", message: about(TypeDrawNumber)},
		{file: "game-flow/finalize_match.json", message: about(TypeFinalizeMatch)},
		{file: "game-flow/get_match_records.json", message: &GetMatchRecords{
			Envelope: inLeague(head(TypeGetMatchRecords, Manager, 940, "conv-records-001",
				exL(exReferee, TypeGetMatchRecords, 0))),
			Records: []RecordRef{{LeagueID: exLeague, MatchID: exMatch, Attempt: 1}},
		}},
		{file: "game-flow/get_assigned_matches.json", message: &GetAssignedMatches{
			Envelope:  inLeague(head(TypeAssignedMatches, "referee:REF01", 942, "conv-assigned-001", exReferee)),
			RefereeID: "REF01",
		}},
		{file: "game-flow/assigned_matches.json", message: &Assignments{
			Envelope: inLeague(head(TypeAssignments, Manager, 942, "conv-assigned-001", "")),
			Matches: []json.RawMessage{
				json.RawMessage(`{"match_id":"R1M1","player_A_id":"P01","player_A_endpoint":"http://localhost:8101/mcp","player_B_id":"P02","player_B_endpoint":"http://localhost:8102/mcp"}`),
			},
		}},
		{file: "game-flow/get_player_state.json", message: &Tool{
			Envelope: inLeague(head(TypeGetPlayerState, Manager, 1600, "conv-state-002", exL(exPlayer1, TypeGetPlayerState, 0))),
		}},
		{file: "game-flow/player_state.json", message: &PlayerState{
			Envelope: inLeague(head(TypePlayerState, "player:P01", 1600, "conv-state-002", exPlayer1)), PlayerID: "P01",
			DisplayName: "Agent Alpha",
			State:       PlayerWaitingForRound, AgentState: AgentActive, Stats: PlayerStats{TotalMatches: 1, Wins: 1},
			History: []PlayerMatch{{
				MatchID: exMatch, RoundID: 1, Timestamp: exTime(930), OpponentID: "P02", Result: Win,
				MyChoice: text("odd"), OpponentChoice: text("even"), DrawnNumber: Present(exDrawn()), PointsEarned: 3, Attempt: 1,
			}},
		}},
	}
}

func errorExamples() []example {
	const conversation = "conv-r1m1-001-b81e09aa"
	notice := func(k *Kind, after int, action string) *GameError {
		return &GameError{
			Envelope: inMatch(head(TypeGameError, "referee:REF01", after, conversation, exMatch2)),
			PlayerID: "P02", AffectedPlayer: "P02", ErrorCode: k.Code, ErrorName: k.Name, ErrorDescription: k.Name,
			Suggestion: k.Suggestion, GameState: CollectingChoices, ActionRequired: action, Retryable: true, RetryCount: 1, MaxRetries: 3,
			RetryInfo:   &RetryInfo{RetryCount: 1, MaxRetries: 3, NextRetryAt: new(exTime(after + 2))},
			Consequence: "Technical loss if max retries exceeded", Attempt: 1,
		}
	}
	move := notice(InvalidChoice, 912, string(TypeChooseParityResponse))
	move.Detail = `"seven" is not a choice: use "even" or "odd"`
	move.Context = map[string]any{"detail": move.Detail}
	late := notice(Timeout, 936, string(TypeChooseParityResponse))
	late.Detail, late.TimeoutSeconds = "no CHOOSE_PARITY_RESPONSE within 30 seconds", 30
	late.Context = map[string]any{"detail": late.Detail}
	return []example{
		{file: "errors/timeout_error.json", message: late},
		{file: "errors/invalid_move.json", message: move},
		{file: "errors/game_error_ack.json", message: &Ack{
			Envelope: ofMatch(head(TypeGameErrorAck, "player:P02", 936, conversation, exMatch2)), Status: Acknowledged,
			PlayerID: "P02",
		}},
		{file: "errors/game_error.json", fails: TypeChooseParityCall, message: &GameError{
			Envelope: ofMatch(head(TypeGameError, "player:P01", 905, "conv-r1m1-001-00000000", "")),
			PlayerID: "P01", AffectedPlayer: "P01", ErrorCode: AuthTokenInvalid.Code, ErrorName: AuthTokenInvalid.Name,
			ErrorDescription: AuthTokenInvalid.Name, OriginalMessageType: TypeChooseParityCall,
			Detail: "the token is not that of this match's referee", Suggestion: AuthTokenInvalid.Suggestion,
			Context: map[string]any{
				"action": "CHOOSE_PARITY_CALL", "detail": "the token is not that of this match's referee",
				"provided_token": Redact("tok_match_x"),
			},
		}},
		{file: "errors/league_error_ack.json", message: &Ack{
			Envelope: head(TypeLeagueErrorAck, "player:P01", 1503, "conv-query-003", exPlayer1), Status: Acknowledged,
			PlayerID: "P01",
		}},
		{file: "errors/league_error.json", fails: TypeLeagueQuery, message: &LeagueError{
			Envelope:  head(TypeLeagueError, Manager, 1503, "conv-query-003", ""),
			ErrorCode: AuthTokenInvalid.Code, ErrorName: AuthTokenInvalid.Name, ErrorDescription: AuthTokenInvalid.Name,
			OriginalMessageType: TypeLeagueQuery, Detail: "unknown token for player:P01", Suggestion: AuthTokenInvalid.Suggestion,
			Context: map[string]any{
				"action": "LEAGUE_QUERY", "detail": "unknown token for player:P01", "provided_token": Redact("tok_invalid"),
			},
		}},
	}
}
