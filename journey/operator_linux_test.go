package journey

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An operator runs a league in seven terminals and gives orders, keeps a root of leagues, and runs many leagues at once.
func TestOperator(t *testing.T) {
	t.Parallel()
	j := begin(t, operator)
	j.write("class.csv", "name\nTeam Ash\nTeam Oak\n")
	j.seven()
	j.root()
	j.many()
}

// seven starts a league in seven terminals, and gives each order once.
func (j *journey) seven() {
	j.t.Helper()
	manager := j.start("go run ./cmd/league manager").prints("Watch it at")
	j.start(`go run ./cmd/league referee --port 8001`)
	j.start(`go run ./cmd/league referee --port 8002`)
	j.run("league pause")
	j.start(`go run ./cmd/league player  --port 8101`)
	j.start(`go run ./cmd/league player  --port 8102`)
	gamma := j.start(`go run ./cmd/league player  --port 8103`)
	delta := j.start(`go run ./cmd/league player  --port 8104`)
	j.serve("league player --port 8107 --manager http://localhost:9/mcp").prints("listens at")
	j.contains(j.run("league enlist http://localhost:8107/mcp"), "P0")
	j.run("league invite player --roster class.csv")
	for _, p := range []*process{gamma, delta} {
		p.prints("registered with")
	}
	j.fill("P03", found(j.t, `Agent Gamma has joined as (P\d+)`, manager.prints("Agent Gamma has joined").text()))
	j.fill("P04", found(j.t, `Agent Delta has joined as (P\d+)`, manager.prints("Agent Delta has joined").text()))
	j.contains(j.run("league status"), "Agent Gamma")
	j.run("league resume")
	manager.prints("round 1 of ")
	j.contains(j.run("league schedule"), "R1M1")
	watch := j.start("league watch")
	j.orders(gamma)
	j.run("league cancel")
	watch.ends()
	manager.prints("--head ")
	j.leagues()
	j.close()
	j.contains(j.run("league verify"), "Nothing differs")
}

// orders gives the orders of a league in play.
func (j *journey) orders(gamma *process) {
	j.t.Helper()
	j.contains(j.run("league standings"), "Agent Delta")
	j.run("league drain")
	j.contains(j.run("league annul R2M3"), "played again")
	j.run("league resume")
	gamma.interrupt()
	refusal := j.at("elsewhere").refused(`go run ./cmd/league player  --port 8103`)
	j.fill("KXWT", found(j.t, `league readmit P\d+ (\w+)`, refusal))
	j.run("league readmit P03 KXWT")
	j.at("elsewhere").start(`go run ./cmd/league player  --port 8103`).prints("registered with")
	j.run("league withdraw P03")
	j.run("league rename P04")
	j.contains(j.run("league replay R1M1"), "GAME_OVER")
	j.run("league export report")
	j.contains(j.run("league export standings"), "Team Fox")
}

// leagues makes the leagues of the README beside the first one.
func (j *journey) leagues() {
	j.t.Helper()
	j.run("league create spring --players 4 --bots")
	j.run("league create autumn --game tic_tac_toe")
	j.start("league player --league-id autumn").prints("registered with")
	j.serve("league player --league-id autumn --port 8106").prints("registered with")
	j.start("league referee --every-league").prints("of autumn")
	j.run("league start --league-id autumn")
	j.run("league seasons --of autumn 5")
}

// root keeps a root: it is made, run, watched, backed up, moved, and reached from outside.
func (j *journey) root() {
	j.t.Helper()
	j.contains(j.run("league version"), "league")
	j.run("league init --root spring")
	j.run("league config --root spring")
	manager := j.start("league manager --root spring").prints("Watch it at")
	j.run("league drain --root spring")
	j.contains(j.run("league status --root spring"), "PAUSED")
	j.run("league resume --root spring")
	for path, want := range map[string]string{"livez": "ok", "readyz": "ok", "metrics": "league_", "health": `"status":"healthy"`} {
		j.contains(j.run("curl -s http://localhost:8000/"+path), want)
	}
	j.run("league create tournament")
	j.contains(j.run("league status --root spring --league-id tournament"), "tournament: WAITING_FOR_REGISTRATIONS")
	manager.interrupt()
	j.run("league backup --root spring --to")
	j.run("league restore spring.zip")
	j.contains(j.run("league verify --root restored"), "Nothing differs")
	j.run("league backup --root spring --move")
	j.run("league restore moved.zip")

	j.run("openssl req")
	j.contains(j.run("league run --root safe"), "Champion")
	agents, err := os.ReadFile(filepath.Join(j.dir, "safe/data/leagues/league_2025_even_odd/agents.json"))
	if err != nil || !strings.Contains(string(agents), "https://localhost") {
		j.t.Errorf("agents.json has no https address: %v", err)
	}

	outside := j.start("league manager --root outside").prints("Watch it at")
	j.contains(j.run("league invite player Ada"), "https://league.example.org/k/")
	j.contains(j.run("curl -s http://localhost:8000/.well-known/"), `"resource":"https://league.example.org/mcp"`)
	j.run("league server-json")
	outside.interrupt()
}

// many runs many leagues on one manager.
func (j *journey) many() {
	j.t.Helper()
	d := j.at("many")
	j.write("many/class.csv", "name\nTeam Ash\nTeam Oak\n")
	j.contains(j.at("seasons").run("league run --seasons 3"), "3 seasons")
	d.serve("league manager --start manual").prints("Watch it at")
	d.run("league create spring --players 4 --referees 2")
	d.run("league create autumn --game tic_tac_toe --cycles 2")
	d.run("league create")
	d.run("league create cup")
	d.run("league create summer --like cup")
	d.run("league create open --players 6 --bots")
	d.start("league watch --league-id open").ends()
	j.contains(d.run("league pairings 3 --league-id open"), "R3M3")
	j.contains(d.run("league pairings 3 --league-id open --why"), "R3M")
	d.run("league create timed")
	d.start("league watch --league-id timed").ends()
	d.run("league create ladder --format ladder")
	d.start("league watch --league-id ladder").ends()
	j.contains(d.run("league standings --league-id ladder"), "RATING")
	j.contains(d.run("league seasons --of ladder"), "ladder")
	d.run("league create class1 --profile contracts")
	d.start("league player --profile contracts").prints("is P01 at")
	d.run("league leagues --state playing")
	d.start("league referee --every-league").prints("listens at")
	d.run("league seasons --of autumn 5")
	d.run("league seasons --of autumn")
	d.serve("league player --port 8107 --manager http://localhost:9/mcp").prints("listens at")
	d.run(`league enlist http://localhost:8107/mcp --name "Team Fox"`)
	d.serve("league referee --port 9001 --manager http://localhost:9/mcp").prints("listens at")
	d.run("league enlist http://localhost:9001/mcp")
	j.close()
}
