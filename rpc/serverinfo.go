package rpc

import (
	"encoding/base64"
	"runtime/debug"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// icon is the logo of this program, as SVG.
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><g id="mark"><rect x="2" y="12" width="5" height="9" rx="1.5" fill="#5b8def"/><rect x="9.5" y="3" width="5" height="18" rx="1.5" fill="#2f6fe4"/><rect x="17" y="8" width="5" height="13" rx="1.5" fill="#86aef5"/></g></svg>`

// ServerInfo is the MCP server info of this program.
func ServerInfo(name, title, description string) *mcp.Implementation {
	return &mcp.Implementation{
		Name: name, Title: title, Description: description, Version: Version(),
		Icons: []mcp.Icon{{
			Source:   "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(icon)),
			MIMEType: "image/svg+xml", Sizes: []string{"any"},
		}},
	}
}

// Version returns the version of this build: the module's version, or the commit.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	if commit := BuildCommit(); commit != "" {
		return commit
	}
	return "0.1.0-dev"
}

// BuildCommit returns the first 12 digits of the commit of this build, or "" if unknown.
func BuildCommit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	return ""
}

// Build returns the version and the commit of this program, in the form that native agents register.
func Build() string { return strings.TrimSpace(Version() + " " + BuildCommit()) }
