package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
	"agentleague/rpc"
)

// ErrUnreachable is wrapped by the error of a check whose agent does not answer at all.
var ErrUnreachable = errors.New("nothing answers there")

// A finder determines the address, the role and the name of the agent of a session.
type finder struct {
	*session
	stated protocol.Role // its role as stated in third-party words
}

// find determines the agent's address and role.
func (s *finder) find(ctx context.Context) error {
	given := s.wire.peer.Endpoint != ""
	if !given {
		if err := s.await(ctx); err != nil {
			return err
		}
	}
	u, err := url.Parse(s.wire.peer.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return fmt.Errorf("%q is not the address of an agent; use one such as http://localhost:8101/mcp", s.wire.peer.Endpoint)
	}
	probe, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	if err := s.node.Alive(probe, s.wire.peer.Endpoint); err != nil && !s.listens(probe) {
		return fmt.Errorf("%s: %w (%s); start the agent first, or check the port in the URL", s.wire.peer.Endpoint, ErrUnreachable,
			rpc.Unreached(err))
	}
	if _, _, err := s.wire.network.Post(probe, s.wire.peer.Endpoint, "ping", []byte(ping("1"))); rpc.Permanent(err) != nil {
		return fmt.Errorf("%s: %s", s.wire.peer.Endpoint, protocol.AsError(rpc.Permanent(err)).Detail)
	}
	if given && (u.Path == "" || u.Path == "/") { // a registered path is taken literally
		s.wire.peer.Endpoint = s.settlePath(probe)
	}
	return s.findRole(ctx)
}

// settlePath returns the URL of an agent that was given without a path: the first usual path that does not answer 404
// or 405, or else /mcp.
func (s *finder) settlePath(ctx context.Context) string {
	for _, path := range []string{"/mcp", "/", "/MCP"} {
		url := placed(s.wire.peer.Endpoint, path)
		status, _, err := s.wire.network.Post(ctx, url, "ping", []byte(ping("1")))
		if err == nil && status != http.StatusNotFound && status != http.StatusMethodNotAllowed {
			return url
		}
	}
	return placed(s.wire.peer.Endpoint, "/mcp")
}

// await waits for an agent to register. Unless the check is strict, it then uses the dialect of the registration.
func (s *finder) await(ctx context.Context) error {
	peer, role, err := s.manager.await(ctx, s.Wait)
	if err != nil {
		return err
	}
	s.wire.peer.Endpoint, s.role = peer.Endpoint, role
	if !s.Strict {
		s.wire.peer.Dialect = peer.Dialect
	}
	if s.Role != "" && s.Role != s.role {
		return fmt.Errorf("a %s has registered, not a %s", s.role, s.Role)
	}
	return nil
}

// listens waits until a newly registered agent answers at its endpoint. It returns false if ctx ends before, or if no
// agent has registered.
func (s *finder) listens(ctx context.Context) bool {
	if !s.manager.registered() {
		return false
	}
	for s.node.Alive(ctx, s.wire.peer.Endpoint) != nil {
		if s.node.Sleep(ctx, "", 200*time.Millisecond) != nil {
			return false
		}
	}
	return true
}

