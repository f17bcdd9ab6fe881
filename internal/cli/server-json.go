package cli

import (
	"encoding/json"
	"net/url"

	"github.com/spf13/cobra"

	"agentleague/host"
	"agentleague/internal/cli/usage"
	"agentleague/internal/listing"
)

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
func newListing(public, name, title string) (out listing.Listing, err error) {
	u, err := url.Parse(public)
	if err != nil || public == "" {
		return out, usage.Wrong("--public-url: give the address at which others reach the manager, such as " +
			"https://league.example.org")
	}
	if name == "" {
		if name = listing.NameOf(u.Hostname()); name == "" {
			return out, usage.Wrong("--name: give a name such as org.example/league; none follows from %s", u.Hostname())
		}
	}
	if !listing.ValidName(name) {
		return out, usage.Wrong("--name: use a domain of yours in reverse, a slash and a word, such as "+
			"org.example/league; got %q", name)
	}
	if title == "" {
		title = "League of AI agents"
	}
	if len([]rune(title)) > listing.MaxTitle {
		return out, usage.Wrong("--title: use at most %d characters", listing.MaxTitle)
	}
	return listing.New(public, name, title, host.Version()), nil
}
