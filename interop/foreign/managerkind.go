package foreign

// A ManagerKind is one way of being a manager.
type ManagerKind struct {
	Name    string
	Framing Framing // A, B, C, D or F: how it speaks and wants to be spoken to
	REST    bool    // players register by POST /register
	Types   bool    // so does the referee: agent_type names the role
	Status  string  // the word with which it admits
	Start   Start   // how it starts a match
	Report  string  // the name of a report; "": that of its framing
	Refuses Refusal

	Directory bool // orders have no player addresses: the referee has to query them
	Flat      bool // it reads how the match ended for each player, from members of the report itself
	Winner    bool // the winner is always a text
	DrawWord  bool // the winner of a draw is DRAW; every other player loses, and nothing is refused
	AnyStyle  bool // it calls message types, and takes the specification's methods too
	Table     bool // it returns its table to any caller
	TextRound bool // it writes R1, and wants it back so
	Answered  bool // it reads the result in the answer to its order, and takes no report
	// it identifies agents by id: it lists the matches of the polling referee_id without endpoints, and its reports
	// need a result for each player
	ByID bool
}

// ManagerKinds returns managers for every framing and every way of starting a match.
func ManagerKinds() []ManagerKind {
	kinds := []ManagerKind{
		{Name: "A", Framing: FramingA, Status: "ACCEPTED", Start: StartMatch, Refuses: RefuseNotFound},
		{Name: "B", Framing: FramingB, Status: "REGISTERED", Start: StartTyped, DrawWord: true, Refuses: RefuseWords},
		{Name: "B assigning", Framing: FramingB, Status: "REGISTERED", Start: StartAssigned, Refuses: Refuse404},
		{Name: "C", Framing: FramingC, Status: "ACCEPTED", Start: StartMatch, Refuses: Refuse400},
		{Name: "REST", Framing: FramingA, REST: true, Status: "REGISTERED", Start: StartMatch, Report: "match_result_report",
			Refuses: Refuse404},
	}
	kinds = append(kinds,
		ManagerKind{Name: "D", Framing: FramingD, Status: "ACCEPTED", Start: StartAnnounced, Refuses: Refuse500},
		ManagerKind{Name: "D of fields", Framing: FramingD, Status: "ACCEPTED", Start: StartAnnounced, Refuses: RefuseFields},
		ManagerKind{
			Name: "F", Framing: FramingF, Status: "ACCEPTED", Start: StartAnnounced, Directory: true, Winner: true,
			Refuses: RefuseWords,
		},
		ManagerKind{
			Name: "B of seats", Framing: FramingB, Status: "REGISTERED", Start: StartSeats, Flat: true, Refuses: RefuseNotFound,
		},
		ManagerKind{
			Name: "text rounds", Framing: FramingA, Status: "ACCEPTED", Start: StartQuery, TextRound: true,
			Refuses: RefuseNotFound,
		},
	)
	kinds = append(kinds, ManagerKind{
		Name: "REST of types", Framing: FramingA, REST: true, Types: true, Status: "REGISTERED", Start: StartMatch,
		Refuses: Refuse404,
	}, ManagerKind{
		Name: "A of a word", Framing: FramingA, Status: "ACCEPTED", Start: StartMatch, DrawWord: true, Table: true,
		Refuses: RefuseNotFound,
	}, ManagerKind{
		Name: "B of any style", Framing: FramingB, Status: "ACCEPTED", Start: StartTyped, DrawWord: true, AnyStyle: true,
		Refuses: RefuseNotFound,
	}, ManagerKind{
		Name: "get_assigned_matches by id", Framing: FramingA, Status: "ACCEPTED", Start: StartPolled, ByID: true,
		Refuses: Refuse500,
	})
	for i, start := range []Start{
		StartAnnounced, StartAssign, StartRun, StartCommand, StartPolled, StartURLs, StartNested,
	} {
		kinds = append(kinds, ManagerKind{
			Name: string(start), Framing: FramingA, Status: "ACCEPTED", Start: start, DrawWord: start == StartURLs,
			Answered: start == StartNested, Refuses: []Refusal{RefuseNotFound, Refuse422}[i%2],
		})
	}
	return kinds
}

// names maps message types to the specification's method names.
var names = map[string]string{
	"LEAGUE_REGISTER_REQUEST":  "register_player",
	"REFEREE_REGISTER_REQUEST": "register_referee",
	"MATCH_RESULT_REPORT":      "report_match_result",
	string(Round):              "notify_round",
	string(Standings):          "update_standings",
	string(LeagueCompleted):    "notify_league_completed",
}

// name returns the manager's name for a message type.
func (k ManagerKind) name(messageType string) string {
	switch {
	case messageType == "MATCH_RESULT_REPORT" && k.Report != "":
		return k.Report
	case k.Framing == FramingB || k.Framing == FramingD || k.Framing == FramingF:
		return messageType
	}
	return orElse(names[messageType], messageType)
}

// frame frames a call to an agent.
func (k ManagerKind) frame(name string, message object) object {
	rpc := object{"jsonrpc": "2.0", "method": name, "params": message, "id": 3}
	switch k.Framing {
	case FramingC:
		rpc["method"], rpc["params"] = "tools/call", object{"name": name, "arguments": message}
	case FramingD:
		rpc["method"], rpc["params"] = "handle_message", object{"message": message}
	case FramingF:
		return message
	}
	return rpc
}

// unframe returns the name and the message of a request in the manager's framing.
func (k ManagerKind) unframe(top object) (name string, message object) {
	method, params := top.text("method"), top.object("params")
	switch {
	case k.Framing == FramingF && top["jsonrpc"] == nil:
		return top.text("message_type"), top
	case top.text("jsonrpc") != "2.0" || k.Framing == FramingF:
		return "", nil
	case k.Framing == FramingD && method == "handle_message":
		return params.object("message").text("message_type"), params.object("message")
	case k.Framing == FramingD:
		return "", nil
	case k.Framing != FramingC:
		for messageType, name := range names {
			if k.AnyStyle && name == method {
				method = messageType
			}
		}
		return method, params
	case method == "tools/call":
		return params.text("name"), params.object("arguments")
	}
	return "", nil
}

// reply frames an answer.
func (k ManagerKind) reply(id any, message object) *answer {
	result := message
	switch k.Framing {
	case FramingC:
		result = object{"content": []object{{"type": "text", "text": string(encode(message))}}}
	case FramingF:
		return &answer{200, encode(message)}
	}
	return &answer{200, encode(object{"jsonrpc": "2.0", "result": result, "id": id})}
}
