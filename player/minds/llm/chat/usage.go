package chat

import "encoding/json"

// Token counts are claims of the server, and costs and budgets depend on them. A count is therefore used only if it is
// possible for the number of bytes exchanged; otherwise the request is treated as uncounted.

// maxPreamble is the maximum number of tokens that a server may add to a request: its prompt template, and its
// instructions for the schema.
const maxPreamble = 8192

// parseUsage parses the usage of an answer. It returns nil if the usage is missing or malformed.
func parseUsage[T any](raw json.RawMessage) *T {
	var u *T
	if len(raw) == 0 || json.Unmarshal(raw, &u) != nil {
		return nil
	}
	return u
}

// bound drops a count that is impossible for the bytes sent and received and the token limit. A token has at least one
// byte. Output tokens of hidden reasoning have no bytes in the answer, but count towards the limit.
func (a *Answer) bound(sent, received, limit int) {
	t := a.Tokens
	if t.Input < 0 || t.Cached < 0 || t.Output < 0 || t.Cached > t.Input || t.Input > sent+maxPreamble || t.Output > received+limit {
		a.Tokens, a.Counted = Tokens{}, false
	}
}
