package player_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/game"
	"agentleague/player"
	"agentleague/protocol"
)

// ask asks a seat for a choice that is due in d, and returns a channel for the outcome.
func ask(ctx context.Context, s *player.Seat, d time.Duration) <-chan string {
	out := make(chan string, 1)
	go func() {
		ctx, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		m, err := s.Choose(ctx, parity)
		if err != nil {
			out <- err.Error()
			return
		}
		out <- string(m)
	}()
	synctest.Wait()
	return out
}

func TestSeatTellsWhatBecameOfATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seat := player.NewSeat(player.Alternate(), 2*time.Second)
		first := ask(t.Context(), seat, 30*time.Second)
		if u := seat.Look(0); len(u.Turns) != 1 || u.Turns[0].ID != "1" || time.Until(u.Turns[0].Deadline) != 28*time.Second {
			t.Fatalf("open = %+v, want turn 1, due in 28s", u.Turns)
		}
		if err := seat.Play("1", game.Move(`"odd"`)); err != nil || <-first != `"odd"` {
			t.Fatalf("play: %v", err)
		}
		if was, ok := seat.Ended("1"); !ok || was.How != player.Played || string(was.Move) != `"odd"` {
			t.Errorf("turn 1 = %+v, want it played with odd", was)
		}
		before := seat.Look(0).Seq
		second := ask(t.Context(), seat, 30*time.Second)
		u, err := seat.Wait(t.Context(), before)
		if err != nil || len(u.Turns) != 1 || len(u.Events) != 0 {
			t.Fatalf("Wait = %+v, %v; want the second turn", u, err)
		}
		u, err = seat.Wait(t.Context(), u.Seq) // for the fallback
		if err != nil || len(u.Turns) != 0 || len(u.Events) != 1 || u.Events[0].Ending.How != player.Fallback ||
			string(u.Events[0].Ending.Move) != <-second {
			t.Errorf("Wait = %+v, %v; want to hear that the fallback played", u, err)
		}
		if seat.Play("2", game.Move(`"odd"`)) != player.ErrNoTurn {
			t.Error("a move for a turn whose time is up was taken")
		}
		if _, ok := seat.Ended("3"); ok {
			t.Error("a turn that never was has ended")
		}
	})
}

// A deadline may have been rounded up by a second; and most of a short time is for the player.
func TestReserveIsSmallerInAShortTime(t *testing.T) {
	for due, want := range map[time.Duration]time.Duration{
		30 * time.Second: 28 * time.Second, 5 * time.Second: 3 * time.Second, 3 * time.Second: 1500 * time.Millisecond,
		time.Second: 0, 0: 0,
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			if got := <-ask(t.Context(), player.NewSeat(player.Alternate(), 2*time.Second), due); got != `"even"` ||
				time.Since(start) != want {
				t.Errorf("due in %v: %s after %v, want the fallback's after %v", due, got, time.Since(start), want)
			}
		})
	}
}

// A referee that names no deadline is answered within the specification's.
func TestSeatWithoutADeadlineKeepsTheSpecifications(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		m, err := player.NewSeat(player.Alternate(), 2*time.Second).Choose(t.Context(), parity)
		if err != nil || string(m) != `"even"` || time.Since(start) != 28*time.Second {
			t.Errorf("got %s, %v after %v; want the fallback's after 28s", m, err, time.Since(start))
		}
	})
}

// After two missed turns the seat does not wait for its player. Any call makes the player present again.
func TestNobodyWaitsForWhoIsNotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seat := player.NewSeat(player.Alternate(), 2*time.Second)
		took := func() time.Duration {
			start := time.Now()
			<-ask(t.Context(), seat, 30*time.Second)
			return time.Since(start)
		}
		for i, want := range []time.Duration{28 * time.Second, 28 * time.Second, 0, 0} {
			if got := took(); got != want {
				t.Errorf("turn %d took %v, want %v", i+1, got, want)
			}
		}
		u := seat.Look(0)
		if len(u.Events) != 4 {
			t.Errorf("events = %+v, want four of the fallback", u.Events)
		}
		if got := took(); got != 28*time.Second {
			t.Errorf("after a call a turn took %v, want 28s", got)
		}
		go func() { _, _ = seat.Wait(t.Context(), 1<<40) }() // a waiting client is present, only slow
		for range 3 {
			if got := took(); got != 28*time.Second {
				t.Errorf("with somebody there a turn took %v, want 28s", got)
			}
		}
	})
}

func TestLeavingLetsTheFallbackPlayAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		seat := player.NewSeat(player.Alternate(), 2*time.Second)
		open := ask(t.Context(), seat, 30*time.Second)
		seat.Leave()
		if turns := seat.Look(0).Turns; len(turns) != 0 { // before the fallback had time to choose
			t.Errorf("who left and looks again is asked for %v, want nothing", turns)
		}
		seat.Leave()
		if got := <-open + <-ask(t.Context(), seat, 30*time.Second); got != `"even""odd"` || time.Since(start) != 0 {
			t.Errorf("who left plays %s after %v, want the fallback's at once", got, time.Since(start))
		}
		seat.Look(0)
		back := ask(t.Context(), seat, 30*time.Second)
		if err := seat.Play("3", game.Move(`"odd"`)); err != nil || <-back != `"odd"` {
			t.Errorf("who came back cannot play: %v", err)
		}
		nobody := player.NewSeat(nil, time.Second)
		nobody.Leave()
		if got := <-ask(t.Context(), nobody, 30*time.Second); !strings.Contains(got, "nobody is at the seat") {
			t.Errorf("without a fallback got %s", got)
		}
	})
}

// A referee that disconnects may repeat the question, so the fallback does not choose.
func TestATurnThatIsDroppedCanBeAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seat := player.NewSeat(player.Alternate(), 2*time.Second)
		ctx, hangUp := context.WithCancel(t.Context())
		dropped := ask(ctx, seat, 30*time.Second)
		hangUp()
		if got := <-dropped; got != context.Canceled.Error() {
			t.Errorf("got %s, want that it was cancelled", got)
		}
		u := seat.Look(0)
		if was, _ := seat.Ended("1"); was.How != player.Dropped || len(u.Turns) != 0 || len(u.Events) != 0 {
			t.Errorf("%+v, %+v; want the turn dropped, and nothing else", was, u)
		}
	})
}

func TestTurnsAreInTheOrderOfTheirDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seat := player.NewSeat(player.Alternate(), 2*time.Second)
		for _, d := range []time.Duration{30, 10, 20} {
			ask(t.Context(), seat, d*time.Second)
		}
		var ids []string
		for _, turn := range seat.Look(0).Turns {
			ids = append(ids, turn.ID)
		}
		if !slices.Equal(ids, []string{"2", "3", "1"}) {
			t.Errorf("turns %v, want the one first that is due first", ids)
		}
		time.Sleep(time.Minute)
	})
}

func TestASeatRemembersNoMoreThanItNeeds(t *testing.T) {
	seat := player.NewSeat(player.Alternate(), 0)
	seat.Leave()
	for range 1000 {
		if _, err := seat.Choose(t.Context(), parity); err != nil {
			t.Fatal(err)
		}
	}
	u := seat.Look(0)
	if len(u.Events) != 64 || u.Events[63].Ending.Turn != "1000" {
		t.Errorf("%d events, want the newest 64", len(u.Events))
	}
	if _, ok := seat.Ended("900"); ok {
		t.Error("old turns are not forgotten")
	}
}

