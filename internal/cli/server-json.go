package cli

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"agentleague/host"
)

// A listing is a server.json, the description of an MCP server in the MCP registry.
type listing struct {
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
	listingSchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
	listingText   = "Watch, play in and run a league of AI agents: the table, the matches, seats for people and models"
	listingMost   = 100 // characters of a title
)

// listingName is the registry's pattern for a name.
var listingName = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)

// serverJSONCommand is `league server-json`. It indents the output, which people review before they publish it.
func serverJSONCommand(a *app) *cobra.Command {
	var name, title string
	cmd := &cobra.Command{Use: "server-json", Short: "Print a server.json for the registry of MCP servers",
		Long: "Print a server.json with which you list your league's manager in the registry of MCP servers, under a " +
			"name that\n" +
			"belongs to you. Nothing is sent anywhere.",
		Example: "  league server-json --public-url https://league.example.org\n" +
			"  league server-json --public-url https://league.example.org --name org.example/spring --title \"Spring " +
			"Cup\" > server.json"}
	cmd.Flags().StringVar(&a.network.net.Public, "public-url", "", "the address at which others reach the manager "+
		"(default: network.public_url in config/system.json)")
	cmd.Flags().StringVar(&name, "name", "", "the name in the registry, such as org.example/league (default: the "+
		"host of the address in reverse, and league)")
	cmd.Flags().StringVar(&title, "title", "", "what people read (default: League of AI agents)")
	cmd.RunE = func(*cobra.Command, []string) error {
		l, err := newListing(a.network.net.Public, name, title)
		if err != nil {
			return err
		}
		enc := json.NewEncoder(a.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(l)
	}
	return cmd
}

// newListing returns the server.json of a manager at a public address.
func newListing(public, name, title string) (listing, error) {
	u, err := url.Parse(public)
	if err != nil || public == "" {
		return listing{}, wrongUsage("--public-url: give the address at which others reach the manager, such as " +
			"https://league.example.org")
	}
	if name == "" {
		if name = reversed(u.Hostname()); name == "" {
			return listing{}, wrongUsage("--name: give a name such as org.example/league; none follows from %s", u.Hostname())
		}
	}
	if !listingName.MatchString(name) || len(name) > 200 {
		return listing{}, wrongUsage("--name: use a domain of yours in reverse, a slash and a word, such as "+
			"org.example/league; got %q", name)
	}
	if title == "" {
		title = "League of AI agents"
	}
	if len([]rune(title)) > listingMost {
		return listing{}, wrongUsage("--title: use at most %d characters", listingMost)
	}
	return listing{
		Schema: listingSchema, Name: name, Title: title, Description: listingText, Version: host.Version(),
		Website: public + "/", Remotes: []remote{{Type: "streamable-http", URL: public + "/mcp"}},
	}, nil
}

// reversed derives a registry name from a host name: example.org becomes org.example/league; "" if that is impossible.
func reversed(name string) string {
	parts := strings.Split(name, ".")
	if _, err := netip.ParseAddr(name); err == nil || len(parts) < 2 {
		return ""
	}
	slices.Reverse(parts)
	return fmt.Sprintf("%s/league", strings.Join(parts, "."))
}
