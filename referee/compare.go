package referee

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"

	"agentleague/protocol"
)

// compare returns an error that names the first difference between a reported result and the computed one, or nil.
func compare(got protocol.ReportedResult, want protocol.GameResult) error {
	d := got.Details
	switch {
	case d.Status != want.Status:
		return fmt.Errorf("result.details.status: got %q, want %q", d.Status, want.Status)
	case !reflect.DeepEqual(got.Winner, want.WinnerPlayerID):
		return fmt.Errorf("result.winner: got %s, want %s", show(got.Winner), show(want.WinnerPlayerID))
	case !reflect.DeepEqual(d.DrawnNumber.Value, want.DrawnNumber.Value):
		return fmt.Errorf("result.details.drawn_number: got %s, want %s", show(d.DrawnNumber), show(want.DrawnNumber))
	case !reflect.DeepEqual(d.NumberParity.Value, want.NumberParity.Value):
		return fmt.Errorf("result.details.number_parity: got %s, want %s", show(d.NumberParity), show(want.NumberParity))
	case len(d.Forfeits) > 0:
		return fmt.Errorf("result.details.forfeits: the match was played to its end")
	}
	return compareChoices(d.Choices, want.Choices)
}

// compareChoices compares the reported choices with the recorded ones, ignoring insignificant space in the JSON.
func compareChoices(got, want map[string]json.RawMessage) error {
	if maps.EqualFunc(got, want, func(a, b json.RawMessage) bool { return bytes.Equal(compact(a), compact(b)) }) {
		return nil
	}
	return fmt.Errorf("result.details.choices: got %s, want %s", show(got), show(want))
}

// compact removes insignificant space from a JSON text.
func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// show formats a value for an error message.
func show(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(b)
}
