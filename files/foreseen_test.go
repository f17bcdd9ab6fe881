package files

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/protocol"
)

const aLeague = "league"

func foreseenRef(match string) protocol.RecordRef {
	return protocol.RecordRef{LeagueID: aLeague, MatchID: match, Attempt: 1}
}

func foreseenRecords(t *testing.T, root *Root) *Records {
	t.Helper()
	records, err := root.Records("REF01")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = records.Close() })
	return records
}

// save keeps a record that is a single line.
func save(t *testing.T, s *Records, match, order string) {
	t.Helper()
	r := foreseenRef(match)
	doc, _, err := (&protocol.MatchRecord{LeagueID: r.LeagueID, MatchID: r.MatchID, Attempt: r.Attempt}).Line()
	if err == nil {
		err = s.Save(r, doc, []byte(order))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func begun(t *testing.T, s *Records, match, order string) {
	t.Helper()
	if err := s.Begun(foreseenRef(match), []byte(order)); err != nil {
		t.Fatal(err)
	}
}

// waitingFor lists the orders that a referee finds which starts on the root, by match.
func waitingFor(t *testing.T, dir string) string {
	t.Helper()
	var list []string
	for u, err := range foreseenRecords(t, &Root{dir: dir}).Unreported() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, u.Ref.MatchID+" "+string(u.Order))
	}
	return strings.Join(list, ", ")
}

func linesOf(t *testing.T, q *queue) int {
	t.Helper()
	text, err := os.ReadFile(q.path())
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

func TestAnOrderThatWasForeseenIsWrittenOnce(t *testing.T) {
	dir := t.TempDir()
	s := foreseenRecords(t, &Root{dir: dir})
	q := s.queue(aLeague)
	begun(t, s, "R1M1", "one")
	begun(t, s, "R1M2", "two")
	begun(t, s, "R1M3", "three")
	if got := waitingFor(t, dir); got != "" {
		t.Errorf("before any match is over: got %s unreported, want none", got)
	}
	save(t, s, "R1M2", "two") // its commit writes all three
	if got := linesOf(t, q); got != 3 {
		t.Errorf("after the first record: got %d orders, want 3", got)
	}
	size := q.size
	save(t, s, "R1M1", "one")
	if q.size != size || q.durable != 3 {
		t.Errorf("an order that is on disk was written again: %d bytes of orders before, %d after; %d on disk", size, q.size, q.durable)
	}
	if got, want := waitingFor(t, dir), "R1M1 one, R1M2 two"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAnOrderThatChangedMeanwhileIsWrittenAgain(t *testing.T) {
	dir := t.TempDir()
	s := foreseenRecords(t, &Root{dir: dir})
	begun(t, s, "R1M1", "as it began")
	save(t, s, "R1M1", "as it ended")
	if got, want := waitingFor(t, dir), "R1M1 as it ended"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// An order that was written without a sync is not on disk: the record that needs it has it synced.
func TestAnOrderThatWasOnlyWrittenIsSyncedWithItsRecord(t *testing.T) {
	dir := t.TempDir()
	s := foreseenRecords(t, &Root{dir: dir})
	q := s.queue(aLeague)
	begun(t, s, "R1M1", "one")
	q.flushLate()
	if q.durable != 0 || linesOf(t, q) != 1 {
		t.Fatalf("%d lines of %d on disk, want 0 of 1", q.durable, linesOf(t, q))
	}
	save(t, s, "R1M1", "one")
	if q.durable != 1 || linesOf(t, q) != 1 {
		t.Errorf("%d lines of %d on disk, want 1 of 1", q.durable, linesOf(t, q))
	}
}

// What was foreseen and lost with a failed write is written with its record.
func TestAForeseenOrderThatIsLostIsWrittenWithItsRecord(t *testing.T) {
	dir := t.TempDir()
	s := foreseenRecords(t, &Root{dir: dir})
	q := s.queue(aLeague)
	begun(t, s, "R1M1", "one")
	save(t, s, "R1M1", "one")
	if err := q.file.Close(); err != nil { // so that the next write fails
		t.Fatal(err)
	}
	begun(t, s, "R1M2", "two")
	q.flushLate()
	save(t, s, "R1M2", "two")
	if got, want := waitingFor(t, dir), "R1M1 one, R1M2 two"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Matches that never ended do not keep the next run from throwing a queue away.
func TestOrdersOfMatchesThatNeverEndedAreThrownAwayToo(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", maxQueue)
	s := foreseenRecords(t, &Root{dir: dir})
	save(t, s, "R1M2", "two")
	if err := s.Reported(foreseenRef("R1M2")); err != nil {
		t.Fatal(err)
	}
	begun(t, s, "R1M1", long)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	next := foreseenRecords(t, &Root{dir: dir})
	begun(t, next, "R1M3", "three")
	save(t, next, "R1M3", "three")
	if got := linesOf(t, next.queue(aLeague)); got != 1 {
		t.Errorf("got %d lines, want the last alone", got)
	}
	if got, want := waitingFor(t, dir), "R1M3 three"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A record that is staged while its order is being synced finds it on disk when its own commit begins, which then writes
// no orders: those that were said since are of matches that are not over.
func TestACommitWritesNoOrderThatTheLastOnePutOnDisk(t *testing.T) {
	s := foreseenRecords(t, &Root{dir: t.TempDir()})
	q := s.queue(aLeague)
	begun(t, s, "R1M1", "one")
	begun(t, s, "R1M2", "two")
	staged := func(match, order string) {
		t.Helper()
		if err := q.stage(foreseenRef(match), []byte(order)); err != nil {
			t.Fatal(err)
		}
	}
	written := func(what string, want int) {
		t.Helper()
		file, upTo, err := q.write()
		if err != nil || upTo != want || (file != nil) != (want > 0) {
			t.Errorf("%s: got %d lines to sync, %v; want %d", what, upTo, err, want)
		}
	}
	staged("R1M1", "one")
	written("the first commit", 2)
	staged("R1M2", "two") // before the sync of the first commit has ended
	begun(t, s, "R1M3", "three")
	q.onDisk(2)
	written("the second commit", 0)
	if got := linesOf(t, q); got != 2 {
		t.Errorf("got %d lines, want the orders of the first commit", got)
	}
	staged("R1M3", "three")
	written("the third commit", 3)
	written("a commit before the sync has ended", 3)
}

// That an order is done with is written when it has waited, not when the line before it had.
func TestALineThatAnOrderIsDoneWithHasItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := foreseenRecords(t, &Root{dir: t.TempDir()})
		q := s.queue(aLeague)
		done := func(match string, lines int) {
			t.Helper()
			if err := s.Reported(foreseenRef(match)); err != nil {
				t.Fatal(err)
			}
			if got := linesOf(t, q); got != lines {
				t.Fatalf("%s is reported: got %d lines, want %d", match, got, lines)
			}
		}
		save(t, s, "R1M1", "one")
		done("R1M1", 1)
		time.Sleep(maxWait / 2)
		save(t, s, "R1M2", "two") // which writes that of the first match too
		done("R1M2", 3)
		time.Sleep(maxWait - time.Millisecond)
		synctest.Wait()
		if got := linesOf(t, q); got != 3 {
			t.Errorf("got %d lines before the second match has waited, want 3", got)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if got := linesOf(t, q); got != 4 {
			t.Errorf("got %d lines when it has, want 4", got)
		}
	})
}
