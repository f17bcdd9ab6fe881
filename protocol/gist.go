package protocol

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// Gist summarizes a message of a match in a few words. It returns "" if the type says enough. The text is untrusted and
// of any length: see [Plain].
func (e TranscriptEntry) Gist() string {
	var m struct {
		Accept   *bool           `json:"accept"`
		Choice   json.RawMessage `json:"parity_choice"`
		MoveData struct {
			Choice json.RawMessage `json:"choice"`
		} `json:"move_data"`
		ErrorName string `json:"error_name"`
		Retries   int    `json:"retry_count"`
		Retryable bool   `json:"retryable"`
		Detail    string `json:"detail"`
		Context   struct {
			Detail string `json:"detail"`
		} `json:"context"`
		Attempts int    `json:"max_retries"`
		Result   string `json:"result"`
	}
	_ = json.Unmarshal(e.Message, &m)
	sentence := cmp.Or(m.Detail, m.Context.Detail, m.ErrorName)
	switch {
	case m.Choice != nil:
		return string(m.Choice)
	case m.MoveData.Choice != nil:
		return string(m.MoveData.Choice)
	case m.ErrorName != "" && m.Retryable:
		return fmt.Sprintf("%s; retry %d of %d follows", sentence, m.Retries, m.Attempts)
	case m.ErrorName != "":
		return sentence + "; no retry is left"
	case m.Result != "":
		return m.Result
	case m.Accept != nil && !*m.Accept:
		return "declined"
	}
	return ""
}
