package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Decode decodes one message of league.v2 from a JSON object. The warnings name absent members that were filled in, and
// tolerated deviations. An error is an [*Error].
func Decode(raw json.RawMessage, r Reading) (m Message, warnings []string, err error) {
	return DecodeWith(raw, r, nil)
}

// A Translation converts the members f of a message of type t from a third-party dialect to league.v2, in place, and
// reports whether it has changed any.
type Translation func(t Type, f Fields) (changed bool)

// DecodeWith is like [Decode] for a message that may be in a third-party dialect. It does not call translate for a
// message in canonical form.
func DecodeWith(raw json.RawMessage, r Reading, translate Translation) (m Message, warnings []string, err error) {
	if m, ok := quick(raw, r); ok {
		return m, nil, nil
	}
	return decodeAny(raw, r, translate)
}

// decodeAny decodes a message in any form. translate may be nil.
func decodeAny(raw json.RawMessage, r Reading, translate Translation) (m Message, warnings []string, err error) {
	f, ok := ParseFields(raw)
	if !ok {
		return nil, nil, Errorf(InvalidMessage, "want an object with the message's fields, got %s", Clip(string(raw), 60))
	}
	spec, err := typeOf(f, r)
	if err != nil {
		return nil, nil, err
	}
	text := raw
	roleless := !r.Strict && !spec.Type.Registers() && giveRole(f)
	translated := translate != nil && translate(spec.Type, f)
	if translated || roleless {
		text = f.text()
	}
	if !r.Reply {
		if err := checkEnvelope(f, spec.Type); err != nil {
			return nil, nil, err
		}
		for _, path := range spec.Needs {
			if !f.Has(path) {
				return nil, nil, Errorf(MissingField, "%s: the field %s is missing", spec.Type, path).With("field", path)
			}
		}
	}
	m, warnings, err = unmarshal(f, spec, text, r.Reply)
	if err != nil {
		return nil, nil, err
	}
	h := m.Head()
	odd, err := settleType(f, h, spec, r)
	if err != nil {
		return nil, nil, err
	}
	h.source, h.RoundForm = bytes.Clone(raw), roundForm(f)
	filled, err := fillEnvelope(f, h, r)
	if err != nil {
		return nil, nil, err
	}
	if roleless {
		warnings = append(warnings, "sender: no role")
	}
	return m, slices.Concat(warnings, odd, filled, oddArrival(m)), nil
}

// giveRole completes a sender field that is only an id, such as P01, by the role that the id implies. It reports
// whether f changed.
func giveRole(f Fields) bool {
	id, _ := f.Text("sender")
	if validSender(id) {
		return false
	}
	for role, form := range idForm {
		if form.MatchString(id) {
			f.Put("sender", Sender(role, id))
			return true
		}
	}
	return false
}

// settleType sets the message's type to the one that it was decoded as, regardless of its message_type.
func settleType(f Fields, h *Envelope, spec Spec, r Reading) (warnings []string, err error) {
	if f.Has("message_type") && h.MessageType != spec.Type {
		odd := fmt.Sprintf("message_type: unknown message %q, read as %s", Clip(string(h.MessageType), 60), spec.Type)
		if r.Strict && !r.Reply {
			return nil, Errorf(InvalidMessage, "%s", odd).With("field", "message_type")
		}
		warnings = []string{odd}
	}
	h.MessageType = spec.Type
	return warnings, nil
}

// typeOf returns the type of a message: the one that its message_type names, or else that of its method.
func typeOf(f Fields, r Reading) (Spec, error) {
	named, _ := f.Text("message_type")
	s, ok := Lookup(Type(named))
	if ok && !(s.Type.Registers() && r.Type.Registers()) { // one document has one name for both registrations
		return s, nil
	}
	if s, ok := Lookup(r.Type); ok {
		return s, nil
	}
	if named == "" {
		return Spec{}, Errorf(MissingField, "the field message_type is missing").With("field", "message_type")
	}
	return Spec{}, wrongField("message_type", InvalidMessage, "unknown message %q", Clip(named, 60))
}

