package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
)

// The document of this test's program names each of its modules with a version.
func TestDocumentNamesModules(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := write(&out, self); err != nil {
		t.Fatal(err)
	}
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(&out, cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, c := range *bom.Components {
		found[c.Name] = c.Version
	}
	for _, want := range []string{"std", "github.com/CycloneDX/cyclonedx-go"} {
		if found[want] == "" {
			t.Errorf("%s has no version in %v", want, found)
		}
	}
	if err := write(&out, "main.go"); err == nil || !strings.Contains(err.Error(), "main.go is not a Go program") {
		t.Errorf("got %v for a file of text", err)
	}
}