// meet reports whether the agent is checked as an MCP server whose tools are called. A server that has also registered
// in league.v2 is checked as a league.v2 agent unless it has a tool for a move.
func (s *finder) meet(ctx context.Context) (bool, error) {
	if s.Strict || s.Role != "" && s.Role != protocol.RolePlayer {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	question := &protocol.ChooseParityCall{Envelope: protocol.Envelope{MessageType: protocol.TypeChooseParityCall}}
	met, err := s.node.Meet(ctx, s.wire.peer.Endpoint, question, s.Tools)
	switch {
	case errors.Is(err, rpc.ErrWantsCredentials):
		return false, errors.New(hinted(err.Error(), s.Hints.Credentials))
	case met == nil:
		return false, err
	}
	moves := func(u protocol.ToolUse) bool { return u.Message == protocol.TypeChooseParityCall && u.Tool != "" }
	if s.wire.peer.Dialect != "" && !slices.ContainsFunc(met.Calls, moves) {
		return false, nil // it has registered, and its tools are for something else
	}
	s.met, s.wire.peer.Dialect, s.role = met, met.Dialect, protocol.RolePlayer
	return true, nil
}

// findRole determines the agent's role: from its own statement, or from the messages that it understands.
func (s *finder) findRole(ctx context.Context) error {
	if met, err := s.meet(ctx); met || err != nil {
		return err
	}
	s.agent = s.introduces(ctx)
	for end := time.Now().Add(idTimeout); s.manager.registered() && !s.knowsItsID() && time.Now().Before(end); {
		if err := s.node.Sleep(ctx, "registration", idTimeout/20); err != nil {
			return err
		}
		s.agent = s.introduces(ctx)
	}
	if s.role == "" {
		s.role = s.Role
	}
	if s.role == "" {
		s.role, _ = protocol.ParseSender(s.agent)
	}
	if !isChecked(s.role) {
		s.role = s.stated
	}
	if !isChecked(s.role) {
		s.role = s.knownBy(ctx)
	}
	if !isChecked(s.role) {
		return errors.New(hinted(s.wire.peer.Endpoint+" does not say whether it is a player, a referee or a manager",
			s.Hints.Role))
	}
	return nil
}

// idTimeout limits the wait for an agent to use the id that its registration granted.
const idTimeout = time.Second

// knowsItsID reports whether the agent names itself by a granted id, such as player:P01.
func (s *finder) knowsItsID() bool {
	role, id := protocol.ParseSender(s.agent)
	return protocol.ValidID(role, id)
}

// introduces returns the name in the agent's /health or PONG, "" if there is none, and stores the role stated there.
func (s *finder) introduces(ctx context.Context) string {
	pages := []*exchange{s.wire.get(ctx, s.wire.page("/health")), s.wire.post(ctx, ping("1"))}
	for _, x := range pages {
		s.stated = cmp.Or(s.stated, statedRole(x.got))
	}
	for _, x := range pages {
		for _, name := range []string{"agent", "sender"} {
			if sender := textIn(x.got, name); sender != "" {
				return printable(sender)
			}
		}
	}
	return ""
}

// statedRole returns the role that a third-party agent states by a word or by its id; "" if it states none.
func statedRole(body []byte) protocol.Role {
	for _, name := range []string{"role", "agent_type", "type", "service"} {
		switch role := protocol.Role(strings.ToLower(textIn(body, name))); {
		case role == "manager":
			return protocol.RoleManager
		case isChecked(role):
			return role
		}
	}
	for _, role := range []protocol.Role{protocol.RolePlayer, protocol.RoleReferee} {
		for _, name := range []string{string(role) + "_id", "agent_id", "id"} {
			if protocol.ValidID(role, textIn(body, name)) {
				return role
			}
		}
	}
	return ""
}

// The role of an agent that does not state one is found by read-only queries that agents of only one role support. Each
// is sent twice, the second time under an unknown name: if the answers differ, the agent has that role.

// A question is a read-only query that only agents of one role understand. None announces a match.
type question struct {
	role protocol.Role
	from string // its sender
	ask  func(s *session) protocol.Message
}

// questions lists the queries that determine the role of an agent.
var questions = []question{
	{protocol.RolePlayer, asReferee, func(s *session) protocol.Message { // it is invited to no such match
		return playerCheck{s}.parityCall(s.match(9, 9))
	}},
	{protocol.RoleManager, asReferee, func(s *session) protocol.Message {
		m := &protocol.LeagueQuery{Envelope: s.head(protocol.TypeLeagueQuery, "role"), QueryType: protocol.QueryStandings}
		m.LeagueID = league
		return m
	}},
	{protocol.RoleReferee, asManager, func(s *session) protocol.Message { // without players
		m := &protocol.StartMatch{Envelope: s.head(protocol.TypeStartMatch, "role")}
		m.LeagueID = league
		return m
	}},
}

// lastQuestion detects a manager that answers no queries: it sends a registration without name and address.
var lastQuestion = question{protocol.RoleManager, "", func(s *session) protocol.Message {
	return &protocol.LeagueRegisterRequest{Envelope: s.head(protocol.TypeLeagueRegisterRequest, "role")}
}}

// rareRow is a dialect that is tried in addition, because its forms come so late in the usual order that an agent of
// unknown role would not get them.
const rareRow = "P"

// listed are tools that identify a role.
var listed = []struct {
	role  protocol.Role
	names []string
}{
	{protocol.RolePlayer,
		[]string{"get_player_state", "choose_parity", "parity_choose", "CHOOSE_PARITY_CALL", "receive_parity_call"}},
	{protocol.RoleReferee, []string{"get_match_state", "start_match", "assign_match", "START_MATCH", "MATCH_ASSIGNMENT"}},
	{protocol.RoleManager,
		[]string{"get_league_status", "get_standings", "league_query", "LEAGUE_QUERY", "register_player"}},
}

// knownBy determines the role by the agent's tools, else by the queries that it understands, else by whether it joins a
// match or accepts registrations. It returns "" if all of these fail.
func (s *finder) knownBy(ctx context.Context) protocol.Role {
	tools := s.wire.post(ctx, `{"jsonrpc":"2.0","method":"tools/list","params":{},"id":1}`)
	for _, m := range listed {
		if slices.ContainsFunc(m.names,
			func(name string) bool { return strings.Contains(string(tools.got), `"`+name+`"`) }) {
			return m.role
		}
	}
	for _, row := range []string{s.wire.peer.Dialect, rareRow} {
		for _, q := range questions {
			if s.understands(ctx, q, row) {
				s.wire.peer.Dialect = row
				return q.role
			}
		}
		if s.Strict {
			break
		}
	}
	if ack, ok := (playerCheck{s.session}).joined(ctx).Message.(*protocol.GameJoinAck); ok && ack.Accepts() {
		return protocol.RolePlayer // the check goes on with that match
	}
	if s.understands(ctx, lastQuestion, s.wire.peer.Dialect) {
		return lastQuestion.role
	}
	return ""
}

// understands reports whether the agent answers a question, in any form, differently from one with an unknown name. It
// uses a separate node, so that the dialect learned from these probes does not affect the check.
func (s *finder) understands(ctx context.Context, q question, row string) bool {
	ctx, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	t := &tape{}
	node := rpc.NewNode(q.from, rpc.Options{Network: s.wire.network})
	to := rpc.Peer{Endpoint: s.wire.peer.Endpoint, Dialect: row}
	_, _ = node.Call(context.WithValue(ctx, tapeKey{}, t), to, q.ask(s.session))
	return slices.ContainsFunc(t.exchanges, func(x *exchange) bool { return s.distinguishes(ctx, x) })
}

// distinguishes reports whether the agent's answer in x differs from its answer to the same request with unknown names.
func (s *finder) distinguishes(ctx context.Context, x *exchange) bool {
	if x.err != nil || refusesForm(x) {
		return false
	}
	twin, names := renamed(x.sent)
	url := x.url
	if len(names) == 0 { // its path names the message
		url = placed(url, "/no_such_page")
	}
	status, got, err := s.wire.network.Post(ctx, url, "nothing", twin)
	return err == nil && (status != x.status || invariantPart(got, names) != invariantPart(x.got, names))
}

// refusesForm reports whether an answer is an error for an unknown method or path.
func refusesForm(x *exchange) bool {
	_, _, err := dialect.Unframe(x.status, x.got, protocol.TypePong, protocol.Reading{})
	var no *protocol.Refusal
	if !errors.As(err, &no) {
		return false
	}
	blame := dialect.BlameOf(no)
	return blame == dialect.BlameForm || blame == dialect.BlamePlace
}

// unknownNames stand for the names of a message.
var unknownNames = map[string]string{"method": "no_such_method", "name": "no_such_tool", "message_type": "NO_SUCH_MESSAGE"}

// renamed returns a copy of a request with unknown names for its method, tool and message type. names lists the old and
// the new ones.
func renamed(body []byte) (twin []byte, names []string) {
	rename := func(o map[string]any) {
		for member, name := range unknownNames {
			known, ok := o[member].(string)
			_, calls := o["arguments"]
			if !ok || member == "name" && !calls || known == "tools/call" || dialect.IsCarrier(known) {
				continue
			}
			o[member], names = name, append(names, known, name)
		}
	}
	twin, _ = mutated(body, []mutation{rename})
	return twin, names
}

// varying is the text that differs from one answer to the next: numbers, times and ids.
var varying = regexp.MustCompile(`[\w:.+-]*\d[\w:.+-]*`)

// invariantPart returns an answer without numbers, times and ids, and without the requested names, for comparison.
func invariantPart(answer []byte, names []string) string {
	text := strings.ToLower(string(bytes.TrimSpace(answer)))
	for _, name := range names {
		text = strings.ReplaceAll(text, strings.ToLower(name), "?")
	}
	return varying.ReplaceAllString(text, "#")
}
