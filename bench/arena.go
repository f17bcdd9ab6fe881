package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// leagueID is what each league of the bench is called.
const leagueID = "league_bench"

// cycles is how often everybody meets: more often than any bench lasts.
const cycles = 1000

// restTime is how long a league may take to play a round and come to rest.
const restTime = 3 * time.Minute

// An arena is a league that goes on and rests by order: a manager, a referee, and its players in a third process.
type arena struct {
	root                    string
	round                   int // how many matches a round has
	manager, referee, crowd *process
	admin                   *rpc.Node
	token                   string
	scrape                  [3]usage // what it takes to ask each of them
}

// prepare writes the configuration of a league that goes on for long.
func prepare(root string) error {
	folder := filepath.Join(root, "config", "leagues")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	text := fmt.Sprintf(
		`{"schema_version": "1.0.0", "league_id": %q, "schedule": {"format": "round_robin", "cycles": %d}}`+"\n",
		leagueID, cycles)
	return os.WriteFile(filepath.Join(folder, leagueID+".json"), []byte(text), 0o644)
}

// openEmptyArena starts a manager and a referee that plays so many matches at once. Nobody plays yet.
func openEmptyArena(ctx context.Context, program []string, root string, inFlight int) (a *arena, err error) {
	if err := prepare(root); err != nil {
		return nil, err
	}
	a = &arena{root: root, admin: rpc.NewNode(string(protocol.RoleAdmin), rpc.Options{})}
	if a.manager, err = start(ctx, program, "manager", "--root", root, "--league-id", leagueID, "--port", "0",
		"--start-after", "24h", "--json"); err != nil {
		return nil, err
	}
	if a.referee, err = start(ctx, program, "referee", "--root", root, "--league-id", leagueID, "--port", "0",
		"--manager", a.manager.endpoint,
		"--max-matches", fmt.Sprint(inFlight), "--id", "REF01", "--json"); err != nil {
		return nil, errors.Join(err, a.close())
	}
	token, err := os.ReadFile(filepath.Join(root, "data", "admin.token"))
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	a.token = strings.TrimSpace(string(token))
	return a, nil
}

// openArena starts a league with so many players, which wait. More is what their process is told beside.
func openArena(ctx context.Context, o Options, root string, players int, more ...string) (*arena, error) {
	a, err := openEmptyArena(ctx, o.Program, root, o.InFlight)
	if err != nil {
		return nil, err
	}
	a.round = players / 2
	crowd := []string{
		"bench", "part", "crowd", "--root", root, "--manager", a.manager.endpoint, "--league-id", leagueID, "--players",
		fmt.Sprint(players), "--json",
	}
	a.crowd, err = start(ctx, o.Program, append(crowd, more...)...)
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

func (a *arena) close() error {
	stopAll(a.referee, a.crowd, a.manager)
	return nil
}

// order tells the manager to start, to pause or to go on.
func (a *arena) order(ctx context.Context, t protocol.Type) error {
	m := &protocol.Tool{
		Envelope: protocol.Envelope{MessageType: t, ConversationID: "conv-bench-" + a.admin.Nonce(4), AuthToken: a.token},
	}
	_, err := a.admin.Call(ctx, rpc.Peer{Endpoint: a.manager.endpoint}, m)
	return err
}

// begin starts the league, lets it warm up and has it rest.
func (a *arena) begin(ctx context.Context, warm time.Duration) error {
	if err := a.order(ctx, protocol.TypeStartLeague); err != nil {
		return err
	}
	if err := a.until(ctx, 50*time.Millisecond, func(now [3]usage) bool { return now[manager].results > 0 }); err != nil {
		return err
	}
	if err := sleep(ctx, warm); err != nil {
		return err
	}
	if err := a.rest(ctx); err != nil {
		return err
	}
	return a.calibrate(ctx)
}

// rest pauses the league and returns when the matches in hand are over and everything about them is written.
func (a *arena) rest(ctx context.Context) error {
	if err := a.order(ctx, protocol.TypePauseLeague); err != nil {
		return err
	}
	return a.until(ctx, 5*time.Millisecond, resting)
}

// resting reports whether no match is in hand.
func resting(now [3]usage) bool {
	return now[referee].open == 0 && now[manager].results == now[referee].over
}

// until asks again and again until something is so.
func (a *arena) until(ctx context.Context, every time.Duration, so func(now [3]usage) bool) error {
	ctx, cancel := context.WithTimeout(ctx, restTime)
	defer cancel()
	for {
		now, err := a.usage(ctx)
		if err != nil {
			return err
		}
		if so(now) {
			return nil
		}
		if err := sleep(ctx, every); err != nil {
			return fmt.Errorf("the league does not settle: %d results, %.0f matches open: %s", int(now[manager].results), now[referee].open, a.manager.told)
		}
	}
}

// settle waits until the record of every result is where readers look for it.
func (a *arena) settle(ctx context.Context) error {
	now, err := a.manager.usage(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		there, err := os.ReadDir(filepath.Join(a.root, "data", "matches", leagueID))
		if err == nil && float64(len(there)) >= now.results {
			return nil
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("%d of %.0f match records are in data/matches", len(there), now.results)
		}
	}
}

// usage asks the manager, the referee and the players, in this order.
func (a *arena) usage(ctx context.Context) (out [3]usage, err error) {
	for i, p := range []*process{a.manager, a.referee, a.crowd} {
		if p == nil {
			continue
		}
		if out[i], err = p.usage(ctx); err != nil {
			return out, err
		}
	}
	return out, nil
}

// calibrate finds out what it takes to ask, which is no part of a match.
func (a *arena) calibrate(ctx context.Context) error {
	const times = 10
	before, err := a.usage(ctx)
	if err != nil {
		return err
	}
	for range times {
		if _, err = a.usage(ctx); err != nil {
			return err
		}
	}
	after, err := a.usage(ctx)
	for i := range after {
		a.scrape[i] = after[i].minus(before[i]).times(1. / (times + 1))
	}
	return err
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
