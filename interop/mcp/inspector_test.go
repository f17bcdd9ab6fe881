package mcp_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestLongInspector uses the Inspector's command line as a person does that wants to
// see what an agent offers.
func TestLongInspector(t *testing.T) {
	t.Parallel()
	dir := programs(t)
	l := newLeague(t)
	type look struct {
		url  string
		args []string
		want string
	}
	looks := []look{
		{l.manager, []string{"tools/list"}, `"name": "watch_league"`},
		{l.manager, []string{"tools/call", "--tool-name", "get_standings"}, `Ada 3`},
		{l.manager, []string{"tools/call", "--tool-name", "start_league"}, `E011 AUTH_TOKEN_MISSING`},
		{l.manager, []string{"tools/call", "--tool-name", "create_schedule", "--header", "Authorization: Bearer " + l.token},
			`R3M1`},
		{l.manager, []string{"resources/templates/list"}, `league://matches/{id}/transcript`},
		{l.manager, []string{"resources/read", "--uri", "league://players/P02"}, `P02`},
		{l.manager, []string{"prompts/get", "--prompt-name", "play_match", "--prompt-args", "name=Eve"},
			`take_seat with Eve`},
		// it is not the match's referee
		{l.player, []string{"tools/call", "--tool-name", "choose_parity", "--tool-arg", "match_id=R1M1"}, `E0`},
	}
	together(t, looks, func(c look) error {
		args := append([]string{
			module(dir, "@modelcontextprotocol", "inspector", "cli", "build", "cli.js"), "--cli", c.url, "--transport",
			"http", "--method",
		}, c.args...)
		out, err := node(t, dir, args...)
		if err != nil || !strings.Contains(out, c.want) {
			return fmt.Errorf("%q: got %v %s, want %s", c.args, err, out, c.want)
		}
		return nil
	})
}