// checkEnvelope returns an error for an envelope field with an invalid value. Absent fields and an empty sender are
// accepted here.
func checkEnvelope(f Fields, t Type) error {
	if v, ok := f.Text("protocol"); f.Has("protocol") && (!ok || v != Version) {
		return wrongField("protocol", VersionMismatch, "want %q, got %s", Version, Clip(string(f["protocol"]), 40))
	}
	if f.Has("timestamp") {
		v, ok := f.Text("timestamp")
		if !ok {
			v = string(f["timestamp"])
		}
		if _, _, err := parseTimeOf(t, v); err != nil {
			return wrongField("timestamp", InvalidTimestamp, "%v", err)
		}
	}
	if v, ok := f.Text("sender"); f.Has("sender") && !(ok && (v == "" || validSender(v) || t.Registers())) {
		return wrongField("sender", InvalidMessage, "want role:id such as player:P01, got %s", Clip(string(f["sender"]), 60))
	}
	return nil
}

// wrongField returns an error of kind k about the envelope member name.
func wrongField(name string, k *Kind, format string, args ...any) *Error {
	return Errorf(k, name+": "+format, args...).With("field", name)
}

// fillEnvelope fills in absent envelope fields and returns a warning for each.
func fillEnvelope(f Fields, h *Envelope, r Reading) (warnings []string, err error) {
	if warnings, err = settleTime(h, r); err != nil {
		return nil, err
	}
	fill := func(name string, there bool, field *string, value string) {
		if there {
			return
		}
		*field = value
		warnings = append(warnings, name+": absent")
		if r.Strict && !r.Reply && err == nil {
			err = Errorf(MissingField, "the envelope field %s is missing", name).With("field", name)
		}
	}
	typ := ""
	fill("protocol", f.Has("protocol"), &h.Protocol, Version)
	fill("message_type", f.Has("message_type"), &typ, "")
	fill("sender", h.Sender != "", &h.Sender, TokenOwner(h.AuthToken))
	fill("timestamp", h.Timestamp != "", &h.Timestamp, Stamp(r.Now))
	fill("conversation_id", h.ConversationID != "", &h.ConversationID, r.Conversation)
	return warnings, err
}

// settleTime normalizes a timestamp in an unusual but accepted form. Only a reply may have an unreadable timestamp,
// which is kept.
func settleTime(h *Envelope, r Reading) (warnings []string, err error) {
	t, plain, wrong := parseTimeOf(h.MessageType, h.Timestamp)
	if h.Timestamp == "" || plain {
		return nil, nil
	}
	if r.Strict && !r.Reply {
		const want = "want a time such as 2025-01-15T10:30:00Z, got %q"
		return nil, wrongField("timestamp", InvalidTimestamp, want, Clip(h.Timestamp, 40))
	}
	warnings = []string{"timestamp: odd form " + Clip(h.Timestamp, 40)}
	if wrong == nil {
		h.Timestamp = Stamp(t)
	}
	return warnings, nil
}

// parseTimeOf is like [ParseTime] for the timestamp s of a message of type t. In the two messages that third-party
// referees send to a manager, it also accepts a timestamp without a zone, as UTC.
func parseTimeOf(t Type, s string) (at time.Time, plain bool, err error) {
	at, plain, err = ParseTime(s)
	if err != nil && (t == TypeRefereeRegisterRequest || t == TypeMatchResultReport) {
		if read, failed := time.Parse("2006-01-02T15:04:05", s); failed == nil {
			return read, false, nil
		}
	}
	return at, plain, err
}

// roundForm returns the format of a round_id that is a string, or "".
func roundForm(f Fields) string {
	text, _ := f.Text("round_id")
	word := strings.TrimRight(text, "0123456789")
	if word == text || strings.Contains(word, "%") {
		return ""
	}
	return word + "%d"
}

// oddArrival returns a warning for an arrival_timestamp in another format than that of league.v2. The value is kept.
func oddArrival(m Message) []string {
	a, ok := m.(*GameJoinAck)
	if !ok || a.ArrivalTimestamp == "" {
		return nil
	}
	if _, plain, _ := ParseTime(a.ArrivalTimestamp); plain {
		return nil
	}
	return []string{"arrival_timestamp: odd form " + Clip(a.ArrivalTimestamp, 40)}
}
