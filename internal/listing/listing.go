// Package listing writes the server.json with which a manager is listed in the registry of MCP servers.
package listing

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// A Listing is a server.json, the description of an MCP server in the MCP registry.
type Listing struct {
	Schema      string   `json:"$schema"`
	Name        string   `json:"name"` // reverse DNS, a slash, a word
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Version     string   `json:"version"`
	Website     string   `json:"websiteUrl"`
	Remotes     []remote `json:"remotes"`
}

// A remote is where an MCP server is reached.
type remote struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

const (
	schema      = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
	description = "Watch, play in and run a league of AI agents: the table, the matches, seats for people and models"
)

// MaxTitle is the maximum length of a title in characters.
const MaxTitle = 100

// New returns the entry of a manager for the public registry of MCP servers. The manager is reachable at the URL public.
func New(public, name, title, version string) Listing {
	return Listing{
		Schema: schema, Name: name, Title: title, Description: description, Version: version,
		Website: public + "/", Remotes: []remote{{Type: "streamable-http", URL: public + "/mcp"}},
	}
}

// namePattern is the registry's pattern for a name.
var namePattern = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)

// ValidName reports whether the registry accepts a name.
func ValidName(name string) bool { return namePattern.MatchString(name) && len(name) <= 200 }

// NameOf derives a name from a host: example.org becomes org.example/league; "" if that is impossible.
func NameOf(host string) string {
	parts := strings.Split(host, ".")
	if _, err := netip.ParseAddr(host); err == nil || len(parts) < 2 {
		return ""
	}
	slices.Reverse(parts)
	return strings.Join(parts, ".") + "/league"
}
