package league

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentleague/cluster"
)

// TestOlderProgramsReadTheLogOrHaveAnotherFormat compares the events and their members with those of the cluster's
// format: a program that lacks one of them refuses the log.
func TestOlderProgramsReadTheLogOrHaveAnotherFormat(t *testing.T) {
	path := filepath.Join("testdata", "format.txt")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	fmt.Fprintf(&got, "cluster.Format %d\n", cluster.Format)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(&got, "%s%s\n", kind, members(kinds[kind]))
	}
	if got.String() != string(want) {
		t.Errorf("the log has other events or members than %s: increment cluster.Format and write there:\n%s", path, &got)
	}
}

// members lists the JSON members of a type with those below them.
func members(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return members(t.Elem())
	case reflect.Struct:
	default:
		return ""
	}
	var out []string
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			out = append(out, name+members(f.Type))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "{" + strings.Join(out, " ") + "}"
}
