package referee_test

import (
	"context"
	"encoding/json"
	"testing"

	"agentleague/protocol"
)

// A player's usage report is stored if it is plausible, and has no effect otherwise.
func TestUsageIsKeptAndHostileUsageHarmsNothing(t *testing.T) {
	good := protocol.Usage{Model: "tiny", Moves: 1, Requests: 1, InputTokens: 70, OutputTokens: 5, LatencyUS: 900}
	text, err := json.Marshal(good)
	if err != nil {
		t.Fatal(err)
	}
	for _, hostile := range []string{
		`{"input_tokens":-1}`, `{"input_tokens":1e300}`, `{"input_tokens":"70"}`, `{"priced":true,"cost_nano_usd":9e18}`, `"all of it"`, `[]`, `null`,
	} {
		withReferee(t, setting{}, func(h *harness) {
			say := func(p *fakePlayer, usage string) {
				p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
					m := p.parity(quoted(p.choice))
					m.Usage = json.RawMessage(usage)
					return m, nil
				}
			}
			say(h.players["P01"], string(text))
			say(h.players["P02"], hostile)
			h.play(order())
			rec, _ := h.record()
			if len(rec.Usage) != 1 || rec.Usage["P01"] != good || rec.Result.Status != protocol.Win || len(rec.Tries) != 4 {
				t.Errorf("%s: the record has %+v, %s after %d tries; want that of P01 alone", hostile, rec.Usage, rec.Result.Status, len(rec.Tries))
			}
			if r := h.report(); len(r.AgentUsage) != 1 || r.AgentUsage["P01"] != good {
				t.Errorf("%s: the report has %+v", hostile, r.AgentUsage)
			}
		})
	}
}
