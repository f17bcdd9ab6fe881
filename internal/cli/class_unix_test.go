//go:build !windows

package cli

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"agentleague/internal/roster"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
	"agentleague/web/webtest"
)

// A lesson is the class of a teacher that gives no command besides `league class`: 30 students, of which some are late,
// crash, are withdrawn or never answer.
type lesson struct {
	t        *testing.T
	root     string
	teacher  *process
	joins    map[string]string // the addresses of the students, by name
	programs map[string]*process
}

// The students of each kind; all others play from the start to the end.
const (
	classSize = 30
	firstLate = 25 // 25 to 29
	crashing  = 3  // 0 to 2
	silent    = 3
	goneFrom  = 4 // 4 and 5
	goneTo    = 6
)

func student(n int) string { return fmt.Sprintf("Jörg Groß-%02d", n+1) }

// begin starts `league class` with a roster as a German spreadsheet writes it.
func (c *lesson) begin(rows int) {
	c.t.Helper()
	text := "\ufeffNr;Vorname;Nachname;Gruppe\r\n"
	for n := range rows {
		text += fmt.Sprintf("%03d;Jörg;Groß-%02d;%c\r\n", n+1, n+1, 'A'+n%2)
	}
	file := filepath.Join(c.t.TempDir(), "class.csv")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	c.teacher = start(c.t, "class", file, "--root", c.root, "--port", "0", "--start-when", fmt.Sprintf("players=%d", firstLate), "--pace", "1500ms", "--retries", "0")
	c.teacher.says("Roster: ")
	c.joins = map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^(\S.*)\n  league player --manager (\S+)$`).FindAllStringSubmatch(c.teacher.out.String(), -1) {
		c.joins[line[1]] = line[2]
	}
	if len(c.joins) != rows {
		c.t.Fatalf("%d join lines, want %d", len(c.joins), rows)
	}
}

// join starts a student's program in a folder of its own.
func (c *lesson) join(n int) {
	c.t.Helper()
	c.programs[student(n)] = start(c.t, "player", "--root", filepath.Join(c.root, "laptops", fmt.Sprint(n)), "--port", "0", "--manager", c.joins[student(n)])
}

// base is the address of the teacher's server.
func (c *lesson) base() string { return strings.TrimSuffix(c.teacher.endpoint(), "/mcp") }

// order presses a button of the roster page.
func (c *lesson) order(path, body string) {
	c.t.Helper()
	token, err := os.ReadFile(filepath.Join(c.root, "data/admin.token"))
	if err != nil {
		c.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.base()+"/api/v1/leagues/"+theLeague+path, bytes.NewBufferString(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		c.t.Errorf("%s: %s", path, answer.Status)
	}
}

// player returns a student's agent and the state of the league.
func (c *lesson) player(n int) (*league.State, *league.Agent) {
	s := folded(c.t, c.root)
	return s, s.Agents[s.Reservation(protocol.RolePlayer, student(n)).Agent]
}

// round waits until that round is open or over.
func (c *lesson) round(n int) {
	c.t.Helper()
	rpctest.Until(c.t, fmt.Sprintf("round %d", n), func() (int, bool) {
		s := folded(c.t, c.root)
		return s.Recorded, s.Round >= n
	})
}

// look opens the roster page on a phone and a laptop, and checks its layout and the number of students in a state.
func (c *lesson) look(tab *webtest.Tab, when string, counts map[string]int) {
	c.t.Helper()
	tab.Open(c.base() + "/leagues/" + theLeague + "/roster")
	for state, n := range counts {
		tab.Await(fmt.Sprintf("%d %s", n, state), fmt.Sprintf(`document.querySelectorAll('[data-state="%s"]').length === %d`, state, n))
	}
	for _, screen := range []webtest.Screen{webtest.Phone, webtest.Laptop} {
		tab.Show(screen)
		for _, wrong := range append(tab.Laws(), webtest.Get[[]string](tab, clipped)...) {
			c.t.Errorf("%s, on a %s: %s", when, screen.Name, wrong)
		}
		tab.Shot("roster-" + when + "-" + screen.Name)
	}
}

// clipped lists texts that are wider than their boxes.
const clipped = `[...document.querySelectorAll("main *")].filter((e) => e.checkVisibility() && !e.closest(".unseen") && e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1)
	.map((e) => "clipped: " + e.textContent.trim().slice(0, 40))`

// A class of 30 is played with one command of its teacher. Every agent that is there at the end has played all rounds
// since it joined, the log verifies, and the gradebook has each student's rounds and results.
func TestLongAClassNeedsOneCommand(t *testing.T) {
	t.Parallel()
	c := &lesson{t: t, root: patientRoot(t, "even_odd"), programs: map[string]*process{}}
	file := filepath.Join(c.root, "config", "system.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer(`"move_timeout_sec": 170`, `"move_timeout_sec": 4`, `"game_join_ack_timeout_sec": 60`, `"game_join_ack_timeout_sec": 3`,
		`"game_over_timeout_sec": 5`, `"game_over_timeout_sec": 1`, `"generic_response_timeout_sec": 10`, `"generic_response_timeout_sec": 1`).Replace(string(text))
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	c.begin(classSize)
	tab := webtest.Start(t).Tab(t, webtest.Laptop)
	c.login(tab)
	c.look(tab, "before", map[string]int{"missing": classSize})
	for n := range firstLate {
		c.join(n)
		if n == silent {
			c.programs[student(n)].says("registered with")
			c.programs[student(n)].signal(syscall.SIGSTOP)
		}
	}
	c.round(1)
	for n := firstLate; n < classSize; n++ {
		c.join(n)
	}
	for n := range crashing {
		c.programs[student(n)].signal(syscall.SIGKILL)
		<-c.programs[student(n)].exited
		c.join(n)
	}
	c.round(2)
	for n := goneFrom; n < goneTo; n++ {
		_, a := c.player(n)
		c.order("/withdraw", fmt.Sprintf(`{"player_id": %q}`, a.ID))
	}
	c.look(tab, "during", map[string]int{"left": goneTo - goneFrom, "missing": 0})
	c.teacher.says("The league is over.")
	c.look(tab, "after", map[string]int{"left": goneTo - goneFrom + 1, "missing": 0})
	c.teacher.signal(syscall.SIGINT)
	if status := c.teacher.status(); status != 0 {
		t.Errorf("league class ended with %d", status)
	}
	c.playedAll()
	c.grades()
	mustVerify(t, c.root, theLeague)
}

// login logs the teacher in: the roster page asks for the token.
func (c *lesson) login(tab *webtest.Tab) {
	c.t.Helper()
	token, err := os.ReadFile(filepath.Join(c.root, "data/admin.token"))
	if err != nil {
		c.t.Fatal(err)
	}
	tab.Open(c.base() + "/leagues/" + theLeague + "/roster")
	tab.Await("the login", `location.pathname === "/login"`)
	tab.Type("input[name=token]", strings.TrimSpace(string(token)))
	tab.Press("\r")
	tab.Await("the roster", `location.pathname.endsWith("/roster") && document.getElementById("live") !== null`)
}

// playedAll checks that each agent that is in the league has a result or a bye in every round since it joined, and that
// the class needs at most a third of the rounds of a round robin.
func (c *lesson) playedAll() {
	s := folded(c.t, c.root)
	if rounds := s.TotalRounds(); !s.Completed() || s.Round != rounds || rounds*3 > classSize-1 {
		c.t.Errorf("completed: %v, in round %d of %d; a round robin has %d", s.Completed(), s.Round, rounds, classSize-1)
	}
	for n := range classSize {
		id := s.Reservation(protocol.RolePlayer, student(n)).Agent
		if id == "" || s.Agents[id].State == protocol.AgentShutdown {
			continue
		}
		from := 0
		for round := 1; round <= s.Round; round++ {
			at := slices.IndexFunc(s.MatchesOf(id), func(m *league.Match) bool { return m.Round == round })
			here := slices.Contains(s.Schedule.Byes(round), id) || at >= 0 && s.MatchesOf(id)[at].Outcome != nil
			if from == 0 && here {
				from = round
			}
			if from > 0 && !here {
				c.t.Errorf("%s has not played in round %d", student(n), round)
			}
		}
		if late := n >= firstLate; late != (from > 1) || from == 0 {
			c.t.Errorf("%s plays since round %d, late: %v", student(n), from, late)
		}
	}
}

// grades checks the gradebook of each kind of student against the log.
func (c *lesson) grades() {
	p := start(c.t, "export", "gradebook", "--root", c.root, "--pass", "present=1")
	if status := p.status(); status != 0 {
		c.t.Fatalf("status %d", status)
	}
	in := csv.NewReader(strings.NewReader(strings.TrimPrefix(p.out.String(), "\ufeff")))
	in.Comma = ';'
	lines, err := in.ReadAll()
	if err != nil || len(lines) != classSize+1 {
		c.t.Fatalf("%d lines, %v", len(lines), err)
	}
	if head := strings.Join(lines[0], ";"); !strings.HasPrefix(head, "Nr;Vorname;Nachname;Gruppe;agent;player_id;present;rounds;rank;points;") {
		c.t.Errorf("got %s", head)
	}
	s := folded(c.t, c.root)
	rows := map[string]protocol.Standing{}
	for _, row := range s.Standings() {
		rows[row.PlayerID] = row
	}
	for n, line := range lines[1:] {
		cell := func(head string) int {
			v, err := strconv.Atoi(line[slices.Index(lines[0], head)])
			if err != nil {
				c.t.Errorf("%s: %s: %v", student(n), head, err)
			}
			return v
		}
		row := rows[line[slices.Index(lines[0], "player_id")]]
		if row.DisplayName != student(n) || cell("points") != row.Points || cell("wins") != row.Wins || cell("forfeits") != row.TechnicalLosses || cell("rank") != row.Rank {
			c.t.Errorf("%s: got %q, the table has %+v", student(n), line, row)
		}
		if got, want := cell("present"), roster.Attended(s, row.PlayerID); got != want {
			c.t.Errorf("%s: present in %d rounds, want %d", student(n), got, want)
		}
		present, forfeits, rounds := cell("present"), cell("forfeits"), cell("rounds")
		var right bool
		switch {
		case n == silent:
			// It may win by a forfeit of another that crashes, and then needs longer to be out.
			right = present <= 1 && forfeits >= 3 && strings.Contains(strings.Join(line, ";"), fmt.Sprintf("%d × ", forfeits))
		case n >= goneFrom && n < goneTo:
			right = present >= 1 && present < rounds
		case n < crashing:
			right = present+forfeits >= rounds && present > 0
		case n >= firstLate:
			right = present > 0 && present < rounds && forfeits == 0
		default:
			right = present == rounds && forfeits == 0
		}
		if !right {
			c.t.Errorf("%s: %q", student(n), line)
		}
	}
}
