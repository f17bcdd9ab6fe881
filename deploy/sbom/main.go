// Command sbom prints the modules of a Go program as a CycloneDX document: what a release contains, with versions and checksums.
//
//	sbom PROGRAM > league.cdx.json
package main

import (
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM")
		os.Exit(2)
	}
	if err := write(os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the document of a program. The version is the one that the linker put into it.
func write(w io.Writer, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("%s is not a Go program: %w", program, err)
	}
	main := component(&info.Main)
	main.Type, main.Version = cyclonedx.ComponentTypeApplication, setting(info, "vcs.revision")
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Component: &main}
	all := []cyclonedx.Component{component(&debug.Module{Path: "std", Version: info.GoVersion})}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		all = append(all, component(m))
	}
	bom.Components = &all
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}

// component describes a module. Its purl is the name that databases of vulnerabilities use.
func component(m *debug.Module) cyclonedx.Component {
	purl := "pkg:golang/" + strings.ToLower(m.Path)
	if m.Version != "" {
		purl += "@" + m.Version
	}
	c := cyclonedx.Component{Type: cyclonedx.ComponentTypeLibrary, BOMRef: purl, Name: m.Path, Version: m.Version, PackageURL: purl}
	if m.Sum != "" {
		c.Properties = &[]cyclonedx.Property{{Name: "go.sum", Value: m.Sum}}
	}
	return c
}

// setting returns a setting of the build, or "".
func setting(info *buildinfo.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
