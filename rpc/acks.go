package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"agentleague/dialect"
	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// Some peers acknowledge every unknown message, so an acknowledgement does not prove that they understood it. They
// receive one probe with an unknown method: if its answer is the same, the message was not understood.

// acksAnything reports whether an answer equals the one that the peer gives to unknown messages. It also returns true
// if the peer has answered another encoding of the message with an error where it acknowledges unknown methods.
func (l *learner) acksAnything(ctx context.Context, x *exchange) bool {
	form, typ := *x.form, l.call.spec.Type
	if form.Frame == "mcp" || form.Apart() { // the tools are known there, or the path belongs to the message
		return false
	}
	if l.peer.refusedAmongAcks(typ) {
		return true
	}
	place, lasting := form.Place(), lastingOf(x.answer)
	ack, known := l.peer.ack(place, lasting)
	if !known {
		if !l.search.Probes(form) {
			return false
		}
		status, answer, err := l.post(ctx, form, dialect.Probe)
		if err != nil {
			return false
		}
		if status/100 == 2 {
			ack = lastingOf(answer)
		}
		l.peer.keepAck(place, ack)
	}
	return ack != nil && bytes.Equal(ack, lasting) || l.peer.refusedAmongAcks(typ)
}

// post sends a probe, a request without a message in the given encoding, and returns the peer's answer.
func (l *learner) post(ctx context.Context, form notation.Form, request func(notation.Form, int64) []byte) (
	status int, answer []byte, err error) {
	k := l.call.caller
	return k.Network.Post(ctx, placed(l.call.to.Endpoint, form.Path), "nothing", request(form, k.nextID.Add(1)))
}

// lastingOf returns an answer without fields that change with every answer, such as times. It is nil for an error.
func lastingOf(answer []byte) []byte {
	if !json.Valid(answer) {
		return bytes.TrimSpace(answer)
	}
	return withoutFleeting(answer)
}

// fleeting are the fields with values that change with every answer.
var fleeting = []string{"id", "timestamp", "request_id", "conversation_id"}

// withoutFleeting returns a JSON object without the fleeting fields, at every depth. It returns nil for an error and
// for any other JSON value.
func withoutFleeting(answer []byte) []byte {
	var f map[string]json.RawMessage
	if json.Unmarshal(answer, &f) != nil || f == nil {
		return nil
	}
	if e, ok := f["error"]; ok && string(e) != "null" {
		return nil
	}
	for name, v := range f {
		if slices.Contains(fleeting, name) {
			delete(f, name)
		} else if inner := withoutFleeting(v); inner != nil {
			f[name] = inner
		}
	}
	out, _ := json.Marshal(f)
	return out
}

// Some peers acknowledge every message, and there are two kinds. One has its own method names, and acknowledges all
// others without effect: it needs another name. The other has processed the message under any name, and must not
// receive it twice. Probes with unknown method names show of which kind a peer is; the result is stored in the peer's
// dialect.

// acksEveryName reports whether the peer processes and acknowledges messages under any method name. If that is not
// known yet, it sends probes, compares their answers with that of the exchange and stores the result in the peer's
// dialect. It returns false if a probe fails, and for START_MATCH, which is never probed.
func (l *learner) acksEveryName(ctx context.Context, x *exchange) bool {
	typ, ack := l.call.spec.Type, lastingOf(x.answer)
	if typ == protocol.TypeStartMatch || l.peer.acksEverything() || l.peer.isSelective() {
		return l.peer.acksEverything() && typ != protocol.TypeStartMatch
	}
	for _, other := range l.peer.survey(*x.form, ack, typ) {
		status, answer, err := l.post(ctx, other, dialect.Knock)
		if err != nil {
			return false // nothing was learned
		}
		if status/100 != 2 || !bytes.Equal(lastingOf(answer), ack) {
			l.peer.addName(other, typ)
			return false
		}
	}
	l.peer.acknowledgedAll()
	return true
}
