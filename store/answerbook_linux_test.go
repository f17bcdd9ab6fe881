package store_test

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// An answer is written before it is sent and synced afterwards: the error of a failed sync is returned by the next call
// of Keep.
func TestAnswersThatCannotBeSyncedAreTold(t *testing.T) {
	root := open(t)
	synctest.Test(t, func(t *testing.T) {
		b := openBook(t, root, "P01")
		// /dev/null accepts every write and refuses a sync.
		mustSucceed(t, os.Symlink("/dev/null", path(root, "data/players/L/P01/answers.jsonl")))
		mustSucceed(t, keep(b, answer("P01", "R1M1", 1, 1)))
		time.Sleep(2 * time.Second) // virtual
		if err := keep(b, answer("P01", "R1M1", 1, 2)); err == nil || !strings.Contains(err.Error(), "cannot be saved") {
			t.Errorf("after a sync that failed: got %v, want that the answer cannot be saved", err)
		}
		mustSucceed(t, keep(b, answer("P01", "R1M1", 1, 2))) // asked again
		_ = b.Close()
	})
}
