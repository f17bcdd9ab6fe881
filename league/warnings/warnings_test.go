package warnings

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestWarningsAreLoggedOncePerMinuteAndAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w List
		for i, step := range []struct {
			key, address string
			after        time.Duration
			log          bool
		}{
			{"a", "10.0.0.1", 0, true},
			{"a", "10.0.0.1", 59 * time.Second, false},
			{"a", "10.0.0.2", 0, true},
			{"b", "10.0.0.1", 0, true},
			{"a", "10.0.0.1", time.Second, true},
		} {
			time.Sleep(step.after)
			if got := w.Add(step.key, "text of "+step.key, step.address); got != step.log {
				t.Errorf("step %d: logged %v, want %v", i, got, step.log)
			}
		}
		all := w.All()
		if len(all) != 3 || all[2].Count != 3 || all[2].Address != "10.0.0.1" || all[2].Text != "text of a" {
			t.Errorf("got %+v, want three warnings, the newest last", all)
		}
		w.Clear("a")
		if all := w.All(); len(all) != 1 || all[0].Text != "text of b" {
			t.Errorf("after clear: %+v", all)
		}
	})
}

func TestWarningsAreBoundedInTotalAndPerAddress(t *testing.T) {
	var w List
	w.Add("first", "first", "10.1.1.1")
	logged := 0
	for i := range 1000 {
		if w.Add(fmt.Sprint(i), "flood", "10.0.0.1") {
			logged++
		}
	}
	if all := w.All(); logged != maxWarningsPer || len(all) != 1+maxWarningsPer || all[0].Text != "first" {
		t.Errorf("one address logged %d and listed %d, want %d and the first kept", logged, len(all), maxWarningsPer)
	}
	for i := range 1000 {
		w.Add("x", "x", fmt.Sprint("10.0.1.", i))
	}
	if n := len(w.All()); n != maxWarnings {
		t.Errorf("%d are listed, want %d", n, maxWarnings)
	}
}
