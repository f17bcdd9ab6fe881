package foreign

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// An enrolled describes an agent that is registered with a manager.
type enrolled struct{ id, name, endpoint, token string }

// A Manager runs a small league: it admits one referee and two players, schedules two matches between them, and
// announces the end.
type Manager struct {
	ManagerKind
	ledger
	agentServer
	full chan struct{} // closed when all agents are there
	done chan struct{} // closed when the league is over

	mu       sync.Mutex
	referee  *enrolled
	players  []*enrolled
	assigned []order // for a referee that polls
	reports  map[string]object
	times    map[string]int // how often each match was reported
	polls    int            // how often the referee has asked for matches
	table    map[string]*row
	arrived  chan string // matches that were reported
}

// NewManager serves a manager on a free port.
func NewManager(kind ManagerKind) (*Manager, error) {
	m := &Manager{
		ManagerKind: kind, full: make(chan struct{}), done: make(chan struct{}), reports: map[string]object{},
		times: map[string]int{}, table: map[string]*row{},
		arrived: make(chan string, 16),
	}
	if err := m.open(m); err != nil {
		return nil, err
	}
	m.busy.Go(m.run)
	return m, nil
}

// Done returns a channel that is closed when the league is over or has failed.
func (m *Manager) Done() <-chan struct{} { return m.done }

// Reports returns the first report of each match, by match id.
func (m *Manager) Reports() map[string]map[string]any {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]map[string]any{}
	for match, report := range m.reports {
		out[match] = report
	}
	return out
}

// ServeHTTP accepts registrations and reports in the manager's framing and refuses all other requests.
func (m *Manager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	reply := m.answer(r.URL.Path, body)
	m.note(Heard{Status: reply.status, Refused: reply.refused, Body: string(body)})
	reply.send(w)
}

// A verdict is an answer and whether it is a refusal.
type verdict struct {
	*answer
	refused bool
}

// answer handles a request. It refuses everything that this kind of manager does not know, in its dialect.
func (m *Manager) answer(path string, body []byte) verdict {
	var top object
	_ = json.Unmarshal(body, &top)
	if path == "/register" && m.REST {
		return m.enrolByREST(top)
	}
	name, message := m.unframe(top)
	switch {
	case path != "/mcp":
		return verdict{Refuse404.answer(nil), true}
	case message == nil, m.Answered && name == m.name("MATCH_RESULT_REPORT"):
	case name == m.name("LEAGUE_REGISTER_REQUEST") && !m.REST:
		return m.enrol(top["id"], "player", message.object("player_meta"))
	case name == m.name("REFEREE_REGISTER_REQUEST") && !m.Types:
		return m.enrol(top["id"], "referee", message.object("referee_meta"))
	case name == "LEAGUE_QUERY" && m.Directory && message.text("query_type") == "GET_PLAYER_DIRECTORY":
		return verdict{m.reply(top["id"], object{
			"protocol": "league.v2", "message_type": "LEAGUE_QUERY_RESPONSE", "success": true,
			"query_type": "GET_PLAYER_DIRECTORY",
			"data":       object{"players": m.addresses()},
		}), false}
	case name == "league_query" && m.ByID && message.text("query_type") == "GET_REGISTRATIONS":
		return verdict{m.reply(top["id"], object{"players": m.registrations(), "referees": []object{}}), false}
	case name == m.name("MATCH_RESULT_REPORT") && !m.takes(message):
		return verdict{&answer{500, []byte("Internal Server Error")}, true}
	case name == "league_query" && m.Table && message.text("query_type") == "GET_STANDINGS":
		return verdict{m.reply(top["id"], object{"success": true, "data": object{"standings": m.standings()}}), false}
	case name == m.name("MATCH_RESULT_REPORT"):
		m.reported(message)
		return verdict{m.reply(top["id"], object{"status": "received", "match_id": message.text("match_id")}), false}
	case name == string(StartPolled) && m.Start == StartPolled:
		return verdict{m.reply(top["id"], object{"matches": m.waiting(message.text("referee_id"))}), false}
	}
	return verdict{m.Refuses.answer(top["id"]), true}
}

// takes reports whether a report has all members that this kind of manager reads.
func (m *Manager) takes(report object) bool {
	_, winner := report.object("result")["winner"].(string)
	_, text := report["round_id"].(string)
	return (!m.Winner || winner) && (text || !m.TextRound) &&
		(!m.Flat || report.text("player_a_id") != "" && report.text("player_a_result") != "") &&
		(!m.ByID || m.counts(report.object("players")))
}

