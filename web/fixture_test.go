package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"agentleague/engine/journal"
	"agentleague/format"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/league/registration"
	"agentleague/league/seasons"
	"agentleague/protocol"
	"agentleague/rpc"
)

// leagues are managers that were opened on logs that a test has written.
type leagues struct {
	ids  []string
	open map[string]*manager.Manager
}

func (l *leagues) Leagues() []string { return l.ids }

func (l *leagues) League(id string) (Season, bool) {
	m, ok := l.open[id]
	if !ok {
		return nil, false
	}
	return asSeason(m), true
}

// asSeason returns a league as the pages show it and the admin changes it.
func asSeason(m *manager.Manager) Season {
	return struct {
		*manager.Manager
		*manager.Orders
		*registration.Registrar
	}{m, m.Orders, m.Registrar}
}

func (l *leagues) Create(_ context.Context, n NewLeague) (string, error) {
	if n.Game != "even_odd" {
		return "", protocol.Errorf(protocol.InvalidMessage, "there is no game %q", n.Game)
	}
	return l.ids[0], nil
}

const adminToken = "tok_admin_test"

// siteOf serves the site of leagues.
func siteOf(t testing.TB, all ...*manager.Manager) string {
	t.Helper()
	host := &leagues{open: map[string]*manager.Manager{}}
	for _, m := range all {
		host.ids, host.open[m.ID()] = append(host.ids, m.ID()), m
	}
	return siteWith(t, Options{
		Host: host, Version: "1.2.3", Games: []Choice{{Value: "even_odd", Label: "Even/Odd"}}, Strategies: []Choice{{Value: "random", Label: "random"}},
		Title: func(id string) string { return "The " + id + " league" }, Game: func(string) string { return "Even/Odd" },
		Admin: func(token string) error {
			if token != adminToken {
				return fmt.Errorf("no")
			}
			return nil
		},
		Seasons:  host.seasons,
		SeasonOf: func(id string) (number, wanted int) { return 1, map[bool]int{true: 2}[id == "over"] },
	})
}

// seasons is a league as the first of two.
func (l *leagues) seasons(id string) (seasons.Series, error) {
	var only seasons.Season
	l.open[id].Read(func(s *league.State) { only = seasons.Of(s, 1) })
	return seasons.NewSeries(id, 2, []seasons.Season{only}), nil
}

func siteWith(t testing.TB, o Options) string {
	t.Helper()
	server := httptest.NewServer(New(o))
	t.Cleanup(func() {
		server.CloseClientConnections() // viewers stay as long as they may
		server.Close()
	})
	return server.URL
}

// A seasonPlan describes a league for a test.
type seasonPlan struct {
	id      string
	names   []string
	started bool
	rounds  int  // to be closed
	half    bool // and half of the next one
	limit   int  // rounds of the league; 0: all
	hosted  bool // the first player runs in the manager's process

	format string // that pairs round by round; "": a fixed round robin

	invited []string               // names that are reserved
	opts    func(*manager.Options) // additional options of its manager
}

