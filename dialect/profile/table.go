package profile

import "agentleague/protocol"

// profiles is the table of wire formats besides the default. A document that contradicts itself is followed here
// where it differs from the default.
var profiles = []Profile{
	{
		Name: "assignment", Document: "assignment",
		ListsAgents: true, SwapsLaterRounds: true,
		edits: map[protocol.Type][]edit{
			protocol.TypeGameError: {fromZero}, // section 8.10.2
		},
		every:        []edit{asForeign, keyed}, // sections 8.7.1 and 8.7.2
		describes:    true,                     // sections 2.9.1 and 2.9.2
		inResult:     true,                     // section 8.10.1
		acksAreKeyed: true,                     // section 2.4.5
		// The examples of chapter 4 and the programs of chapter 5 send little more than message_type.
		omitted: []string{"protocol", "message_type", "sender", "timestamp", "conversation_id", "arrival_timestamp"},
	},
	{
		Name: "contracts", Document: "contracts document",
		RefusesUnreachable: true, UniqueNames: true, ListsAgents: true, EndsForPlayers: true,
		RefusesRepeats: true, RefusesBefore: true,
		methods: map[protocol.Type]string{protocol.TypeChooseParityCall: "parity_choose"}, // section 4.2
		every:   []edit{asForeign, keyed},
		league: map[*protocol.Kind]label{ // section 6.1
			protocol.VersionMismatch:  {code: "E001", name: "INVALID_PROTOCOL_VERSION"},
			protocol.MissingField:     {code: "E002", name: "MISSING_REQUIRED_FIELD"},
			protocol.InvalidMessage:   {code: "E003", name: "INVALID_FIELD_TYPE"},
			protocol.AuthTokenMissing: {code: "E013", name: "AUTH_TOKEN_MISSING"},
			protocol.DuplicateName:    {code: "E021", name: "DUPLICATE_NAME"},
		},
		game: map[*protocol.Kind]label{ // section 6.2
			protocol.InvalidChoice:  {code: "E002", name: "INVALID_MOVE"},
			protocol.InvalidMove:    {code: "E002", name: "INVALID_MOVE"},
			protocol.Connection:     {code: "E003", name: "PLAYER_DISCONNECT"},
			protocol.OutOfTurn:      {code: "E004", name: "INVALID_STATE"},
			protocol.DeadlinePassed: {code: "E004", name: "INVALID_STATE", number: 4005}, // section 4.2
		},
		titles: map[int]string{
			protocol.InvalidParams: "Invalid params", protocol.InternalError: "Internal error",
			1001: "League full", 1002: "Invalid endpoint", 1003: "Unsupported game type",
			2001: "League full", 2002: "Duplicate name", 2003: "Invalid endpoint", 2004: "Unsupported game type",
			3001: "Invalid auth token", 3002: "Player not registered",
			4001: "Invalid auth token", 4002: "Player not found", 4003: "Match not found", 4004: "Invalid choice",
			4005: "Match state error", -1: "Timeout",
			5001: "Invalid auth token", 5002: "Match not found", 5003: "Duplicate report",
			6001: "Invalid auth token", 6002: "Invalid query type", 6003: "League not found",
		},
		query:    map[*protocol.Kind]int{protocol.AuthTokenInvalid: 12}, // the example of section 6.1
		refusals: true,                                                  // sections 2.1 and 2.2
		omitted:  []string{"sender", "conversation_id"},                 // of its answers
		allowed:  []string{"envelope-conversation conversation_id", "same-conversation conversation_id"},
	},
	{
		Name: "api", Document: "API page",
		edits: map[protocol.Type][]edit{
			protocol.TypeLeagueRegisterResponse:  {replaced("status", protocol.Accepted, "REGISTERED")},
			protocol.TypeRefereeRegisterResponse: {replaced("status", protocol.Accepted, "REGISTERED")},
			protocol.TypeGameInvitation:          {formatted("round_id", "ROUND_%s")},
		},
		every: []edit{asForeign, keyed},
		league: map[*protocol.Kind]label{ // section Error Codes
			protocol.VersionMismatch: {code: "E003", name: "PROTOCOL_MISMATCH"},
			protocol.MissingField:    {code: "E002", name: "INVALID_MESSAGE"},
		},
		game: map[*protocol.Kind]label{
			protocol.VersionMismatch: {code: "E003", name: "PROTOCOL_MISMATCH"},
			protocol.MissingField:    {code: "E002", name: "INVALID_MESSAGE"},
		},
		describes: true,
		allowed: []string{"member-type round_id", "required-member role_in_match", "required-member player_id",
			"required-member arrival_timestamp", "required-member game_result"},
	},
	{
		Name: "page", Document: "V2 page",
		names: map[protocol.Type]string{protocol.TypeLeagueStandingsUpdate: string(protocol.TypeStandingsNotification)},
		edits: map[protocol.Type][]edit{
			protocol.TypeLeagueRegisterRequest:  {copied("player_meta.version", "player_meta.agent_version")},
			protocol.TypeRefereeRegisterRequest: {copied("referee_meta.version", "referee_meta.agent_version")},
			protocol.TypeMatchResultReport:      {copied("result.details.choices", "result.score")},
		},
		every: []edit{asForeign, keyed, inLeague},
		league: map[*protocol.Kind]label{ // section Error Messages
			protocol.RegistrationClosed: {code: "E018", name: "REGISTRATION_CLOSED"},
		},
		omitted: []string{"conversation_id"},
		allowed: []string{
			"unknown-member player_meta.agent_version", "unknown-member referee_meta.agent_version", "required-member player_meta.version",
			"required-member accept", "required-member arrival_timestamp", "required-member role_in_match",
			"required-member game_result", "envelope-conversation conversation_id", "same-conversation conversation_id",
		},
	},
}
