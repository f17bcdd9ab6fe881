package show

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/protocol"
)

// Failures come first and in full, then each warning in one line; passed steps are counted.
func TestFailuresAreShownFirst(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	page := &Check{Out: &out, Err: &errs}
	r := protocol.Report{Role: protocol.RolePlayer, URL: "http://localhost:1/mcp", Failed: 1, Warned: 2, Passed: 1, Score: "1/4",
		Verdict: "does not conform: 1 step failed",
		Steps: []protocol.CheckStep{
			{ID: "P01", Name: "one", Status: protocol.Pass},
			{ID: "P02", Name: "two", Status: protocol.Warn, Detail: "odd", Fix: "Do that.", Sent: "POST x"},
			{ID: "P03", Name: "three", Status: protocol.Fail, Detail: "wrong", Fix: "Do this.", Sent: "POST y", Received: "500 z",
				Quote: "“as it is”"},
			{ID: "P04", Name: "four", Status: protocol.Warn, Detail: "odd\nas well"},
		}}
	for _, s := range r.Steps {
		page.Step(s)
	}
	page.Result(r)
	want := `FAIL P03 three
          wrong
          sent  POST y
          got   500 z
          fix   Do this.
          spec  “as it is”
WARN P02 two: odd
WARN P04 four: odd as well

the agent is a player at http://localhost:1/mcp
passed 1/4, failed 1, warnings 2, skipped 0, in 0.0 s
does not conform: 1 step failed
failed: P03
-v shows every step, and with each warning how to fix it
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// syncBuffer is written by one goroutine and read by another.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// Without a terminal, a slow step is printed once, and others are not.
func TestAStepThatTakesLongIsToldOf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out syncBuffer
		var r runningStep
		for _, tt := range []struct {
			what string
			long time.Duration
		}{{"P01 quick", time.Second}, {"P22 slow", 20 * time.Second}} {
			r.begin(&out, tt.what)
			time.Sleep(tt.long)
			r.stop()
		}
		if got := out.String(); got != "running P22 slow, for 3 s so far\n" || strings.Contains(got, "P01") {
			t.Errorf("got %q", got)
		}
	})
}
