package chat

import "encoding/json"

// Usage figures are the server's word. Sums, costs and budgets rest on them, so that a figure counts only if the bytes
// that were exchanged can have that many tokens; otherwise the request is uncounted.

// maxPreamble is how many tokens a server may add to a request: its template, and its instructions for a schema.
const maxPreamble = 8192

// parseUsage reads the usage of an answer. An answer without one, or with one of another form, has none.
func parseUsage[T any](raw json.RawMessage) *T {
	var u *T
	if len(raw) == 0 || json.Unmarshal(raw, &u) != nil {
		return nil
	}
	return u
}

// bound drops a count that the bytes of a request and its answer, and the limit of the answer's tokens, do not allow. A
// token has at least one byte; those of the model's thinking may not be sent, but are within the limit.
func (a *Answer) bound(sent, received, limit int) {
	t := a.Tokens
	if t.Input < 0 || t.Cached < 0 || t.Output < 0 || t.Cached > t.Input || t.Input > sent+maxPreamble || t.Output > received+limit {
		a.Tokens, a.Counted = Tokens{}, false
	}
}
