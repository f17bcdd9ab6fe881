package player_test

import (
	"slices"
	"testing"

	"agentleague/player"
	"agentleague/protocol"
)

func TestPlayerWitnessesTheHeadsOfItsLeague(t *testing.T) {
	var kept []player.Witness
	keep := func(w player.Witness) error { kept = append(kept, w); return nil }
	atNativeTable(t, player.Alternate(), player.Options{Identity: identity(t), KeepWitness: keep}, func(w *table) {
		for range 2 { // a duplicate changes nothing
			if _, err := w.announce(&protocol.RoundAnnouncement{
				Matches: []protocol.AnnouncedMatch{}, Seal: seal, LogHead: "aa",
			}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.tell(protocol.TypeRoundCompleted, 1, &protocol.RoundCompleted{LogHead: "bb"}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.tell(protocol.TypeRoundAnnouncement, 2, &protocol.RoundAnnouncement{
			Matches: []protocol.AnnouncedMatch{}, LogHead: "bb",
		}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			reply, err := w.tell(protocol.TypeLeagueCompleted, 0, &protocol.LeagueCompleted{LogHead: "bb"})
			if err != nil {
				t.Fatal(err)
			}
			ack := reply.(*protocol.Ack)
			key := protocol.PublicKey(identity(t).Key)
			if err := protocol.CheckSignature(key, protocol.FinalSignatureText(seal, "P01", "bb"), ack.Signature); err != nil ||
				ack.LogHead != "bb" {
				t.Errorf("the final signature is of %q: %v", ack.LogHead, err)
			}
		}
	})
	// one line may close a round and end the league
	want := []player.Head{
		{What: "started", Head: "aa"}, {What: "round", Round: 1, Head: "bb"}, {What: "completed", Head: "bb"},
	}
	if len(kept) != 3 || !slices.Equal(kept[2].Heads, want) {
		t.Fatalf("kept %+v, want %+v", kept, want)
	}
	if w := kept[2]; w.SchemaVersion == "" || w.LeagueID != "L" || w.Seal != seal || w.PlayerID != "P01" ||
		w.PublicKey != protocol.PublicKey(identity(t).Key) || w.LastUpdated == "" {
		t.Errorf("the witness is %+v", w)
	}
}

// A captured L conveys nothing new: the first head of a line stays, across a restart, and nothing is written.
func TestFirstTellingOfALineIsWitnessed(t *testing.T) {
	var last player.Witness
	keep := func(w player.Witness) error { last = w; return nil }
	before := player.Witness{
		Seal: seal, PlayerID: "P01", Heads: []player.Head{{What: player.HeadRound, Round: 1, Head: "bb"}},
	}
	atNativeTable(t, player.Alternate(), player.Options{Witness: before, KeepWitness: keep}, func(w *table) {
		for _, head := range []string{"b0", "b1", "bb"} {
			if _, err := w.tell(protocol.TypeRoundCompleted, 1, &protocol.RoundCompleted{LogHead: head}); err != nil {
				t.Fatal(err)
			}
		}
		if last.Heads != nil {
			t.Errorf("kept %+v although nothing new was told", last.Heads)
		}
		if _, err := w.tell(protocol.TypeRoundCompleted, 2, &protocol.RoundCompleted{LogHead: "cc"}); err != nil {
			t.Fatal(err)
		}
	})
	want := []player.Head{{What: "round", Round: 1, Head: "bb"}, {What: "round", Round: 2, Head: "cc"}}
	if !slices.Equal(last.Heads, want) {
		t.Errorf("kept %+v, want %+v", last.Heads, want)
	}
}

// An attacker that has read a message of the manager can repeat it with another content.
func TestFirstTellingOfALineIsSigned(t *testing.T) {
	atNativeTable(t, player.Alternate(), player.Options{}, func(w *table) {
		for match, told := range map[string][]string{"R1M1": {"aa", "a0"}, "R1M2": {"aa"}} {
			for _, head := range told {
				if _, err := w.announce(&protocol.RoundAnnouncement{
					Matches: []protocol.AnnouncedMatch{}, Seal: seal, LogHead: head,
				}); err != nil {
					t.Fatal(err)
				}
			}
			w.calls(match, 1)
			if got, err := w.parity(match, 1); err != nil || got.Proof.Head != "aa" {
				t.Errorf("%s: got %+v, %v; want a proof with the head aa", match, got, err)
			}
		}
		if _, err := w.tell(protocol.TypeRoundCompleted, 1, &protocol.RoundCompleted{LogHead: "bb"}); err != nil {
			t.Fatal(err)
		}
		w.calls("R2M1", 1)
		if got, err := w.parity("R2M1", 1); err != nil || got.Proof.Head != "bb" {
			t.Errorf("got %+v, %v; want a proof with the newest head", got, err)
		}
	})
}

func TestHeadsOfAnotherLeagueAreNotMixedIn(t *testing.T) {
	var last player.Witness
	keep := func(w player.Witness) error { last = w; return nil }
	before := player.Witness{
		Seal: "another", PlayerID: "P01", Heads: []player.Head{{What: player.HeadStarted, Head: "aa"}},
	}
	atNativeTable(t, player.Alternate(), player.Options{Witness: before, KeepWitness: keep}, func(w *table) {
		if _, err := w.announce(&protocol.RoundAnnouncement{
			Matches: []protocol.AnnouncedMatch{}, Seal: seal, LogHead: "dd",
		}); err != nil {
			t.Fatal(err)
		}
	})
	if want := []player.Head{{What: "started", Head: "dd"}}; !slices.Equal(last.Heads, want) || last.Seal != seal {
		t.Errorf("kept %+v, want %+v", last, want)
	}
}

func TestPlayerWithoutAKeyHasNoFinalSignature(t *testing.T) {
	keep := func(w player.Witness) error { t.Errorf("it bears witness of %+v", w); return nil }
	atTable(t, player.Alternate(), player.Options{KeepWitness: keep, Unsigned: true}, true, func(w *table) {
		reply, err := w.tell(protocol.TypeLeagueCompleted, 0, &protocol.LeagueCompleted{LogHead: "cc"})
		if err != nil || reply.(*protocol.Ack).Signature != "" {
			t.Errorf("got %+v, %v; want no signature", reply, err)
		}
	})
}
