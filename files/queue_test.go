package files

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"agentleague/protocol"
)

// A line that was said and lost with somebody else's write is not said to be kept.
func TestAnOrderThatIsLostWithAnothersWriteIsAnError(t *testing.T) {
	folder := t.TempDir()
	q := newQueue(&Root{dir: folder}, ".", "a")
	first := protocol.RecordRef{LeagueID: "a", MatchID: "R1M1", Attempt: 1}
	if err := q.add(first, []byte("order")); err != nil {
		t.Fatal(err)
	}
	q.synced.turn <- struct{}{} // somebody's sync is under way: the next has to wait
	added := make(chan error, 1)
	go func() {
		added <- q.add(protocol.RecordRef{LeagueID: "a", MatchID: "R1M2", Attempt: 1}, []byte("order"))
	}()
	for said := false; !said; {
		q.mu.Lock()
		said = len(q.unsaid) > 0
		q.mu.Unlock()
	}
	q.mu.Lock()
	if err := q.file.Close(); err != nil { // so that the next write fails
		t.Fatal(err)
	}
	q.mu.Unlock()
	q.flushLate()
	<-q.synced.turn
	if err := <-added; err == nil {
		t.Error("an order that was not written is said to be kept")
	}
	text, err := os.ReadFile(filepath.Join(folder, queueName))
	if orders, damage := q.orders(text); err != nil || damage != nil || len(orders) != 1 {
		t.Errorf("got %v, %v, %v; want the first order alone", orders, damage, err)
	}
	if err := q.add(first, []byte("order")); err != nil {
		t.Errorf("after a failure: %v", err)
	}
	q.close()
}

func TestALineOfAQueueIsWrittenAsJSON(t *testing.T) {
	for _, line := range []queued{
		{MatchID: "R1M1", Attempt: 1, Order: []byte("an order")}, {MatchID: "R12M7", Attempt: 2, Reported: true},
		{MatchID: "R1M1", Order: []byte{}}, {MatchID: `"<`, Attempt: -1, Order: []byte{0, 255}, Reported: true}, {},
	} {
		want, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		got, err := line.append([]byte("before "))
		if err != nil || string(got) != "before "+string(want) {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}