// counts reports whether the players of a report have consistent results: one win and one loss, or two ties.
func (m *Manager) counts(players object) bool {
	words, points := map[string]int{}, 0.0
	for id := range players {
		words[players.object(id).text("result")]++
		n, _ := players.object(id)["points"].(float64)
		points += n
	}
	return len(players) == 2 && (words["TIE"] == 2 && points == 2 || words["WIN"] == 1 &&
		words["LOSS"] == 1 && points == 3)
}

// registrations lists the players with their endpoints.
func (m *Manager) registrations() (out []object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.players {
		out = append(out, object{"player_id": p.id, "endpoint": p.endpoint, "display_name": p.name})
	}
	return out
}

// addresses maps player ids to endpoints.
func (m *Manager) addresses() object {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := object{}
	for _, p := range m.players {
		out[p.id] = p.endpoint
	}
	return out
}

// enrolByREST admits a player that posts its name and endpoint, or a referee that also posts its type.
func (m *Manager) enrolByREST(top object) verdict {
	if top.text("display_name") == "" || top.text("endpoint") == "" {
		return verdict{missingField("endpoint"), true}
	}
	role, id := "player", "player_id"
	if m.Types && top.text("agent_type") == "referee" {
		role, id = "referee", "agent_id"
	}
	e := m.admit(role, top.text("display_name"), top.text("endpoint"))
	return verdict{
		&answer{
			200, encode(object{"status": m.Status, id: e.id, "auth_token": e.token, "league_id": "foreign_league"}),
		}, false,
	}
}

// enrol admits an agent that gives a name and an endpoint, and refuses any other.
func (m *Manager) enrol(id any, role string, meta object) verdict {
	if meta.text("display_name") == "" || meta.text("contact_endpoint") == "" {
		return verdict{missingField(role + "_meta"), true}
	}
	e := m.admit(role, meta.text("display_name"), meta.text("contact_endpoint"))
	messageType := map[string]string{"player": "LEAGUE_REGISTER_RESPONSE", "referee": "REFEREE_REGISTER_RESPONSE"}[role]
	return verdict{m.reply(id, object{
		"protocol": "league.v2", "message_type": messageType, "sender": "league_manager", "status": m.Status,
		role + "_id": e.id, "auth_token": e.token,
		"league_id": "foreign_league",
	}), false}
}

// admit enrols an agent. It is idempotent: a repeated registration returns the existing enrolment.
func (m *Manager) admit(role, name, endpoint string) *enrolled {
	m.mu.Lock()
	defer m.mu.Unlock()
	if role == "referee" {
		first := m.referee == nil
		m.referee = &enrolled{"REF01", name, endpoint, "tok-ref-1"}
		m.begin(first)
		return m.referee
	}
	for _, p := range m.players {
		if p.name == name {
			p.endpoint = endpoint
			return p
		}
	}
	n := len(m.players) + 1
	p := &enrolled{fmt.Sprintf("P%02d", n), name, endpoint, fmt.Sprintf("tok-p-%d", n)}
	m.players = append(m.players, p)
	m.begin(true)
	return p
}

// begin starts the league once all agents are registered. first is false for a repeated registration.
func (m *Manager) begin(first bool) {
	if first && m.referee != nil && len(m.players) == 2 {
		close(m.full)
	}
}

// reported stores a result. A duplicate report only increments the counter that Times returns.
func (m *Manager) reported(report object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	match := report.text("match_id")
	if winner := report.object("result").text("winner"); m.DrawWord && !m.Table && winner == "" {
		m.failed("%s: nobody won, and there is no word for it: both have lost", match)
	}
	m.times[match]++
	m.count(report)
	if _, again := m.reports[match]; !again {
		m.reports[match] = report
		m.arrived <- match
	}
}

// waiting lists the open matches for a polling referee. With ByID, finished matches stay in the list.
func (m *Manager) waiting(referee string) (out []object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.polls++
	for _, o := range m.assigned {
		_, done := m.reports[o.match]
		switch {
		case m.ByID && m.referee.id == referee:
			out = append(out, object{
				"match_id": o.match, "round": o.round, "player_A_id": o.a.id, "player_B_id": o.b.id, "status": "PENDING",
			})
		case !m.ByID && !done:
			out = append(out, StartPolled.write(o))
		}
	}
	return out
}
