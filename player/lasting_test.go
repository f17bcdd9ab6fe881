package player

import (
	"strings"
	"testing"
	"unsafe"

	"agentleague/protocol"
)

// isPartOf reports whether a text lies in the memory of another.
func isPartOf(part, whole string) bool {
	at, start := uintptr(unsafe.Pointer(unsafe.StringData(part))), uintptr(unsafe.Pointer(unsafe.StringData(whole)))
	return at >= start && at < start+uintptr(len(whole))
}

// A league has many rounds, and a word of a message keeps all of it in memory.
func TestAnnouncementsKeepNoMessageInMemory(t *testing.T) {
	body := strings.Clone("R1M1 http://localhost:8001/mcp and much more")
	id, endpoint, _ := strings.Cut(body, " ")
	endpoint, _, _ = strings.Cut(endpoint, " ")
	var n announcements
	for range 2 { // it may be announced again
		n.hear("P01", &protocol.RoundAnnouncement{Envelope: protocol.Envelope{RoundID: 1}, Matches: []protocol.AnnouncedMatch{
			{MatchID: id, PlayerAID: "P01", PlayerBID: "P02", RefereeEndpoint: endpoint, Native: true},
		}})
	}
	if got := n.referee("R1M1"); got != endpoint || isPartOf(got, body) {
		t.Errorf("the referee is at %q, part of the message: %v; want %q of its own", got, isPartOf(got, body), endpoint)
	}
	for match, known := range n.known {
		if match != id || isPartOf(match, body) || isPartOf(known.match, body) {
			t.Errorf("the match %q is kept as a part of its message", match)
		}
	}
	if other := body[:4]; isPartOf(n.lasting(other), body) || isPartOf(n.lasting(body[5:]), body) {
		t.Error("what is to last is a part of a message")
	}
	if got := n.referee("R7M7"); got != "" {
		t.Errorf("the referee of a match that nobody announced is at %q", got)
	}
}

func TestWitnessKeepsNoMessageInMemoryAndLeavesWhatItToldAlone(t *testing.T) {
	body := strings.Clone("first second third fourth")
	heads := strings.Fields(body)
	var told []Witness
	w := witness{
		place: &place{seal: "seal", id: "P01"}, who: New("A", Random(nil), Options{}).who,
		was:  &Witness{Seal: "seal", PlayerID: "P01", Heads: make([]Head, 0, 8)},
		keep: func(now Witness) error { told = append(told, now); return nil }, retold: map[Head]bool{},
	}
	w.hear(Head{What: HeadRound, Round: 1, Head: heads[0]})
	w.hear(Head{What: HeadRound, Round: 2, Head: heads[1]})
	w.place.seal = "another"
	w.hear(Head{What: HeadRound, Round: 1, Head: heads[2]})
	w.place.seal = "seal" // messages from before the start are processed again
	w.hear(Head{What: HeadRound, Round: 1, Head: heads[3]})
	for i, want := range []string{"first", "first second", "third", "fourth"} {
		var got []string
		for _, h := range told[i].Heads {
			if isPartOf(h.Head, body) {
				t.Errorf("the head %q is kept as a part of its message", h.Head)
			}
			got = append(got, h.Head)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("telling %d now has the heads %q, want %q", i+1, got, want)
		}
	}
}
