package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/store"
)

func answer(player, match string, attempt, number int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"player_id":%q,"match_id":%q,"attempt":%d,"number":%d}`, player, match,
		attempt, number))
}

// keep stores an answer with its match and turn, as a player does.
func keep(b *store.AnswerBook, line json.RawMessage) error {
	var about struct {
		PlayerID string `json:"player_id"`
		MatchID  string `json:"match_id"`
		Attempt  int    `json:"attempt"`
	}
	if err := json.Unmarshal(line, &about); err != nil {
		return err
	}
	return b.Keep(about.PlayerID, about.MatchID, about.Attempt, line)
}

func openBook(t *testing.T, root *store.Root, player string) *store.AnswerBook {
	t.Helper()
	b, err := store.OpenAnswers(root, "L", player)
	mustSucceed(t, err)
	return b
}

func loaded(t *testing.T, root *store.Root, player string) string {
	t.Helper()
	lines, err := store.LoadAnswers(root, "L", player)
	mustSucceed(t, err)
	var out []string
	for _, l := range lines {
		out = append(out, string(l))
	}
	return strings.Join(out, "\n")
}

func TestAnswersAreThereAgainUntilTheirMatchIsOver(t *testing.T) {
	for _, whose := range []string{"P01", ""} {
		root := open(t)
		b := openBook(t, root, whose)
		for _, line := range []json.RawMessage{
			answer("P01", "R1M1", 1, 1), answer("P01", "R1M1", 1, 2), answer("P02", "R1M1", 1, 1),
		} {
			mustSucceed(t, keep(b, line))
		}
		again := reopen(t, root.Dir()) // after a kill
		if got, want := loaded(t, again, "P01"), string(answer("P01", "R1M1", 1, 1))+"\n"+
			string(answer("P01", "R1M1", 1, 2)); got != want {
			t.Errorf("book of %q: P01 has\n%s\nwant\n%s", whose, got, want)
		}
		b.Over("P01", "R1M1", 1)
		mustSucceed(t, b.Close())
		again = reopen(t, root.Dir())
		if got := loaded(t, again, "P01"); got != "" {
			t.Errorf("book of %q: P01 has %s after the match, want nothing", whose, got)
		}
		if whose == "" && loaded(t, again, "P02") == "" {
			t.Error("what P02 answered is gone with P01's match")
		}
	}
}

func TestBookHasOneWriter(t *testing.T) {
	root := open(t)
	b := openBook(t, root, "")
	same := openBook(t, root, "") // of another player of this process
	if _, err := store.OpenAnswers(reopen(t, root.Dir()), "L", ""); !errors.Is(err, store.ErrBookTaken) {
		t.Errorf("another process: %v, want that it is taken", err)
	}
	mustSucceed(t, b.Close())
	mustSucceed(t, keep(same, answer("P02", "R1M1", 1, 1)))
	mustSucceed(t, same.Close())
	mustSucceed(t, openBook(t, reopen(t, root.Dir()), "").Close())
}

func TestTornAnswerIsNoAnswer(t *testing.T) {
	root := open(t)
	b := openBook(t, root, "P01")
	mustSucceed(t, keep(b, answer("P01", "R1M1", 1, 1)))
	mustSucceed(t, b.Close())
	name := path(root, "data/players/L/P01/answers.jsonl")
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	mustSucceed(t, err)
	_, err = f.WriteString(`{"player_id":"P01","match`)
	mustSucceed(t, errors.Join(err, f.Close()))
	b = openBook(t, root, "P01")
	mustSucceed(t, keep(b, answer("P01", "R1M1", 1, 2)))
	mustSucceed(t, b.Close())
	if got, want := loaded(t, reopen(t, root.Dir()), "P01"),
		string(answer("P01", "R1M1", 1, 1))+"\n"+string(answer("P01", "R1M1", 1, 2)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	mustSucceed(t, os.WriteFile(name, []byte("nonsense\n"), 0o600))
	if _, err := store.LoadAnswers(reopen(t, root.Dir()), "L", "P01"); err == nil || !strings.Contains(err.Error(),
		"answers.jsonl:1") {
		t.Errorf("got %v, want an error that names the line", err)
	}
}

// A book does not grow with the matches that are over.
func TestBookStaysShort(t *testing.T) {
	root := open(t)
	synctest.Test(t, func(t *testing.T) {
		b := openBook(t, root, "")
		mustSucceed(t, keep(b, answer("P99", "R1M9", 1, 1)))
		var crowd sync.WaitGroup
		for p := range 40 {
			crowd.Go(func() {
				id := fmt.Sprintf("P%02d", p+1)
				for n := range 50 {
					match := fmt.Sprintf("R%dM1", n+1)
					if err := keep(b, json.RawMessage(strings.TrimSuffix(string(answer(id, match, 1, 1)), "}")+`,"more":"`+
						strings.Repeat("x", 400)+`"}`)); err != nil {
						t.Error(err)
					}
					b.Over(id, match, 1)
				}
			})
		}
		crowd.Wait()
		time.Sleep(2 * time.Second) // a removal is written late
		info, err := os.Stat(path(root, "data/players/L/answers.jsonl"))
		if err != nil || info.Size() > 256<<10 {
			t.Errorf("after 2,000 matches the book has %d bytes, %v", info.Size(), err)
		}
		mustSucceed(t, b.Close())
	})
	if got := loaded(t, reopen(t, root.Dir()), "P99"); got != string(answer("P99", "R1M9", 1, 1)) {
		t.Errorf("what is not over is %q", got)
	}
}

func TestAnswerThatCannotBeWrittenIsNotKept(t *testing.T) {
	root := open(t)
	b := openBook(t, root, "P01")
	name := path(root, "data/players/L/P01/answers.jsonl")
	mustSucceed(t, os.Mkdir(name, 0o755))
	if keep(b, answer("P01", "R1M1", 1, 1)) == nil {
		t.Error("an answer is kept in a folder")
	}
	mustSucceed(t, os.Remove(name))
	mustSucceed(t, keep(b, answer("P01", "R1M1", 1, 1)))
	mustSucceed(t, b.Close())
}

func TestWitnessOfAnotherLogIsSetAside(t *testing.T) {
	type heard struct {
		Seal string `json:"seal"`
		N    int    `json:"n"`
	}
	root := open(t)
	w := root.Witness("L", "P01")
	for _, h := range []heard{{"aaaa", 1}, {"aaaa", 2}, {"bbbb", 3}} {
		mustSucceed(t, w.Save(h.Seal, h))
	}
	var now heard
	mustSucceed(t, w.Load(&now))
	old, err := os.ReadFile(path(root, "data/players/L/P01/witness-aaaa.json"))
	if now != (heard{"bbbb", 3}) || err != nil || !strings.Contains(string(old), `"n": 2`) {
		t.Errorf("now %+v, before %s, %v", now, old, err)
	}
}
