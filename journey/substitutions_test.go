package journey

// A substitution replaces a part of a command. Without a new text it is a placeholder of the guides whose value the
// journey determines, such as a join key.
type substitution struct{ journey, old, new, reason string }

const slow = "with the race detector a game takes ten times as long"

var substitutions = []substitution{
	{"", "go run ./cmd/league", "league", "the README names both"},
	{student, "league check URL", "league check http://localhost:8101/mcp", "a placeholder"},
	{student, "--json | --junit check.xml", "--junit check.xml", "a choice"},
	{researcher, "--games 200", "--games 20", slow},
	{researcher, "--games 1000", "--games 100", slow},
	{teacher, "nbheh22jrhsn83dkxbk9jsw75f", "", "the join key of a student"},
	{teacher, "501c0a2f3b1498a37a9953a843e45fd6", "", "the seal"},
	{teacher, "589cfcb08930892c9a2ae65a6ddd654a", "", "the head"},
	{teacher, "P03", "", "the id of Team Owl"},
	{teacher, "P04", "", "the id of Team Bear"},
	{teacher, "ZDXF", "", "a code to readmit"},
	{teacher, "…", "", "the flags of the student's command"},
	{operator, "players=4,referees=2", "players=4,referees=2 --pace 1m", "there is time between two rounds"},
	{operator, "P03", "", "the id of Agent Gamma"},
	{operator, "KXWT", "", "a code to readmit"},
	{operator, "P04", "", "the id of Agent Delta"},
	{operator, "R2M3", "R1M1", "four players have no third match in a round"},
}
