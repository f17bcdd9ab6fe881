package dialect

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"agentleague/protocol"
)

// untranslatedAgrees fails if a message that is read without being translated
// would have become another one by that.
func untranslatedAgrees(t *testing.T, raw []byte, r protocol.Reading) (untranslated bool) {
	t.Helper()
	translated := false
	m, warnings, err := protocol.DecodeWith(raw, r, func(protocol.Type, fields) bool { translated = true; return false })
	if err != nil || translated {
		return false
	}
	// With a member that is unknown it is not just as we write it, and is translated.
	unknown := slices.Concat([]byte(`{"unheard_of":0,`), bytes.TrimSpace(raw)[1:])
	want, remarks, err := Read(unknown, r)
	if err != nil || len(warnings) > 0 || len(remarks) > 0 {
		t.Fatalf("%s: %v, warnings %q and %q", raw, err, warnings, remarks)
	}
	if got, want := marshalOr(m, nil), marshalOr(want, nil); !bytes.Equal(got, want) {
		t.Fatalf("%s:\n got %s\nwant %s", raw, got, want)
	}
	return true
}

func TestWhatIsNotTranslatedNeedsNoTranslation(t *testing.T) {
	t.Parallel()
	untranslated := map[protocol.Type]bool{}
	for _, m := range examples(t) {
		typ, raw := m.Head().MessageType, encoded(t, m)
		for _, reply := range []bool{false, true} {
			r := protocol.Reading{Type: typ, Reply: reply, Now: arrival, Conversation: "conv-new"}
			if !untranslatedAgrees(t, raw, r) {
				continue
			}
			untranslated[typ] = true
			for _, other := range alterations(t, raw) {
				untranslatedAgrees(t, other, r)
			}
		}
	}
	for _, typ := range []protocol.Type{
		protocol.TypeStartMatch, protocol.TypeGameInvitation, protocol.TypeGameJoinAck, protocol.TypeChooseParityResponse,
		protocol.TypeGameMoveResponse, protocol.TypeGameOver, protocol.TypeMatchResultReport, protocol.TypeRoundCompleted,
	} {
		if !untranslated[typ] {
			t.Errorf("%s: our own example is translated", typ)
		}
	}
	for _, d := range readDocuments(t) {
		untranslatedAgrees(t, d.Message, protocol.Reading{Type: typeOf(d.Message), Reply: true, Now: arrival})
	}
}

// alterations returns variants of a message: each member absent, null or with another value, also in nested objects.
func alterations(t testing.TB, raw json.RawMessage) (out []json.RawMessage) {
	t.Helper()
	var f fields
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	for name, v := range f {
		others := []json.RawMessage{nil}
		for _, other := range []string{"null", "0", `"P02"`} {
			others = append(others, json.RawMessage(other))
		}
		if f.Object(name) != nil {
			others = append(others, alterations(t, v)...)
		}
		for _, other := range others {
			altered := fields{}
			for name, v := range f {
				altered[name] = v
			}
			if altered[name] = other; other == nil {
				delete(altered, name)
			}
			out = append(out, marshalOr(altered, nil))
		}
	}
	return out
}

func FuzzUntranslated(f *testing.F) {
	for _, m := range examples(f) {
		f.Add([]byte(encoded(f, m)), string(m.Head().MessageType), true)
	}
	for _, d := range readDocuments(f) {
		f.Add([]byte(d.Message), string(typeOf(d.Message)), false)
	}
	f.Fuzz(func(t *testing.T, raw []byte, typ string, reply bool) {
		r := protocol.Reading{Type: protocol.Type(typ), Reply: reply, Now: arrival, Conversation: "conv-new"}
		untranslatedAgrees(t, raw, r)
	})
}
