package journey

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A student plays a league, writes a player, checks it and plays with it.
func TestStudent(t *testing.T) {
	t.Parallel()
	j := begin(t, student)
	j.at("first").run("go run ./cmd/league run")
	j.contains(j.run("go run ./cmd/league play random history"), "score:")
	j.contains(j.run("go run ./cmd/league play minimax random --game tic_tac_toe"), "Elo")
	j.at("readme").run("go run ./cmd/league new player evelyn --lang python")

	j.run("league new player evelyn --lang python")
	manager := j.start("league manager --start-when players=2").prints("Watch it at")
	referee := j.start("league referee --port 8001")
	beta := j.start("league player  --port 8102")
	own := j.at(".")
	own.run("cd evelyn")
	j.contains(own.run("python3 player.py --port 8101"), "listens at", "P0")
	beta.ends()
	referee.interrupt()
	j.contains(j.also("league standings"), "Agent Beta", "Evelyn")
	j.contains(j.also("league replay R1M1"), "GAME_OVER")
	manager.interrupt()

	player := own.start("python3 player.py --port 8101").prints("listens at")
	j.contains(j.run("curl -s http://localhost:8101/health"), "healthy")
	j.contains(j.run("curl -s http://localhost:8101/mcp"), "PONG")
	j.check()
	player.interrupt()
	for range 2 { // README and check.md
		check := j.start("league check --listen 8000").prints("8000")
		own.run("python3 player.py --port 8101")
		check.ends()
	}
	j.lines()
}

// check runs the checks of a player that listens at port 8101.
func (j *journey) check() {
	j.t.Helper()
	for range 2 { // README and check.md
		j.contains(j.run("league check http://localhost:8101/mcp"), "failed 0")
	}
	j.run("league check http://localhost:8101/mcp --strict")
	j.run("league check URL --strict")
	j.run("league check URL -v")
	j.run("league check URL --json | --junit check.xml")
	if _, err := os.Stat(filepath.Join(j.dir, "check.xml")); err != nil {
		j.t.Error(err)
	}
}

// lines plays with the program of the guide that reads lines.
func (j *journey) lines() {
	j.t.Helper()
	d := j.at("lines")
	j.write("lines/player.py", j.block("docs/guide/writing-a-player.md", "python", "for line in sys.stdin"))
	j.contains(d.run(`league play "exec:python3 player.py" minimax`), "score:")
	player := d.start(`league player --port 8101 --name Evelyn --strategy "exec:python3 player.py"`).prints("listens at")
	player.interrupt()
}

// block returns the block of a guide in a language that has some words in it.
func (j *journey) block(file, language, words string) string {
	j.t.Helper()
	text, err := os.ReadFile(filepath.Join("..", file))
	if err != nil {
		j.t.Fatal(err)
	}
	for _, part := range strings.Split(string(text), "\n```"+language+"\n")[1:] {
		if part, _, _ = strings.Cut(part, "```"); strings.Contains(part, words) {
			return part
		}
	}
	j.t.Fatalf("%s has no block of %s with %q", file, language, words)
	return ""
}

// write writes a file below the first terminal's folder.
func (j *journey) write(name, text string) {
	j.t.Helper()
	if err := os.WriteFile(filepath.Join(j.dir, name), []byte(text), 0o755); err != nil {
		j.t.Fatal(err)
	}
}
