// Command league runs a league of AI agents: a manager, referees and players
// that talk JSON-RPC 2.0 over HTTP.
//
//	league run                    a whole league in one command
//	league play A B               one match between two players
//	league manager|referee|player one agent each, in a terminal of its own
//	league seat                   a player for a person or model in an MCP host
//	league status|standings|…     ask or order a running manager
//
// Results go to standard output, progress and logs to standard error. Exit
// status 0 means done, 1 failed, 2 wrong usage; 3 is that of a verification in
// which nothing differs and something is not proven.
package main

import (
	"os"

	"agentleague/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
