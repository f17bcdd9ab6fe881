package logs

import (
	"context"
	"log/slog"
	"testing"
	"time"
)

// taken returns the lines of a log that wait, which are not written then.
func taken(l *Log) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := string(l.wait)
	l.wait = l.wait[:0]
	return lines
}

func FuzzPassing(f *testing.F) {
	f.Add(int64(0), true, "PING", "conv-1", "R1M1", "manager")
	f.Add(int64(253402300800000), false, "tok", "a\"b", "to\xffk", "\x1b[31m")
	folder := New(f.TempDir(), nil)
	f.Fuzz(func(t *testing.T, ms int64, sent bool, kind, conversation, match, peer string) {
		l := folder.System(slog.LevelDebug)
		l.due = true // without a writer
		at, p := time.UnixMilli(ms), Passing{Sent: sent, Type: kind, Conversation: conversation, Match: match, Peer: peer}
		if err := l.Passed(at, p); err != nil {
			t.Fatal(err)
		}
		got := taken(l)
		if err := l.Handler().Handle(context.Background(), p.Record(at, slog.LevelDebug)); err != nil {
			t.Fatal(err)
		}
		if want := taken(l); got != want {
			t.Errorf("\ngot  %swant %s", got, want)
		}
	})
}
