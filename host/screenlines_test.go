package host

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
)

func TestWarningsOnATerminalAreSentences(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	log := slog.New(&screenLines{w: &out, level: slog.LevelWarn}).With("league_id", "spring", "referee_id", "REF01")
	log.Info("nobody reads this")
	log.Warn("a referee refuses a match", "error", errors.New("the agent answered HTTP 500\x1b[2J"), "match_id", "R1M1", "note", "")
	_, line, _ := strings.Cut(out.String(), " ")
	if want := "a referee refuses a match: the agent answered HTTP 500�[2J (referee REF01, match R1M1)\n"; line != want {
		t.Errorf("got %q, want %q", line, want)
	}
}
