package store_test

import (
	"os"
	"reflect"
	"runtime"
	"testing"

	"agentleague/store"
)

func TestAMatchIsUndecidedUntilItIsRemoved(t *testing.T) {
	root := open(t)
	first, second := ref("R1M2", 1), ref("R1M10", 3)
	before := recordsOf(t, root, "REF01")
	mustSucceed(t, before.SaveUndecided(second, []byte("two")))
	mustSucceed(t, before.SaveUndecided(first, []byte("one")))
	mustSucceed(t, before.SaveUndecided(first, []byte("one, again")))
	mustSucceed(t, before.Save(first, record(t, first, "even"), nil)) // a record is none

	records := recordsOf(t, reopen(t, root.Dir()), "REF01") // the referee starts again
	want := []store.Undecided{{Ref: first, Text: []byte("one, again")}, {Ref: second, Text: []byte("two")}}
	if got, err := records.Undecided(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	info, err := os.Stat(path(root, recordsOfREF01))
	mustSucceed(t, err)
	if got := info.Mode().Perm(); got != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("it has mode %o, want 600", got)
	}
	if got, err := recordsOf(t, root, "REF02").Undecided(); got != nil || err != nil {
		t.Errorf("another referee: got %v, %v; want nothing", got, err)
	}
	mustSucceed(t, records.RemoveUndecided(first))
	mustSucceed(t, records.RemoveUndecided(first)) // again does nothing
	if got, err := records.Undecided(); err != nil || !reflect.DeepEqual(got, want[1:]) {
		t.Errorf("got %v, %v; want %v", got, err, want[1:])
	}
	if records.SaveUndecided(ref("../R1M1", 1), nil) == nil || records.RemoveUndecided(ref("../R1M1", 1)) == nil {
		t.Error("a name that leads elsewhere is taken")
	}
	if got, errs := unreported(records); len(got) != 1 || errs != nil {
		t.Errorf("unreported: got %v, %v; want the record", got, errs)
	}
}