// seasonOf opens a league in which that number of rounds has been played.
func seasonOf(t testing.TB, p seasonPlan) *manager.Manager {
	t.Helper()
	disk, err := journal.Open(t.TempDir(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	book := &scribe{t: t, disk: disk, log: p.id, state: league.NewState()}
	book.write(p)
	o := manager.Options{
		LeagueID: p.id, Endpoint: "http://localhost:8000/mcp", Window: -1, Hold: true, AdminToken: adminToken,
		Options: rpc.Options{Guard: rpc.Guard{}},
	}
	if p.opts != nil {
		p.opts(&o)
	}
	m, err := manager.Open(ctx, disk, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		m.Wait()
		_ = disk.Close()
	})
	return m
}

// A scribe writes a log.
type scribe struct {
	t     testing.TB
	disk  *journal.Engine
	log   string
	seq   uint64
	state *league.State
	batch []map[string]any
}

func (b *scribe) add(e league.Event) {
	b.t.Helper()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := b.state.Apply(at, e); err != nil {
		b.t.Fatal(err)
	}
	b.batch = append(b.batch, map[string]any{"kind": league.Kind(e), "at": at, "event": e})
}

func (b *scribe) flush() {
	b.t.Helper()
	data, err := json.Marshal(b.batch)
	if err != nil {
		b.t.Fatal(err)
	}
	at, err := b.disk.Append(b.t.Context(), b.log, b.seq, data)
	if err != nil {
		b.t.Fatal(err)
	}
	b.seq, b.batch = at.Seq, nil
}

func (b *scribe) write(p seasonPlan) {
	b.t.Helper()
	created := league.Created{
		Schema: 1, LeagueID: p.id, GameType: "even_odd", Cycles: 1, Rounds: p.limit, Scoring: protocol.DefaultScoring,
		Tiebreakers: league.Tiebreakers, DrawCommitment: "c0ffee",
	}
	if p.format != "" {
		key, err := b.disk.Secret(b.t.Context(), "token."+p.id)
		if err != nil {
			b.t.Fatal(err)
		}
		created.Cycles, created.Rounds, created.SeatMatters = 0, 0, true
		created.ManagerKey = protocol.AgreementPublic(protocol.AgreementKey(key))
		created = league.Scheduled(created, format.Settings{Format: p.format, Rounds: p.limit})
	}
	b.add(created)
	b.add(league.Registered{
		Role: protocol.RoleReferee, ID: "REF01", Name: "Referee Alpha", Endpoint: "http://127.0.0.1:1/mcp",
		Place: "localhost:1/mcp",
	})
	for _, name := range p.invited {
		b.add(league.Invited{Role: protocol.RolePlayer, Name: name})
	}
	var ids []string
	for i, name := range p.names {
		ids = append(ids, protocol.AgentID(protocol.RolePlayer, i+1))
		r := league.Registered{
			Role: protocol.RolePlayer, ID: ids[i], Name: name, Endpoint: fmt.Sprintf("http://127.0.0.1:%d/mcp", i+2),
			Place: fmt.Sprintf("localhost:%d/mcp", i+2),
		}
		if p.hosted && i == 0 {
			r.Key, r.Welcome = protocol.SHA256(name), &league.Welcomed{Manager: r.Endpoint}
		}
		b.add(r)
	}
	b.flush()
	if !p.started {
		return
	}
	b.add(league.Started{Players: ids})
	b.flush()
	for round := 1; round <= p.rounds && (p.format != "" || round <= b.state.Schedule.Rounds()); round++ {
		b.play(round, 1<<30)
		b.add(league.RoundClosed{Round: round})
		b.flush()
	}
	if p.half {
		b.play(p.rounds+1, len(b.state.Players())/4)
		b.flush()
	}
	if b.over(p) {
		b.add(league.Completed{DrawSecret: "5ec4e7"})
		b.add(league.Announced{What: "league"})
		b.flush()
	}
}

// over reports whether all rounds of a league were played.
func (b *scribe) over(p seasonPlan) bool {
	if _, more := league.Preview(b.state); p.format != "" {
		return !more && !p.half
	}
	return p.rounds >= b.state.Schedule.Rounds()
}

// play opens a round and records some of its matches, with endings of every kind.
func (b *scribe) play(round, most int) {
	b.t.Helper()
	if next, paired := league.Preview(b.state); paired {
		b.add(next)
	}
	b.add(league.RoundOpened{Round: round})
	for n, m := range b.state.InRound(round) {
		b.add(league.MatchAssigned{Match: m.ID, Referee: "REF01", Attempt: 1})
		if n >= most {
			continue
		}
		four := 4
		r := league.Result{Status: protocol.Win, Winner: m.A, Drawn: &four}
		switch k := (round*7 + n*5) % 10; {
		case k < 4:
			r.Winner = m.B
		case k < 6:
			r.Status, r.Winner = protocol.Draw, ""
		case k == 9:
			r.Status, r.Forfeits = protocol.TechnicalLoss, map[string]string{m.B: protocol.Timeout.Code}
		}
		b.add(league.ResultRecorded{Match: m.ID, Referee: "REF01", Attempt: 1, Result: r, DrawKey: "k" + m.ID})
	}
}

// agents returns n names.
func agents(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("Agent %s%d", []string{"Ada ", "Bohr ", "Curie ", "Darwin ", "Euler ", ""}[i%6], i+1))
	}
	return out
}

// hostile are names that try something.
var hostile = []string{
	`<script>document.title="hacked"</script>`, `"><img src=x onerror=document.title="hacked">`,
	"\u202egnp.exe\u202c \u2066abc", "Z\u0351\u0352\u0353\u0354\u0355\u0356a\u0351\u0352\u0353\u0354lgo",
	`{{.View}} ${alert(1)} '; DROP TABLE--`, emoji,
}

// emoji is a name of 10 kB without a place to break it.
var emoji = strings.Repeat("👩‍👩‍👧‍👦", 400)

func get(t testing.TB, url string, into any) *http.Response {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if into != nil {
		if err := json.NewDecoder(r.Body).Decode(into); err != nil {
			t.Fatalf("%s: %s: %v", url, r.Status, err)
		}
	}
	return r
}
