package web

import (
	"strings"
	"time"

	"agentleague/league/view"
	"agentleague/protocol"
)

// A StageView is a simultaneous question to both players, with the waiting time.
type StageView struct {
	Number      int               `json:"stage"`
	Asked       string            `json:"message_type"`
	Contestants []StageContestant `json:"players"`
	First       string            `json:"first,omitempty"` // the first to finish
	Last        string            `json:"last,omitempty"`  // the last to finish, which the other waited for
	WaitedMS    float64           `json:"waited_ms"`

	Again bool `json:"-"` // the same question was asked before, only of the other player
}

// A StageContestant is a player's part in a stage.
type StageContestant struct {
	PlayerID string    `json:"player_id"`
	Tries    []TryView `json:"tries"`
	TotalMS  float64   `json:"total_ms"` // from the stage's start to the player's end
	Bars     []Bar     `json:"-"`
}

// A Bar is a piece of a stage's chart, in thousandths of its width.
type Bar struct {
	Kind     string // agent, overhead, failed, pause, waited
	From, To float64
	Title    string
}

// Width returns the width of the bar; the minimum is still visible.
func (b Bar) Width() float64 { return max(b.To-b.From, 2) }

// WaitWords describes the waiting time in words.
func (v StageView) WaitWords() string {
	switch {
	case v.First == "":
		return ""
	case v.WaitedMS < 0.05:
		return "Both finished at the same time."
	}
	return v.First + " waited " + took(v.WaitedMS) + " for " + v.Last + "."
}

// Words names the question, for people.
func (v StageView) Words() string { return view.Words(v.Asked) }

// Total returns the player's total time.
func (s StageContestant) Total() string { return took(s.TotalMS) }

// Words describes the player's part for a screen reader.
func (s StageContestant) Words() string {
	var words []string
	for _, t := range s.Tries {
		words = append(words, t.Words())
	}
	return s.PlayerID + " " + strings.Join(words, ", then ")
}

// stageViews returns the stages of a match, all drawn to the same scale.
func stageViews(rec *protocol.MatchRecord) (out []StageView) {
	stages := rec.Stages()
	var longest time.Duration
	for _, s := range stages {
		start, end := span(s.Tries)
		longest = max(longest, end.Sub(start))
	}
	for i, s := range stages {
		v := StageView{
			Number: s.Number, Asked: string(s.Asked), First: s.First, Last: s.Last, WaitedMS: protocol.Milliseconds(s.Waited),
		}
		start, end := span(s.Tries)
		for _, id := range []string{rec.PlayerAID, rec.PlayerBID} {
			if tries := s.Of(id); len(tries) > 0 {
				v.Contestants = append(v.Contestants, stageContestant(id, tries, start, end, longest))
			}
		}
		v.Again = i > 0 && len(v.Contestants) == 1 && stages[i-1].Asked == s.Asked
		out = append(out, v)
	}
	return out
}

// span returns the times of the first question of a stage and of its last answer.
func span(tries []protocol.Try) (start, end time.Time) {
	for i, t := range tries {
		if i == 0 || t.Sent().Before(start) {
			start = t.Sent()
		}
		if i == 0 || t.End().After(end) {
			end = t.End()
		}
	}
	return start, end
}

// stageContestant draws the tries of a player on the stage's time scale, and its waiting after them.
func stageContestant(id string, tries []protocol.Try, start, end time.Time, longest time.Duration) StageContestant {
	v := StageContestant{PlayerID: id, Tries: []TryView{}}
	at := func(t time.Time) float64 {
		return 1000 * min(max(float64(t.Sub(start))/max(float64(longest), 1), 0), 1)
	}
	done := start
	for _, t := range tries {
		view := *tryView(t)
		v.Tries = append(v.Tries, view)
		if t.Sent().After(done) && len(v.Tries) > 1 {
			v.Bars = append(v.Bars, Bar{"pause", at(done), at(t.Sent()), "the pause before the next try"})
		}
		kind := "agent"
		if !view.OK() {
			kind = "failed"
		}
		answered := t.Sent().Add(t.Agent())
		v.Bars = append(v.Bars, Bar{kind, at(t.Sent()), at(answered), id + " " + view.Words()})
		if t.Overhead() > 0 {
			v.Bars = append(v.Bars, Bar{"overhead", at(answered), at(t.End()), took(t.OverheadMS) + " referee delay"})
		}
		done = t.End()
	}
	v.TotalMS = protocol.Milliseconds(done.Sub(start))
	if end.After(done) {
		v.Bars = append(v.Bars, Bar{
			"waited", at(done), at(end), id + " waited " + took(protocol.Milliseconds(end.Sub(done))),
		})
	}
	return v
}
