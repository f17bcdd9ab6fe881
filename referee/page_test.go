package referee

import (
	"context"
	"testing"

	"agentleague/protocol"
)

// In all tests of this package a page that returns to the pool is overwritten at once, which reveals later reads of a
// record from it.
func init() {
	released = func(page []byte) {
		for i := range page {
			page[i] = '!'
		}
	}
}

func TestARecordOutlivesThePageItWasWrittenOn(t *testing.T) {
	var kept Memory
	f := Finished{Record: protocol.MatchRecord{MatchID: "R1M1", LeagueID: "L"}}
	if err := kept.Record(context.Background(), &f); err != nil {
		t.Fatal(err)
	}
	f.letGo()
	doc, err := kept.Document(context.Background(), f.Record.Ref())
	if err != nil || protocol.RecordHash(doc) != f.hash {
		t.Errorf("after its page was given back the record is %s, %v", doc, err)
	}
	for again, err := range kept.Unreported(context.Background()) {
		if doc, wrong := again.Document(); err != nil || wrong != nil || protocol.RecordHash(doc) != f.hash {
			t.Errorf("it is told again as %s, %v, %v", doc, err, wrong)
		}
	}
	if doc, err := f.Document(); err != nil || protocol.RecordHash(doc) != f.hash {
		t.Errorf("it is written again as %s, %v", doc, err)
	}
}
