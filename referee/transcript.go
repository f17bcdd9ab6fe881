package referee

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"agentleague/protocol"
)

// maxNoted is the maximum size in bytes of one answer in the transcript, maxWritten in a record, where nested brackets
// are indented. The limits prevent a player from inflating a record beyond the size that a manager fetches.
const (
	maxNoted   = 2 << 10
	maxWritten = 4 * maxNoted
)

// A transcript is the message log of a match, in order. It is not published before the match is over.
type transcript struct {
	mu      sync.Mutex
	entries []protocol.TranscriptEntry
}

// sent adds a message from the referee to a player. whole means that the message is stored unchanged except for its
// token.
func (t *transcript) sent(from, to string, msg protocol.Message) (whole bool) {
	raw, whole, plain := noted(msg)
	t.note(protocol.TranscriptEntry{
		MessageType: msg.Head().MessageType, From: from, To: to, Message: raw,
	}, plain)
	return whole
}

// received adds a message from a player to the referee. from and to are in the form of a message's sender.
func (t *transcript) received(from, to string, msg protocol.Message) {
	raw, _, plain := noted(msg)
	typ := msg.Head().MessageType
	if len(raw) > maxNoted || !surelyFits(raw) && written(raw) > maxWritten {
		raw, plain = json.RawMessage(fmt.Sprintf(`{"message_type":%q,"omitted_bytes":%d}`, typ, len(raw))), false
	}
	t.note(protocol.TranscriptEntry{
		MessageType: typ, From: from, To: to, Message: raw,
	}, plain)
}

// indentation precedes a message in a record.
const indentation = "      "

// surelyFits reports whether a message is certain not to exceed maxWritten in a record, without formatting it: each
// comma and bracket begins a line whose depth is at most the number of brackets. Most answers pass this quick check.
func surelyFits(raw []byte) bool {
	brackets := bytes.Count(raw, []byte("{")) + bytes.Count(raw, []byte("["))
	lines := bytes.Count(raw, []byte(",")) + 2*brackets
	return len(raw)+bytes.Count(raw, []byte(":"))+lines*(1+len(indentation)+2*brackets) <= maxWritten
}

// written returns the size in bytes of a message in a record.
func written(raw json.RawMessage) int {
	var out bytes.Buffer
	if json.Indent(&out, raw, indentation, "  ") != nil {
		return len(raw)
	}
	return out.Len()
}

// note adds an entry with the current time and the next number, from 1. plain is the result of noted for the message.
func (t *transcript) note(e protocol.TranscriptEntry, plain bool) {
	if plain {
		e.MarkPlain()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.entries == nil {
		t.entries = make([]protocol.TranscriptEntry, 0, shortMatch)
	}
	e.Seq, e.Timestamp = len(t.entries)+1, protocol.Stamp(time.Now())
	t.entries = append(t.entries, e)
}

// shortMatch is the number of messages in a match of one step without failures.
const shortMatch = 10

// all returns the entries so far.
func (t *transcript) all() []protocol.TranscriptEntry {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.entries
}

// set replaces the transcript by that of an earlier run; nil empties it.
func (t *transcript) set(entries []protocol.TranscriptEntry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = entries
}

// aToken is the prefix of the tokens of native agents.
const aToken = "tok_"

// hidden is the text that replaces a token in a transcript.
var hidden = protocol.Redact(aToken)

// noted returns a message in the form of the transcript: with tokens redacted, and in valid UTF-8, since encoding would
// otherwise change the hash. whole means that only the token of the message itself was removed. plain means that the
// JSON object has certainly no duplicate keys; redacting tokens in keys could make two keys equal.
func noted(msg protocol.Message) (raw json.RawMessage, whole, plain bool) {
	text, plain, err := protocol.EncodePlain(msg)
	if err != nil {
		return json.RawMessage("null"), false, false
	}
	if whole = utf8.Valid(text); !whole {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	text, tokens := hide(text)
	if own := isNativeToken(msg.Head().AuthToken); own || !bytes.Contains(text, []byte("auth_token")) {
		whole = whole && (tokens == 0 || tokens == 1 && own)
		return text, whole, whole && plain
	}
	return redacted(text), false, false
}

// hide redacts the native tokens in a text and returns their number. It overwrites raw.
func hide(raw []byte) (out []byte, n int) {
	if !bytes.Contains(raw, []byte(aToken)) {
		return raw, 0
	}
	out = raw[:0]
	for {
		at := bytes.Index(raw, []byte(aToken))
		if at < 0 {
			return append(out, raw...), n
		}
		size := len(aToken) + tokenPrefixLen(raw[at+len(aToken):])
		if size == len(aToken) {
			out, raw = append(out, raw[:at+size]...), raw[at+size:]
			continue
		}
		out, raw, n = append(out, raw[:at]...), raw[at+size:], n+1
		if size < len(hidden) { // it does not fit into the token's place
			raw = bytes.Clone(raw)
		}
		out = append(out, hidden...)
	}
}

// tokenPrefixLen returns the length of the longest prefix of a text that consists of token characters.
func tokenPrefixLen[T string | []byte](text T) int {
	for i := range len(text) {
		if !inToken[text[i]] {
			return i
		}
	}
	return len(text)
}

// inToken is the set of characters in tokens: those of URL-safe base64.
var inToken = func() (out [256]bool) {
	for _, c := range []byte("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-") {
		out[c] = true
	}
	return out
}()

// isNativeToken reports whether a text is exactly one native token.
func isNativeToken(token string) bool {
	rest, ok := strings.CutPrefix(token, aToken)
	return ok && rest != "" && tokenPrefixLen(rest) == len(rest)
}

// redacted replaces the token field of a message whose token is not a native one.
func redacted(raw json.RawMessage) json.RawMessage {
	var f map[string]json.RawMessage
	if json.Unmarshal(raw, &f) != nil || f["auth_token"] == nil {
		return raw
	}
	f["auth_token"], _ = json.Marshal(hidden) // a string always encodes
	out, err := json.Marshal(f)
	if err != nil {
		return raw
	}
	return out
}