func TestASeatIsToldOfItsMatches(t *testing.T) {
	seat := player.NewSeat(player.FromHistory(), 2*time.Second)
	seven := 7
	o := player.Options{Recall: func(string) (player.Past, error) {
		return player.Past{Matches: []protocol.PlayerMatch{{MatchID: "R0M1", DrawnNumber: protocol.Present(seven)}}}, nil
	}}
	atTable(t, seat, o, true, func(w *table) {
		m := w.matchToken("R1M1", 1)
		if err := w.invite("R1M1", 1, m); err != nil {
			t.Fatal(err)
		}
		var about player.Turn
		go func() {
			about, _ = seat.Turn(w.ctx)
			_ = seat.Play(about.ID, game.Move(`"even"`))
		}()
		if got, err := w.choose("R1M1", 1, m); err != nil || got != `"even"` {
			t.Fatalf("choose = %s, %v", got, err)
		}
		want := player.Match{LeagueID: "L", ID: "R1M1", Round: 1, Opponent: "P02", Attempt: 1}
		if about.ID != "R1M1-turn1" || about.Match != want {
			t.Errorf("asked %s %+v, want R1M1-turn1 %+v", about.ID, about.Match, want)
		}
		if err := w.over("R1M1", 1, m, protocol.Loss, 9); err != nil {
			t.Fatal(err)
		}
		for _, news := range []protocol.Message{
			&protocol.StandingsUpdate{Envelope: protocol.Envelope{
				MessageType: protocol.TypeLeagueStandingsUpdate,
				AuthToken:   protocol.ManagerToken(w.token, "L", protocol.TypeLeagueStandingsUpdate, 1), RoundID: 1,
			},
				Standings: []protocol.Standing{{Rank: 2, PlayerID: "P01"}}},
			&protocol.LeagueCompleted{
				Envelope: protocol.Envelope{
					MessageType: protocol.TypeLeagueCompleted,
					AuthToken:   protocol.ManagerToken(w.token, "L", protocol.TypeLeagueCompleted, 0),
				}, Champion: protocol.Champion{PlayerID: "P02"},
			},
		} {
			if _, err := w.from(w.manager, news); err != nil {
				t.Fatal(err)
			}
		}
		u := seat.Look(0)
		if len(u.Events) != 2 || u.Events[0].Over.Result != protocol.Loss || u.Events[1].Final.Champion.PlayerID != "P02" ||
			u.Final == nil {
			t.Errorf("events %+v, want the match and the end, and not what was long ago", u.Events)
		}
		if len(u.Table) != 1 || u.Table[0].Rank != 2 {
			t.Errorf("table %+v, want what the manager told", u.Table)
		}
		seat.Leave()
		if got, err := seat.Choose(w.ctx, parity); err != nil || string(got) != `"odd"` {
			t.Errorf("the fallback played %s, want what it learned from the matches", got)
		}
	})
}

