package dialect

import (
	"testing"

	"agentleague/protocol"
)

// A referee may answer its order with the result, which counts, or with a preliminary state, which does not.
func TestResultInAnswerIsOneOfAMatchThatIsOver(t *testing.T) {
	order := &protocol.StartMatch{Envelope: protocol.Envelope{MatchID: "R1M1", RoundID: 1}, Attempt: 2}
	for answer, want := range map[string]bool{
		`{"winner":"P01"}`:                                                 true,
		`{"winner":null}`:                                                  true,
		`{"status":"completed","winner":"P01"}`:                            true,
		`{"status":"started","winner":"P01"}`:                              true, // an answer with a winner is a result
		`{"status":"COMPLETED","winner":null}`:                             true,
		`{"status":"DRAW","winner":null}`:                                  true,
		`{"status":"started","winner":null}`:                               false,
		`{"status":"ok","winner":null}`:                                    false,
		`{"status":"in_progress","winner":null,"score":{"P01":0,"P02":0}}`: false,
		`{"status":"BUSY","winner":null,"score":{}}`:                       false,
		`{"status":"completed"}`:                                           false,
	} {
		r := ResultInAnswer([]byte(`{"jsonrpc":"2.0","id":1,"result":`+answer+`}`), order)
		if (r != nil) != want {
			t.Errorf("%s: a result %v, want %v", answer, r != nil, want)
		}
		if r != nil && (r.MatchID != "R1M1" || r.Attempt != 2) {
			t.Errorf("%s: it is about %s, attempt %d", answer, r.MatchID, r.Attempt)
		}
	}
}
