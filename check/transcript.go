package check

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"agentleague/protocol"
)

// A message is a message from the agent: an answer, or one that it sent on its own initiative.
type message struct {
	*exchange
	protocol.Message
	at      time.Time
	dialect string // that it came in
}

// An answer is a message that the agent answered with.
type answer struct {
	*exchange
	asked *protocol.Envelope
	want  protocol.Type
	raw   json.RawMessage // the message
}

// A refused is an error answer of the agent.
type refused struct {
	*exchange
	asked protocol.Type
	*protocol.Refusal
}

// A transcript records all messages of a check. It is safe for concurrent use.
type transcript struct {
	mu       sync.Mutex
	current  *exchange // the newest in this step
	answers  []answer
	errors   []refused
	received []message // the messages that the agent sent on its own initiative
	slowest  *exchange // of the calls of its tools; nil: none took any time
}

// note keeps an exchange for the current step.
func (t *transcript) note(ctx context.Context, x *exchange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current = x
	if x.verb == verbTool && (t.slowest == nil || x.elapsed > t.slowest.elapsed) {
		t.slowest = x
	}
	if t, ok := ctx.Value(tapeKey{}).(*tape); ok {
		t.exchanges = append(t.exchanges, x)
	}
}

// receive records a message that the agent sent on its own initiative.
func (t *transcript) receive(m message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.received = append(t.received, m)
}

// record records the outcome of a call.
func (t *transcript) record(asked *protocol.Envelope, spec protocol.Spec, r reply) reply {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.sent = spec.Type
	if r.Message != nil && r.Message.Head().Source() != nil && r.x != nil {
		t.answers = append(t.answers, answer{r.x, asked, spec.Reply, r.Message.Head().Source()})
	}
	if no, ok := r.err.(*protocol.Refusal); ok && r.x != nil {
		t.errors = append(t.errors, refused{r.x, spec.Type, no})
	}
	return r
}

// begin starts a step: it discards the current exchange. last returns the newest exchange of the step, or nil.
func (t *transcript) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current = nil
}

func (t *transcript) last() *exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.current
}

// A wireError is the error member of an answer.
type wireError struct {
	Code        int
	Message     string
	ErrorCode   string                     `json:"error_code"`
	Name        string                     `json:"error_name"`
	Description string                     `json:"error_description"`
	Data        map[string]json.RawMessage `json:"data"`
}
