package interop_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"agentleague/interop/foreign"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/player"
)

var update = flag.Bool("update", false, "write the files that the tests compare with")

// triesFile has how many calls each known kind got until it understood a message of each type, that call included.
const triesFile = "testdata/tries.txt"

// tried are the messages to a player whose tries are counted.
var tried = []foreign.Kind{
	foreign.Round, foreign.Invitation, foreign.Choice, foreign.Result, foreign.Standings,
}

// TestLongNoKnownKindNeedsMoreTries counts the calls to each known kind until it understands, and compares them with
// the stored numbers. With -update, the numbers of new kinds are stored.
func TestLongNoKnownKindNeedsMoreTries(t *testing.T) {
	t.Parallel()
	before := readTries(t)
	var mu sync.Mutex
	now := map[string][]int{}
	measure := func(name string, tries ...int) {
		mu.Lock()
		defer mu.Unlock()
		now[name] = tries
	}
	players := append(foreign.Kinds(), foreign.MCPKind())
	together(t, players, 4, func(p foreign.Persona) string { return p.Name }, func(t *testing.T, p foreign.Persona) {
		tries, all := triesOfPlayer(t, p)
		measure("player "+p.Name, tries...)
		if most := sum(before["player "+p.Name]); all > most && most > 0 {
			t.Errorf("%d calls in all until it understands %v, want at most %d", all, tried, most)
		}
	})
	managers := foreign.ManagerKinds()
	together(t, managers, 4, func(k foreign.ManagerKind) string { return k.Name },
		func(t *testing.T, k foreign.ManagerKind) { measure("manager "+k.Name, triesOfManager(t, k)) })
	referees := slices.DeleteFunc(foreign.RefereeKinds(), func(k foreign.RefereeKind) bool {
		return k.Start == foreign.StartPolled // it is not called
	})
	together(t, referees, 4, func(k foreign.RefereeKind) string { return k.Name },
		func(t *testing.T, k foreign.RefereeKind) { measure("referee "+k.Name, triesOfReferee(t, k)) })
	compareTries(t, before, now)
}

// triesOfPlayer counts the calls to a player in a league of one match.
func triesOfPlayer(t *testing.T, persona foreign.Persona) (tries []int, all int) {
	h := newTestLeague(t, manager.Options{StartPlayers: 2, StartReferees: 1, MaxForfeits: -1}, 1)
	h.seatOurs("Ours")
	guest := h.seat(t.Context(), persona)
	h.await("the league is over and told", func(s *league.State) bool { return completed(s) && firstRoundTold(s) })
	h.close()
	for _, kind := range tried {
		tries = append(tries, untilUnderstood(guest.Heard(), func(h foreign.Heard) bool {
			return h.Kind == kind && holdsMessage(h)
		}))
	}
	return tries, asked(guest.Heard())
}

// holdsMessage reports whether a call carries a message of the league, and not just a name.
func holdsMessage(h foreign.Heard) bool {
	return strings.Contains(h.Body, `"conversation_id"`) || strings.Contains(h.Body, `"conversationId"`)
}

// asked counts all calls of the kinds that are counted until each was understood, those included that hold no message.
func asked(heard []foreign.Heard) (calls int) {
	for _, kind := range tried {
		for _, h := range heard {
			if h.Kind == kind {
				calls++
			}
			if h.Kind == kind && !h.Refused && holdsMessage(h) {
				break
			}
		}
	}
	return calls
}

// triesOfManager counts the calls of a player of ours that registers with a manager.
func triesOfManager(t *testing.T, kind foreign.ManagerKind) int {
	m, err := foreign.NewManager(kind)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	a := player.New("Alpha", player.Alternate(), player.Options{})
	ctx, stop := context.WithCancel(t.Context())
	s, ended := take(t), make(chan error, 1)
	go func() { ended <- s.Serve(ctx, a.Node) }()
	defer func() { stop(); <-ended }()
	if err := registering(ctx, func(ctx context.Context) error { return a.Register(ctx, m.Endpoint(), s.URL()) }); err != nil {
		t.Error(err)
	}
	return untilUnderstood(m.Heard(), func(foreign.Heard) bool { return true })
}

// triesOfReferee counts the calls to a referee until it takes its first match.
func triesOfReferee(t *testing.T, kind foreign.RefereeKind) int {
	h := newTestLeague(t, manager.Options{StartPlayers: 2, StartReferees: 1}, 0)
	r, err := foreign.NewReferee(kind)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	if err := r.Register(t.Context(), h.url); err != nil {
		t.Fatal(err)
	}
	h.seatOurs("Alpha")
	h.seatOurs("Beta")
	h.await("the match is over", func(s *league.State) bool { return s.Recorded == 1 })
	return untilUnderstood(r.Heard(), func(foreign.Heard) bool { return true })
}

// untilUnderstood counts the calls of some sort until the first that was understood, or is 0 if none was.
func untilUnderstood(heard []foreign.Heard, of func(foreign.Heard) bool) (calls int) {
	for _, h := range heard {
		if of(h) {
			calls++
			if !h.Refused {
				return calls
			}
		}
	}
	return 0
}

func sum(figures []int) (total int) {
	for _, n := range figures {
		total += n
	}
	return total
}

// readTries reads the stored numbers.
func readTries(t *testing.T) map[string][]int {
	text, err := os.ReadFile(triesFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	out := map[string][]int{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, figures, _ := strings.Cut(strings.TrimSpace(line), ": ")
		var tries []int
		for _, figure := range strings.Fields(figures) {
			n := 0
			if _, err := fmt.Sscan(figure, &n); err != nil {
				t.Fatalf("%s: %q: %v", triesFile, line, err)
			}
			tries = append(tries, n)
		}
		out[name] = tries
	}
	return out
}