// A choice that may not be played is made again; any other complaint changes nothing.
func TestARefusedChoiceIsMadeAgain(t *testing.T) {
	var asked []player.Match
	moves := []string{`"seven"`, `"odd"`}
	s := player.StrategyFunc(func(ctx context.Context, _ game.View) (game.Move, error) {
		m, _ := player.MatchOf(ctx)
		asked = append(asked, m)
		return game.Move(moves[(len(asked)-1)%2]), nil
	})
	atTable(t, s, player.Options{}, true, func(w *table) {
		m := w.matchToken("R1M1", 1)
		if err := w.invite("R1M1", 1, m); err != nil {
			t.Fatal(err)
		}
		complain := func(kind *protocol.Kind, whose string) {
			_, err := w.from(w.referee, &protocol.GameError{
				Envelope:  protocol.Envelope{MessageType: protocol.TypeGameError, MatchID: "R1M1", AuthToken: m},
				ErrorCode: kind.Code, ErrorName: kind.Name, ErrorDescription: kind.Name, AffectedPlayer: whose,
				Context: map[string]any{"detail": "no such move"}, Attempt: 1,
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for i, step := range []struct {
			kind  *protocol.Kind
			whose string
			want  string
		}{{nil, "", `"seven"`}, {protocol.Timeout, "P01", `"seven"`}, {protocol.InvalidChoice, "P02", `"seven"`},
			{protocol.InvalidChoice, "P01", `"odd"`},
			{protocol.Timeout, "P01", `"odd"`}, {protocol.InvalidChoice, "P01", `"odd"`}} {
			if step.kind != nil {
				complain(step.kind, step.whose)
			}
			if got, err := w.choose("R1M1", 1, m); err != nil || got != step.want {
				t.Errorf("step %d: %s, %v; want %s", i, got, err, step.want)
			}
		}
		if len(asked) != 2 || asked[0].Refused != "" || asked[1].Refused != "no such move" {
			t.Errorf("the strategy was asked %+v, want twice, the second time with the reason", asked)
		}
	})
}

// A player that was killed during a match continues it, if it has stored the match and the referee is authentic.
func TestAPlayerGoesOnWithAMatchItWasIn(t *testing.T) {
	var kept [][]player.Joined
	keep := func(now []player.Joined) error {
		kept = append(kept, slices.Clone(now))
		return errors.New("the disk is full")
	}
	was := []player.Joined{{MatchID: "R1M1", Attempt: 1, RoundID: 1, OpponentID: "P02"}, {MatchID: "R1M3", Attempt: 1}}
	atTable(t, player.Alternate(), player.Options{Joined: was, KeepJoined: keep}, true, func(w *table) {
		_, err := w.choose("R1M1", 1, "tok_forged")
		refused(t, err, protocol.MatchNotFound)
		_, err = w.choose("R1M2", 1, w.matchToken("R1M2", 1))
		refused(t, err, protocol.MatchNotFound)
		_, err = w.choose("R1M1", 2, w.matchToken("R1M1", 2))
		refused(t, err, protocol.MatchNotFound)
		m := w.matchToken("R1M1", 1)
		if got, err := w.choose("R1M1", 1, m); err != nil || got != `"even"` {
			t.Errorf("choose = %s, %v; want it to go on", got, err)
		}
		if err := w.invite("R1M2", 1, w.matchToken("R1M2", 1)); err != nil {
			t.Errorf("an invitation: %v", err)
		}
		if err := w.over("R1M1", 1, m, protocol.Win, 4); err != nil {
			t.Errorf("the end: %v", err)
		}
		_, err = w.choose("R1M1", 1, m)
		refused(t, err, protocol.MatchNotFound)
	})
	if len(kept) != 2 || len(kept[0]) != 3 || len(kept[1]) != 2 || kept[1][0].MatchID != "R1M3" ||
		kept[1][1].MatchID != "R1M2" {
		t.Errorf("kept %+v, want what it is in after the invitation and after the end", kept)
	}
}

func TestAMoveIsReadAsItIsMeant(t *testing.T) {
	words := player.Turn{View: parity}
	cells := player.Turn{View: game.View{Options: []game.Move{game.Move(`4`), game.Move(` 7 `)}}}
	cases := player.Turn{
		View: game.View{Options: []game.Move{game.Move(`"b4"`), game.Move(`"B4"`), game.Move(`{"from":1,"to":2}`)}},
	}
	for _, c := range []struct {
		turn        player.Turn
		given, want string
	}{
		{words, `"even"`, `"even"`}, {words, `"ODD "`, `"odd"`}, {words, `"seven"`, ""}, {words, `null`, ""},
		{words, `{`, ""}, {words, ``, ""},
		{cells, `4`, `4`}, {cells, `"7"`, ` 7 `}, {cells, `5`, ""}, {cells, `[4]`, ""},
		{cases, `"B4"`, `"B4"`}, {cases, `"b4"`, `"b4"`}, {cases, `{"from": 1, "to": 2}`, `{"from":1,"to":2}`},
		{cases, `"{\"to\": 2, \"from\": 1}"`, `{"from":1,"to":2}`}, {cases, `"{\"to\": 2}"`, ""}, {cells, `"4.0"`, `4`},
		{player.Turn{}, `"4"`, `4`}, {player.Turn{}, `"{\"a\": 1}"`, `{"a":1}`}, {player.Turn{}, `"even"`, `"even"`},
		{player.Turn{}, `"4x"`, `"4x"`}, {player.Turn{}, `""`, `""`},
		{player.Turn{}, ` {"any": "thing"}`, `{"any":"thing"}`},
	} {
		got, err := c.turn.Read(json.RawMessage(c.given))
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s for %v: got %s, %v; want %q", c.given, c.turn.Choices(), got, err, c.want)
		}
	}
	if _, err := words.Read(json.RawMessage(`"maybe"`)); err == nil || !strings.Contains(err.Error(),
		`"maybe" cannot be played now; play one of: even, odd`) {
		t.Errorf("got %v, want what may be played", err)
	}
}

// For any input, the result is one of the options or an error.
func FuzzTurnRead(f *testing.F) {
	for _, s := range []string{`"even"`, `"ODD"`, `4`, `null`, `{"a":[1,2]}`, "\"\xff\"", `"\u0130"`} {
		f.Add([]byte(s))
	}
	turn := player.Turn{
		View: game.View{
			Options: []game.Move{game.Move(`"even"`), game.Move(`"odd"`), game.Move(`4`), game.Move(`{"a":[1,2]}`)},
		},
	}
	f.Fuzz(func(t *testing.T, given []byte) {
		m, err := turn.Read(given)
		if (err == nil) != slices.ContainsFunc(turn.View.Options, func(o game.Move) bool {
			return m != nil && string(o) == string(m)
		}) {
			t.Errorf("%q is read as %s, %v", given, m, err)
		}
	})
}
