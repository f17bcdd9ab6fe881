package referee_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/protocol/grid"
)

// sealed fails for a text that reveals a choice before both players have chosen. The game's own name is no choice.
func (h *harness) sealed(where, text string) {
	h.t.Helper()
	text = strings.NewReplacer("even_odd", "", "event_type", "").Replace(text)
	for _, word := range []string{"even", "odd", drawKey} {
		if strings.Contains(text, word) {
			h.t.Errorf("%s shows %q: %s", where, word, text)
		}
	}
}

func TestNothingShowsAChoiceBeforeBothHaveChosen(t *testing.T) {
	for _, chooser := range []string{"P01", "P02"} {
		t.Run(chooser, func(t *testing.T) {
			d := &diary{}
			withReferee(t, setting{recorder: d}, func(h *harness) {
				d.h = h
				other := map[string]string{"P01": "P02", "P02": "P01"}[chooser]
				muteChoice(h.players[other])
				if _, err := h.start(order()); err != nil {
					t.Error(err)
				}
				for range 125 { // until shortly before the other one forfeits
					for _, tool := range stateTools {
						h.sealed(tool, h.ask(tool, `{"match_id":"R1M1"}`))
					}
					pass(time.Second)
				}
				if s := h.state("R1M1"); s.State != protocol.CollectingChoices || !s.Players[0].Answered && !s.Players[1].Answered {
					t.Fatalf("state: got %s, want one of them to have answered", shown(s))
				}
				h.sealed("the log", h.logged())
				if !strings.Contains(h.logged(), "CHOOSE_PARITY_RESPONSE") {
					t.Error("the log of messages has no answer in it")
				}
				for _, e := range h.sentTo("") {
					h.sealed("a message to "+e.to, string(e.body))
				}
				if got := h.sentTo("disk"); len(got) != 0 {
					t.Error("the match is on disk before its end")
				}
				if got := h.fetch(protocol.RecordRef{LeagueID: leagueID, MatchID: "R1M1", Attempt: 1}); len(got) != 0 {
					t.Error("the record is told before its end")
				}
				h.referee.Wait()
				if over := h.over(other); over.OpponentChoice == nil || string(over.OpponentChoice) == "null" {
					t.Errorf("at the end the choice is %s, want it shown", over.OpponentChoice)
				}
			})
		})
	}
}

func TestNothingShowsTheDrawBeforeTheRecordIsKept(t *testing.T) {
	d := &diary{fails: 3}
	withReferee(t, setting{recorder: d}, func(h *harness) {
		d.h = h
		if _, err := h.start(order()); err != nil {
			t.Error(err)
		}
		for range 5 {
			pass(time.Second)
			for _, tool := range stateTools {
				h.sealed(tool, h.ask(tool, `{"match_id":"R1M1"}`))
			}
			if s := h.state("R1M1"); s.State != protocol.Finished || s.GameResult != nil {
				t.Errorf("state: got %s, want it finished without a result", shown(s))
			}
		}
		h.referee.Wait()
		h.report()
	})
}

func TestStateToolsAreSealedAtEveryStepOfALongerGame(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		for _, p := range h.players {
			p.toMove = func(_ context.Context, m *protocol.GameMoveCall) (protocol.Message, error) {
				for _, tool := range stateTools {
					answer := h.ask(tool, `{"match_id":"R1M1"}`)
					if strings.Contains(answer, "choice\"") || strings.Contains(answer, "game_result") {
						t.Errorf("turn %d: %s tells %s", m.Turn, tool, answer)
					}
					var told struct{ Result protocol.MatchState }
					if err := json.Unmarshal([]byte(answer), &told); err != nil {
						t.Errorf("turn %d: %s: %v", m.Turn, answer, err)
					}
					shows, _ := grid.Read(told.Result.Spectator)
					asked, _ := grid.Read(m.MoveRequest.Context)
					if len(shows.Cells) != 9 || !shows.Equal(asked) {
						t.Errorf("turn %d: everybody is shown %v, the player that is asked %v", m.Turn, shows.Cells, asked.Cells)
					}
				}
				return p.move(m.MoveRequest.ValidOptions[0]), nil
			}
		}
		m := order()
		m.GameType = "tic_tac_toe"
		h.play(m)
		h.report()
	})
}
