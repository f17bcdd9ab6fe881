package store

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"agentleague/protocol"
	"agentleague/referee"
)

// An undecided is the stored form of a match that waits for the manager's draw.
type undecided struct {
	Record protocol.MatchRecord `json:"record"`
	Order  protocol.StartMatch  `json:"order"`
}

// Put durably stores a match that waits for its draw.
func (r Recorder) Put(_ context.Context, f *referee.Finished) error {
	text, err := json.Marshal(undecided{f.Record, f.Start})
	if err != nil {
		return err
	}
	return r.SaveUndecided(f.Record.Ref(), text)
}

// All yields the matches that wait.
func (r Recorder) All(context.Context) iter.Seq2[referee.Finished, error] {
	return func(yield func(referee.Finished, error) bool) {
		list, err := r.Undecided()
		if err != nil && !yield(referee.Finished{}, err) {
			return
		}
		for _, u := range list {
			var v undecided
			err := json.Unmarshal(u.Text, &v)
			if err != nil {
				err = fmt.Errorf("match %s, attempt %d: %w", u.Ref.MatchID, u.Ref.Attempt, err)
			}
			if !yield(referee.Finished{Record: v.Record, Start: v.Order}, err) {
				return
			}
		}
	}
}

// Remove forgets a match that waits no longer.
func (r Recorder) Remove(_ context.Context, ref protocol.RecordRef) error {
	return r.RemoveUndecided(ref)
}
