package profile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"agentleague/protocol"
)

// A tree is a JSON object. Its numbers are of type json.Number.
type tree = map[string]any

// parse reads a JSON object; ok is false for any other text.
func parse(text []byte) (t tree, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err := d.Decode(&t)
	return t, err == nil && t != nil
}

// text encodes a tree, or returns otherwise if it cannot.
func text(t tree, otherwise []byte) []byte {
	out, err := json.Marshal(t)
	if err != nil {
		return otherwise
	}
	return out
}

// An edit changes the members of a message in place. It does nothing if the members that it needs are absent.
type edit func(s *Speaker, m tree)

// at returns the object that holds the last name of a dotted path, and that name.
func at(m tree, path string) (in tree, name string) {
	for {
		first, rest, nested := strings.Cut(path, ".")
		if !nested {
			return m, first
		}
		inner, ok := m[first].(tree)
		if !ok {
			return nil, ""
		}
		m, path = inner, rest
	}
}

// value returns the member at a path.
func value(m tree, path string) (v any, ok bool) {
	in, name := at(m, path)
	v, ok = in[name]
	return v, ok
}

// word returns the string at a path, or "".
func word(m tree, path string) string {
	v, _ := value(m, path)
	s, _ := v.(string)
	return s
}

// copied puts the value of one member under another name too. The objects of the other path are created.
func copied(from, to string) edit {
	return func(_ *Speaker, m tree) {
		if v, ok := value(m, from); ok {
			put(m, to, v)
		}
	}
}

// put sets the member at a path, creating the objects on the way.
func put(m tree, path string, v any) {
	for {
		first, rest, nested := strings.Cut(path, ".")
		if !nested {
			m[first] = v
			return
		}
		inner, ok := m[first].(tree)
		if !ok {
			inner = tree{}
			m[first] = inner
		}
		m, path = inner, rest
	}
}

// dropped removes members.
func dropped(paths ...string) edit {
	return func(_ *Speaker, m tree) {
		for _, p := range paths {
			if in, name := at(m, p); in != nil {
				delete(in, name)
			}
		}
	}
}

// replaced puts another word in place of one value of a member.
func replaced(path, old, now string) edit {
	return func(_ *Speaker, m tree) {
		if word(m, path) == old {
			put(m, path, now)
		}
	}
}

// formatted writes a number as text.
func formatted(path, format string) edit {
	return func(_ *Speaker, m tree) {
		if v, ok := value(m, path); ok {
			if n, ok := v.(json.Number); ok {
				put(m, path, fmt.Sprintf(format, n))
			}
		}
	}
}

// fromZero counts the retries of a failed try that is repeated from 0.
func fromZero(_ *Speaker, m tree) {
	if again, _ := m["retryable"].(bool); !again {
		return
	}
	for _, path := range []string{"retry_count", "retry_info.retry_count"} {
		v, _ := value(m, path)
		n, _ := v.(json.Number)
		if i, err := n.Int64(); err == nil && i > 0 {
			put(m, path, i-1)
		}
	}
}

// inLeague adds the league to a message that does not name it.
func inLeague(s *Speaker, m tree) {
	if _, ok := m["league_id"]; !ok && *s.leagueID.Load() != "" {
		m["league_id"] = *s.leagueID.Load()
	}
}

// keyed puts the agent's own token in place of the token of a match, and in acknowledgements if the profile has it
// there.
func keyed(s *Speaker, m tree) {
	own := s.token.Load()
	if own == nil || protocol.Type(word(m, "message_type")).Registers() {
		return
	}
	if _, has := m["auth_token"]; has || s.acksAreKeyed {
		m["auth_token"] = *own
	}
}

// asForeign removes the members by which native agents are known from a registration and from its answer.
var asForeign = dropped("player_meta.match_tokens", "player_meta.public_key", "player_meta.agreement_key",
	"player_meta.build", "referee_meta.match_tokens", "referee_meta.public_key", "referee_meta.agreement_key", "referee_meta.build",
	"match_tokens", "strict", "seal")
