package referee_test

import (
	"context"
	"strings"
	"testing"

	"agentleague/protocol"
)

func TestPlayerThatRefusesNullsHearsTheResultWithoutThem(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		unheard(h.players["P02"])
		p := h.players["P01"]
		p.over = func(_ context.Context, m *protocol.GameOver) (protocol.Message, error) {
			if strings.Contains(string(m.Source()), "null") {
				return nil, protocol.Errorf(protocol.InvalidMessage, "drawn_number: want a whole number")
			}
			return p.ack(protocol.TypeGameOverAck), nil
		}
		h.play(order())
		h.checkTimes("P01", protocol.TypeGameOver, 26, 26)
		h.checkTimes("LM", protocol.TypeMatchResultReport, 26)
		heard := h.heardBy("P01", protocol.TypeGameOver)
		with, without := string(heard[0].body), string(heard[1].body)
		for _, name := range []string{"drawn_number", "number_parity", "your_choice", "opponent_choice"} {
			if !strings.Contains(with, `"`+name+`":null`) {
				t.Errorf("the first has no null %s: %s", name, with)
			}
			if strings.Contains(without, name) {
				t.Errorf("the second has a %s: %s", name, without)
			}
		}
		if strings.Contains(without, "null") {
			t.Errorf("the second has a null: %s", without)
		}
		over := as[protocol.GameOver](t, heard[1])
		if over.Result != protocol.Win || *over.Winner != "P01" || over.AuthToken != "tok_match_of_P01" {
			t.Errorf("the second says %s", without)
		}
	})
}

func TestPlayerThatRefusesEveryResultIsToldFourTimes(t *testing.T) {
	refuse := func(context.Context, *protocol.GameOver) (protocol.Message, error) {
		return nil, protocol.Errorf(protocol.MatchNotFound, "I am not in this match")
	}
	t.Run("with nulls", func(t *testing.T) {
		withReferee(t, setting{}, func(h *harness) {
			h.players["P02"].invited = func(context.Context, *protocol.GameInvitation) (protocol.Message, error) {
				return h.players["P02"].join(false), nil
			}
			h.players["P01"].over = refuse
			h.play(order())
			h.checkTimes("P01", protocol.TypeGameOver, 0, 0, 2, 4, 6)
			h.checkTimes("LM", protocol.TypeMatchResultReport, 0)
		})
	})
	t.Run("without", func(t *testing.T) {
		withReferee(t, setting{}, func(h *harness) {
			h.players["P01"].over = refuse
			h.play(order())
			h.checkTimes("P01", protocol.TypeGameOver, 0, 2, 4, 6)
			h.checkTimes("P02", protocol.TypeGameOver, 0)
			h.checkTimes("LM", protocol.TypeMatchResultReport, 0)
		})
	})
}

func TestReportDoesNotWaitForAPlayerThatDoesNotHearTheResult(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		p, n := h.players["P01"], 0
		p.over = func(ctx context.Context, _ *protocol.GameOver) (protocol.Message, error) {
			if n++; n < 3 {
				return never(ctx)
			}
			return p.ack(protocol.TypeGameOverAck), nil
		}
		h.play(order())
		h.checkTimes("P01", protocol.TypeGameOver, 0, 7, 14) // and then it has it
		h.checkTimes("P02", protocol.TypeGameOver, 0)
		h.checkTimes("LM", protocol.TypeMatchResultReport, 5)
	})
}

func TestAnyAnswerOfAThirdPartyManagerAcknowledgesTheResult(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.meddle(func(_, label string, answer []byte, err error) ([]byte, error) {
			if strings.HasPrefix(label, "GAME_OVER") || strings.HasPrefix(label, "MATCH_RESULT_REPORT") {
				return []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`), nil
			}
			return answer, err
		})
		h.abroad() // one of ours authenticates its answers
		h.play(order())
		h.checkTimes("P01", protocol.TypeGameOver, 0)
		h.checkTimes("LM", protocol.TypeMatchResultReport, 0)
	})
}
