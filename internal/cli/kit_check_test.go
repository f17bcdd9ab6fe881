package cli

import (
	"testing"
	"time"

	"agentleague/check"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// Each kit passes the strict check by its address.
func TestKitsPassTheCheck(t *testing.T) {
	t.Parallel()
	for lang, tool := range tools {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			need(t, tool)
			k := startKit(t, lang, newKit(t, lang, "Kit"), nobody)
			r, err := check.Run(t.Context(), k.url, check.Options{Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			passes(t, r, "P20", "P21", "P43", "P90")
		})
	}
}

// Each kit passes the strict check with the checker as its manager without a skipped step, and ends when the checker
// announces the end of the league.
func TestKitsPassTheCheckUnderTheChecker(t *testing.T) {
	t.Parallel()
	for lang, tool := range tools {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			need(t, tool)
			var r protocol.Report
			var err error
			manager, checked := make(chan string, 1), make(chan struct{})
			go func() {
				defer close(checked)
				defer close(manager)
				r, err = check.Run(t.Context(), "", check.Options{Strict: true, Ready: func(url string) { manager <- url }})
			}()
			t.Cleanup(func() { <-checked })
			k := startKit(t, lang, newKit(t, lang, "Kit"), <-manager)
			if <-checked; err != nil {
				t.Fatal(err)
			}
			passes(t, r)
			select {
			case err := <-k.ended:
				if err != nil {
					t.Errorf("the %s kit ended with %v, want it to end well", lang, err)
				}
			case <-time.After(rpctest.Patience):
				t.Errorf("the %s kit does not end with the league", lang)
			}
		})
	}
}

// passes fails for every step that is not a pass, but for those that cannot be
// looked at in that situation.
func passes(t *testing.T, r protocol.Report, unseen ...string) {
	t.Helper()
	skipped := map[string]bool{}
	for _, id := range unseen {
		skipped[id] = true
	}
	if r.Passed == 0 || r.Failed != 0 || r.Warned != 0 || r.Skipped != len(unseen) {
		t.Errorf("passed %s, failed %d, warnings %d, skipped %d; want nothing but passes, and %d skipped", r.Score, r.Failed, r.Warned, r.Skipped, len(unseen))
	}
	for _, s := range r.Steps {
		if s.Status != protocol.Pass && !(s.Status == protocol.Skip && skipped[s.ID]) {
			t.Errorf("%s %s %s: %s\n%s", s.Status, s.ID, s.Name, s.Detail, check.Details(s))
		}
	}
}
