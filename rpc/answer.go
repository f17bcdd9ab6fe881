package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"agentleague/dialect"
	"agentleague/protocol"
	"agentleague/protocol/conform"
)

// MaxBatch is the maximum number of requests in one body.
const MaxBatch = 64

// answerBody returns the answer to the body of one HTTP request, or nil if no answer is due.
func (s *responder) answerBody(ctx context.Context, from From, body []byte) []byte {
	body = bytes.TrimLeft(body, " \t\r\n")
	if req, ok := s.readPlain(body); ok {
		return s.answer(ctx, from, req)
	}
	return s.answerAny(ctx, from, body)
}

// answerAny answers a body that is not in another encoding than the canonical one of this program's agents.
func (s *responder) answerAny(ctx context.Context, from From, body []byte) []byte {
	if !json.Valid(body) || !utf8.Valid(body) {
		return s.refuse(from, request{}, strconv.Itoa(protocol.ParseError),
			failure(nil, protocol.ParseError, "Parse error", "the body is not JSON"))
	}
	if body[0] != '[' {
		return s.answerOne(ctx, from, body)
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(body, &batch); err != nil || len(batch) == 0 || len(batch) > MaxBatch {
		return s.refuse(from, request{}, strconv.Itoa(protocol.InvalidRequest),
			invalid(nil, fmt.Sprintf("a batch has 1 to %d requests", MaxBatch)))
	}
	var answers [][]byte
	for _, request := range batch {
		if a := s.answerOne(ctx, from, request); a != nil {
			answers = append(answers, a)
		}
	}
	if answers == nil {
		return nil
	}
	return append(append([]byte{'['}, bytes.Join(answers, []byte{','})...), ']')
}

// answerOne answers one request of a body. A request without a conversation id gets a new one, so that its log lines
// can be distinguished from others.
func (s *responder) answerOne(ctx context.Context, from From, raw json.RawMessage) []byte {
	req, wrong := parse(from.Path, raw)
	if wrong != nil {
		return s.refuse(from, request{}, strconv.Itoa(protocol.InvalidRequest), wrong)
	}
	if req.conversation = req.Text("conversation_id"); req.conversation == "" {
		req.conversation = "conv-" + s.Nonce(8)
	}
	spec, ok := s.route(req)
	if !ok {
		answer, outcome := s.unknown(req)
		return s.refuse(from, req, outcome, answer)
	}
	req.spec = spec
	return s.answer(ctx, from, req)
}

// answer answers a request of a known kind.
func (s *responder) answer(ctx context.Context, from From, req request) []byte {
	start := time.Now()
	how := s.handlers.find(req.spec.Type)
	if how != nil && how.open && !from.counted && !s.asked.Allow(s.Limits.Open, from.Addr) {
		return s.tooOften(req)
	}
	reply, auth, err := s.handle(ctx, from, req, s.handlers.by(how))
	req.auth = auth
	if s.oneTooMany(ctx, from, reply, err) {
		reply, err = nil, TooMany("requests that are refused")
	}
	if req.silent() && (s.IsStrict() || !answersAnyway(req.spec.Method)) {
		s.log(ctx, req, err, slog.LevelWarn)
		s.served(req.spec.Type, outcomeOfRequest(ctx, err))
		return nil
	}
	answer, told, err := s.frame(req, reply, err)
	answer = s.inProfile(from, req, answer)
	s.served(req.spec.Type, outcomeOfRequest(ctx, err))
	if protocol.Is(err, protocol.RateLimited) {
		return answer // it has its count, and a flood shall not fill the disk with lines about it
	}
	s.log(ctx, req, err, slog.LevelDebug)
	s.observe(Message{Sent: true, Reply: true, Peer: from.Addr, Message: told, Elapsed: time.Since(start), Err: err})
	return answer
}

// route determines the message type of a request: by the message in it, or else by its method.
func (s *responder) route(req request) (protocol.Spec, bool) {
	for _, t := range req.Types() {
		if s.takes(t) {
			return protocol.Lookup(t)
		}
	}
	return protocol.Spec{}, false
}

// answersAnyway reports whether a method is answered even without a request id.
func answersAnyway(method string) bool {
	return strings.HasPrefix(method, "register_") || strings.HasPrefix(method, "get_") || method == "league_query"
}

// unknown returns the answer to a request for which the node has no handler, and its outcome for metrics.
func (s *responder) unknown(req request) (answer []byte, outcome string) {
	named := req.Text("message_type")
	var wrong *protocol.Error
	switch {
	case req.bare:
		wrong = protocol.Errorf(protocol.InvalidMessage, "%s takes no message %q", s.Sender(), clip(named))
	case dialect.IsCarrier(req.method) && named == "":
		wrong = protocol.Errorf(protocol.MissingField, "%s: the field message_type is missing",
			clip(req.method)).With("field", "message_type")
	case dialect.IsCarrier(req.method):
		return req.notFound(fmt.Sprintf("%s takes no message %q", s.Sender(), clip(named)))
	default:
		return req.notFound(fmt.Sprintf("%s has no method %q", s.Sender(), clip(req.Name)))
	}
	if !req.silent() {
		answer, _, _ = s.frame(req, nil, wrong)
	}
	return answer, wrong.Kind.Code
}

// notFound returns the error for an unknown method, or a nil answer for a notification, and the outcome for metrics.
func (r request) notFound(detail string) (answer []byte, outcome string) {
	if !r.silent() {
		answer = failure(r.id, protocol.MethodNotFound, "Method not found", detail)
	}
	return answer, strconv.Itoa(protocol.MethodNotFound)
}

// handle decodes the message of a request and calls its handler; a nil handler means that the message is a callback.
// Auth authenticates the answer.
func (s *responder) handle(
	ctx context.Context, from From, req request, h Handler,
) (reply protocol.Message, auth protocol.Answerer, err error) {
	reading := protocol.Reading{Type: req.spec.Type, Strict: s.IsStrict(), Now: time.Now(), Conversation: req.conversation}
	if h == nil { // only the message itself identifies its sender
		reading.Reply, reading.Conversation = true, ""
	}
	m, warnings := req.read, []string(nil)
	if m == nil {
		m, warnings, err = dialect.Read(req.Message, reading)
	}
	warnings = s.Profile.Unusual(warnings)
	broken := s.broken(from, req)
	if no := conform.Refusal(broken); no != nil && h != nil { // it names the rule; a callback is only counted
		err = no
	}
	if err == nil && m.Head().MessageType != req.spec.Type {
		err = protocol.Errorf(protocol.InvalidMessage, "the method %s does not take a %s", clip(req.method),
			m.Head().MessageType).With("field", "message_type")
	}
	if err == nil {
		from.shown(m.Head())
	}
	seen := Message{Peer: from.Addr, Message: m, Err: err, Warnings: warnings, Type: req.spec.Type, Violations: broken}
	if len(broken) > 0 {
		seen.Agent, seen.Verified = s.senderOf(from, req)
	}
	flooding := s.failed.exhausted(from.Addr)
	if !flooding {
		s.observe(seen)
	}
	if err != nil && s.Unreadable != nil && !flooding {
		s.Unreadable(ctx, from, req.spec.Type, req.Message, err)
	}
	if err != nil {
		return nil, nil, err
	}
	from.Dialect, from.Method = req.Dialect(), req.method
	reply, err = s.run(ctx, h, from, m)
	if flooding && err == nil {
		s.observe(seen)
	}
	return reply, m.Head().AnsweredWith(), err
}

// log logs an error of answering a request. A failure of this agent is logged at level error, unless the caller has
// disconnected; any other error at the given level.
func (s *responder) log(ctx context.Context, req request, err error, level slog.Level) {
	if err == nil {
		return
	}
	if e := protocol.AsError(err); e.Kind == protocol.Internal && !e.Passing && !gone(ctx, err) {
		level = slog.LevelError
	}
	s.Logger.Log(ctx, level, "request failed: "+redact(protocol.Plain(protocol.AsError(err).Sentence())),
		slog.String("event_type", "REQUEST_FAILED"), slog.String("method", clip(req.method)),
		slog.String("message_type", string(req.spec.Type)), slog.String("error", redact(err.Error())))
}
