package referee_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"agentleague/protocol"
	"agentleague/referee"
)

// A forewarned recorder keeps the orders that it hears of when matches begin. It cannot write them.
type forewarned struct {
	referee.Memory
	mu    sync.Mutex
	begun map[string]protocol.StartMatch
	ended map[string]protocol.StartMatch
}

func (r *forewarned) Begun(start *protocol.StartMatch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun[start.MatchID] = *start
	return errors.New("no space left on device")
}

func (r *forewarned) Record(ctx context.Context, f *referee.Finished) error {
	r.mu.Lock()
	r.ended[f.Record.MatchID] = f.Start
	r.mu.Unlock()
	return r.Memory.Record(ctx, f)
}

// Of our own players nothing is found out while a match is played: its order is at the end what it was when it began. What
// becomes of it then is no concern of the match.
func TestARecorderHearsOfAMatchWhenItBegins(t *testing.T) {
	r := &forewarned{begun: map[string]protocol.StartMatch{}, ended: map[string]protocol.StartMatch{}}
	withReferee(t, setting{recorder: r}, func(h *harness) {
		for _, id := range []string{"R1M1", "R1M2"} {
			m := order()
			m.MatchID = id
			if status, err := h.start(m); status != protocol.Accepted || err != nil {
				t.Errorf("%s: got %q, %v, want ACCEPTED", id, status, err)
			}
		}
		h.referee.Wait()
		if got := len(h.heardBy("LM", protocol.TypeMatchResultReport)); got != 2 {
			t.Errorf("the manager has %d results, want 2", got)
		}
	})
	for _, id := range []string{"R1M1", "R1M2"} {
		begun, err := protocol.Marshal(r.begun[id])
		ended, err2 := protocol.Marshal(r.ended[id])
		if errors.Join(err, err2) != nil || string(begun) != string(ended) || r.begun[id].MatchID != id {
			t.Errorf("got %s when it began, %s when it was over", begun, ended)
		}
	}
}
