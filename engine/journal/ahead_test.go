package journal

import (
	"os"
	"syscall"
	"testing"
)

// TestAHeadIsNeverAheadOfItsLog reads the head whenever a line is about to be synced: it must not name that line yet.
func TestAHeadIsNeverAheadOfItsLog(t *testing.T) {
	dir := t.TempDir()
	e, d := openFaulty(t, dir, Options{})
	for seq := range uint64(5) {
		syncs := 0
		d.failing(func(op, path string) error {
			if op != "sync" || path != Path(dir, "league") {
				return nil
			}
			syncs++
			text, err := os.ReadFile(headPath(path))
			if head, ok := parseHead(text); err != nil || !ok || head.seq > seq {
				t.Errorf("before entry %d is synced the head is at %d, %v", seq+1, head.seq, err)
				return syscall.EIO
			}
			return nil
		})
		mustAppend(t, e, seq, "x")
		d.failing(nil)
		if syncs == 0 {
			t.Errorf("entry %d was acknowledged and never synced", seq+1)
		}
	}
}
