package mcp_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestLongInspector uses the Inspector's command line to list the tools of an agent.
func TestLongInspector(t *testing.T) {
	t.Parallel()
	dir := programs(t)
	l := newLeague(t)
	type look struct {
		url   string
		args  []string
		want  string
		fails bool
	}
	looks := []look{
		{url: l.manager, args: []string{"tools/list", "--strict"}, want: `"name": "watch_league"`},
		{url: l.player, args: []string{"tools/list", "--strict"}, want: `"name": "choose_parity"`},
		{url: l.manager, args: []string{"tools/call", "--tool-name", "get_standings"}, want: `Ada 3`},
		// a guest does not see the admin's tools
		{url: l.manager, args: []string{"tools/call", "--tool-name", "start_league"}, want: `tool_not_found`, fails: true},
		{url: l.manager, args: []string{"tools/call", "--tool-name", "create_schedule", "--header", "Authorization: Bearer " + l.token}, want: `R3M1`},
		{url: l.manager, args: []string{"resources/templates/list"}, want: `league://matches/{id}/transcript`},
		{url: l.manager, args: []string{"resources/read", "--uri", "league://players/P02"}, want: `P02`},
		{url: l.manager, args: []string{"prompts/get", "--prompt-name", "play_match", "--prompt-args", "name=Eve"}, want: `take_seat with Eve`},
		// it is not the match's referee
		{url: l.player, args: []string{"tools/call", "--tool-name", "choose_parity", "--tool-arg", "match_id=R1M1"}, want: `E006`, fails: true},
	}
	together(t, looks, func(c look) error {
		args := append([]string{
			module(dir, "@modelcontextprotocol", "inspector", "clients", "cli", "build", "index.js"), c.url, "--transport",
			"http", "--method",
		}, c.args...)
		out, err := node(t, dir, args...)
		if err != nil {
			out += err.Error() // with the error text
		}
		if (err != nil) != c.fails || !strings.Contains(out, c.want) {
			return fmt.Errorf("%q: got %v %s, want %s", c.args, err, out, c.want)
		}
		return nil
	})
}
