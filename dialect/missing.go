package dialect

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"agentleague/protocol"
)

// maxWords limits the number of words of a refusal that are searched for names.
const maxWords = 200

// missed lists the members that a peer reports as missing.
func missed(r *protocol.Refusal) (names []string) {
	var said any
	if json.Unmarshal([]byte(wholeOf(r)), &said) != nil {
		return missedInText(wholeOf(r))
	}
	return missedIn(said, maxDepth)
}

// missedIn searches the values of a decoded JSON error for missing members. It ignores the keys of the error.
func missedIn(said any, depth int) (names []string) {
	switch v := said.(type) {
	case string:
		return missedInText(v)
	case []any:
		for _, inner := range v {
			if depth > 0 {
				names = append(names, missedIn(inner, depth-1)...)
			}
		}
	case map[string]any:
		if at, ok := v["loc"].([]any); ok && len(at) > 0 { // of a web framework: the place and the error there
			where, _ := at[len(at)-1].(string)
			what, _ := v["msg"].(string)
			if misses(what) {
				return []string{where}
			}
		}
		for _, inner := range v {
			if depth > 0 {
				names = append(names, missedIn(inner, depth-1)...)
			}
		}
	}
	slices.Sort(names) // a map has no order
	return names
}

// inQuotes matches a quoted name; aNameMissing matches a name next to a phrase such as "is required".
var (
	inQuotes     = regexp.MustCompile("['\"`]([A-Za-z_.]+)['\"`]")
	aNameMissing = regexp.MustCompile(`(?:field|member|parameter|param|key|property|argument)s?:? ([a-z_.]+)|` +
		`([a-z_.]+):?\s+(?:is|field|Field|was) (?:missing|required|not found)`)
)

// missedInText returns the member names in a sentence about missing members; nil if it is about something else.
func missedInText(text string) (names []string) {
	whole := inQuotes.FindString(text) == text && text != "" // as some languages report a missing key
	if !whole && !misses(text) {
		return nil
	}
	for _, found := range slices.Concat(inQuotes.FindAllStringSubmatch(text, maxWords),
		aNameMissing.FindAllStringSubmatch(text, maxWords)) {
		for _, name := range found[1:] {
			if name = strings.TrimPrefix(name, "params."); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// misses reports whether a text states that something is missing.
func misses(text string) bool {
	return containsAny(strings.ToLower(text), "missing", "required", "keyerror", "must contain", "must have", "expected")
}

// missesEnvelope reports whether a peer reports members of the envelope as missing. All our messages have them, so the
// peer expects the message at another position.
func missesEnvelope(r *protocol.Refusal) bool {
	names := missed(r)
	return slices.Contains(names, "message_type") || slices.Contains(names, "protocol")
}
